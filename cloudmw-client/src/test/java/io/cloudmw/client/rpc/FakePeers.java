package io.cloudmw.client.rpc;

import io.cloudmw.core.placement.FoundPeer;
import io.cloudmw.core.wire.PeerWire;
import io.cloudmw.proto.v1.FindPeersRequest;
import io.cloudmw.proto.v1.FindPeersResponse;
import io.cloudmw.proto.v1.PeersGrpc;
import io.grpc.stub.StreamObserver;
import java.util.List;

/** A service that finds the peers that a test sets, for every search. */
public final class FakePeers extends PeersGrpc.PeersImplBase {
    public volatile List<FoundPeer> found = List.of();

    @Override
    public void findPeers(FindPeersRequest request, StreamObserver<FindPeersResponse> answer) {
        answer.onNext(PeerWire.found(found));
        answer.onCompleted();
    }
}
