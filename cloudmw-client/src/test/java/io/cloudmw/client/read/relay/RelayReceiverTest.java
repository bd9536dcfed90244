package io.cloudmw.client.read.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.client.sink.LeafSink;
import io.cloudmw.client.sink.StreamSink;
import io.cloudmw.core.chunk.Sha256;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.LeafDigests;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.RacerId;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A prepared relay of a stream's only chunk of four leaves: data comes before its turn. */
final class RelayReceiverTest {
    private static final int LEAF = 1 << 10;
    private static final int LEAVES = 4;
    private static final ByteRange ALL = new ByteRange(0, (long) LEAVES * LEAF);

    private final byte[] bytes = bytes();
    private final Chunk chunk = chunk(bytes);
    private final Block block = new Block(new BlockId(1), 0, ALL, 1, List.of());
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final List<String> heard = new ArrayList<>();
    private final RelayReceiver relay = relay(1, new StreamSink(Channels.newChannel(written), ALL));

    @Test
    void preparedRelayHandsOnItsLeavesOnAcceptance() {
        relay.prepare(block, ALL, chunk);
        send(0);
        send(1);
        relay.ended(new byte[0]);
        assertThat(written.size()).isZero();
        assertThat(heard).isEmpty();
    }

    @Test
    void waitingLeavesAreHandedOnInOrderBeforeLaterOnes() {
        relay.prepare(block, ALL, chunk);
        send(0);
        send(1);
        relay.accept(block, ALL, chunk);
        assertThat(heard).containsExactly("delivered 1024", "delivered 1024");
        send(2);
        send(3);
        relay.ended(new byte[0]);
        assertThat(written.toByteArray()).isEqualTo(bytes);
        assertThat(heard).hasSize(LEAVES);
    }

    @Test
    void completePreparedRelayDoesNotCountAsTruncated() {
        relay.prepare(block, ALL, chunk);
        for (int leaf = 0; leaf < LEAVES; leaf++) {
            send(leaf);
        }
        relay.ended(new byte[0]);
        relay.accept(block, ALL, chunk);
        assertThat(written.toByteArray()).isEqualTo(bytes);
        assertThat(heard).containsOnly("delivered 1024").hasSize(LEAVES);
    }

    @Test
    void truncatedPreparedRelayFailsOnAcceptance() {
        relay.prepare(block, ALL, chunk);
        send(0);
        relay.ended(new byte[0]);
        assertThat(heard).isEmpty();
        relay.accept(block, ALL, chunk);
        assertThat(heard).containsExactly("delivered 1024", "failed PROTOCOL_VIOLATION");
    }

    @Test
    void corruptLeafFailsPreparedRelayAndLaterLeavesAreDropped() {
        relay.prepare(block, ALL, chunk);
        send(1);
        assertThat(heard).containsExactly("corrupt");
        send(0);
        relay.accept(block, ALL, chunk);
        send(0);
        assertThat(heard).containsExactly("corrupt");
        assertThat(written.size()).isZero();
    }

    @Test
    void bytesOfAnotherRelayAreNotHandedOn() {
        relay.grant(ALL.length());
        relay.prepare(block, ALL, chunk);
        for (int leaf = 0; leaf < LEAVES; leaf++) {
            send(leaf);
        }
        relay.accept(block, new ByteRange(0, 2 * LEAF), chunk);
        assertThat(written.toByteArray()).isEqualTo(Arrays.copyOf(bytes, 2 * LEAF));
        assertThat(relay.isShortened()).isTrue();
    }

    @Test
    void bytesAfterAShortenedEndDoNotFailTheRelay() {
        relay.prepare(block, ALL, chunk);
        send(0);
        relay.shorten(2 * LEAF);
        send(1);
        send(2);
        send(3);
        relay.ended(new byte[0]);
        relay.accept(block, new ByteRange(0, 2 * LEAF), chunk);
        assertThat(written.toByteArray()).isEqualTo(Arrays.copyOf(bytes, 2 * LEAF));
        assertThat(heard).containsExactly("delivered 1024", "delivered 1024");
    }

    @Test
    void bytesAfterAnEndKnownOnAcceptanceDoNotFailTheRelay() {
        relay.prepare(block, ALL, chunk);
        send(0);
        send(1);
        send(2);
        relay.accept(block, new ByteRange(0, 2 * LEAF), chunk);
        send(3);
        assertThat(written.toByteArray()).isEqualTo(Arrays.copyOf(bytes, 2 * LEAF));
        assertThat(heard).containsExactly("delivered 1024", "delivered 1024");
    }

