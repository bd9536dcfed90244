package io.cloudmw.coordinator.rpc;

import io.cloudmw.coordinator.peer.PeerFinder;
import io.cloudmw.coordinator.rpc.audit.Caller;
import io.cloudmw.core.address.AddressPolicy;
import io.cloudmw.core.placement.PeerAnnouncement;
import io.cloudmw.core.rpc.UnaryCalls;
import io.cloudmw.core.wire.PeerWire;
import io.cloudmw.proto.v1.AnnounceRequest;
import io.cloudmw.proto.v1.AnnounceResponse;
import io.cloudmw.proto.v1.FindPeersRequest;
import io.cloudmw.proto.v1.FindPeersResponse;
import io.cloudmw.proto.v1.PeersGrpc;
import io.grpc.stub.StreamObserver;

/** The gRPC service for clients that serve others, and for their readers. Safe for any thread. */
public final class PeersService extends PeersGrpc.PeersImplBase {
    private final PeerFinder peers;
    private final UnaryCalls calls;

    /** Creates the service; the executor of {@code calls} bounds the calls worked on at once. */
    public PeersService(PeerFinder peers, UnaryCalls calls) {
        this.peers = peers;
        this.calls = calls;
    }

    @Override
    public void announce(AnnounceRequest request, StreamObserver<AnnounceResponse> observer) {
        Caller caller = Caller.current();
        calls.answer(observer, () -> {
            if (request.getLeaving()) {
                peers.leave(PeerWire.peer(request.getPeerId()), PeerWire.key(request.getKey()));
                return AnnounceResponse.getDefaultInstance();
            }
            PeerAnnouncement said = PeerWire.announcement(request);
            AddressPolicy.requireReachable(
                    "peer " + said.peer(), said.address(), caller.host(), "client.peer.advertise-host there");
            return AnnounceResponse.newBuilder()
                    .setIntervalMillis(peers.announce(said).toMillis())
                    .build();
        });
    }

    @Override
    public void findPeers(FindPeersRequest request, StreamObserver<FindPeersResponse> observer) {
        calls.answer(observer, () -> PeerWire.found(peers.find(PeerWire.search(request))));
    }
}
