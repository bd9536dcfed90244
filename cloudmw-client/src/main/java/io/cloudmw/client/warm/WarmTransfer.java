package io.cloudmw.client.warm;

import io.cloudmw.client.context.ClientContext;
import io.cloudmw.client.context.ConfinedTransfer;
import io.cloudmw.client.context.Failures;
import io.cloudmw.client.context.RetryLimits;
import io.cloudmw.client.manifest.ManifestReader;
import io.cloudmw.client.progress.TransferCost;
import io.cloudmw.client.progress.WarmListener;
import io.cloudmw.client.progress.WarmReceipt;
import io.cloudmw.client.progress.WarmedSwitch;
import io.cloudmw.client.rpc.link.WarmCall;
import io.cloudmw.client.rpc.link.WarmEvents;
import io.cloudmw.client.rpc.link.WarmSetup;
import io.cloudmw.core.config.Sizes;
import io.cloudmw.core.cost.StoreUsage;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Location;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.status.HelperStatus;
import io.cloudmw.core.status.StoreStatus;
import io.cloudmw.core.thread.Threads;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A warm-up, which tells switches the blocks of one version in the order of {@link WarmSchedule}, and collects their
 * answers. A cached block costs a message only, so an interrupted warm-up is simply repeated. A lost switch stops no
 * other. When the token expires the warm-up continues by a new plan of the same version. Its state is confined to
 * its serial executor.
 */
public final class WarmTransfer extends ConfinedTransfer<WarmReceipt> {
    private static final Logger LOG = LoggerFactory.getLogger(WarmTransfer.class);

    /** Tries at a block, each at another replica where there is one. */
    private static final int MAX_TRIES = 4;

    /**
     * Refusals by a switch that is warmed with too many files, over about ten minutes; no reader waits for a warm-up.
     */
    private static final int MAX_REFUSALS = 10 * RetryLimits.MAX_REFUSALS;

    /** The wait for pending reports when a token is renewed; the receipt lacks bytes that are reported later. */
    private static final long DRAIN_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final WarmRequest request;
    private final Map<StoreId, StoreUsage> usage = new HashMap<>();
    private final List<Target> targets = new ArrayList<>();
    /** Switches without a slot yet; the first one is asked for a slot. */
    private final Deque<Integer> toOpen = new ArrayDeque<>();

    /** Switches with pending reports by a plan that is given up; meanwhile no orders are sent. */
    private final Set<Integer> draining = new HashSet<>();

    private @Nullable Run run;
    /** Plans that replaced others. */
    private int renewals;
    /** Blocks that were answered since the last renewal. */
    private int answered;
    /** True if a switch was overloaded since the last renewal. */
    private boolean waited;

    /** A switch that is warmed. */
    private static final class Target {
        final HelperAddress helper;
        final WarmTally tally;
        final Map<Integer, Integer> tries = new HashMap<>();
        /** Blocks it was told of, and has not answered. */
        final Set<Integer> ordered = new LinkedHashSet<>();

        @Nullable
        WarmCall stream;
        /** Blocks it accepts at once; 0: not ready yet, or gone. */
        int window;

        int refusals;
        boolean gone;

        Target(HelperAddress helper, WarmTally tally) {
            this.helper = helper;
            this.tally = tally;
        }
    }

    public WarmTransfer(ClientContext context, WarmRequest request) {
        super(context, request.file().toString());
        this.request = request;
    }

    @Override
    protected void begin() {
        then(
                context().coordinator().planRead(request.file(), request.version(), Optional.empty(), Location.NONE),
                plan -> then(context().coordinator().helpers(), helpers -> planned(plan, helpers)));
    }

    private void planned(ReadPlan plan, List<HelperStatus> helpers) {
        List<HelperAddress> live = helpers.stream()
                .filter(HelperStatus::alive)
                .map(HelperStatus::helper)
                .toList();
        Set<HelperId> owners = plan.stores().stream()
                .flatMap(status -> status.store().owner().stream())
                .collect(Collectors.toSet());
        WarmTargets chosen;
        try {
            chosen = WarmTargets.of(plan.version(), live, owners, request.to());
        } catch (CloudMwException e) {
            fail(e);
            return;
        }
        for (int target = 0; target < chosen.size(); target++) {
            targets.add(new Target(chosen.at(target), new WarmTally(usage)));
        }
        tell(listener -> listener.planned(
                plan.version(),
                targets.stream().map(target -> target.helper.id()).toList()));
        List<HelperAddress> diskOwners =
                live.stream().filter(helper -> owners.contains(helper.id())).toList();
        run = new Run(plan, chosen, diskOwners, request.fetch());
        openAll(run);
        run.pump();
    }

    // ---- the switches

