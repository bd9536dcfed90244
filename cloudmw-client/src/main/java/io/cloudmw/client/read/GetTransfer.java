package io.cloudmw.client.read;

import io.cloudmw.client.context.ClientContext;
import io.cloudmw.client.context.ConfinedTransfer;
import io.cloudmw.client.context.CreditPool;
import io.cloudmw.client.context.Failures;
import io.cloudmw.client.context.RetryLimits;
import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.client.read.ledger.DeadlineChoice;
import io.cloudmw.client.read.ledger.ReadLedger;
import io.cloudmw.client.read.ledger.ReadScope;
import io.cloudmw.client.read.relay.TransferCredit;
import io.cloudmw.client.read.trace.ReadTrace;
import io.cloudmw.client.sink.LeafSink;
import io.cloudmw.core.cost.ReadStrategy;
import io.cloudmw.core.cost.plan.ReadShape;
import io.cloudmw.core.cost.plan.SlaPlanner;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.mode.DeliveryPolicy;
import io.cloudmw.core.mode.ModePolicy;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.Urgency;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.status.fleet.ExpectedSpeed;
import io.cloudmw.core.thread.Threads;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A get, from its plan to its receipt. The transfer asks for the plan, opens the destination, waits for its share of
 * memory, lets {@link ReadDriver} deliver, and commits the destination or leaves no trace of it. Its state is confined
 * to its serial executor.
 */
public final class GetTransfer extends ConfinedTransfer<GetReceipt> {
    /** How often a coordinator is asked for the right of a read whose token a helper refused. */
    private static final int RIGHT_CHECKS = 2;

    /** Longer than a coordinator takes to hear of a change of rights at another one. */
    private static final long RIGHT_CHECK_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final GetRequest request;
    private final ReadLedger ledger;
    private final ReadTrace trace;
    private final ReadPathChoice route;
    private final ReplanLimit replans = new ReplanLimit();
    private Optional<DeadlineChoice> choice = Optional.empty();
    private volatile @Nullable LeafSink sink;
    private @Nullable ReadDriver driver;
    private @Nullable CompletableFuture<?> rightCheck;
    /** The number of times that no helper had room. */
    private int refusals;

    public GetTransfer(ClientContext context, GetRequest request) {
        super(context, request.file().toString());
        this.request = request;
        context.reads().link().add(settled());
        route = new ReadPathChoice(request.path(), context.reads().direct());
        ledger = new ReadLedger(request.listener(), context.ticker());
        trace = new ReadTrace(context, serial(), request.file());
    }

    @Override
    protected void begin() {
        then(plan(request.version(), true), this::planned);
    }

