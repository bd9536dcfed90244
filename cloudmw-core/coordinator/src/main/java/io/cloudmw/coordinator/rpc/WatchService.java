package io.cloudmw.coordinator.rpc;

import io.cloudmw.coordinator.watch.ChangeFeed;
import io.cloudmw.coordinator.watch.WatchSink;
import io.cloudmw.coordinator.watch.Watcher;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.file.Change;
import io.cloudmw.core.rpc.RpcErrors;
import io.cloudmw.core.wire.ChangeWire;
import io.cloudmw.core.wire.FromWire;
import io.cloudmw.proto.v1.ChangeFeedGrpc;
import io.cloudmw.proto.v1.WatchEvent;
import io.cloudmw.proto.v1.WatchRequest;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.OptionalLong;

/**
 * The gRPC service that streams changes to watchers. A slow watcher gets back-pressure and costs the memory of its last
 * message. Safe for any thread.
 */
public final class WatchService extends ChangeFeedGrpc.ChangeFeedImplBase {
    private final ChangeFeed feed;

    public WatchService(ChangeFeed feed) {
        this.feed = feed;
    }

    @Override
    public void watch(WatchRequest request, StreamObserver<WatchEvent> observer) {
        ServerCallStreamObserver<WatchEvent> call = (ServerCallStreamObserver<WatchEvent>) observer;
        OptionalLong after = request.hasAfter() ? OptionalLong.of(request.getAfter()) : OptionalLong.empty();
        try {
            Watcher watcher =
                    feed.watch(FromWire.volumeName(request.getVolume()), request.getPath(), after, new CallSink(call));
            call.setOnCancelHandler(watcher::close);
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
