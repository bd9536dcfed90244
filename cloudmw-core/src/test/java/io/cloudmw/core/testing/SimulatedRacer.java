package io.cloudmw.core.testing;

import io.cloudmw.core.race.AttemptId;
import io.cloudmw.core.race.AttemptStage;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.RacerId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A process that hosts racers: a helper with its lanes, or the client with all its own. It may be paused, and it may die. */
final class SimulatedRacer {
    private static final long REPORT_EVERY_NANOS = 1_000_000_000L;
    private static final long LEAF_SENT_NANOS = 5_000_000;

    /** Its place in {@link SimulatedLinks}. */
    final int place;

    final Set<RacerId> ranks;
    final RacerMachine machine;
    /** Attempts under way, and those that wait for a thread. */
    final Map<AttemptId, SimulatedFetch> active = new LinkedHashMap<>();
    /** Attempts whose bytes it keeps. */
    final Map<AttemptId, SimulatedFetch> held = new LinkedHashMap<>();

    /** The active attempts that wait, with the actions for their start. */
    private final Map<AttemptId, List<Runnable>> waiting = new LinkedHashMap<>();

    boolean dead;
    private boolean paused;
    private boolean wasPaused;
    private final Deque<Runnable> inbox = new ArrayDeque<>();
    private final Map<BlockId, Block> blocks = new HashMap<>();
    private final SimulatedTransfer transfer;
    private final VirtualClock clock;
    private long wakeAtNanos = -1;

    SimulatedRacer(int place, Set<RacerId> ranks, RacerMachine machine, SimulatedTransfer transfer) {
        this.place = place;
        this.ranks = Set.copyOf(ranks);
        this.machine = machine;
        this.transfer = transfer;
        this.clock = transfer.clock;
    }

    void post(RaceEvent event) {
        whenRunning(() -> handle(event));
    }

    /** Messages to a paused process wait for it; messages to a dead one are lost. */
    void whenRunning(Runnable action) {
        if (dead) {
            return;
        }
        if (paused) {
            inbox.add(action);
        } else {
            action.run();
        }
    }

    void pause() {
        paused = true;
        wasPaused = true;
    }

    void resume() {
        paused = false;
        while (!inbox.isEmpty() && !paused) {
            whenRunning(inbox.remove());
        }
    }

    /** Returns whether it ever was paused. */
    boolean wasPaused() {
        return wasPaused;
    }

    void die() {
        dead = true;
        active.clear();
        waiting.clear();
        held.clear();
        inbox.clear();
    }

    private void handle(RaceEvent event) {
        if (event instanceof RaceEvent.Issued issued) {
            blocks.put(issued.block().id(), issued.block());
        }
        transfer.invariants.received(this, event);
        for (RaceCommand command : machine.on(event, clock.nanos())) {
            transfer.invariants.commanded(this, command);
            execute(command);
        }
        transfer.invariants.check(this);
        scheduleWake();
    }

    private void scheduleWake() {
        OptionalLong wake = machine.wakeAtNanos();
        if (wake.isPresent() && wake.getAsLong() != wakeAtNanos) {
            wakeAtNanos = wake.getAsLong();
            clock.after(wakeAtNanos - clock.nanos(), () -> whenRunning(this::wake));
        }
    }

    private void wake() {
        OptionalLong due = machine.wakeAtNanos();
        if (due.isPresent() && due.getAsLong() <= clock.nanos()) {
            handle(new RaceEvent.TimePassed());
        }
    }