    /**
     * Opens the remaining switches one after another, in the order of their ids. So a warm-up that waits for a slot
     * holds only slots of earlier switches. In the order of each file's trees, two warm-ups could deadlock.
     */
    private void openAll(Run now) {
        toOpen.clear();
        IntStream.range(0, targets.size())
                .filter(target -> !targets.get(target).gone)
                .boxed()
                .sorted(Comparator.comparing(
                        target -> targets.get(target).helper.id()))
                .forEach(toOpen::add);
        openFirst(now);
    }

    private void openFirst(Run now) {
        Integer first = toOpen.peek();
        if (first != null) {
            open(now, first);
        }
    }

    /** A switch has a slot, or needs none any more. */
    private void openedOrLost(Run now, int target) {
        if (toOpen.removeFirstOccurrence(target)) {
            openFirst(now);
        }
    }

    private void open(Run now, int target) {
        List<HelperAddress> members = now.chosen.asked(target);
        List<HelperAddress> named = Stream.concat(members.stream(), now.owners.stream())
                .distinct()
                .map(HelperAddress::withoutVolumes)
                .toList();
        List<Store> stores = now.plan.stores().stream().map(StoreStatus::store).toList();
        WarmSetup setup = new WarmSetup(now.plan.token(), named, members.size(), stores);
        targets.get(target).stream = WarmCall.begin(
                context().links().get(),
                now.chosen.at(target),
                setup,
                new SwitchListener(target, () -> open(now, target)));
    }

    /** A listener that passes one switch's events to the executor that owns the state. */
    private final class SwitchListener implements WarmEvents {
        private final int target;
        private final Runnable reopen;

        private final int plan = renewals;

        /** @param reopen opens another stream to the switch */
        SwitchListener(int target, Runnable reopen) {
            this.target = target;
            this.reopen = () -> {
                if (plan == renewals && draining.isEmpty()) {
                    reopen.run();
                }
            };
        }

        /** Runs a step, unless its event is of an old plan, whose blocks are ordered anew. */
        private void inRun(InRun step) {
            WarmTransfer.this.inRun(now -> {
                if (plan == renewals) {
                    step.with(now);
                }
            });
        }

        @Override
        public void ready(int window, long capacityBytes) {
            inRun(now -> WarmTransfer.this.ready(now, target, window, capacityBytes));
        }

        @Override
        public void underWay(BlockId block) {
            inRun(now -> now.schedule.underWay(target, block.value()));
        }

        @Override
        public void warmed(BlockId block, Warmed warmed) {
            inRun(now -> now.warmed(target, block.value(), warmed));
        }

        @Override
        public void gone(CloudMwException why) {
            inRun(now -> WarmTransfer.this.gone(now, target, why, reopen));
        }
    }

    private interface InRun {
        void with(Run now);
    }

    private void inRun(InRun step) {
        serial().execute(() -> {
            Run now = run;
            if (!isOver() && now != null) {
                step.with(now);
                now.pump();
            }
        });
    }

    private void ready(Run now, int target, int window, long capacityBytes) {
        if (!draining.isEmpty()) {
            return;
        }
        long wantedBytes = Math.max(request.runBytes(), now.plan.version().sizeBytes());
        if (request.fetch() && wantedBytes > capacityBytes) {
            lose(
                    now,
                    target,
                    new CloudMwException(
                            ErrorCode.STORE_FULL,
                            "helper " + targets.get(target).helper.id() + ": keeps at most "
                                    + Sizes.approximate(capacityBytes) + " (expected: >= "
                                    + Sizes.approximate(wantedBytes)
                                    + ", all that is to be kept; helper.cache.disk.limit of"
                                    + " a helper.cache.disk.dir, or three quarters of helper.cache.memory)"));
            return;
        }
        targets.get(target).window = window;
        now.schedule.window(target, window);
        openedOrLost(now, target);
    }

    /**
     * Retries, with backoff, a switch that has no slot for another warm-up. Any other switch is lost, unless its token
     * has expired.
     */
    private void gone(Run now, int target, CloudMwException why, Runnable reopen) {
        if (!draining.isEmpty()) {
            reportedAll(now, target);
            return;
        }
        Target one = targets.get(target);
        if (why.code() == ErrorCode.UNAUTHENTICATED && mayHaveBeenValid(one)) {
            giveUpPlan(now);
            return;
        }
        boolean refused = why.code() == ErrorCode.OVERLOADED && one.window == 0;
        if (refused && ++one.refusals <= MAX_REFUSALS) {
            waited = true;
            later(RetryLimits.pauseNanos(one.refusals, why, Long.MAX_VALUE), then -> reopen.run());
        } else {
            lose(now, target, why.code() == ErrorCode.CANCELLED ? closing(one.helper, why) : why);
        }
    }

