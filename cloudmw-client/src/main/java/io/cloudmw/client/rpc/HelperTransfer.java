package io.cloudmw.client.rpc;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.client.progress.AttemptState;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.HelperAddress;
import io.cloudmw.core.monitor.Hedges;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.wire.FromWire;
import io.cloudmw.core.wire.IssuedBlock;
import io.cloudmw.core.wire.MonitorWire;
import io.cloudmw.core.wire.ToWire;
import io.cloudmw.core.wire.UrgencyWire;
import io.cloudmw.core.wire.WireErrors;
import io.cloudmw.proto.v1.AttemptReport;
import io.cloudmw.proto.v1.BeginTransfer;
import io.cloudmw.proto.v1.BlockForfeited;
import io.cloudmw.proto.v1.ReplicaFault;
import io.cloudmw.proto.v1.ShortenBlock;
import io.cloudmw.proto.v1.TransferCommand;
import io.cloudmw.proto.v1.TransferEvent;
import io.cloudmw.proto.v1.TransfersGrpc;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One transfer at one helper: commands go out in order, also those given before the helper was reached. What it may
 * hold is bounded by the destination's window of blocks. Safe for any thread.
 */
public final class HelperTransfer {
    private static final Duration READY_TIMEOUT = Duration.ofSeconds(5);

    private final HelperLinks links;
    private final TransferSetup setup;
    private final int self;
    private final HelperEvents events;
    private final CompletableFuture<HelperLink> acquired;

    @GuardedBy("this")
    private final Queue<TransferCommand> waiting = new ArrayDeque<>();

    @GuardedBy("this")
    private @Nullable ClientCallStreamObserver<TransferCommand> commands;

    /** Started, perhaps not yet writable. */
    @GuardedBy("this")
    private @Nullable ClientCallStreamObserver<TransferCommand> call;

    @GuardedBy("this")
    private @Nullable HelperLink link;

    @GuardedBy("this")
    private boolean over;

    /** The connection outlives the transfer and must not hold on to it. */
    @GuardedBy("this")
    private Runnable forgetLink = () -> {};

    private volatile boolean ready;

    private HelperTransfer(HelperLinks links, TransferSetup setup, int self, HelperEvents events) {
        this.links = links;
        this.setup = setup;
        this.self = self;
        this.events = events;
        acquired = links.acquire(helper());
    }

    /** Begins; {@code events} are told, soon, when that is not possible. */
    public static HelperTransfer begin(HelperLinks links, TransferSetup setup, int self, HelperEvents events) {
        HelperTransfer transfer = new HelperTransfer(links, setup, self, events);
        var unused = transfer.acquired.whenComplete(transfer::linked);
        return transfer;
    }

    private HelperAddress helper() {
        return setup.plan().helpers().get(self);
    }

