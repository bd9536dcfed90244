package io.cloudmw.helper.compete;

import io.cloudmw.core.bulk.BulkConnection;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.mode.LaneLayout;
import io.cloudmw.core.monitor.Hedges;
import io.cloudmw.core.race.AttemptId;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.Race;
import io.cloudmw.core.race.RaceActions;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.race.RivalNotice;
import io.cloudmw.core.thread.SerialExecutor;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.helper.block.WantedBlock;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A transfer at this helper, which drives {@link Race} for its own racers and carries out the actions it orders.
 *
 * <p>The public methods may be called by any thread and take effect in their order, on the transfer's own serial
 * executor; everything private runs there.
 */
public final class HelperTransfer {
    private static final Logger LOG = LoggerFactory.getLogger(HelperTransfer.class);

    private final TransferSpec spec;
    private final HelperServices around;
    private final Destination destination;
    private final Runnable removed;
    private final SerialExecutor executor;
    private final LaneLayout lanes;
    private final Race race;
    private final Rivals rivals;
    private final TransferAttempts attempts;
    private final AtomicBoolean ended = new AtomicBoolean();
    private final Map<BlockId, WantedBlock> blocks = new HashMap<>();
    private final Map<BlockId, CloudMwException> lastFailures = new HashMap<>();
    private @Nullable Future<?> wakeUp;
    private long wakeUpAtNanos;
    private int highestBlock = -1;
    private boolean closed;
    private Runnable atEnd = () -> {};

    /**
     * Does nothing before {@link #start}.
     *
     * @param removed run once when the transfer is over
     */
    HelperTransfer(
            TransferSpec spec, BulkConnection bulk, HelperServices around, Destination destination, Runnable removed) {
        this.spec = spec;
        this.around = around;
        this.destination = destination;
        this.removed = removed;
        this.executor = new SerialExecutor(around.threads(), this::broken);
        this.lanes = spec.lanes();
        this.race = new Race(
                around.policy().within(around.limits().blocks(), lanes.perHelper()),
                Set.copyOf(lanes.of(spec.self().rank())),
                new Actions());
        this.rivals = new Rivals(spec.solitary() ? 0 : spec.helpers().size(), spec.self());
        this.attempts = new TransferAttempts(spec, around, bulk, destination, new AttemptEvents());
    }

    public TransferSpec spec() {
        return spec;
    }

    /** Opens the links to the rivals of higher rank and begins to wait for those of lower rank. */
    void start() {
        signOfLife();
        if (spec.solitary()) {
            return;
        }
        post(this::joinRivals);
        if (after(around.limits().joinNanos(), this::dropAbsentRivals).isEmpty()) {
            LOG.debug("{}: the helper is closing", spec);
        }
    }

    private void joinRivals() {
        for (int rank = spec.self().rank() + 1; rank < spec.helpers().size(); rank++) {
            RacerId rival = new RacerId(rank);
            RivalLink link = around.rivals().connect(spec, rival, new RivalEvents(rival));
            try {
                rivals.linked(rival, link);
            } catch (CloudMwException e) {
                link.close();
            }
        }
    }

    /** The destination wants this block; blocks come in the order of their ids. */
    public void issue(WantedBlock block) {
        post(() -> {
            BlockId id = block.race().id();
            if (blocks.size() >= around.limits().blocks() || id.value() <= highestBlock) {
                fail(new CloudMwException(
                        ErrorCode.INVALID_ARGUMENT,
                        spec + " " + block + ": out of order, or one of more than "
                                + around.limits().blocks() + " at once"));
                return;
            }
            highestBlock = id.value();
            blocks.put(id, block);
            drive(now -> race.issued(block.race(), now));
        });
    }

    /** What the whole transfer asked for beyond one attempt per block; for the statistics. */
    public void hedged(Hedges hedges) {
        around.meters().hedged(hedges.issued(), hedges.won(), hedges.suppressed());
    }

    /** The destination does not want this block any more. */
    public void withdraw(BlockId block) {
        post(() -> settle(block, now -> race.withdrawn(block, now)));
    }

    /** The destination has this block. */
    public void delivered(BlockId block) {
        post(() -> {
            if (attempts.hasBrought(block)) {
                around.meters().won();
            }
            settle(block, now -> race.delivered(block, now));
        });
    }

