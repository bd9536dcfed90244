package io.cloudmw.client.rpc.link;

import io.cloudmw.core.cost.StoreUsage;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.IssuedBlock;
import io.cloudmw.core.rpc.RpcErrors;
import io.cloudmw.core.wire.FromWire;
import io.cloudmw.core.wire.ToWire;
import io.cloudmw.core.wire.UrgencyWire;
import io.cloudmw.proto.v1.BeginWarming;
import io.cloudmw.proto.v1.StoreReads;
import io.cloudmw.proto.v1.WarmCommand;
import io.cloudmw.proto.v1.WarmEvent;
import io.cloudmw.proto.v1.WarmedBlock;
import io.cloudmw.proto.v1.WarmingGrpc;
import io.grpc.ManagedChannel;
import io.grpc.stub.ClientResponseObserver;
import io.grpc.stub.StreamObserver;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The gRPC call that warms one switch with one version of a file. Safe for any thread. */
public final class WarmCall extends HelperStream<WarmCommand, WarmEvent> {
    private final WarmSetup setup;
    private final WarmEvents events;

    private WarmCall(HelperLinks links, HelperAddress helper, WarmSetup setup, WarmEvents events) {
        super(links, helper);
        this.setup = setup;
        this.events = events;
    }

    /** Begins the call; {@code events} hear, soon, when that is not possible. */
    public static WarmCall begin(HelperLinks links, HelperAddress helper, WarmSetup setup, WarmEvents events) {
        WarmCall stream = new WarmCall(links, helper, setup, events);
        stream.open();
        return stream;
    }

    /** Asks the switch to cache a block. The first entrant names the replica to read when no switch has the block. */
    public void keep(IssuedBlock block) {
        send(WarmCommand.newBuilder().setKeep(ToWire.block(block)).build());
    }

    /** Asks the switch how much of a block it has cached. */
    public void look(IssuedBlock block) {
        send(WarmCommand.newBuilder().setLook(ToWire.block(block)).build());
    }

    /**
     * Finishes the call: the switch answers what it was asked, then {@code gone} is called.
     *
     * @return false when the switch was never reached, or is gone: no event follows
     */
    public boolean finish() {
        return finish(List.of());
    }

    @Override
    StreamObserver<WarmCommand> call(ManagedChannel channel, ClientResponseObserver<WarmCommand, WarmEvent> answers) {
        return WarmingGrpc.newStub(channel).warm(answers);
    }

    @Override
    WarmCommand begin(HelperLink reached) {
        return WarmCommand.newBuilder()
                .setBegin(BeginWarming.newBuilder()
                        .setToken(ToWire.token(setup.token()))
                        .addAllHelpers(
                                setup.helpers().stream().map(ToWire::helper).toList())
                        .setTree(setup.tree())
                        .addAllStores(setup.stores().stream().map(ToWire::store).toList()))
                .build();
    }

    @Override
    void received(WarmEvent event) throws CloudMwException {
        switch (event.getEventCase()) {
            case READY -> {
                markReady();
                events.ready(
                        Math.max(1, event.getReady().getWindow()),
                        event.getReady().getCapacityBytes());
            }
            case UNDER_WAY -> events.underWay(new BlockId(event.getUnderWay()));
            case WARMED -> warmed(event.getWarmed());
            case EVENT_NOT_SET -> {
                // An event of a newer switch: ignored.
            }
        }
    }

    private void warmed(WarmedBlock message) throws CloudMwException {
        Map<StoreId, StoreUsage> stores = new HashMap<>();
        for (StoreReads reads : message.getReadsList()) {
            stores.merge(
                    FromWire.storeId(reads.getStoreId()),
                    StoreUsage.ofReads(reads.getRequests(), reads.getBytes()),
                    StoreUsage::plus);
        }
        events.warmed(
                new BlockId(message.getBlockId()),
                new WarmEvents.Warmed(
                        positive(message.getKeptBytes()),
                        positive(message.getParentBytes()),
                        stores,
                        failure(message)));
    }

    private static long positive(long bytes) throws CloudMwException {
        if (bytes < 0) {
            throw new CloudMwException(ErrorCode.PROTOCOL_VIOLATION, "bytes: " + bytes + " (expected: >= 0)");
        }
        return bytes;
    }

    private Optional<CloudMwException> failure(WarmedBlock message) {
        if (message.getErrorCode().isEmpty()) {
            return Optional.empty();
        }
        CloudMwException cause =
                new CloudMwException(code(message.getErrorCode()), helperName() + ": " + message.getErrorMessage());
        return Optional.of(UrgencyWire.retriedAfter(cause, message.getRetryAfterMillis()));
    }

    @Override
    void lost(CloudMwException why) {
        // The connection that was lost first is no information for the user; the switch's own answer is.
        boolean gone = why.code() == ErrorCode.HELPER_UNAVAILABLE && !RpcErrors.isAnswer(why);
        events.gone(
                gone
                        ? new CloudMwException(
                                ErrorCode.HELPER_UNAVAILABLE,
                                helperName() + " is gone; repeat the command when it is back",
                                why)
                        : why);
    }
}
