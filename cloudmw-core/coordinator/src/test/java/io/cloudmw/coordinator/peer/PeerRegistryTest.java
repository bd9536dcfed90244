package io.cloudmw.coordinator.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.PeerId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.Location;
import io.cloudmw.core.placement.PeerAnnouncement;
import io.cloudmw.core.security.PeerKey;
import io.cloudmw.core.testing.FakeTicker;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class PeerRegistryTest {
    private static final Duration TTL = Duration.ofSeconds(7);
    private static final PeerKey KEY = PeerKey.random();

    private final FakeTicker ticker = new FakeTicker();
    private final PeerRegistry registry = new PeerRegistry(TTL, ticker);
    private final VersionId version = VersionId.random();
    private final ChunkId first = new ChunkId(version, 0);
    private final ChunkId second = new ChunkId(version, 1);

    private static PeerAnnouncement peer(String id, String location, ChunkId... chunks) {
        return new PeerAnnouncement(new PeerId(id), "10.0.0.1:7", KEY, Location.parse(location), Set.of(chunks));
    }

    private List<String> holders(ChunkId chunk, String reader) {
        return registry.near(chunk.version(), Location.parse(reader)).stream()
                .filter(said -> said.chunks().contains(chunk))
                .map(said -> said.peer().value())
                .sorted()
                .toList();
    }

    @Test
    void announcementReplacesTheEarlierOne() throws Exception {
        registry.announce(peer("a", "", first));
        registry.announce(peer("b", "", first, second));
        assertThat(holders(first, "")).containsExactly("a", "b");
        assertThat(holders(second, "")).containsExactly("b");

        registry.announce(peer("a", "", second));
        assertThat(holders(first, "")).containsExactly("b");
        assertThat(holders(second, "")).containsExactly("a", "b");
    }

    @Test
    void silentPeerIsDroppedAndALeavingOneAtOnce() throws Exception {
        registry.announce(peer("a", "", first));
        ticker.advance(TTL.dividedBy(2));
        registry.announce(peer("b", "", first));
        ticker.advance(TTL.dividedBy(2));
        assertThat(holders(first, "")).containsExactly("b");
        registry.leave(new PeerId("b"), KEY);
        assertThat(holders(first, "")).isEmpty();
        assertThat(registry.size()).isZero();
    }

    @Test
    void readerWithALocationHearsOfPeersThatShareALabel() throws Exception {
        registry.announce(peer("a", "zone-a/rack-1", first));
        registry.announce(peer("b", "zone-b/rack-1", first));
        registry.announce(peer("c", "", first));
        assertThat(holders(first, "zone-a/rack-2")).containsExactly("a");
        assertThat(holders(first, "")).containsExactly("a", "b", "c");
    }

    @Test
    void volumeSettingIsRememberedAsLongAsAPeerHoldsTheVersion() throws Exception {
        VolumeName volume = new VolumeName("near");
        registry.allow(version, volume, true);
        assertThat(registry.allows(version, volume)).isEmpty();
        registry.announce(peer("a", "", first));
        registry.allow(version, volume, true);
        registry.announce(peer("b", "", second));
        registry.leave(new PeerId("a"), KEY);
        assertThat(registry.allows(version, volume)).contains(true);
        assertThat(registry.allows(version, new VolumeName("own"))).isEmpty();
        registry.leave(new PeerId("b"), KEY);
        registry.announce(peer("c", "", first));
        assertThat(registry.allows(version, volume)).isEmpty();
    }

    @Test
    void anotherProcessCannotSpeakForAPeer() throws Exception {
        registry.announce(peer("a", "", first));
        PeerAnnouncement other =
                new PeerAnnouncement(new PeerId("a"), "10.0.0.9:9", PeerKey.random(), Location.NONE, Set.of(second));
        assertThatThrownBy(() -> registry.announce(other))
                .isInstanceOf(CloudMwException.class)
                .hasMessageContaining("another process");
        assertThatThrownBy(() -> registry.leave(other.peer(), other.key())).hasMessageContaining("another process");
        assertThat(holders(first, "")).containsExactly("a");
    }

    @Test
    void peersBeyondTheLimitAreRefusedUntilOneIsGone() throws Exception {
        for (int i = 0; i < PeerRegistry.MAX_PEERS; i++) {
            registry.announce(peer("p" + i, "", first));
        }
        assertThatThrownBy(() -> registry.announce(peer("late", "", first)))
                .isInstanceOf(CloudMwException.class)
                .hasMessageContaining("expected: < " + PeerRegistry.MAX_PEERS);
        registry.announce(peer("p0", "", second));
        registry.leave(new PeerId("p1"), KEY);
        registry.announce(peer("late", "", first));
        assertThat(registry.size()).isEqualTo(PeerRegistry.MAX_PEERS);
    }
}
