package io.cloudmw.helper.rpc;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.rpc.CallerIdentity;
import io.cloudmw.core.rpc.RpcErrors;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferTokens;
import io.cloudmw.core.status.StoreStatus;
import io.cloudmw.core.wire.FromWire;
import io.cloudmw.core.wire.UrgencyWire;
import io.cloudmw.helper.block.WantedBlock;
import io.cloudmw.helper.switching.CacheFill;
import io.cloudmw.helper.switching.WarmSession;
import io.cloudmw.helper.switching.WarmSessions;
import io.cloudmw.proto.v1.BeginWarming;
import io.cloudmw.proto.v1.Block;
import io.cloudmw.proto.v1.StoreReads;
import io.cloudmw.proto.v1.WarmCommand;
import io.cloudmw.proto.v1.WarmEvent;
import io.cloudmw.proto.v1.WarmReady;
import io.cloudmw.proto.v1.WarmedBlock;
import io.cloudmw.proto.v1.WarmingGrpc;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The gRPC service by which clients warm the cache of this switch. */
public final class WarmingService extends WarmingGrpc.WarmingImplBase {
    private final TransferTokens tokens;
    private final WarmSessions warmings;

    public WarmingService(TransferTokens tokens, WarmSessions warmings) {
        this.tokens = tokens;
        this.warmings = warmings;
    }

    @Override
    public StreamObserver<WarmCommand> warm(StreamObserver<WarmEvent> answers) {
        ServerCallStreamObserver<WarmEvent> call = (ServerCallStreamObserver<WarmEvent>) answers;
        call.disableAutoRequest();
        Incoming incoming = new Incoming(call);
        call.setOnCancelHandler(incoming::disconnected);
        call.setOnReadyHandler(incoming::readable);
        call.request(1);
        return incoming;
    }

    /**
     * The stream of one warm-up; gRPC makes one call at a time. Commands do not block. The next one is requested after
     * the last one was handled, and only while the client reads its answers.
     */
    private final class Incoming implements StreamObserver<WarmCommand> {
        private final ServerCallStreamObserver<WarmEvent> call;
        private final Outgoing answers;
        private byte[] token = {};
        private @Nullable WarmSession warming;
        /** The token has expired: running commands are answered, further ones are ignored. */
        private boolean expired;
        /** No command is requested, because the client does not read. */
        private boolean held;

        Incoming(ServerCallStreamObserver<WarmEvent> call) {
            this.call = call;
            this.answers = new Outgoing(call);
        }

        @Override
        public void onNext(WarmCommand command) {
            execute(command);
            held = !call.isReady();
            if (!held) {
                call.request(1);
            }
        }

        /** Requests the next command when the client reads again. */
        void readable() {
            if (held) {
                held = false;
                call.request(1);
            }
        }

        private void execute(WarmCommand command) {
            if (expired) {
                return;
            }
            try {
                switch (command.getCommandCase()) {
                    case BEGIN -> begin(command.getBegin());
                    case KEEP -> begun(command).keep(wanted(command.getKeep()));
                    case LOOK -> begun(command).look(wanted(command.getLook()));
                    case COMMAND_NOT_SET -> throw violation(command);
                }
            } catch (CloudMwException e) {
                refuse(e);
            } catch (IllegalArgumentException e) {
                refuse(new CloudMwException(ErrorCode.INVALID_ARGUMENT, String.valueOf(e.getMessage()), e));
            }
        }

        private void begin(BeginWarming begin) throws CloudMwException {
            if (warming != null) {
                throw new CloudMwException(
                        ErrorCode.PROTOCOL_VIOLATION, "command: BEGIN (expected: once, at the beginning)");
            }
            token = begin.getToken().toByteArray();
            TransferClaims allowed = ReadAuthorization.ofReader(tokens, token, CallerIdentity.bearer());
            warming = warmings.begin(
                    new WarmSessions.Spec(
                            FromWire.token(token),
                            allowed,
                            FromWire.helpers(begin.getHelpersList()),
                            begin.getTree(),
                            FromWire.stores(begin.getStoresList()).stream()
                                    .map(StoreStatus::store)
                                    .toList()),
                    answers);
        }

