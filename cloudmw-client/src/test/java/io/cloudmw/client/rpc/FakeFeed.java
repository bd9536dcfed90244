package io.cloudmw.client.rpc;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.file.Change;
import io.cloudmw.core.rpc.RpcErrors;
import io.cloudmw.core.wire.ChangeWire;
import io.cloudmw.proto.v1.ChangeFeedGrpc;
import io.cloudmw.proto.v1.WatchEvent;
import io.cloudmw.proto.v1.WatchRequest;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** A change feed that sends the test's changes to every watch, whatever it watches: all share one volume. */
public final class FakeFeed extends ChangeFeedGrpc.ChangeFeedImplBase {
    @GuardedBy("this")
    private final List<Change> log = new ArrayList<>();

    @GuardedBy("this")
    private final List<StreamObserver<WatchEvent>> open = new ArrayList<>();

    @GuardedBy("this")
    private final List<WatchRequest> requests = new ArrayList<>();

    @Override
    public synchronized void watch(WatchRequest request, StreamObserver<WatchEvent> observer) {
        requests.add(request);
        ((ServerCallStreamObserver<WatchEvent>) observer).setOnCancelHandler(() -> forget(observer));
        long after = request.hasAfter() ? request.getAfter() : log.size();
        observer.onNext(WatchEvent.newBuilder().setPosition(after).build());
        open.add(observer);
        for (Change change : log.subList((int) after, log.size())) {
            tell(change, observer);
        }
    }

    private synchronized void forget(StreamObserver<WatchEvent> observer) {
        open.remove(observer);
    }

    @GuardedBy("this")
    private void tell(Change change, StreamObserver<WatchEvent> observer) {
        observer.onNext(WatchEvent.newBuilder()
                .setPosition(change.position())
                .addChanges(ChangeWire.message(change))
                .build());
        if (change.kind() == Change.Kind.VOLUME_DELETED) {
            open.remove(observer);
            observer.onCompleted();
        }
    }

    /** Numbers a change and sends it. */
    public synchronized void add(Change change) {
        Change numbered = change.at(log.size() + 1L);
        log.add(numbered);
        for (StreamObserver<WatchEvent> observer : List.copyOf(open)) {
            tell(numbered, observer);
        }
    }

    /** Sends an event to all watches. */
    public synchronized void send(WatchEvent event) {
        open.forEach(observer -> observer.onNext(event));
    }

    /** Fails all watches with this reason. */
    public void breakOff(CloudMwException reason) {
        drain(observer -> observer.onError(RpcErrors.toStatus(reason)));
    }

    private synchronized void drain(Consumer<StreamObserver<WatchEvent>> end) {
        open.forEach(end);
        open.clear();
    }

    public synchronized int watching() {
        return open.size();
    }

    public synchronized List<WatchRequest> requests() {
        return List.copyOf(requests);
    }
}