    private void linked(@Nullable HelperLink reached, @Nullable Throwable failure) {
        if (reached == null) {
            gone(WireErrors.fromStatus(unwrap(failure), ErrorCode.HELPER_UNAVAILABLE, peer()));
            return;
        }
        synchronized (this) {
            if (!over) {
                link = reached;
            }
        }
        if (isOver()) {
            links.release(reached);
            return;
        }
        Runnable forget = reached.bulk()
                .onClosed(() ->
                        gone(new CloudMwException(ErrorCode.HELPER_UNAVAILABLE, peer() + ": bulk connection closed")));
        synchronized (this) {
            forgetLink = forget;
        }
        if (isOver()) {
            forget.run();
            return;
        }
        TransfersGrpc.newStub(reached.channel()).transfer(new Answers());
        cancelIfOver();
        try {
            Future<?> unused =
                    links.timer().schedule(this::checkReady, READY_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            gone(new CloudMwException(ErrorCode.CANCELLED, "the client was closed", e));
        }
    }

    /** What was closed before it had a call to cancel would leave the helper with a stream that nobody ends. */
    private synchronized void cancelIfOver() {
        if (over && call != null) {
            call.cancel("transfer over", null);
        }
    }

    private static Throwable unwrap(@Nullable Throwable failure) {
        Throwable cause = failure == null ? new IllegalStateException("no link and no failure") : failure;
        while (cause instanceof java.util.concurrent.CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    private void checkReady() {
        if (!ready) {
            gone(new CloudMwException(
                    ErrorCode.HELPER_UNAVAILABLE, peer() + ": not ready within " + READY_TIMEOUT.toMillis() + " ms"));
        }
    }

    private String peer() {
        return "helper " + helper().id();
    }

    private synchronized boolean isOver() {
        return over;
    }

    public void issue(IssuedBlock block) {
        send(TransferCommand.newBuilder().setIssue(ToWire.block(block)).build());
    }

    public void withdraw(BlockId block) {
        send(TransferCommand.newBuilder().setWithdrawBlock(block.value()).build());
    }

    /** A damaged leaf of it arrived: {@link HelperEvents#judged} follows when the helper has looked at its replica. */
    public void doubt(BlockId block) {
        send(TransferCommand.newBuilder().setDoubtBlock(block.value()).build());
    }

    public void shorten(BlockId block, long length) {
        send(TransferCommand.newBuilder()
                .setShorten(ShortenBlock.newBuilder().setBlockId(block.value()).setLength(length))
                .build());
    }

    public void delivered(BlockId block) {
        send(TransferCommand.newBuilder().setDeliveredBlock(block.value()).build());
    }

    public void racerGone(RacerId racer) {
        send(TransferCommand.newBuilder().setRacerGone(racer.rank()).build());
    }

    private synchronized void send(TransferCommand command) {
        if (over) {
            return;
        }
        if (commands == null) {
            waiting.add(command);
        } else {
            commands.onNext(command);
        }
    }

    /**
     * Nothing more is wanted: the helper says what it still has to say and ends; then {@code gone} is called.
     *
     * @param hedges what the helper is told of the whole transfer's second attempts; {@link Hedges#NONE}: nothing
     * @return false when the helper was never reached: it has nothing to say, and no event follows
     */
    public boolean finish(Hedges hedges) {
        synchronized (this) {
            if (commands != null && !over) {
                if (!hedges.equals(Hedges.NONE)) {
                    send(TransferCommand.newBuilder()
                            .setHedges(MonitorWire.hedges(hedges))
                            .build());
                }
                commands.onCompleted();
                return true;
            }
        }
        close();
        return false;
    }

    /** Ends the transfer at this helper at once; no event follows. Idempotent. */
    public void close() {
        HelperLink held;
        synchronized (this) {
            if (over) {
                return;
            }
            over = true;
            forgetLink.run();
            held = link;
            link = null;
            waiting.clear();
            if (call != null) {
                call.cancel("transfer over", null);
            }
        }
        if (held != null) {
            links.release(held);
        }
    }

    private void gone(CloudMwException why) {
        if (!isOver()) {
            close();
            events.gone(why);
        }
    }

    private final class Answers implements ClientResponseObserver<TransferCommand, TransferEvent> {
        @Override
        public void beforeStart(ClientCallStreamObserver<TransferCommand> requests) {
            requests.setOnReadyHandler(() -> opened(requests));
            synchronized (HelperTransfer.this) {
                call = requests;
            }
        }

        /** Called by gRPC when the stream first can be written to. */
        private void opened(ClientCallStreamObserver<TransferCommand> requests) {
            synchronized (HelperTransfer.this) {
                HelperLink held = link;
                if (over || commands != null || held == null) {
                    return;
                }
                commands = requests;
                requests.onNext(begin(held));
                for (TransferCommand command = waiting.poll(); command != null; command = waiting.poll()) {
                    requests.onNext(command);
                }
            }
        }

        private TransferCommand begin(HelperLink held) {
            BeginTransfer begin = BeginTransfer.newBuilder()
                    .setTransferId(setup.id())
                    .setToken(ToWire.token(setup.plan().token()))
                    .addAllHelpers(
                            setup.plan().helpers().stream().map(ToWire::helper).toList())
                    .setSelf(self)
                    .addAllStores(
                            setup.plan().stores().stream().map(ToWire::store).toList())
                    .setMode(ToWire.mode(setup.plan().mode()))
                    .setLanes(setup.lanes().perHelper())
                    .setSolitary(setup.solitary())
                    .setShared(setup.plan().switches() > 0)
                    .setTree(setup.plan().near().isPresent() ? setup.plan().switches() : 0)
                    .setPriority(UrgencyWire.priority(setup.urgency().priority()))
                    .setDeadlineMillis(UrgencyWire.millis(setup.urgency().deadline()))
                    .setBulkSessionId(held.bulk().sessionId())
                    .build();
            return TransferCommand.newBuilder().setBegin(begin).build();
        }

        @Override
        public void onNext(TransferEvent event) {
            if (isOver()) {
                return;
            }
            try {
                dispatch(event);
            } catch (CloudMwException | IllegalArgumentException e) {
                gone(new CloudMwException(ErrorCode.PROTOCOL_VIOLATION, peer() + ": " + e.getMessage(), e));
            }
        }

        @Override
        public void onError(Throwable failure) {
            gone(WireErrors.fromStatus(failure, ErrorCode.HELPER_UNAVAILABLE, peer()));
        }

        @Override
        public void onCompleted() {
            gone(new CloudMwException(ErrorCode.HELPER_UNAVAILABLE, peer() + ": ended the transfer"));
        }
    }

    private void dispatch(TransferEvent event) throws CloudMwException {
        switch (event.getEventCase()) {
            case READY -> ready = true;
            case ATTEMPT -> reported(event.getAttempt());
            case LOST ->
                events.lost(
                        racer(event.getLost().getRacer()),
                        new BlockId(event.getLost().getBlockId()),
                        new RacerId(event.getLost().getWinner()));
            case FORFEITED -> {
                BlockForfeited forfeited = event.getForfeited();
                CloudMwException cause = new CloudMwException(
                        code(forfeited.getErrorCode()), peer() + ": " + forfeited.getErrorMessage());
                events.forfeited(
                        racer(forfeited.getRacer()),
                        new BlockId(forfeited.getBlockId()),
                        UrgencyWire.retriedAfter(cause, forfeited.getRetryAfterMillis()));
            }
            case FAULT -> {
                ReplicaFault fault = event.getFault();
                events.faulted(
                        FromWire.chunkId(fault.getChunkId()),
                        FromWire.storeId(fault.getStoreId()),
                        code(fault.getErrorCode()));
            }
            case JUDGED_BLOCK -> events.judged(new BlockId(event.getJudgedBlock()));
            case EVENT_NOT_SET -> {
                // A newer helper's event: not for us.
            }
        }
    }

    private void reported(AttemptReport report) throws CloudMwException {
        if (report.getState() == io.cloudmw.proto.v1.AttemptState.ATTEMPT_STATE_WAITING) {
            events.waits(racer(report.getRacer()), new BlockId(report.getBlockId()));
        } else {
            attempted(report);
        }
    }

    private void attempted(AttemptReport report) throws CloudMwException {
        AttemptState state = switch (report.getState()) {
            case ATTEMPT_STATE_STARTED -> AttemptState.STARTED;
            case ATTEMPT_STATE_PROGRESSED -> AttemptState.PROGRESSED;
            case ATTEMPT_STATE_FINISHED -> AttemptState.FINISHED;
            case ATTEMPT_STATE_CANCELLED -> AttemptState.CANCELLED;
            case ATTEMPT_STATE_FAILED -> AttemptState.FAILED;
            case ATTEMPT_STATE_WAITING, ATTEMPT_STATE_UNSPECIFIED, UNRECOGNIZED ->
                throw new CloudMwException(ErrorCode.PROTOCOL_VIOLATION, "attempt state missing");
        };
        Optional<ErrorCode> error =
                state == AttemptState.FAILED ? Optional.of(code(report.getErrorCode())) : Optional.empty();
        events.attempted(
                racer(report.getRacer()),
                new BlockId(report.getBlockId()),
                new HelperEvents.Report(
                        report.getNumber(),
                        FromWire.storeId(report.getStoreId()),
                        state,
                        Math.max(0, report.getBytes()),
                        error));
    }

    /** One of this helper's own. */
    private RacerId racer(int rank) throws CloudMwException {
        RacerId racer = new RacerId(rank);
        if (!setup.lanes().isHelpers(racer) || setup.lanes().helper(racer) != self) {
            throw new CloudMwException(ErrorCode.PROTOCOL_VIOLATION, "speaks for racer " + rank);
        }
        return racer;
    }

    private static ErrorCode code(String name) {
        return WireErrors.code(name).orElse(ErrorCode.INTERNAL);
    }
}
