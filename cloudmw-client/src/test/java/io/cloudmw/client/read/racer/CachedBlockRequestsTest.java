package io.cloudmw.client.read.racer;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cloudmw.client.FakeCluster;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.progress.AttemptState;
import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.client.rpc.FakeHelper;
import io.cloudmw.core.cost.StoreUsage;
import io.cloudmw.core.mode.ModePolicy;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.placement.SwitchTable;
import java.io.ByteArrayOutputStream;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
final class CachedBlockRequestsTest {
    private static final int LEAF = 4 << 10;
    private static final int CHUNK = 64 << 10;
    private static final int CHUNKS = 50;
    private static final int SIZE = CHUNKS * CHUNK - 1234;
    private static final FilePath FILE = FilePath.parse("vol:/f");

    @TempDir
    private Path directory;

    private FakeCluster cluster;
    private byte[] content;

    @BeforeEach
    void start() throws Exception {
        cluster = new FakeCluster(CHUNK, LEAF, FakeHelper.Script.SERVE, directory.resolve("nowhere"), 8L << 20);
        content = cluster.put(FILE, SIZE, 1);
        cluster.coordinator().switches(1);
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private GetReceipt get() throws Exception {
        Path target = directory.resolve("target");
        GetReceipt receipt = cluster.client()
                .files()
                .get(FILE, target, GetOptions.defaults())
                .get(40, SECONDS);
        assertThat(Files.readAllBytes(target)).isEqualTo(content);
        return receipt;
    }

    @Test
    void cachedBlockIsRequestedAndNotIssued() throws Exception {
        cluster.helper().keepAll();
        GetReceipt receipt = get();
        assertThat(cluster.helper().keptReads()).isEqualTo(CHUNKS);
        assertThat(cluster.helper().begunTransfers()).isZero();
        assertThat(receipt.winners()).containsEntry("h", (long) CHUNKS);
        assertThat(receipt.rows())
                .hasSize(CHUNKS)
                .allMatch(attempt -> attempt.state() == AttemptState.FINISHED
                        && attempt.racer().equals("h"));
        assertThat(receipt.wastedBytes()).isZero();
        assertThat(receipt.cost().usage()).isEmpty();
    }

    @Test
    void cachedBlocksReachAStreamInOrder() throws Exception {
        cluster.helper().keepAll();
        ByteArrayOutputStream target = new ByteArrayOutputStream();
        var unused = cluster.client()
                .files()
                .read(FILE, Channels.newChannel(target), GetOptions.defaults())
                .get(40, SECONDS);
        assertThat(target.toByteArray()).isEqualTo(content);
        assertThat(cluster.helper().begunTransfers()).isZero();
    }

    /**
     * A switch is gone. Its block is requested from the other one, which has not cached it, while that one's cached
     * blocks wait for a stream that needs the missed block first.
     */
    @Test
    void blockMissedByItsSwitchIsIssuedBeforeWaitingOnes() throws Exception {
        cluster.coordinator().add(new HelperAddress(new HelperId("i"), "127.0.0.1:1", "127.0.0.1:1"));
        cluster.coordinator().switches(2);
        SwitchTable table = new SwitchTable(List.of("h", "i"));
        cluster.helper().keep(chunk -> table.order(chunk, 1, 0)[0] == 0);
        ByteArrayOutputStream target = new ByteArrayOutputStream();
        var unused = cluster.client()
                .files()
                .read(FILE, Channels.newChannel(target), GetOptions.defaults())
                .get(40, SECONDS);
        assertThat(target.toByteArray()).isEqualTo(content);
    }

    /** A stream takes one block after another. A few later blocks wait at the switch, the others here. */
    @Test
    void arrivingBlocksAreAtMostTheLanesOfTheRead() throws Exception {
        cluster.helper().keepAll();
        var unused = cluster.client()
                .files()
                .read(FILE, Channels.newChannel(new ByteArrayOutputStream()), GetOptions.defaults())
                .get(40, SECONDS);
        assertThat(cluster.helper().mostShared())
                .isBetween(2, ModePolicy.switched(true).lineup().lanes() + 1);
    }

    /** After each miss, more blocks are issued without a request. */
    @Test
    void missedBlockIsIssuedToTheSwitch() throws Exception {
        GetReceipt receipt = get();
        assertThat(receipt.winners()).containsEntry("h", (long) CHUNKS);
        assertThat(cluster.helper().begunTransfers()).isEqualTo(1);
        assertThat(cluster.helper().keptReads()).isBetween(1, CHUNKS / 2);
        assertThat(receipt.cost().usage().get(new StoreId("s"))).isEqualTo(StoreUsage.ofReads(CHUNKS, SIZE));
    }

    @Test
    void silentSwitchIsIssuedBlocksAndAskedNoMore() throws Exception {
        cluster.helper().keepAll();
        cluster.helper().share(FakeHelper.Sharing.SILENT);
        get();
        int asked = cluster.helper().keptReads();
        assertThat(asked).isBetween(1, CHUNKS / 2);
        assertThat(cluster.helper().begunTransfers()).isEqualTo(1);
    }

    @Test
    void refusingSwitchIsIssuedTheBlocks() throws Exception {
        cluster.helper().share(FakeHelper.Sharing.REFUSE);
        get();
        assertThat(cluster.helper().begunTransfers()).isEqualTo(1);
    }

    /** The switch is told; the replica may be good. */
    @ParameterizedTest
    @EnumSource(
            value = FakeHelper.Sharing.class,
            names = {"SPOIL", "CONFUSE"})
    void corruptCachedBlockIsReadAgainAndBlamesNoReplica(FakeHelper.Sharing damaged) throws Exception {
        cluster.helper().keepAll();
        cluster.helper().share(damaged);
        GetReceipt receipt = get();
        assertThat(cluster.helper().corruptShared()).isPositive();
        assertThat(receipt.faults()).isEmpty();
    }

    @Test
    void cancelledReadLeavesNothingOpen() throws Exception {
        cluster.helper().keepAll();
        cluster.helper().share(FakeHelper.Sharing.SILENT);
        CompletableFuture<GetReceipt> get =
                cluster.client().files().get(FILE, directory.resolve("target"), GetOptions.defaults());
        await().until(() -> cluster.helper().openShared() > 0);
        assertThat(get.cancel(true)).isTrue();
        await().until(() -> cluster.helper().openShared() == 0);
        assertThat(directory.resolve("target")).doesNotExist();
    }
}