    private void execute(RaceCommand command) {
        if (command instanceof RaceCommand.Start start) {
            start(start);
        } else if (command instanceof RaceCommand.Cancel cancel) {
            cancel(cancel.attempt());
        } else if (command instanceof RaceCommand.Shorten shorten) {
            shorten(shorten);
        } else if (command instanceof RaceCommand.Discard discard) {
            held.remove(discard.attempt());
        } else if (command instanceof RaceCommand.Claim claim) {
            transfer.tell(this, claim.rival(), new RaceEvent.RivalClaimed(claim.self(), claim.block()));
        } else if (command instanceof RaceCommand.TellStarted started) {
            transfer.tell(this, started.rival(), new RaceEvent.RivalStarted(started.self(), started.block()));
        } else if (command instanceof RaceCommand.Yield yield) {
            transfer.tell(this, yield.rival(), new RaceEvent.RivalYielded(yield.self(), yield.block()));
        } else if (command instanceof RaceCommand.Forfeit forfeit) {
            transfer.tell(this, forfeit.rival(), new RaceEvent.RivalForfeited(forfeit.self(), forfeit.block()));
        } else if (command instanceof RaceCommand.Deliver deliver) {
            deliver(deliver);
        } else if (command instanceof RaceCommand.ReportLost lost) {
            transfer.destination.reportLost(this, lost);
        } else if (command instanceof RaceCommand.ReportForfeited forfeited) {
            transfer.destination.reportForfeited(this, forfeited);
        }
    }

    private Block blockOf(BlockId id) {
        Block block = blocks.get(id);
        if (block == null) {
            throw new AssertionError("a command about " + id + ", which was never issued to " + ranks);
        }
        return block;
    }

    private void start(RaceCommand.Start start) {
        SimulatedFetch fetch = transfer.stores.fetch(start.attempt(), start.block(), start.replica(), clock.nanos());
        active.put(start.attempt(), fetch);
        waiting.put(start.attempt(), new ArrayList<>());
        beginNext();
        waits(start.attempt());
    }

    /** Begins the attempt that has waited longest, if a thread is free. */
    private void beginNext() {
        boolean free = active.size() - waiting.size() < transfer.settings.threadsOf(place);
        Iterator<Map.Entry<AttemptId, List<Runnable>>> all = waiting.entrySet().iterator();
        if (!free || !all.hasNext()) {
            return;
        }
        Map.Entry<AttemptId, List<Runnable>> next = all.next();
        all.remove();
        SimulatedFetch fetch = fetchOf(next.getKey());
        if (fetch == null) {
            throw new AssertionError(next.getKey() + " waits and is not active");
        }
        SimulatedFetch begun = fetch.startingAt(clock.nanos());
        active.put(next.getKey(), begun);
        report(begun, AttemptStage.STARTED);
        clock.after(begun.endsAfterNanos(), () -> whenRunning(() -> end(begun)));
        next.getValue().forEach(Runnable::run);
    }

    private void waits(AttemptId attempt) {
        if (waiting.containsKey(attempt)) {
            transfer.destination.reportWaits(this, attempt);
            clock.after(REPORT_EVERY_NANOS, () -> whenRunning(() -> waits(attempt)));
        }
    }

    /** Runs {@code action} when a waiting attempt begins; returns false when it does not wait. */
    private boolean whenBegun(AttemptId attempt, Runnable action) {
        List<Runnable> later = waiting.get(attempt);
        if (later != null) {
            later.add(action);
        }
        return later != null;
    }

    /** A cut-through relay is offered when its first leaf is there, a winner's at once. */
    private void deliver(RaceCommand.Deliver deliver) {
        if (whenBegun(deliver.attempt(), () -> deliver(deliver))) {
            return;
        }
        Block block = blockOf(deliver.block());
        SimulatedFetch fetch = active.get(deliver.attempt());
        long wait = fetch == null ? 0 : fetch.untilLeavesNanos(1, clock.nanos());
        if (wait >= 0) {
            clock.after(
                    wait,
                    () -> whenRunning(() -> {
                        if (fetchOf(deliver.attempt()) != null) {
                            transfer.destination.offer(this, deliver.attempt(), block);
                        }
                    }));
        }
    }

    private @Nullable SimulatedFetch fetchOf(AttemptId attempt) {
        SimulatedFetch fetch = active.get(attempt);
        return fetch == null ? held.get(attempt) : fetch;
    }