    /**
     * Returns whether the switch's token may have been valid once: blocks were answered, or a switch was overloaded
     * while it lasted. A token that was never valid is not renewed again and again.
     */
    private boolean mayHaveBeenValid(Target one) {
        return one.window > 0 ? answered > 0 : waited && ++one.refusals <= MAX_REFUSALS;
    }

    /** Ends the orders of this plan. Pending reports still count: they say what was spent. */
    private void giveUpPlan(Run now) {
        for (int target = 0; target < targets.size(); target++) {
            Target one = targets.get(target);
            WarmCall stream = one.stream;
            if (!one.gone) {
                one.window = 0;
                now.schedule.window(target, 0);
                if (stream != null && stream.finish()) {
                    draining.add(target);
                }
            }
        }
        if (draining.isEmpty()) {
            renew(now);
            return;
        }
        int plan = renewals;
        later(DRAIN_NANOS, then -> {
            if (plan == renewals) {
                renew(then);
            }
        });
    }

    private void reportedAll(Run now, int target) {
        if (draining.remove(target) && draining.isEmpty()) {
            renew(now);
        }
    }

    /** Continues with all switches by a new plan. */
    private void renew(Run now) {
        draining.clear();
        renewals++;
        answered = 0;
        waited = false;
        for (int target = 0; target < targets.size(); target++) {
            Target one = targets.get(target);
            if (!one.gone) {
                close(one);
                now.repeatOrders(target, one);
            }
        }
        then(
                context()
                        .coordinator()
                        .planRead(
                                request.file(), Optional.of(now.plan.version().id()), Optional.empty(), Location.NONE),
                plan -> renewed(now, plan));
    }

    private void renewed(Run now, ReadPlan plan) {
        now.resume(plan);
        openAll(now);
        now.pump();
    }

    /** The switch closes; this warm-up was not cancelled. */
    private static CloudMwException closing(HelperAddress helper, CloudMwException why) {
        return new CloudMwException(
                ErrorCode.HELPER_UNAVAILABLE,
                "helper " + helper.id() + " is gone; repeat the command when it is back",
                why);
    }

    private void lose(Run now, int target, CloudMwException why) {
        Target one = targets.get(target);
        if (!one.gone) {
            one.gone = true;
            one.tally.failed(why);
            close(one);
            now.gone(target);
            openedOrLost(now, target);
        }
    }

    private static void close(Target target) {
        WarmCall stream = target.stream;
        if (stream != null) {
            stream.close();
        }
    }

    private void later(long nanos, InRun step) {
        if (Threads.later(context().threads().timer(), nanos, () -> inRun(step)).isEmpty()) {
            fail(Failures.clientClosed());
        }
    }

    // ---- the blocks

    /** A pass over all blocks, to cache or to check them. */
    private final class Run {
        private final WarmTargets chosen;
        private final List<HelperAddress> owners;
        private final boolean fetch;
        private ReadPlan plan;
        private WarmBlocks blocks;
        /** Blocks before this one are open, or done. */
        private int added;

        private final WarmSchedule schedule = new WarmSchedule(targets.size());
        private final Map<Integer, WarmBlocks.Piece> open = new HashMap<>();
        private final BitSet late = new BitSet();
        private long doneBytes;

        Run(ReadPlan plan, WarmTargets chosen, List<HelperAddress> owners, boolean fetch) {
            this.plan = plan;
            this.chosen = chosen;
            this.owners = owners;
            this.fetch = fetch;
            blocks = blocks(plan, WarmBlocks.Place.FIRST);
            for (int target = 0; target < targets.size(); target++) {
                late.set(target, chosen.asksLate(target));
                schedule.window(target, targets.get(target).window);
                if (targets.get(target).gone) {
                    schedule.gone(target);
                }
            }
        }

        private WarmBlocks blocks(ReadPlan by, WarmBlocks.Place first) {
            long size = by.version().sizeBytes();
            ManifestReader feed = new ManifestReader(
                    context().coordinator(),
                    by,
                    new ByteRange(first.offset(), size - first.offset()),
                    serial(),
                    this::pump,
                    failure -> fail(Failures.of(failure)));
            return new WarmBlocks(feed, by, first);
        }

        /** Repeats the unanswered orders of a switch that is ready again, before all others. */
        void repeatOrders(int number, Target target) {
            for (int block : target.ordered) {
                schedule.paused(number);
                schedule.retry(number, block);
            }
            target.ordered.clear();
        }

        /** Continues by a new plan, from the first chunk on that is not done. */
        void resume(ReadPlan renewed) {
            WarmBlocks.Place first = open.values().stream()
                    .map(WarmBlocks.Piece::place)
                    .min(Comparator.comparingInt(WarmBlocks.Place::block))
                    .orElse(blocks.place());
            blocks.close();
            plan = renewed;
            blocks = blocks(renewed, first);
        }