        private WarmSession begun(WarmCommand command) throws CloudMwException {
            WarmSession begun = warming;
            if (begun == null) {
                throw violation(command);
            }
            return begun;
        }

        private CloudMwException violation(WarmCommand command) {
            return new CloudMwException(
                    ErrorCode.PROTOCOL_VIOLATION,
                    "command: " + command.getCommandCase() + " (expected: BEGIN, then others)");
        }

        /**
         * Verifies the token for each block, since other switches verify it, too; without them this one would read
         * stores.
         */
        private WantedBlock wanted(Block block) throws CloudMwException {
            return ReadAuthorization.checked(
                    tokens,
                    ReadAuthorization.ofReader(tokens, token, CallerIdentity.bearer()),
                    FromWire.block(block),
                    CallerIdentity.bearer());
        }

        @Override
        public void onError(Throwable cause) {
            disconnected();
        }

        @Override
        public void onCompleted() {
            WarmSession begun = warming;
            if (begun == null) {
                answers.ended();
            } else {
                begun.finish();
            }
        }

        void disconnected() {
            WarmSession begun = warming;
            if (begun != null) {
                begun.close();
            }
        }

        /**
         * Ends the stream. Commands begun before a token expired are still answered, so that the client knows what they
         * cost.
         */
        private void refuse(CloudMwException cause) {
            WarmSession begun = warming;
            if (begun != null && cause.code() == ErrorCode.UNAUTHENTICATED) {
                expired = true;
                answers.endWith(cause);
                begun.finish();
            } else {
                disconnected();
                answers.failed(cause);
            }
        }
    }

    /**
     * The answers to the client; the window bounds them, and commands are requested only while it reads. Safe for any
     * thread.
     */
    private static final class Outgoing implements WarmSession.Answers {
        @GuardedBy("this")
        private final ServerCallStreamObserver<WarmEvent> call;

        /** The failure with which the stream ends; empty when the client ends it. */
        @GuardedBy("this")
        private Optional<CloudMwException> end = Optional.empty();

        @GuardedBy("this")
        private boolean over;

        Outgoing(ServerCallStreamObserver<WarmEvent> call) {
            this.call = call;
        }

        private synchronized void send(WarmEvent.Builder event) {
            if (!over && !call.isCancelled()) {
                call.onNext(event.build());
            }
        }

        @Override
        public void ready(int window, long capacityBytes) {
            send(WarmEvent.newBuilder()
                    .setReady(WarmReady.newBuilder().setWindow(window).setCapacityBytes(capacityBytes)));
        }

        @Override
        public void underWay(BlockId block) {
            send(WarmEvent.newBuilder().setUnderWay(block.value()));
        }

        @Override
        public void warmed(BlockId block, CacheFill.Outcome outcome, Optional<CloudMwException> cause) {
            WarmedBlock.Builder warmed = WarmedBlock.newBuilder()
                    .setBlockId(block.value())
                    .setKeptBytes(outcome.keptBytes())
                    .setParentBytes(outcome.parentBytes());
            outcome.stores()
                    .forEach((store, usage) -> warmed.addReads(StoreReads.newBuilder()
                            .setStoreId(store.value())
                            .setRequests(usage.reads())
                            .setBytes(usage.readBytes())));
            cause.ifPresent(why -> warmed.setErrorCode(why.code().name())
                    .setErrorMessage(String.valueOf(why.getMessage()))
                    .setRetryAfterMillis(UrgencyWire.millis(why.retryAfter())));
            send(WarmEvent.newBuilder().setWarmed(warmed));
        }

        synchronized void endWith(CloudMwException cause) {
            end = Optional.of(cause);
        }

        @Override
        public synchronized void ended() {
            if (end.isPresent()) {
                failed(end.get());
                return;
            }
            if (!over && !call.isCancelled()) {
                call.onCompleted();
            }
            over = true;
        }

        synchronized void failed(CloudMwException cause) {
            if (!over && !call.isCancelled()) {
                call.onError(RpcErrors.toStatus(cause));
            }
            over = true;
        }
    }
}
