package io.cloudmw.helper.rpc;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.rpc.CallerIdentity;
import io.cloudmw.core.rpc.RpcErrors;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferTokens;
import io.cloudmw.helper.compete.HelperTransfers;
import io.cloudmw.helper.compete.RivalLink;
import io.cloudmw.helper.compete.RivalMessage;
import io.cloudmw.proto.v1.CompeteMessage;
import io.cloudmw.proto.v1.CompetitionGrpc;
import io.cloudmw.proto.v1.Join;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import org.jspecify.annotations.Nullable;

/**
 * The gRPC service that rivals of lower rank join. The service requests the next message after the last one was
 * handled.
 */
public final class CompetitionService extends CompetitionGrpc.CompetitionImplBase {
    private final TransferTokens tokens;
    private final HelperTransfers transfers;

    public CompetitionService(TransferTokens tokens, HelperTransfers transfers) {
        this.tokens = tokens;
        this.transfers = transfers;
    }

    @Override
    public StreamObserver<CompeteMessage> compete(StreamObserver<CompeteMessage> answers) {
        ServerCallStreamObserver<CompeteMessage> call = (ServerCallStreamObserver<CompeteMessage>) answers;
        call.disableAutoRequest();
        Incoming incoming = new Incoming(call);
        call.setOnCancelHandler(() -> incoming.over(ended("the rival has disconnected")));
        call.request(1);
        return incoming;
    }

    private static CloudMwException ended(String why) {
        return new CloudMwException(ErrorCode.HELPER_UNAVAILABLE, why);
    }

    /** The stream of one rival. gRPC calls the observer's methods; transfers call the others. */
    private final class Incoming implements StreamObserver<CompeteMessage>, RivalLink, HelperTransfers.JoinRequest {
        private final ServerCallStreamObserver<CompeteMessage> call;
        private final Object lock = new Object();
        private boolean joined;

        @GuardedBy("lock")
        private RivalLink.@Nullable Listener listener;

        @GuardedBy("lock")
        private @Nullable CloudMwException end;

        @GuardedBy("lock")
        private boolean answered;

        Incoming(ServerCallStreamObserver<CompeteMessage> call) {
            this.call = call;
        }

        @Override
        public void onNext(CompeteMessage message) {
            try {
                if (joined) {
                    receive(RivalMessages.fromWire(message));
                } else {
                    join(message);
                    joined = true;
                }
            } catch (CloudMwException e) {
                refused(e);
            } catch (IllegalArgumentException e) {
                refused(new CloudMwException(ErrorCode.INVALID_ARGUMENT, String.valueOf(e.getMessage()), e));
            }
        }

        private void join(CompeteMessage message) throws CloudMwException {
            if (message.getMessageCase() != CompeteMessage.MessageCase.JOIN) {
                throw new CloudMwException(
                        ErrorCode.PROTOCOL_VIOLATION,
                        "first message: " + message.getMessageCase() + " (expected: JOIN)");
            }
            Join join = message.getJoin();
            TransferClaims claims = tokens.verify(join.getToken().toByteArray(), CallerIdentity.bearer());
            transfers.join(join.getTransferId(), new RacerId(join.getRacer()), claims, this);
        }

        private void receive(RivalMessage message) {
            RivalLink.Listener told;
            synchronized (lock) {
                told = listener;
            }
            if (told != null) {
                told.received(message, () -> call.request(1));
            }
        }

        @Override
        public void onError(Throwable cause) {
            over(ended("the rival's stream failed: " + cause.getMessage()));
        }

        @Override
        public void onCompleted() {
            over(ended("the rival has left"));
            close();
        }

        @Override
        public RivalLink accepted(RivalLink.Listener accepting) {
            CloudMwException before;
            synchronized (lock) {
                listener = accepting;
                before = end;
            }
            if (before != null) {
                accepting.ended(before);
            } else {
                call.request(1);
            }
            return this;
        }

        @Override
        public void refused(CloudMwException cause) {
            over(cause);
            synchronized (lock) {
                if (!answered && !call.isCancelled()) {
                    call.onError(RpcErrors.toStatus(cause));
                }
                answered = true;
            }
        }

        @Override
        public void send(RivalMessage message) {
            synchronized (lock) {
                if (end == null && !call.isCancelled()) {
                    call.onNext(RivalMessages.toWire(message));
                }
            }
        }

        @Override
        public void close() {
            synchronized (lock) {
                if (end == null) {
                    end = ended("closed here");
                }
                if (!answered && !call.isCancelled()) {
                    call.onCompleted();
                }
                answered = true;
            }
        }

        void over(CloudMwException cause) {
            RivalLink.Listener told;
            synchronized (lock) {
                if (end != null) {
                    return;
                }
                end = cause;
                told = listener;
            }
            if (told != null) {
                told.ended(cause);
            }
        }
    }
}
