package io.cloudmw.client.rpc;

import io.cloudmw.core.placement.FoundPeer;
import io.cloudmw.core.wire.PeerWire;
import io.cloudmw.proto.v1.FindPeersRequest;
import io.cloudmw.proto.v1.FindPeersResponse;
import io.cloudmw.proto.v1.PeersGrpc;
import io.grpc.stub.StreamObserver;
import java.util.List;

/** Names the peers a test says, whatever is looked for. */
public final class FakePeers extends PeersGrpc.PeersImplBase {
    public volatile List<FoundPeer> found = List.of();

    @Override
    public void findPeers(FindPeersRequest request, StreamObserver<FindPeersResponse> answer) {
        answer.onNext(PeerWire.found(found));
        answer.onCompleted();
    }
}
