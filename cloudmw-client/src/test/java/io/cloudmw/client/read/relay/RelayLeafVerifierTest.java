package io.cloudmw.client.read.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.chunk.Sha256;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.LeafDigests;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

final class RelayLeafVerifierTest {
    private static final StoreId STORE = new StoreId("disk-1");
    private static final int LEAF = 512;
    private static final int LAST = 100;
    private static final int CHUNK = 2 * LEAF + LAST;

    private final byte[] bytes = bytes();
    private final Chunk chunk = chunk(bytes);
    private final List<Long> verified = new ArrayList<>();
    private final RelayLeafVerifier verifier = new RelayLeafVerifier(STORE, new Target());

    @Test
    void leavesOfAChunkPassInOrder() throws CloudMwException {
        assertThat(verifier.verify(wantedFrom(0), leaf(0))).isTrue();
        assertThat(verifier.verify(wantedFrom(0), leaf(1))).isTrue();
        assertThat(verifier.verify(wantedFrom(0), leaf(2))).isTrue();
        assertThat(verified).containsExactly(0L, (long) LEAF, 2L * LEAF);
    }

    @Test
    void corruptLeafIsNamedAndNoLaterLeafPasses() throws CloudMwException {
        assertThat(verifier.verify(wantedFrom(0), leaf(0))).isTrue();
        assertThatThrownBy(() -> verifier.verify(wantedFrom(0), leaf(0)))
                .hasMessageContaining(chunk.id() + " store=disk-1 leaf=1: SHA-256 does not match")
                .asInstanceOf(InstanceOfAssertFactories.type(CloudMwException.class))
                .extracting(CloudMwException::code)
                .isEqualTo(ErrorCode.REPLICA_CORRUPT);
        assertThat(verifier.verify(wantedFrom(0), leaf(1))).isFalse();
        assertThat(verified).containsExactly(0L);
    }

    @Test
    void unwantedLeafPassesUnverified() throws CloudMwException {
        assertThat(verifier.verify(wantedFrom(LEAF), leaf(1))).isTrue();
        assertThat(verified).isEmpty();
        assertThat(verifier.verify(wantedFrom(LEAF), leaf(1))).isTrue();
        assertThat(verified).containsExactly((long) LEAF);
    }

    @Test
    void partOfALeafViolatesTheProtocol() {
        assertThatThrownBy(() -> verifier.verify(wantedFrom(0), ByteBuffer.wrap(bytes, 0, LEAF - 1)))
                .hasMessageContaining("frame of 511 bytes (expected: a leaf of 512)")
                .asInstanceOf(InstanceOfAssertFactories.type(CloudMwException.class))
                .extracting(CloudMwException::code)
                .isEqualTo(ErrorCode.PROTOCOL_VIOLATION);
    }

    @Test
    void leafAfterAShortenedEndIsDropped() throws CloudMwException {
        assertThat(verifier.verify(wantedFrom(0), leaf(0))).isTrue();
        assertThat(verifier.verify(new ExpectedLeaves(chunk, 0, LEAF, 0), leaf(1)))
                .isFalse();
        assertThat(verified).containsExactly(0L);
    }

    private ExpectedLeaves wantedFrom(long offset) {
        return new ExpectedLeaves(chunk, 0, CHUNK, offset);
    }

    private ByteBuffer leaf(int index) {
        return ByteBuffer.wrap(bytes, index * LEAF, length(index));
    }

    private static int length(int leaf) {
        return Math.min(LEAF, CHUNK - leaf * LEAF);
    }

    private static byte[] bytes() {
        byte[] bytes = new byte[CHUNK];
        new SplittableRandom(1).nextBytes(bytes);
        return bytes;
    }

    private static Chunk chunk(byte[] bytes) {
        MessageDigest sha256 = Sha256.begin();
        ByteBuffer digests = ByteBuffer.allocate(3 * LeafDigests.SHA256_BYTES);
        for (int leaf = 0; leaf < 3; leaf++) {
            sha256.update(bytes, leaf * LEAF, length(leaf));
            digests.put(sha256.digest());
        }
        return new Chunk(
                0,
                new ChunkId(VersionId.random(), 0),
                new ByteRange(0, CHUNK),
                LEAF,
                new LeafDigests(new int[3], digests.array()),
                List.of(STORE));
    }

    /** A listener that expects nothing but verified leaves. */
    private final class Target implements RelayListener {
        @Override
        public void verified(Chunk of, long offset, ByteBuffer leaf) {
            verified.add(offset);
        }

        @Override
        public void leafDelivered(RelayReceiver relay, int delivered) {
            throw new AssertionError("delivered");
        }

        @Override
        public void leafCorrupt(RelayReceiver relay, CloudMwException what) {
            throw new AssertionError(what);
        }

        @Override
        public void relayFailed(RelayReceiver relay, CloudMwException cause) {
            throw new AssertionError(cause);
        }

        @Override
        public void starved(RelayReceiver relay) {
            throw new AssertionError("starved");
        }

        @Override
        public void drained(RelayReceiver relay) {
            throw new AssertionError("drained");
        }

        @Override
        public void destinationFailed(CloudMwException cause) {
            throw new AssertionError(cause);
        }
    }
}
