package io.cloudmw.client.read.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.client.context.CreditPool;
import io.cloudmw.client.sink.StreamSink;
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
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RelayCreditTest {
    private static final int LEAF = 1 << 10;

    /** Leaves of the chunk of all blocks. */
    private static final int LEAVES = 128;

    private static final StoreId STORE = new StoreId("disk-1");

    private final List<Long> grants = new ArrayList<>();
    /** Grants: which relay got how many leaves. */
    private final List<String> granted = new ArrayList<>();

    @Test
    void windowIsRefilledAnEighthAtATime() {
        RelayCredit desk = desk(16 * LEAF);
        RelayReceiver relay = relay(64);
        desk.opened(relay);
        desk.grant();
        assertThat(grants).containsExactly(16L * LEAF);
        handOn(desk, relay, 1);
        assertThat(grants).hasSize(1);
        handOn(desk, relay, 3);
        assertThat(grants).containsExactly(16L * LEAF, 2L * LEAF, 2L * LEAF);
    }

    @Test
    void smallWindowIsRefilledLeafByLeaf() {
        RelayCredit desk = desk(2 * LEAF);
        RelayReceiver relay = relay(64);
        desk.opened(relay);
        desk.grant();
        handOn(desk, relay, 2);
        assertThat(grants).containsExactly(2L * LEAF, (long) LEAF, (long) LEAF);
    }

    @Test
    void restOfABlockIsGrantedAtOnce() {
        RelayCredit desk = desk(16 * LEAF);
        RelayReceiver relay = relay(17);
        desk.opened(relay);
        desk.grant();
        handOn(desk, relay, 1);
        assertThat(grants).containsExactly(16L * LEAF, (long) LEAF);
        handOn(desk, relay, 16);
        assertThat(relay.isDelivered()).isTrue();
    }

    @Test
    void spareCreditGoesToPreparedRelaysInFileOrder() {
        RelayCredit desk = desk(32 * LEAF);
        desk.prepared(prepared(3, 12, 4));
        desk.prepared(prepared(2, 4, 8));
        desk.grant();
        assertThat(grants).isEmpty();
        desk.opened(relay(4));
        desk.grant();
        assertThat(granted).containsExactly("1: 4", "2: 8", "3: 4");
    }

    @Test
    void preparedRelaysGetNothingBeforeAcceptedOnes() {
        RelayCredit desk = desk(16 * LEAF);
        desk.prepared(prepared(2, 64, 8));
        RelayReceiver first = relay(64);
        desk.opened(first);
        desk.grant();
        handOn(desk, first, 48);
        assertThat(granted).allMatch(grant -> grant.startsWith("1: "));
        handOn(desk, first, 16);
        assertThat(granted).endsWith("2: 2", "2: 2", "2: 2", "2: 2");
    }

    @Test
    void preparedRelaysTogetherGetHalf() {
        RelayCredit desk = desk(16 * LEAF);
        desk.opened(relay(1));
        desk.prepared(prepared(2, 1, 6));
        desk.prepared(prepared(3, 7, 6));
        desk.grant();
        assertThat(granted).containsExactly("1: 1", "2: 6", "3: 2");
    }

    @Test
    void replacementRelayGetsCreditWhilePreparedRelaysHoldSome() {
        RelayCredit desk = desk(16 * LEAF);
        RelayReceiver broken = relay(1);
        desk.opened(broken);
        desk.prepared(prepared(2, 1, 16));
        desk.grant();
        desk.drained(broken);
        desk.opened(relay(16));
        desk.grant();
        assertThat(granted).containsExactly("1: 1", "2: 8", "1: 8");
    }

    @Test
    void refusedPreparedRelayReturnsItsCredit() {
        RelayCredit desk = desk(16 * LEAF);
        desk.opened(relay(1));
        RelayReceiver refused = prepared(2, 1, 8);
        desk.prepared(refused);
        desk.grant();
        desk.drained(refused);
        desk.prepared(prepared(3, 1, 8));
        desk.grant();
        assertThat(granted).containsExactly("1: 1", "2: 8", "3: 8");
    }

    private static void handOn(RelayCredit desk, RelayReceiver relay, int leaves) {
        for (int i = 0; i < leaves; i++) {
            desk.returned(relay, LEAF);
            desk.grant();
        }
    }

    private static RelayCredit desk(long limit) {
        CreditPool pool = new CreditPool(limit);
        assertThat(pool.reserve(2 * LEAF)).isCompleted();
        return new RelayCredit(new TransferCredit(pool, 2 * LEAF, limit), 1);
    }

    /** An accepted relay, at the beginning of the file. */
    private RelayReceiver relay(int leaves) {
        RelayReceiver relay = offered(1, leaves);
        ByteRange range = new ByteRange(0, (long) leaves * LEAF);
        relay.accept(block(0, leaves), range, chunk());
        return relay;
    }

    /** A prepared relay, so many leaves after the beginning of the file. */
    private RelayReceiver prepared(long number, int first, int leaves) {
        RelayReceiver relay = offered(number, leaves);
        Block block = block(first, leaves);
        relay.prepare(block, block.range(), chunk());
        return relay;
    }

    private static Block block(int first, int leaves) {
        return new Block(new BlockId(1), 0, new ByteRange((long) first * LEAF, (long) leaves * LEAF), 1, List.of());
    }

    private static Chunk chunk() {
        LeafDigests digests = new LeafDigests(new int[LEAVES], new byte[LEAVES * LeafDigests.SHA256_BYTES]);
        ByteRange range = new ByteRange(0, (long) LEAVES * LEAF);
        return new Chunk(0, new ChunkId(VersionId.random(), 0), range, LEAF, digests, List.of(STORE));
    }

    private RelayReceiver offered(long number, int leaves) {
        ByteRange range = new ByteRange(0, (long) leaves * LEAF);
        return new RelayReceiver(
                new RelayOffer(number, new BlockId(1), new RacerId(0), STORE),
                new Granted(number),
                new Unconcerned(),
                new StreamSink(java.nio.channels.Channels.newChannel(java.io.OutputStream.nullOutputStream()), range),
                Runnable::run);
    }

    private final class Granted implements RelaySource {
        private final long relay;

        Granted(long relay) {
            this.relay = relay;
        }

        @Override
        public void grant(long bytes) {
            grants.add(bytes);
            granted.add(relay + ": " + bytes / LEAF);
        }

        @Override
        public void finished() {}

        @Override
        public void refuse(ErrorCode code, String message) {}
    }

    private static final class Unconcerned implements RelayListener {
        @Override
        public void leafDelivered(RelayReceiver relay, int bytes) {}

        @Override
        public void leafCorrupt(RelayReceiver relay, CloudMwException what) {}

        @Override
        public void relayFailed(RelayReceiver relay, CloudMwException cause) {}

        @Override
        public void starved(RelayReceiver relay) {}

        @Override
        public void drained(RelayReceiver relay) {}

        @Override
        public void destinationFailed(CloudMwException cause) {}
    }
}
