package io.cloudmw.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.PutOptions;
import io.cloudmw.client.progress.Attempt;
import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.client.progress.ReadShare;
import io.cloudmw.client.progress.ReplicaFault;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.status.StoreStatus;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.channels.Channels;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The faults of a cluster, as its clients see them. */
final class ClusterFaultsTest {
    private static final FilePath FILE = FilePath.parse("data:/file");

    @RegisterExtension
    final CloudMwCluster cluster = CloudMwCluster.builder()
            .helpers(2)
            .coordinatorSetting("coordinator.repair-interval", "1h")
            .build();

    private final byte[] content = new byte[8 << 20];

    @BeforeEach
    void putTheFile(CloudMw client) {
        new Random(1).nextBytes(content);
        VolumeName unused = cluster.volume("data");
        client.files()
                .put(new ByteArrayInputStream(content), FILE, PutOptions.defaults())
                .join();
    }

    private record Got(ByteArrayOutputStream bytes, GetReceipt receipt) {
        private long bytesOf(ClusterStore store) {
            return receipt.shares().stream()
                    .filter(share -> share.store().equals(store.id()))
                    .mapToLong(ReadShare::bytes)
                    .sum();
        }
    }

    private CompletableFuture<Got> get() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        return cluster.client()
                .files()
                .read(FILE, Channels.newChannel(bytes), GetOptions.defaults())
                .thenApply(receipt -> new Got(bytes, receipt));
    }

    private Got requireWhole(Got got) {
        assertThat(got.bytes().toByteArray()).isEqualTo(content);
        return got;
    }

    @Test
    void readsGoOnWithoutAKilledHelperAndUseItAgainAfterItsStart() throws CloudMwException {
        cluster.helper(1).kill();
        assertThat(cluster.helper(1).isRunning()).isFalse();
        assertThat(requireWhole(get().join()).receipt().winners()).doesNotContainKey("helper-1");

        cluster.helper(1).start();
        cluster.helper(2).kill();
        assertThat(requireWhole(get().join()).receipt().winners()).doesNotContainKey("helper-2");
    }

    @Test
    void readUnderWaySurvivesAKilledHelper() {
        cluster.store(1).slow(1 << 20);
        cluster.store(2).slow(1 << 20);
        CompletableFuture<Got> read = get();
        Awaitility.await().until(() -> cluster.client().receivedBytes() > 1 << 20);

        cluster.helper(1).kill();
        cluster.store(2).restore();
        requireWhole(read.join());
    }

    @Test
    void killedHelperKeepsItsLeaseAndAStoppedOneGivesItBack() {
        cluster.helper(1).kill();
        assertThat(live(1)).isTrue();
        cluster.helper(2).stop();
        assertThat(live(2)).isFalse();
    }

    /** The helpers that are left would ask for the disk in vain. */
    @Test
    void readAsksForNothingFromAStoreThatIsUnavailable() {
        cluster.helper(2).stop();
        assertThat(live(2)).isFalse();
        for (int read = 0; read < 3; read++) {
            GetReceipt receipt = requireWhole(get().join()).receipt();
            assertThat(receipt.rows())
                    .extracting(Attempt::store)
                    .doesNotContain(cluster.store(2).id());
            assertThat(receipt.extras().retries()).isZero();
        }
    }

    private boolean live(int helper) {
        StoreId disk = cluster.store(helper).id();
        return cluster.client().stores().list().join().stream()
                .filter(store -> store.store().id().equals(disk))
                .allMatch(StoreStatus::available);
    }

    @Test
    void readsPreferTheOtherStoreWhenOneIsSlow() {
        cluster.store(1).slow(64 << 10, Duration.ofMillis(300));

        Got got = requireWhole(get().join());
        assertThat(got.bytesOf(cluster.store(2))).isGreaterThan(got.bytesOf(cluster.store(1)));
    }

    @Test
    void readUnderWayGetsFasterWhenTheFaultEnds() {
        // At these rates the read would take hours.
        cluster.store(1).slow(1024);
        cluster.store(2).slow(1024);
        CompletableFuture<Got> read = get();
        Awaitility.await().until(() -> cluster.client().runningTransfers() > 0);

        cluster.store(1).restore();
        cluster.store(2).restore();
        requireWhole(read.join());
    }

    @Test
    void readsComeFromTheOtherStoreWhenOneIsUnreachable() {
        cluster.store(2).makeUnreachable();

        Got got = requireWhole(get().join());
        assertThat(got.bytesOf(cluster.store(1))).isEqualTo(content.length);
    }

    @Test
    void readsFailWhenAllStoresAreUnreachableUntilOneIsBack() {
        cluster.store(1).makeUnreachable();
        cluster.store(2).makeUnreachable();
        assertThatThrownBy(() -> get().join())
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOf(CloudMwException.class);

        cluster.store(2).restore();
        requireWhole(get().join());
    }

    @Test
    void corruptReplicasAreReportedAndReadElsewhere() throws CloudMwException {
        assertThat(cluster.store(1).corruptReplicas()).isEqualTo(8);

        GetReceipt receipt = requireWhole(get().join()).receipt();
        List<StoreId> blamed =
                receipt.faults().stream().map(ReplicaFault::store).distinct().toList();
        assertThat(blamed).containsExactly(cluster.store(1).id());
    }

    @Test
    void coordinatorHasItsCatalogAndItsAddressAfterARestart() throws CloudMwException {
        String address = cluster.coordinatorAddress();
        cluster.coordinator().stop();
        assertThat(cluster.coordinator().isRunning()).isFalse();
        cluster.coordinator().start();

        assertThat(cluster.coordinatorAddress()).isEqualTo(address);
        requireWhole(get().join());
    }

    @Test
    void callsWaitForACoordinatorThatIsStartedAgain() throws CloudMwException {
        cluster.coordinator().kill();
        CompletableFuture<Got> read = get();
        cluster.coordinator().start();

        requireWhole(read.join());
    }

    @Test
    void damageNeedsARunningHelperAndAStartNeedsAStoppedOne() {
        assertThatThrownBy(() -> cluster.helper(1).start()).isInstanceOf(IllegalStateException.class);
        cluster.helper(1).stop();
        assertThatThrownBy(() -> cluster.store(1).corruptReplicas()).isInstanceOf(IllegalStateException.class);
    }
}
