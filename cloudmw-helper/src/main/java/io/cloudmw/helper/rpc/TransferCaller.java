package io.cloudmw.helper.rpc;

import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.IssuedBlock;
import io.cloudmw.core.rpc.RpcChannels;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.wire.ToWire;
import io.cloudmw.core.wire.UrgencyWire;
import io.cloudmw.proto.v1.BeginTransfer;
import io.cloudmw.proto.v1.Mode;
import io.cloudmw.proto.v1.TransferCommand;
import io.cloudmw.proto.v1.TransferEvent;
import io.cloudmw.proto.v1.TransfersGrpc;
import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * The calling side of a transfer with one helper, for the warm-up of a process, where a helper reads from itself. The
 * caller learns of blocks on the bulk plane, and of the transfer's failure by {@code failed}. Safe for any thread.
 */
public final class TransferCaller implements AutoCloseable {
    private final ManagedChannel channel;
    private final StreamObserver<TransferCommand> commands;

    private TransferCaller(ManagedChannel channel, StreamObserver<TransferEvent> events) {
        this.channel = channel;
        this.commands = TransfersGrpc.newStub(channel).transfer(events);
    }

    /**
     * Begins a transfer.
     *
     * @param id 32 hexadecimal digits
     * @param bulkSession session of the bulk connection on which the blocks come
     * @param executor runs the callbacks of gRPC
     * @param failed run at most once, when the transfer fails
     */
    public static TransferCaller begin(
            HelperAddress helper,
            String id,
            TransferToken token,
            List<Store> stores,
            String bulkSession,
            Executor executor,
            Runnable failed) {
        ManagedChannel channel = new RpcChannels(Optional.empty())
                .toHelper(helper.control())
                .executor(executor)
                .build();
        TransferCaller caller = new TransferCaller(channel, new StreamObserver<>() {
            @Override
            public void onNext(TransferEvent event) {
                // Attempts and their progress.
            }

            @Override
            public void onError(Throwable cause) {
                failed.run();
            }

            @Override
            public void onCompleted() {
                // The caller has finished.
            }
        });
        BeginTransfer.Builder begin = BeginTransfer.newBuilder()
                .setTransferId(id)
                .setToken(ToWire.token(token))
                .addHelpers(ToWire.helper(helper))
                .setSelf(0)
                .setLanes(1)
                .setMode(Mode.MODE_COOPERATIVE)
                .setSolitary(true)
                .setPriority(UrgencyWire.priority(Priority.BATCH))
                .setBulkSessionId(bulkSession);
        stores.forEach(store -> begin.addStores(ToWire.store(store)));
        caller.send(TransferCommand.newBuilder().setBegin(begin).build());
        return caller;
    }

    public void issue(IssuedBlock block) {
        send(TransferCommand.newBuilder().setIssue(ToWire.block(block)).build());
    }

    /** Confirms that a block has arrived. */
    public void delivered(BlockId block) {
        send(TransferCommand.newBuilder().setDeliveredBlock(block.value()).build());
    }

    private synchronized void send(TransferCommand command) {
        commands.onNext(command);
    }

    /** Ends the transfer and its connection. */
    @Override
    public synchronized void close() {
        commands.onCompleted();
        channel.shutdownNow();
    }
}
