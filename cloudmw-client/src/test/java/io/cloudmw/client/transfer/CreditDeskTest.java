package io.cloudmw.client.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.Chunk;
import io.cloudmw.core.model.ChunkId;
import io.cloudmw.core.model.LeafDigests;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.RacerId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class CreditDeskTest {
    private static final int LEAF = 1 << 10;

    private final List<Long> grants = new ArrayList<>();

    @Test
    void aWindowIsRefilledAnEighthAtATime() {
        CreditDesk desk = desk(16 * LEAF);
        Relay relay = relay(64);
        desk.opened(relay);
        desk.grant();
        assertThat(grants).containsExactly(16L * LEAF);
        handOn(desk, relay, 1);
        assertThat(grants).hasSize(1);
        handOn(desk, relay, 3);
        assertThat(grants).containsExactly(16L * LEAF, 2L * LEAF, 2L * LEAF);
    }

    @Test
    void aSmallWindowIsRefilledLeafByLeaf() {
        CreditDesk desk = desk(2 * LEAF);
        Relay relay = relay(64);
        desk.opened(relay);
        desk.grant();
        handOn(desk, relay, 2);
        assertThat(grants).containsExactly(2L * LEAF, (long) LEAF, (long) LEAF);
    }

    @Test
    void whatIsLeftOfABlockIsGrantedAtOnce() {
        CreditDesk desk = desk(16 * LEAF);
        Relay relay = relay(17);
        desk.opened(relay);
        desk.grant();
        handOn(desk, relay, 1);
        assertThat(grants).containsExactly(16L * LEAF, (long) LEAF);
        handOn(desk, relay, 16);
        assertThat(relay.isDelivered()).isTrue();
    }

    private static void handOn(CreditDesk desk, Relay relay, int leaves) {
        for (int i = 0; i < leaves; i++) {
            desk.returned(relay, LEAF);
            desk.grant();
        }
    }

    private static CreditDesk desk(long limit) {
        CreditPool pool = new CreditPool(limit);
        assertThat(pool.reserve(2 * LEAF)).isCompleted();
        return new CreditDesk(new TransferCredit(pool, 2 * LEAF, limit), 1);
    }

    private Relay relay(int leaves) {
        StoreId store = new StoreId("disk-1");
        ByteRange range = new ByteRange(0, (long) leaves * LEAF);
        Relay relay = new Relay(
                1,
                new BlockId(1),
                new RacerId(0),
                store,
                new Granted(),
                new Unconcerned(),
                new StreamSink(java.nio.channels.Channels.newChannel(java.io.OutputStream.nullOutputStream()), range),
                Runnable::run);
        LeafDigests digests = new LeafDigests(new int[leaves], new byte[leaves * LeafDigests.SHA256_BYTES]);
        ChunkId id = new ChunkId(VersionId.random(), 0);
        relay.accept(
                new Block(new BlockId(1), 0, range, 1, List.of()),
                range,
                new Chunk(0, id, range, LEAF, digests, List.of(store)));
        return relay;
    }

    private final class Granted implements Inflow {
        @Override
        public void grant(long bytes) {
            grants.add(bytes);
        }

        @Override
        public void finished() {}

        @Override
        public void refuse(ErrorCode code, String message) {}
    }

    private static final class Unconcerned implements RelayOwner {
        @Override
        public void leafDelivered(Relay relay, int bytes) {}

        @Override
        public void leafCorrupt(Relay relay, CloudMwException what) {}

        @Override
        public void relayFailed(Relay relay, CloudMwException cause) {}

        @Override
        public void starved(Relay relay) {}

        @Override
        public void drained(Relay relay) {}

        @Override
        public void destinationFailed(CloudMwException cause) {}
    }
}