    /** The destination got a damaged leaf of this block: the replica is looked at, and {@link Destination#judged} follows. */
    public void doubt(BlockId block) {
        post(() -> attempts.doubt(block));
    }

    /** The destination wants only the first {@code length} bytes of this block. */
    public void shorten(BlockId block, long length) {
        post(() -> {
            WantedBlock wanted = blocks.get(block);
            if (wanted != null && length > 0 && length < wanted.length()) {
                drive(now -> race.shortened(block, length, now));
            }
        });
    }

    /** In the destination's eyes this helper is gone. */
    public void racerGone(RacerId helper) {
        post(() -> gone(helper));
    }

    /** Runs {@code task} after everything that was said before; dropped when the transfer is over. */
    public void afterwards(Runnable task) {
        post(task);
    }

    /** A rival of lower rank has joined. A second one of the same rank, or a late one, is refused. */
    void joined(RacerId racer, RivalLink link) {
        post(
                () -> {
                    try {
                        rivals.linked(racer, link);
                    } catch (CloudMwException e) {
                        LOG.debug("{} refused a rival: {}", spec, e.getMessage());
                        link.close();
                    }
                },
                link::close);
    }

    /** The listener for a rival that joins with this rank. */
    RivalLink.Listener rivalEvents(RacerId racer) {
        return new RivalEvents(racer);
    }

    /** The destination has what it wanted: says how far every attempt has come that still runs, and ends all. */
    public void finish() {
        if (ended.compareAndSet(false, true)) {
            executor.execute(() -> {
                try {
                    attempts.lastWords();
                } finally {
                    free();
                    destination.ended();
                }
            });
        }
    }

    /** Ends everything this helper still does for the transfer. Idempotent. */
    public void close() {
        if (ended.compareAndSet(false, true)) {
            executor.execute(this::free);
        }
    }

    /** Ends it because of something that happened here. */
    void abort(CloudMwException cause) {
        post(() -> fail(cause));
    }

    private void fail(CloudMwException cause) {
        if (!closed && ended.compareAndSet(false, true)) {
            try {
                destination.failed(cause);
            } finally {
                free();
            }
        }
    }

    /** Runs {@code action} when the transfer is over, whatever ends it. */
    void atEnd(Runnable action) {
        post(() -> atEnd = action, action);
    }

    private void free() {
        if (closed) {
            return;
        }
        closed = true;
        race.close();
        if (wakeUp != null) {
            wakeUp.cancel(false);
        }
        blocks.clear();
        lastFailures.clear();
        // Whatever goes wrong with one of them, the others are not held on to.
        try {
            attempts.close();
        } finally {
            try {
                rivals.close();
            } finally {
                removed.run();
                atEnd.run();
            }
        }
    }

    private void post(Runnable task) {
        post(task, () -> {});
    }

    private void post(Runnable task, Runnable otherwise) {
        executor.execute(() -> {
            if (closed) {
                otherwise.run();
                return;
            }
            task.run();
        });
    }

    private void broken(Throwable defect) {
        LOG.error("{} failed by a defect", spec, defect);
        fail(CloudMwException.ofDefect(spec.toString(), defect));
    }

    private void settle(BlockId block, LongConsumer event) {
        drive(event);
        blocks.remove(block);
        lastFailures.remove(block);
    }

    /** A helper, named by its rank, is gone with all of its racers. */
    private void gone(RacerId helper) {
        if (rivals.drop(helper)) {
            for (RacerId racer : lanes.of(helper.rank())) {
                if (!closed) {
                    drive(now -> race.rivalGone(racer, now));
                }
            }
        }
    }

    /** Attempts report repeatedly, also when nothing arrives: a silent helper that fetches is taken for dead. */
    private void signOfLife() {
        var unused = after(around.limits().progressNanos(), () -> {
            attempts.signOfLife();
            signOfLife();
        });
    }

    private void dropAbsentRivals() {
        for (int rank = 0; rank < spec.helpers().size(); rank++) {
            RacerId racer = new RacerId(rank);
            if (!rivals.settled(racer)) {
                LOG.debug("{}: racer {} did not join in time", spec, rank);
                gone(racer);
            }
        }
    }

    private void drive(LongConsumer event) {
        event.accept(around.ticker().nanos());
        scheduleWakeUp();
    }

