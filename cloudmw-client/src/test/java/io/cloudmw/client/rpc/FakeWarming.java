package io.cloudmw.client.rpc;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.rpc.RpcErrors;
import io.cloudmw.proto.v1.Block;
import io.cloudmw.proto.v1.StoreReads;
import io.cloudmw.proto.v1.WarmCommand;
import io.cloudmw.proto.v1.WarmEvent;
import io.cloudmw.proto.v1.WarmReady;
import io.cloudmw.proto.v1.WarmedBlock;
import io.cloudmw.proto.v1.WarmingGrpc;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A switch that is warmed and follows a test's settings. It caches what it is told to, and reads it from a store called
 * s.
 */
public final class FakeWarming extends WarmingGrpc.WarmingImplBase {
    public static final int WINDOW = 2;

    /** The cache capacity that it reports. */
    public volatile long capacityBytes = 1L << 40;
    /** Warm-ups to refuse for now. */
    public final AtomicInteger refusals = new AtomicInteger();
    /** Warm-ups to fail with an expired token. */
    public final AtomicInteger expired = new AtomicInteger();
    /** The number of times that each block fails. */
    public volatile int failures;
    /** True: the switch answers no block, and ends no stream. */
    public volatile boolean silent;
    /** Streams that are answered only when their client has finished. */
    public final AtomicInteger late = new AtomicInteger();
    /** True: the switch evicts cached blocks before it is asked to check them. */
    public volatile boolean forgetful;

    /** The number of blocks per token, which has expired then. */
    public volatile int lasts = Integer.MAX_VALUE;

    public final AtomicInteger begun = new AtomicInteger();
    public final AtomicInteger open = new AtomicInteger();
    public final AtomicInteger told = new AtomicInteger();
    /** True once the client sent more blocks than the window allows. */
    public volatile boolean overrun;

    private final Set<String> kept = new HashSet<>();
    private final Map<String, Integer> tries = new HashMap<>();

    @Override
    public StreamObserver<WarmCommand> warm(StreamObserver<WarmEvent> answers) {
        ServerCallStreamObserver<WarmEvent> call = (ServerCallStreamObserver<WarmEvent>) answers;
        open.incrementAndGet();
        call.setOnCancelHandler(open::decrementAndGet);
        boolean isLate = late.getAndDecrement() > 0;
        return new StreamObserver<>() {
            private final List<WarmEvent> held = new ArrayList<>();
            private int unanswered;
            private int taken;

            @Override
            public void onNext(WarmCommand command) {
                if (!command.hasBegin() && ++taken > lasts) {
                    if (taken == lasts + 1) {
                        refuse(ErrorCode.UNAUTHENTICATED, "token: expired 1 ms ago");
                    }
                    return;
                }
                switch (command.getCommandCase()) {
                    case BEGIN -> begin();
                    case KEEP -> {
                        if (++unanswered > WINDOW) {
                            overrun = true;
                        }
                        told.incrementAndGet();
                        call.onNext(WarmEvent.newBuilder()
                                .setUnderWay(command.getKeep().getId())
                                .build());
                        if (isLate) {
                            held.add(keep(command.getKeep()));
                        } else if (!silent) {
                            unanswered--;
                            call.onNext(keep(command.getKeep()));
                        }
                    }
                    case LOOK -> call.onNext(look(command.getLook()));
                    case COMMAND_NOT_SET -> throw new IllegalStateException("no command");
                }
            }

            private void begin() {
                begun.incrementAndGet();
                if (expired.getAndDecrement() > 0) {
                    refuse(ErrorCode.UNAUTHENTICATED, "token: expired 1 ms ago");
                } else if (refusals.getAndDecrement() > 0) {
                    refuse(ErrorCode.OVERLOADED, "no room for now");
                } else {
                    call.onNext(WarmEvent.newBuilder()
                            .setReady(WarmReady.newBuilder().setWindow(WINDOW).setCapacityBytes(capacityBytes))
                            .build());
                }
            }

            private void refuse(ErrorCode code, String why) {
                open.decrementAndGet();
                call.onError(RpcErrors.toStatus(new CloudMwException(code, why)));
            }

            @Override
            public void onError(Throwable cause) {
                // By the cancel handler.
            }

            @Override
            public void onCompleted() {
                if (!silent) {
                    held.forEach(call::onNext);
                    open.decrementAndGet();
                    call.onCompleted();
                }
            }
        };
    }

    private static String name(Block block) {
        return block.getChunkId() + "@" + block.getRange().getOffset();
    }

    private synchronized WarmEvent keep(Block block) {
        WarmedBlock.Builder warmed = WarmedBlock.newBuilder().setBlockId(block.getId());
        if (tries.merge(name(block), 1, Integer::sum) <= failures) {
            warmed.setErrorCode(ErrorCode.STORE_UNAVAILABLE.name()).setErrorMessage("not now");
        } else if (kept.add(name(block))) {
            warmed.addReads(StoreReads.newBuilder()
                    .setStoreId("s")
                    .setRequests(1)
                    .setBytes(block.getRange().getLength()));
        } else {
            warmed.setKeptBytes(block.getRange().getLength());
        }
        return WarmEvent.newBuilder().setWarmed(warmed).build();
    }

    private synchronized WarmEvent look(Block block) {
        long bytes = kept.contains(name(block)) && !forgetful ? block.getRange().getLength() : 0;
        return WarmEvent.newBuilder()
                .setWarmed(WarmedBlock.newBuilder().setBlockId(block.getId()).setKeptBytes(bytes))
                .build();
    }
}
