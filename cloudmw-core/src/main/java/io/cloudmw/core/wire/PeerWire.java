package io.cloudmw.core.wire;

import com.google.protobuf.ByteString;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.PeerId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.placement.FoundPeer;
import io.cloudmw.core.placement.PeerAnnouncement;
import io.cloudmw.core.placement.PeerSearch;
import io.cloudmw.core.security.PeerKey;
import io.cloudmw.proto.v1.AnnounceRequest;
import io.cloudmw.proto.v1.ChunkRun;
import io.cloudmw.proto.v1.FindPeersRequest;
import io.cloudmw.proto.v1.FindPeersResponse;
import io.cloudmw.proto.v1.PeerHolding;
import io.cloudmw.proto.v1.WantedChunks;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** The messages of clients that serve chunks and of readers that look for them. Chunks travel by version, in runs. */
public final class PeerWire {
    private PeerWire() {}

    public static AnnounceRequest announcement(PeerAnnouncement announced) {
        AnnounceRequest.Builder message = AnnounceRequest.newBuilder()
                .setPeerId(announced.peer().value())
                .setBulkAddress(announced.address())
                .setKey(ByteString.copyFrom(announced.key().bytes()))
                .setLocation(announced.location().toString());
        byVersion(announced.chunks())
                .forEach((version, indexes) -> message.addHoldings(
                        PeerHolding.newBuilder().setVersionId(version).addAllRuns(runs(indexes))));
        return message.build();
    }

    /** The announcement of a peer that stops. */
    public static AnnounceRequest leaving(PeerId peer, PeerKey key) {
        return AnnounceRequest.newBuilder()
                .setPeerId(peer.value())
                .setKey(ByteString.copyFrom(key.bytes()))
                .setLeaving(true)
                .build();
    }

    /**
     * Reads an announcement.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT} when it is malformed, or has too many chunks
     */
    public static PeerAnnouncement announcement(AnnounceRequest message) throws CloudMwException {
        return FromWire.valid(() -> {
            Set<ChunkId> chunks = new HashSet<>();
            for (PeerHolding holding : message.getHoldingsList()) {
                addAll(chunks, new VersionId(holding.getVersionId()), holding.getRunsList());
            }
            return new PeerAnnouncement(
                    new PeerId(message.getPeerId()),
                    message.getBulkAddress(),
                    PeerKey.of(message.getKey().toByteArray()),
                    FromWire.location(message.getLocation()),
                    chunks);
        });
    }

    public static PeerId peer(String id) throws CloudMwException {
        return FromWire.valid(() -> new PeerId(id));
    }

    public static PeerKey key(ByteString key) throws CloudMwException {
        return FromWire.valid(() -> PeerKey.of(key.toByteArray()));
    }

    public static FindPeersRequest search(PeerSearch search) {
        FindPeersRequest.Builder message = FindPeersRequest.newBuilder()
                .setLocation(search.reader().toString())
                .setPeerId(search.self().map(PeerId::value).orElse(""));
        search.wanted()
                .forEach(wanted -> message.addWanted(WantedChunks.newBuilder()
                        .setToken(ToWire.token(wanted.token()))
                        .addAllIndexes(wanted.indexes())));
        return message.build();
    }

    /**
     * Reads a search.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT} when it is malformed, or wants too many chunks at once
     */
    public static PeerSearch search(FindPeersRequest message) throws CloudMwException {
        return FromWire.valid(() -> {
            List<PeerSearch.WantedChunks> wanted = new ArrayList<>();
            for (WantedChunks chunks : message.getWantedList()) {
                for (long index : chunks.getIndexesList()) {
                    if (index < 0 || index > ChunkId.MAX_INDEX) {
                        throw new IllegalArgumentException(
                                "index: " + index + " (expected: 0.." + ChunkId.MAX_INDEX + ")");
                    }
                }
                wanted.add(new PeerSearch.WantedChunks(
                        FromWire.token(chunks.getToken().toByteArray()), chunks.getIndexesList()));
            }
            String self = message.getPeerId();
            return new PeerSearch(
                    wanted,
                    FromWire.location(message.getLocation()),
                    self.isEmpty() ? Optional.empty() : Optional.of(new PeerId(self)));
        });
    }

    /** The found peers, with one message for each version of a peer. */
    public static FindPeersResponse found(List<FoundPeer> peers) {
        FindPeersResponse.Builder answer = FindPeersResponse.newBuilder();
        for (FoundPeer peer : peers) {
            byVersion(peer.chunks())
                    .forEach((version, indexes) -> answer.addPeers(io.cloudmw.proto.v1.FoundPeer.newBuilder()
                            .setPeerId(peer.id().value())
                            .setBulkAddress(peer.address())
                            .setToken(ToWire.token(peer.token()))
                            .setVersionId(version)
                            .addAllRuns(runs(indexes))
                            .setSharedLabels(peer.sharedLabels())));
        }
        return answer.build();
    }

    public static List<FoundPeer> found(FindPeersResponse message) throws CloudMwException {
        return FromWire.valid(() -> {
            List<FoundPeer> peers = new ArrayList<>();
            for (io.cloudmw.proto.v1.FoundPeer peer : message.getPeersList()) {
                Set<ChunkId> chunks = new HashSet<>();
                addAll(chunks, new VersionId(peer.getVersionId()), peer.getRunsList());
                peers.add(new FoundPeer(
                        new PeerId(peer.getPeerId()),
                        peer.getBulkAddress(),
                        FromWire.token(peer.getToken().toByteArray()),
                        chunks,
                        peer.getSharedLabels()));
            }
            return peers;
        });
    }

    private static Map<String, SortedSet<Long>> byVersion(Collection<ChunkId> chunks) {
        Map<String, SortedSet<Long>> byVersion = new TreeMap<>();
        chunks.forEach(chunk -> byVersion
                .computeIfAbsent(chunk.version().value(), first -> new TreeSet<>())
                .add(chunk.index()));
        return byVersion;
    }

    private static List<ChunkRun> runs(SortedSet<Long> indexes) {
        List<ChunkRun> runs = new ArrayList<>();
        ChunkRun.Builder run = null;
        for (long index : indexes) {
            if (run != null && run.getFirst() + run.getCount() == index) {
                run.setCount(run.getCount() + 1);
            } else {
                if (run != null) {
                    runs.add(run.build());
                }
                run = ChunkRun.newBuilder().setFirst(index).setCount(1);
            }
        }
        if (run != null) {
            runs.add(run.build());
        }
        return runs;
    }

    /** Adds the chunks of runs, but never more than a peer may hold: a few bytes must not become gigabytes. */
    private static void addAll(Set<ChunkId> chunks, VersionId version, List<ChunkRun> runs) {
        for (ChunkRun run : runs) {
            if (run.getCount() < 1 || chunks.size() + (long) run.getCount() > PeerAnnouncement.MAX_CHUNKS) {
                throw new IllegalArgumentException(
                        "run: " + run.getCount() + " chunks (expected: 1.." + PeerAnnouncement.MAX_CHUNKS + " in all)");
            }
            for (int i = 0; i < run.getCount(); i++) {
                chunks.add(new ChunkId(version, run.getFirst() + i));
            }
        }
    }
}