        /** Returns whether the renewed plan has yet to reach blocks that were added under an earlier plan. */
        private boolean isGoingOn() {
            return blocks.next() < added;
        }

        void pump() {
            if (isOver() || run != this) {
                return;
            }
            while (isGoingOn() || schedule.hasRoom()) {
                WarmBlocks.Piece piece = blocks.poll();
                if (piece == null) {
                    break;
                }
                add(piece);
            }
            if (!isGoingOn()) {
                schedule.next().forEach(this::tell);
            }
            boolean all = targets.stream().allMatch(target -> target.gone);
            if (schedule.isIdle() && (all || blocks.isEnded())) {
                blocks.close();
                ended(this);
            }
        }

        private void add(WarmBlocks.Piece piece) {
            if (piece.id() < added) {
                open.replace(piece.id(), piece);
                return;
            }
            added = piece.id() + 1;
            int[] above = fetch
                    ? chosen.above(piece.chunk(), piece.blocksInChunk(), piece.number())
                    : targets.stream().mapToInt(target -> -1).toArray();
            open.put(piece.id(), piece);
            schedule.add(piece.id(), above, late);
            if (!schedule.isOpen(piece.id())) {
                open.remove(piece.id());
            }
        }

        private void tell(WarmSchedule.Order order) {
            WarmBlocks.Piece piece = open.get(order.block());
            Target target = targets.get(order.target());
            WarmCall stream = target.stream;
            if (piece == null || stream == null) {
                throw new IllegalStateException("block " + order.block() + " for " + target.helper.id() + ": is over");
            }
            target.ordered.add(order.block());
            if (fetch) {
                stream.keep(piece.issued(target.tries.getOrDefault(order.block(), 0), target.helper.id()));
            } else {
                stream.look(piece.issued(0, target.helper.id()));
            }
        }

        void warmed(int number, int block, WarmEvents.Warmed warmed) {
            Target target = targets.get(number);
            WarmBlocks.Piece piece = open.get(block);
            if (target.gone || piece == null) {
                return;
            }
            answered++;
            target.ordered.remove(block);
            if (!fetch) {
                target.tally.found(warmed.keptBytes());
                if (!request.fetch()) {
                    target.tally.answered(warmed, true);
                }
                done(number, block, 0);
                return;
            }
            int tries = target.tries.merge(block, 1, Integer::sum);
            target.tally.answered(warmed, tries == 1);
            Optional<CloudMwException> failure = warmed.failure();
            if (failure.isPresent() && tries < MAX_TRIES) {
                schedule.paused(number);
                later(
                        RetryLimits.pauseNanos(tries, failure.get(), Long.MAX_VALUE),
                        then -> schedule.retry(number, block));
                return;
            }
            failure.ifPresent(target.tally::failed);
            target.tries.remove(block);
            done(number, block, piece.length());
        }

        void gone(int target) {
            schedule.gone(target);
            open.keySet().removeIf(block -> !schedule.isOpen(block));
        }

        private void done(int target, int block, long bytes) {
            schedule.ended(target, block);
            if (!schedule.isOpen(block)) {
                open.remove(block);
            }
            doneBytes += bytes;
            if (bytes > 0) {
                long total = plan.version().sizeBytes() * targets.size();
                WarmTransfer.this.tell(listener -> listener.progressed(doneBytes, total));
            }
        }
    }

    /** A pass over all blocks has ended. */
    private void ended(Run last) {
        boolean mayLook = targets.stream().anyMatch(target -> !target.gone);
        if (last.fetch && request.look() && mayLook) {
            Run look = new Run(last.plan, last.chosen, last.owners, false);
            run = look;
            look.pump();
        } else {
            succeed(receipt(last.plan));
        }
    }

    private WarmReceipt receipt(ReadPlan plan) {
        long size = plan.version().sizeBytes();
        List<WarmedSwitch> switches = targets.stream()
                .map(target -> target.tally.of(target.helper, size, request.look()))
                .sorted(Comparator.comparing(WarmedSwitch::helper))
                .toList();
        List<Store> stores = plan.stores().stream().map(StoreStatus::store).toList();
        TransferCost cost = new TransferCost(usage, context().pricing().bill(usage, stores, 0));
        return new WarmReceipt(1, 0, size, switches, elapsed(), cost);
    }

    private void tell(Consumer<WarmListener> what) {
        try {
            what.accept(request.listener());
        } catch (RuntimeException e) {
            LOG.warn("warm-up listener failed", e);
        }
    }

    @Override
    protected void stop(ErrorCode why) {
        Run last = run;
        if (last != null) {
            last.blocks.close();
        }
        targets.forEach(WarmTransfer::close);
    }

    @Override
    protected void free() {
        // Nothing on this machine.
    }
}
