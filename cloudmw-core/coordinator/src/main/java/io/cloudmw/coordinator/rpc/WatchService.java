package io.cloudmw.coordinator.rpc;

import io.cloudmw.coordinator.grant.Authorizer;
import io.cloudmw.coordinator.watch.ChangeFeed;
import io.cloudmw.coordinator.watch.WatchSink;
import io.cloudmw.coordinator.watch.Watcher;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.grant.Right;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.Change;
import io.cloudmw.core.rpc.CallerIdentity;
import io.cloudmw.core.rpc.RpcErrors;
import io.cloudmw.core.tls.ProcessIdentity;
import io.cloudmw.core.wire.ChangeWire;
import io.cloudmw.core.wire.FromWire;
import io.cloudmw.proto.v1.ChangeFeedGrpc;
import io.cloudmw.proto.v1.WatchEvent;
import io.cloudmw.proto.v1.WatchRequest;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The gRPC service that streams changes to watchers. A slow watcher gets back-pressure and costs the memory of its last
 * message. A watch ends when its caller may not read there any more. Safe for any thread.
 */
public final class WatchService extends ChangeFeedGrpc.ChangeFeedImplBase {
    private final ChangeFeed feed;
    private final Authorizer authorizer;
    private final Set<Watching> open = ConcurrentHashMap.newKeySet();

    /** @param caller empty: in plain text */
    private record Watching(Optional<ProcessIdentity> caller, VolumeName volume, String path, Watcher watcher) {}

    public WatchService(ChangeFeed feed, Authorizer authorizer) {
        this.feed = feed;
        this.authorizer = authorizer;
    }

    /** Ends the watches whose callers may not read there any more. Called after each change of a subject. */
    public void checkRights() {
        for (Watching watching : open) {
            try {
                authorizer.requireRight(watching.caller(), Right.READ, watching.volume(), watching.path());
            } catch (CloudMwException e) {
                // Without an answer of the catalog nobody is known, and the watch goes on until there is one.
                if (e.code() == ErrorCode.PERMISSION_DENIED) {
                    watching.watcher().stop(e);
                }
            }
        }
    }

    @Override
    public void watch(WatchRequest request, StreamObserver<WatchEvent> observer) {
        ServerCallStreamObserver<WatchEvent> call = (ServerCallStreamObserver<WatchEvent>) observer;
        OptionalLong after = request.hasAfter() ? OptionalLong.of(request.getAfter()) : OptionalLong.empty();
        try {
            VolumeName volume = FromWire.volumeName(request.getVolume());
            Watcher watcher = feed.watch(volume, request.getPath(), after, new CallSink(call));
            Watching watching = new Watching(CallerIdentity.current(), volume, request.getPath(), watcher);
            open.add(watching);
            call.setOnCancelHandler(() -> {
                open.remove(watching);
                watcher.close();
            });
            call.setOnCloseHandler(() -> open.remove(watching));
            call.setOnReadyHandler(watcher::wake);
            watcher.wake();
        } catch (CloudMwException e) {
            call.onError(RpcErrors.toStatus(e));
        }
    }

    /** The sink of one call. The feed calls it one at a time, so it needs no lock. */
    private record CallSink(ServerCallStreamObserver<WatchEvent> call) implements WatchSink {
        @Override
        public boolean isReady() {
            return call.isReady();
        }

        @Override
        public void told(List<Change> changes, long position) {
            WatchEvent.Builder event = WatchEvent.newBuilder().setPosition(position);
            changes.forEach(change -> event.addChanges(ChangeWire.message(change)));
            call.onNext(event.build());
        }

        @Override
        public void lost(long position) {
            call.onNext(
                    WatchEvent.newBuilder().setPosition(position).setLost(true).build());
        }

        @Override
        public void end() {
            call.onCompleted();
        }

        @Override
        public void failed(CloudMwException failure) {
            call.onError(RpcErrors.toStatus(failure));
        }
    }
}
