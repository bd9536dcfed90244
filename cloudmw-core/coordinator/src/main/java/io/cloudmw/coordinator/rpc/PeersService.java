package io.cloudmw.coordinator.rpc;

import io.cloudmw.coordinator.peer.Peers;
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

/** Clients that serve what they hold, and those who look for them. */
public final class PeersService extends PeersGrpc.PeersImplBase {
    private final Peers peers;
    private final UnaryCalls calls;

    /** Works on {@code calls}, whose executor bounds what is worked on at once. */
    public PeersService(Peers peers, UnaryCalls calls) {
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
