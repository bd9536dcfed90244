package io.cloudmw.coordinator.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.coordinator.catalog.MeteredCatalog;
import io.cloudmw.coordinator.read.FileReads;
import io.cloudmw.coordinator.testing.TestCluster;
import io.cloudmw.coordinator.testing.memory.InMemoryCatalog;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.metrics.CoordinatorMetrics;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.PeerId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.Location;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.placement.FoundPeer;
import io.cloudmw.core.placement.PeerAnnouncement;
import io.cloudmw.core.placement.PeerSearch;
import io.cloudmw.core.security.PeerKey;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferRight;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.wire.PeerWire;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class PeerFinderTest {
    private static final FilePath FILE = FilePath.parse("near:/f");
    private static final FilePath OTHER = FilePath.parse("v:/f");

    private final VersionId version = VersionId.random();
    private final ChunkId chunk = new ChunkId(version, 3);
    private final PeerKey key = PeerKey.random();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private TestCluster cluster;

    @BeforeEach
    void start() throws Exception {
        cluster = new TestCluster(
                        MeteredCatalog.of(new InMemoryCatalog(), new CoordinatorMetrics(meters), Ticker.system()))
                .withVolume(2);
        Volume plain = TestCluster.volume("near", 3, 2, "d1", "d2", "d3");
        cluster.coordinator
                .administration()
                .createVolume(
                        new Volume(
                                plain.name(),
                                plain.chunking(),
                                plain.replicas(),
                                plain.stores(),
                                plain.writeQuorum(),
                                plain.mode(),
                                plain.rotateReplicas(),
                                0,
                                plain.target(),
                                true),
                        Optional.empty());
    }

    private TransferToken token(FilePath file, TransferRight right) {
        return cluster.tokens.issue(new TransferClaims(Set.of(right), file, version, cluster.now() + 1000));
    }

    private void announce(String id, String location) throws CloudMwException {
        cluster.coordinator
                .peers()
                .announce(new PeerAnnouncement(
                        new PeerId(id), "10.0.0.1:7", key, Location.parse(location), Set.of(chunk)));
    }

    private List<FoundPeer> find(TransferToken token, String reader, Optional<PeerId> self) throws CloudMwException {
        return cluster.coordinator
                .peers()
                .find(new PeerSearch(
                        List.of(new PeerSearch.WantedChunks(token, List.of(2L, 3L))), Location.parse(reader), self));
    }

    @Test
    void tokenForAPeerGrantsTheReaderNoMoreThanItsOwnToken() throws Exception {
        announce("a", "");
        List<FoundPeer> found = find(token(FILE, TransferRight.READ), "", Optional.empty());
        assertThat(found).hasSize(1);
        FoundPeer peer = found.get(0);
        assertThat(peer.id()).isEqualTo(new PeerId("a"));
        assertThat(peer.address()).isEqualTo("10.0.0.1:7");
        assertThat(peer.chunks()).containsExactly(chunk);
        TransferClaims claims = key.tokens(cluster::now).verify(peer.token().bytes());
        assertThat(claims)
                .isEqualTo(new TransferClaims(Set.of(TransferRight.READ), FILE, version, cluster.now() + 1000));

        cluster.ticker.advance(Duration.ofSeconds(1));
        assertThatThrownBy(() -> key.tokens(cluster::now).verify(peer.token().bytes()))
                .hasMessageContaining("expired");
        assertThatThrownBy(() -> PeerKey.random()
                        .tokens(cluster::now)
                        .verify(peer.token().bytes()))
                .hasMessageContaining("not issued");
        assertThatThrownBy(() -> cluster.tokens.verify(peer.token().bytes())).hasMessageContaining("not issued");
    }

    @Test
    void peersAreNamedOnlyToReadersWithRightsAndInVolumesThatAllowThem() throws Exception {
        announce("a", "");
        assertThat(find(token(OTHER, TransferRight.READ), "", Optional.empty())).isEmpty();
        assertThat(find(token(FILE, TransferRight.WRITE), "", Optional.empty())).isEmpty();
        TransferToken late = token(FILE, TransferRight.READ);
        cluster.ticker.advance(Duration.ofSeconds(1));
        assertThat(find(late, "", Optional.empty())).isEmpty();
    }

    @Test
    void invalidTokenDoesNotSpoilTheSearchOfOthers() throws Exception {
        TransferToken late = token(FILE, TransferRight.READ);
        cluster.ticker.advance(Duration.ofSeconds(1));
        announce("a", "");
        PeerSearch.WantedChunks bad = new PeerSearch.WantedChunks(late, List.of(3L));
        PeerSearch.WantedChunks good = new PeerSearch.WantedChunks(token(FILE, TransferRight.READ), List.of(3L));
        PeerSearch both = new PeerSearch(List.of(bad, good), Location.parse(""), Optional.empty());
        assertThat(cluster.coordinator.peers().find(both)).isNotEmpty();
    }

    @Test
    void fewPeersAreNamedForAChunkTheNearestFirstAndNeverTheReader() throws Exception {
        for (int i = 0; i < 9; i++) {
            announce("p" + i, i < 2 ? "z/r" : "z");
        }
        List<FoundPeer> found = find(token(FILE, TransferRight.READ), "z/r/h", Optional.of(new PeerId("p1")));
        assertThat(found).hasSize(PeerFinder.MAX_PER_CHUNK);
        assertThat(found.get(0).id()).isEqualTo(new PeerId("p0"));
        assertThat(found.stream().map(FoundPeer::sharedLabels)).containsExactly(2, 1, 1);
        assertThat(found.stream().map(FoundPeer::id)).doesNotContain(new PeerId("p1"));
    }

    private long looksAtVolumes() {
        return meters.find(CoordinatorMetrics.CATALOG).tag(CoordinatorMetrics.OPERATION, "volume").timers().stream()
                .mapToLong(Timer::count)
                .sum();
    }

    @Test
    void catalogIsAskedOncePerVersionAndOnlyWhenAPeerHoldsIt() throws Exception {
        TransferToken token = token(FILE, TransferRight.READ);
        long before = looksAtVolumes();
        assertThat(find(token, "", Optional.empty())).isEmpty();
        announce("a", "z");
        assertThat(find(token, "elsewhere", Optional.empty())).isEmpty();
        assertThat(looksAtVolumes()).isEqualTo(before);
        for (int search = 0; search < 5; search++) {
            assertThat(find(token, "", Optional.empty())).hasSize(1);
        }
        assertThat(looksAtVolumes()).isEqualTo(before + 1);
    }

    @Test
    void searchedAndFoundChunksAreCounted() throws Exception {
        PeerFinder peers = cluster.coordinator.peers();
        TransferToken token = token(FILE, TransferRight.READ);
        assertThat(find(token, "", Optional.empty())).isEmpty();
        announce("a", "");
        announce("b", "");
        assertThat(find(token, "", Optional.empty())).hasSize(2);
        assertThat(peers.serving()).isEqualTo(2);
        assertThat(peers.wanted()).isEqualTo(4);
        assertThat(peers.found()).isEqualTo(1);
    }

    @Test
    void nearestPeersAreNamedAndDifferForEachChunk() throws Exception {
        Set<ChunkId> all = LongStream.range(0, 256)
                .mapToObj(index -> new ChunkId(version, index))
                .collect(Collectors.toSet());
        for (int peer = 0; peer < 40; peer++) {
            String location = peer % 2 == 0 ? "z/r" : "z";
            cluster.coordinator
                    .peers()
                    .announce(new PeerAnnouncement(
                            new PeerId("p" + peer), "10.0.0.1:7", key, Location.parse(location), all));
        }
        PeerSearch search = new PeerSearch(
                List.of(new PeerSearch.WantedChunks(
                        token(FILE, TransferRight.READ),
                        LongStream.range(0, 256).boxed().toList())),
                Location.parse("z/r/h"),
                Optional.empty());
        List<FoundPeer> found = cluster.coordinator.peers().find(search);
        assertThat(found).hasSize(20).allMatch(peer -> peer.sharedLabels() == 2);
        assertThat(found.stream().mapToInt(peer -> peer.chunks().size()).sum())
                .isEqualTo(256 * PeerFinder.MAX_PER_CHUNK);
        // The average is 38 chunks for each peer.
        assertThat(found).allMatch(peer -> peer.chunks().size() < 80);
        // A repeated search finds the same peers.
        assertThat(chunks(cluster.coordinator.peers().find(search))).isEqualTo(chunks(found));
    }

    private static Map<PeerId, Set<ChunkId>> chunks(List<FoundPeer> found) {
        return found.stream().collect(Collectors.toMap(FoundPeer::id, FoundPeer::chunks));
    }

    @Test
    void planTellsWhetherPeersMayBeAskedUnlessItNamesAMode() throws Exception {
        cluster.put(FILE, 1 << 20);
        cluster.put(OTHER, 1 << 20);
        FileReads reads = cluster.coordinator.reads();
        assertThat(reads.plan(FILE, Optional.empty(), Optional.empty()).peers()).isTrue();
        assertThat(reads.plan(FILE, Optional.empty(), Optional.of(Mode.ROUNDS)).peers())
                .isFalse();
        assertThat(reads.plan(OTHER, Optional.empty(), Optional.empty()).peers())
                .isFalse();
    }

    @Test
    void messagesRoundTripAndContainNoMoreThanTheyMay() throws Exception {
        Set<ChunkId> chunks = new HashSet<>();
        LongStream.of(0, 1, 2, 5, 7, 8).forEach(index -> chunks.add(new ChunkId(version, index)));
        chunks.add(new ChunkId(VersionId.random(), ChunkId.MAX_INDEX));
        PeerAnnouncement said = new PeerAnnouncement(new PeerId("a"), "h:1", key, Location.parse("z/r"), chunks);
        assertThat(PeerWire.announcement(PeerWire.announcement(said))).isEqualTo(said);

        PeerSearch search = new PeerSearch(
                List.of(new PeerSearch.WantedChunks(token(FILE, TransferRight.READ), List.of(1L, 9L))),
                Location.parse("z"),
                Optional.of(new PeerId("me")));
        assertThat(PeerWire.search(PeerWire.search(search))).isEqualTo(search);

        FoundPeer found = new FoundPeer(
                new PeerId("a"), "h:1", token(FILE, TransferRight.READ), Set.of(chunk, new ChunkId(version, 4)), 1);
        assertThat(PeerWire.found(PeerWire.found(List.of(found)))).containsExactly(found);

        List<Long> many =
                LongStream.rangeClosed(0, PeerSearch.MAX_CHUNKS).boxed().toList();
        assertThatThrownBy(() -> new PeerSearch(
                        List.of(new PeerSearch.WantedChunks(token(FILE, TransferRight.READ), many)),
                        Location.NONE,
                        Optional.empty()))
                .hasMessageContaining("looked for at once");
        Set<ChunkId> tooMany = new HashSet<>();
        many.forEach(index -> tooMany.add(new ChunkId(version, index)));
        assertThatThrownBy(() -> new PeerAnnouncement(new PeerId("a"), "h:1", key, Location.NONE, tooMany))
                .hasMessageContaining("of one peer");
    }
}
