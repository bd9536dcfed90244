package io.cloudmw.helper.rpc;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.VolumeSet;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.rpc.CallerIdentity;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferTokens;
import io.cloudmw.core.status.StoreStatus;
import io.cloudmw.core.wire.FromWire;
import io.cloudmw.core.wire.MonitorWire;
import io.cloudmw.core.wire.UrgencyWire;
import io.cloudmw.helper.compete.HelperTransfer;
import io.cloudmw.helper.compete.HelperTransfers;
import io.cloudmw.helper.compete.TransferSpec;
import io.cloudmw.proto.v1.BeginTransfer;
import io.cloudmw.proto.v1.TransferCommand;
import io.cloudmw.proto.v1.TransferEvent;
import io.cloudmw.proto.v1.TransferReady;
import io.cloudmw.proto.v1.TransfersGrpc;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The gRPC service by which clients run transfers. The service requests the next command after the last one was
 * handled.
 */
public final class TransferService extends TransfersGrpc.TransfersImplBase {
    private final HelperId self;
    private final TransferTokens tokens;
    private final HelperTransfers transfers;
    private final VolumeSet switched;

    /** @param switched the volumes for which this helper is a switch */
    public TransferService(HelperId self, TransferTokens tokens, HelperTransfers transfers, VolumeSet switched) {
        this.switched = switched;
        this.self = self;
        this.tokens = tokens;
        this.transfers = transfers;
    }

    @Override
    public StreamObserver<TransferCommand> transfer(StreamObserver<TransferEvent> answers) {
        ServerCallStreamObserver<TransferEvent> call = (ServerCallStreamObserver<TransferEvent>) answers;
        call.disableAutoRequest();
        Incoming incoming = new Incoming(call);
        call.setOnCancelHandler(incoming::disconnected);
        call.request(1);
        return incoming;
    }

    /** The stream of one transfer; gRPC makes one call at a time. */
    private final class Incoming implements StreamObserver<TransferCommand> {
        private final ServerCallStreamObserver<TransferEvent> call;
        private final TransferEventStream events;
        private @Nullable HelperTransfer transfer;

        Incoming(ServerCallStreamObserver<TransferEvent> call) {
            this.call = call;
            this.events = new TransferEventStream(call);
        }

        @Override
        public void onNext(TransferCommand command) {
            HelperTransfer begun = transfer;
            try {
                if (begun == null) {
                    begun = begin(command);
                    transfer = begun;
                } else {
                    execute(begun, command);
                }
                begun.afterwards(() -> call.request(1));
            } catch (CloudMwException e) {
                refuse(e);
            } catch (IllegalArgumentException e) {
                refuse(new CloudMwException(ErrorCode.INVALID_ARGUMENT, String.valueOf(e.getMessage()), e));
            }
        }

        @Override
        public void onError(Throwable cause) {
            disconnected();
        }

        @Override
        public void onCompleted() {
            HelperTransfer begun = transfer;
            if (begun == null) {
                events.ended();
            } else {
                begun.finish();
            }
        }

        void disconnected() {
            HelperTransfer begun = transfer;
            if (begun != null) {
                begun.close();
            }
        }

        private void refuse(CloudMwException cause) {
            disconnected();
            events.failed(cause);
        }

        private HelperTransfer begin(TransferCommand command) throws CloudMwException {
            if (command.getCommandCase() != TransferCommand.CommandCase.BEGIN) {
                throw new CloudMwException(
                        ErrorCode.PROTOCOL_VIOLATION,
                        "first command: " + command.getCommandCase() + " (expected: BEGIN)");
            }
            TransferSpec spec = spec(command.getBegin());
            HelperTransfer begun = transfers.begin(spec, events);
            begun.afterwards(() -> events.send(TransferEvent.newBuilder()
                    .setReady(TransferReady.newBuilder().setHelperId(self.value()))
                    .build()));
            return begun;
        }
    }

    private TransferSpec spec(BeginTransfer begin) throws CloudMwException {
        byte[] token = begin.getToken().toByteArray();
        TransferClaims claims = ReadAuthorization.ofReader(tokens, token, CallerIdentity.bearer());
        FromWire.mode(begin.getMode());
        List<Store> stores = FromWire.stores(begin.getStoresList()).stream()
                .map(StoreStatus::store)
                .toList();
        TransferSpec spec = new TransferSpec(
                begin.getTransferId(),
                FromWire.token(token),
                claims,
                FromWire.helpers(begin.getHelpersList()),
                new RacerId(begin.getSelf()),
                Math.max(1, begin.getLanes()),
                begin.getSolitary(),
                begin.getShared() && switched.contains(claims.file().volume()),
                begin.getTree(),
                stores,
                begin.getBulkSessionId(),
                UrgencyWire.urgency(begin.getPriority(), begin.getDeadlineMillis()));
        HelperId named = spec.helpers().get(spec.self().rank()).id();
        if (!named.equals(self)) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    spec + ": the transfer is for helper " + named + " (expected: " + self + ")");
        }
        return spec;
    }

    private void execute(HelperTransfer transfer, TransferCommand command) throws CloudMwException {
        switch (command.getCommandCase()) {
            case ISSUE ->
                transfer.issue(ReadAuthorization.checked(
                        tokens, transfer.spec().claims(), FromWire.block(command.getIssue()), CallerIdentity.bearer()));
            case WITHDRAW_BLOCK -> transfer.withdraw(new BlockId(command.getWithdrawBlock()));
            case DELIVERED_BLOCK -> transfer.delivered(new BlockId(command.getDeliveredBlock()));
            case RACER_GONE -> transfer.racerGone(new RacerId(command.getRacerGone()));
            case SHORTEN ->
                transfer.shorten(
                        new BlockId(command.getShorten().getBlockId()),
                        command.getShorten().getLength());
            case HEDGES -> transfer.hedged(MonitorWire.hedges(command.getHedges()));
            case DOUBT_BLOCK -> transfer.doubt(new BlockId(command.getDoubtBlock()));
            case BEGIN, COMMAND_NOT_SET ->
                throw new CloudMwException(
                        ErrorCode.PROTOCOL_VIOLATION, transfer.spec() + ": command " + command.getCommandCase());
        }
    }
}