    /** Ends the attempt when it has the wanted bytes; a later failure does not happen. */
    private void shorten(RaceCommand.Shorten shorten) {
        if (whenBegun(shorten.attempt(), () -> shorten(shorten))) {
            return;
        }
        SimulatedFetch fetch = active.get(shorten.attempt());
        int leaves = (int) (shorten.length() / SimulationSettings.LEAF_BYTES);
        long wait = fetch == null ? -1 : fetch.untilLeavesNanos(leaves, clock.nanos());
        if (wait >= 0) {
            clock.after(
                    wait,
                    () -> whenRunning(() -> {
                        if (active.containsKey(shorten.attempt())) {
                            finish(active.get(shorten.attempt()));
                        }
                    }));
        }
    }

    private void report(SimulatedFetch fetch, AttemptStage stage) {
        if (active.containsKey(fetch.attempt())) {
            transfer.destination.report(this, fetch.attempt(), stage, fetch.bytes(clock.nanos()));
            if (!fetch.isOver(clock.nanos() + REPORT_EVERY_NANOS)) {
                clock.after(REPORT_EVERY_NANOS, () -> whenRunning(() -> report(fetch, AttemptStage.UNDER_WAY)));
            }
        }
    }

    private void finish(SimulatedFetch fetch) {
        AttemptId attempt = fetch.attempt();
        active.remove(attempt);
        transfer.invariants.fetched(fetch, fetch.bytes(clock.nanos()));
        transfer.destination.report(this, attempt, AttemptStage.FETCHED, fetch.bytes(clock.nanos()));
        held.put(attempt, fetch);
        beginNext();
        post(new RaceEvent.Finished(attempt));
    }

    private void end(SimulatedFetch fetch) {
        AttemptId attempt = fetch.attempt();
        if (!active.containsKey(attempt)) {
            return;
        }
        if (fetch.failure() == null) {
            finish(fetch);
        } else {
            active.remove(attempt);
            transfer.invariants.fetched(fetch, fetch.bytes(clock.nanos()));
            transfer.destination.report(this, attempt, AttemptStage.STOPPED, fetch.bytes(clock.nanos()));
            transfer.destination.attemptFailed(this, attempt);
            beginNext();
            post(new RaceEvent.Failed(attempt, fetch.failure()));
        }
    }

    private void cancel(AttemptId attempt) {
        SimulatedFetch fetch = active.remove(attempt);
        if (fetch == null) {
            throw new AssertionError("cancels " + attempt + ", which is not under way");
        }
        long bytes = waiting.remove(attempt) == null ? fetch.bytes(clock.nanos()) : 0;
        transfer.invariants.fetched(fetch, bytes);
        transfer.destination.report(this, attempt, AttemptStage.STOPPED, bytes);
        beginNext();
        clock.after(1_000, () -> post(new RaceEvent.Cancelled(attempt)));
    }

    /** The destination granted credit for one more leaf. */
    void sendLeaf(SimulatedRelay relay) {
        SimulatedFetch fetch = fetchOf(relay.attempt);
        if (relay.closed || fetch == null) {
            return;
        }
        long wait = active.containsKey(relay.attempt) ? fetch.untilLeavesNanos(relay.sent + 1, clock.nanos()) : 0;
        if (wait != 0) {
            if (wait > 0) {
                clock.after(wait, () -> whenRunning(() -> sendLeaf(relay)));
            }
            return;
        }
        int leaf = relay.sent++;
        boolean struck = leaf == relay.fateLeaf;
        if (struck && relay.fate == SimulatedRelay.Fate.STALLS) {
            pause();
            return;
        }
        if (struck && relay.fate == SimulatedRelay.Fate.BREAKS) {
            transfer.destination.relayBreaks(relay);
            return;
        }
        long token = SimulatedTransfer.token(relay.block.chunkIndex(), relay.firstLeaf() + leaf);
        boolean corrupt = struck && relay.fate == SimulatedRelay.Fate.CORRUPTS;
        clock.after(LEAF_SENT_NANOS, () -> transfer.destination.leaf(relay, corrupt ? ~token : token));
    }
}