    /** The actions that the race orders. */
    private final class Actions implements RaceActions {
        @Override
        public void start(AttemptId attempt, Block block, int replica) {
            WantedBlock wanted = blocks.get(block.id());
            if (wanted == null) {
                throw new IllegalStateException("start of a block that was never issued: " + attempt);
            }
            attempts.start(attempt, wanted, wanted.replicas().get(replica));
        }

        @Override
        public void cancel(AttemptId attempt) {
            attempts.cancel(attempt);
        }

        @Override
        public void shorten(AttemptId attempt, long length) {
            attempts.shorten(attempt, length);
        }

        @Override
        public void discard(AttemptId attempt) {
            attempts.discard(attempt);
        }

        @Override
        public void deliver(AttemptId attempt) {
            attempts.deliver(attempt);
        }

        @Override
        public void tell(RacerId rival, RivalNotice notice, BlockId block, RacerId self) {
            HelperTransfer.this.tell(rival, new RivalMessage(notice, block, self));
        }

        @Override
        public void reportLost(BlockId block, RacerId self, RacerId winner) {
            around.meters().lost();
            destination.lost(block, self, winner);
        }

        @Override
        public void reportForfeited(BlockId block, RacerId self, ErrorCode code) {
            around.meters().forfeited();
            CloudMwException last = lastFailures.get(block);
            String why = last == null ? "" : String.valueOf(last.getMessage());
            CloudMwException cause = last != null && last.code() == code ? last : new CloudMwException(code, why);
            destination.forfeited(block, self, cause);
        }
    }

    private void tell(RacerId racer, RivalMessage message) {
        RacerId helper = new RacerId(lanes.helper(racer));
        if (!rivals.send(helper, message)) {
            post(() -> gone(helper));
        }
    }

    private void scheduleWakeUp() {
        OptionalLong at = race.wakeAtNanos();
        if (at.isEmpty() || closed) {
            return;
        }
        boolean sooner = wakeUp == null || wakeUp.isDone() || at.getAsLong() - wakeUpAtNanos < 0;
        if (sooner) {
            if (wakeUp != null) {
                wakeUp.cancel(false);
            }
            wakeUpAtNanos = at.getAsLong();
            long delay = Math.max(0, wakeUpAtNanos - around.ticker().nanos());
            wakeUp = after(delay, () -> {
                        wakeUp = null;
                        drive(race::timePassed);
                    })
                    .orElse(null);
        }
    }

    private Optional<Future<?>> after(long delayNanos, Runnable task) {
        return Threads.later(around.timer(), delayNanos, () -> post(task));
    }

    /** The events of attempts, on this transfer's executor. */
    private final class AttemptEvents implements TransferAttempts.Events {
        @Override
        public void post(Runnable task, Runnable otherwise) {
            HelperTransfer.this.post(task, otherwise);
        }

        @Override
        public void finished(AttemptId attempt) {
            drive(now -> race.finished(attempt, now));
        }

        @Override
        public void failed(AttemptId attempt, ErrorCode code) {
            drive(now -> race.failed(attempt, code, now));
        }

        @Override
        public void cancelled(AttemptId attempt) {
            drive(now -> race.cancelled(attempt, now));
        }

        @Override
        public void failed(BlockId block, CloudMwException cause) {
            if (blocks.containsKey(block)) {
                lastFailures.put(block, cause);
            }
        }
    }

    /** The events of one rival. */
    private final class RivalEvents implements RivalLink.Listener {
        private final RacerId racer;

        RivalEvents(RacerId racer) {
            this.racer = racer;
        }

        @Override
        public void received(RivalMessage message, Runnable handled) {
            post(() -> {
                if (message.block().value() > highestBlock + around.limits().blocks()) {
                    LOG.warn(
                            "{}: racer {} speaks of block {} far ahead",
                            spec,
                            racer.rank(),
                            message.block().value());
                    gone(racer);
                    return;
                }
                RacerId speaker = message.racer();
                if (!lanes.isHelpers(speaker) || lanes.helper(speaker) != racer.rank()) {
                    LOG.warn("{}: helper {} speaks for racer {}", spec, racer.rank(), speaker.rank());
                    gone(racer);
                    return;
                }
                drive(now -> race.rivalSaid(speaker, message.notice(), message.block(), now));
                handled.run();
            });
        }

        @Override
        public void ended(CloudMwException cause) {
            post(() -> {
                LOG.debug("{}: racer {} is gone: {}", spec, racer.rank(), cause.getMessage());
                gone(racer);
            });
        }
    }
}