    @Test
    void refusedRelayReleasesWaitingLeaves() {
        relay.prepare(block, ALL, chunk);
        ByteBuf leaf = Unpooled.wrappedBuffer(bytes, 0, LEAF);
        relay.data(leaf, 0);
        relay.refuse(ErrorCode.CANCELLED, "not wanted");
        assertThat(leaf.refCnt()).isZero();
        assertThat(heard).containsExactly("drained");
        assertThat(written.size()).isZero();
    }

    /**
     * The relay is refused while the channel has its first leaf; then the channel fails, and a successor brings that
     * leaf again.
     */
    @Test
    void failedWriteOfRefusedRelayFailsItsSuccessorWithoutRepeatedBytes() {
        List<RelayReceiver> tried = new ArrayList<>();
        StreamSink failing =
                new StreamSink(new HalfTaker(() -> tried.get(0).refuse(ErrorCode.CANCELLED, "given up")), ALL);
        for (int number = 0; number < 2; number++) {
            RelayReceiver next = relay(number, failing);
            tried.add(next);
            next.accept(block, ALL, chunk);
            send(0, next);
        }
        assertThat(heard).containsExactly("drained", "destination failed");
        assertThat(written.toByteArray()).isEqualTo(Arrays.copyOf(bytes, LEAF / 2));
    }

    private RelayReceiver relay(int number, LeafSink sink) {
        return new RelayReceiver(
                new RelayOffer(number, new BlockId(1), new RacerId(0), new StoreId("disk-1")),
                new Unlimited(),
                new Owner(),
                sink,
                Runnable::run);
    }

    private void send(int leaf) {
        send(leaf, relay);
    }

    private void send(int leaf, RelayReceiver to) {
        to.data(Unpooled.wrappedBuffer(bytes, leaf * LEAF, LEAF), 0);
    }

    private static byte[] bytes() {
        byte[] bytes = new byte[LEAVES * LEAF];
        new SplittableRandom(1).nextBytes(bytes);
        return bytes;
    }

    private static Chunk chunk(byte[] bytes) {
        MessageDigest sha256 = Sha256.begin();
        byte[] digests = new byte[LEAVES * LeafDigests.SHA256_BYTES];
        for (int leaf = 0; leaf < LEAVES; leaf++) {
            byte[] digest = sha256.digest(Arrays.copyOfRange(bytes, leaf * LEAF, (leaf + 1) * LEAF));
            System.arraycopy(digest, 0, digests, leaf * LeafDigests.SHA256_BYTES, digest.length);
        }
        return new Chunk(
                0,
                new ChunkId(VersionId.random(), 0),
                ALL,
                LEAF,
                new LeafDigests(new int[LEAVES], digests),
                List.of(new StoreId("disk-1")));
    }

    /** A channel that takes half a leaf and fails, once. */
    private final class HalfTaker implements WritableByteChannel {
        private final Runnable beforeItFails;
        private boolean failed;

        private HalfTaker(Runnable beforeItFails) {
            this.beforeItFails = beforeItFails;
        }

        @Override
        public int write(ByteBuffer from) throws IOException {
            int count = failed ? from.remaining() : LEAF / 2;
            for (int taking = 0; taking < count; taking++) {
                written.write(from.get());
            }
            if (!failed) {
                failed = true;
                beforeItFails.run();
                throw new IOException("broken");
            }
            return count;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }

    private static final class Unlimited implements RelaySource {
        @Override
        public void grant(long bytes) {}

        @Override
        public void finished() {}

        @Override
        public void refuse(ErrorCode code, String message) {}
    }

    private final class Owner implements RelayListener {
        @Override
        public void leafDelivered(RelayReceiver from, int count) {
            heard.add("delivered " + count);
        }

        @Override
        public void leafCorrupt(RelayReceiver from, CloudMwException what) {
            heard.add("corrupt");
        }

        @Override
        public void relayFailed(RelayReceiver from, CloudMwException cause) {
            heard.add("failed " + cause.code());
        }

        @Override
        public void starved(RelayReceiver from) {}

        @Override
        public void drained(RelayReceiver from) {
            heard.add("drained");
        }

        @Override
        public void destinationFailed(CloudMwException cause) {
            heard.add("destination failed");
        }
    }
}