    private void planned(ReadPlan ofVolume) {
        ReadPlan plan = asRequested(ofVolume);
        if (isOver()) {
            return;
        }
        long size = plan.version().sizeBytes();
        ByteRange wanted = request.range().orElse(new ByteRange(0, size));
        if (wanted.end() > size) {
            fail(new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    request.file() + ": range " + wanted + " (expected: within its " + size + " bytes)"));
            return;
        }
        trace.planned(plan, wanted.length());
        long attemptBytes = ModePolicy.of(plan.mode(), false).attemptBytes(wanted.length());
        plan.stores().forEach(status -> passMeasurement(plan, status.store().id(), attemptBytes));
        ledger.planned(
                plan.version(),
                plan.helpers().stream().map(helper -> helper.id().value()).toList());
        LeafSink opened = request.destination().sink(wanted);
        sink = opened;
        files().execute(() -> {
            try {
                opened.open();
                Optional<DeadlineChoice> made = DeadlineChoice.of(
                        plan,
                        ReadShape.of(
                                plan, wanted.length(), context().reads().link().bytesPerSecond()),
                        request.deadline(),
                        request.mode().isPresent(),
                        context());
                long mostKept = Math.min(opened.keptBytes(), wanted.length());
                serial().execute(() -> {
                    if (mostKept > 0) {
                        ledger.resuming(mostKept);
                    }
                    admit(plan, wanted, opened, made);
                });
            } catch (CloudMwException e) {
                serial().execute(() -> fail(e));
            }
        });
    }

    /** The plan in the mode and by the route that were requested. */
    private ReadPlan asRequested(ReadPlan ofVolume) {
        return route.of(request.mode().map(ofVolume::withMode).orElse(ofVolume));
    }

    /** Passes the fleet's measurement of a store that is slow as a whole, which this client may not have read yet. */
    private void passMeasurement(ReadPlan plan, StoreId store, long attemptBytes) {
        ExpectedSpeed expected = plan.speeds().of(store, attemptBytes);
        context().reads().redundancy().measured(store, expected.medianShift());
    }

    private void admit(ReadPlan ofMode, ByteRange wanted, LeafSink opened, Optional<DeadlineChoice> made) {
        if (isOver()) {
            return;
        }
        choice = made;
        Optional<ReadStrategy> way = made.flatMap(DeadlineChoice::way);
        ReadPlan plan = way.map(ReadStrategy::mode).map(ofMode::withMode).orElse(ofMode);
        ModePolicy mode = plan.switches() > 0
                ? switched(plan, opened)
                : way.map(chosen -> SlaPlanner.policy(chosen, opened.inOrder(), plan.replicas()))
                        .orElseGet(() -> ModePolicy.of(plan.mode(), opened.inOrder()));
        CreditPool memory = context().reads().credit();
        // Two leaves are enough for one relay to keep moving.
        long least = Math.min(2L * plan.version().leafSizeBytes(), memory.capacity());
        CompletableFuture<Void> admitted = memory.reserve(least);
        cancelAtEnd(admitted);
        var unused = admitted.thenRun(() -> serial().execute(() -> receive(plan, mode, wanted, opened, least)));
    }

    private CompletableFuture<ReadPlan> plan(Optional<VersionId> version, boolean recordable) {
        return context()
                .coordinator()
                .planRead(request.file(), version, request.mode(), request.location(), recordable);
    }

    private static ModePolicy switched(ReadPlan plan, LeafSink opened) {
        return plan.near().isPresent() ? ModePolicy.near(opened.inOrder()) : ModePolicy.switched(opened.inOrder());
    }

    private void receive(ReadPlan plan, ModePolicy mode, ByteRange wanted, LeafSink opened, long reserved) {
        if (isOver()) {
            context().reads().credit().giveBack(reserved);
            return;
        }
        TransferCredit credit = new TransferCredit(context().reads().credit(), reserved, request.memoryBytes());
        ReadDriver started = new ReadDriver(
                new ReadScope(context(), serial(), plan, opened, credit, ledger, trace),
                route,
                DeliveryPolicy.of(mode.forRead(wanted.length()), opened.inOrder())
                        .withDirect(route.policy(plan, mode, wanted.length())),
                urgency(),
                request.location(),
                wanted,
                new ReadDriver.Outcome() {
                    @Override
                    public void tokenRefused() {
                        checkRight(plan.version().id(), RIGHT_CHECKS);
                    }

                    @Override
                    public void delivered() {
                        commit(plan, wanted, opened);
                    }

                    @Override
                    public void refused(CloudMwException cause) {
                        retry(plan, wanted, opened, cause);
                    }

                    @Override
                    public void unreachable(CloudMwException cause) {
                        replan(plan, wanted, opened, cause);
                    }

                    @Override
                    public void failed(CloudMwException cause) {
                        fail(cause);
                    }
                });
        driver = started;
        trace.planBegan();
        started.start();
    }

    /** The urgency for the helpers: the priority, and the time left. */
    private Urgency urgency() {
        long left = Math.max(TimeUnit.MILLISECONDS.toNanos(1), leftNanos());
        return new Urgency(
                request.priority(), deadline().isPresent() ? Optional.of(Duration.ofNanos(left)) : Optional.empty());
    }

    /** The caller's deadline, or the volume's. */
    private Optional<Duration> deadline() {
        return choice.map(DeadlineChoice::deadline);
    }

    private long leftNanos() {
        return deadline().map(time -> time.minus(elapsed()).toNanos()).orElse(Long.MAX_VALUE);
    }

    /** Retries the same plan after a pause, from the wait for memory on. Closes what is open to the helpers. */
    private void retry(ReadPlan plan, ByteRange wanted, LeafSink opened, CloudMwException cause) {
        if (++refusals > RetryLimits.MAX_REFUSALS) {
            fail(cause);
            return;
        }
        endPlan(cause);
        Runnable again = () -> serial().execute(() -> admit(plan, wanted, opened, choice));
        if (Threads.later(context().threads().timer(), RetryLimits.pauseNanos(refusals, cause, leftNanos()), again)
                .isEmpty()) {
            fail(Failures.clientClosed());
        }
    }

    /** Continues by a new plan for the same version, which may have other helpers and know more bad replicas. */
    private void replan(ReadPlan failed, ByteRange wanted, LeafSink opened, CloudMwException cause) {
        if (!replans.mayFollow(
                ledger.chunksDone(),
                ledger.deliveredAtNanos(),
                context().ticker().nanos())) {
            fail(cause);
            return;
        }
        endPlan(cause);
        Optional<VersionId> version = Optional.of(failed.version().id());
        Runnable again = () -> serial().execute(() -> {
            if (!isOver()) {
                then(plan(version, false), plan -> admit(asRequested(plan), wanted, opened, choice));
            }
        });
        if (Threads.later(
                        context().threads().timer(), RetryLimits.pauseNanos(replans.count(), cause, leftNanos()), again)
                .isEmpty()) {
            fail(Failures.clientClosed());
        }
    }

    /**
     * Asks a coordinator whether the reader still has its right, and fails the read if not: it could go on with stores
     * that this client reads by itself. Asks more than once, since coordinators may hear of a loss after helpers.
     */
    private void checkRight(VersionId version, int times) {
        if (isOver()) {
            return;
        }
        CompletableFuture<ReadPlan> asked = plan(Optional.of(version), false);
        rightCheck = asked;
        var unused = asked.whenComplete((plan, failure) -> serial().execute(() -> {
            if (isOver()) {
                return;
            }
            CloudMwException cause = failure == null ? null : Failures.of(failure);
            if (cause != null && isLossOfRight(cause)) {
                fail(cause);
            } else if (times > 1) {
                var unusedAgain = Threads.later(
                        context().threads().timer(),
                        RIGHT_CHECK_PAUSE_NANOS,
                        () -> serial().execute(() -> checkRight(version, times - 1)));
            }
        }));
    }

    private static boolean isLossOfRight(CloudMwException cause) {
        return cause.code() == ErrorCode.PERMISSION_DENIED || cause.code() == ErrorCode.UNAUTHENTICATED;
    }

    /** Counts what this plan issued and stops what is under way. */
    private void endPlan(CloudMwException cause) {
        tally();
        stop(cause.code());
    }

    private void tally() {
        if (driver != null) {
            ledger.tally(driver.tally());
        }
    }

    /** Commits the destination. The last reports, for the receipt, arrive while the file is forced to disk. */
    private void commit(ReadPlan plan, ByteRange wanted, LeafSink opened) {
        if (isOver()) {
            return;
        }
        beginLastStep();
        CompletableFuture<Void> heard = driver == null ? CompletableFuture.completedFuture(null) : driver.lastReports();
        files().execute(() -> {
            try {
                opened.commit();
                var unused = heard.thenRun(() -> serial().execute(() -> succeed(receipt(plan, wanted))));
            } catch (CloudMwException e) {
                serial().execute(() -> failLastStep(e));
            }
        });
    }

    private GetReceipt receipt(ReadPlan plan, ByteRange wanted) {
        trace.delivered(wanted.length());
        tally();
        return ledger.receipt(plan, wanted.length(), elapsed(), context().pricing(), choice);
    }

    @Override
    public CloudMwException explained(CloudMwException cause) {
        trace.failed(cause);
        return cause;
    }

    @Override
    protected void stop(ErrorCode why) {
        if (driver != null) {
            driver.close(why);
        }
        if (rightCheck != null && isOver()) {
            rightCheck.cancel(true);
        }
    }

    /** After a commit there is nothing left to abort. */
    @Override
    protected void free() {
        LeafSink opened = sink;
        if (opened != null) {
            opened.abort();
        }
    }
}
