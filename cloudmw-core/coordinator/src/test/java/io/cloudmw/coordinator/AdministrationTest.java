package io.cloudmw.coordinator;

import static io.cloudmw.coordinator.testing.TestCluster.bucket;
import static io.cloudmw.coordinator.testing.TestCluster.disk;
import static io.cloudmw.coordinator.testing.TestCluster.volume;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.coordinator.testing.TestCluster;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.identity.DiskClaim;
import io.cloudmw.core.identity.HelperAdmission;
import io.cloudmw.core.model.CallId;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.DiskUsage;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.status.StoreStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

public final class AdministrationTest {
    private TestCluster cluster;

    @BeforeEach
    void start() throws Exception {
        cluster = new TestCluster();
    }

    @Test
    void volumeNeedsAsManyAvailableStoresAsReplicas() throws Exception {
        cluster.helper(1);
        cluster.helper(2);
        refused(ErrorCode.NOT_ENOUGH_STORES, () -> create(volume("v", 3, 2, "d1", "d2")));
        cluster.helper(3);
        cluster.ticker.advance(Duration.ofSeconds(5));
        cluster.heartbeat(1);
        cluster.heartbeat(2);
        cluster.ticker.advance(Duration.ofSeconds(5));
        refused(ErrorCode.NOT_ENOUGH_STORES, () -> create(volume("v", 3, 2, "d1", "d2", "d3")));
        cluster.helper(3);
        Volume created = create(volume("v", 3, 2, "d1", "d2", "d3"));
        assertThat(created.createdAtMillis()).isEqualTo(cluster.now());
        assertThat(cluster.coordinator.administration().volumes()).containsExactly(created);
        refused(ErrorCode.ALREADY_EXISTS, () -> create(volume("v", 3, 2, "d1", "d2", "d3")));
    }

    @Test
    void retriesOfACreateVolumeCallGetTheSameAnswerAndCreateOneVolume() throws Exception {
        cluster.helper(1);
        Volume wanted = volume("v", 1, 1, "d1");
        Optional<CallId> made = Optional.of(CallId.issuedAt(cluster.now()));
        Optional<CallId> refused = Optional.of(CallId.issuedAt(cluster.now()));
        Administration administration = cluster.coordinator.administration();
        Volume created = administration.createVolume(wanted, made);
        assertThat(administration.createVolume(wanted, made)).isEqualTo(created);
        refused(ErrorCode.ALREADY_EXISTS, () -> administration.createVolume(wanted, refused));
        administration.deleteVolume(wanted.name(), true, Optional.empty());
        assertThat(administration.createVolume(wanted, made)).isEqualTo(created);
        refused(ErrorCode.ALREADY_EXISTS, () -> administration.createVolume(wanted, refused));
        assertThat(administration.volumes()).isEmpty();
    }

    @Test
    void volumeWaitsForItsStoresAfterAStartButNotForever() throws Exception {
        cluster.helper(1);
        cluster.helper(2);
        cluster.restart();
        cluster.helper(1);
        refused(ErrorCode.COORDINATOR_UNAVAILABLE, () -> create(volume("v", 2, 2, "d1", "d2")));
        assertThat(create(volume("w", 1, 1, "d1", "d2")).replicas()).isEqualTo(1);
        cluster.ticker.advance(Duration.ofSeconds(7));
        cluster.helper(1);
        refused(ErrorCode.NOT_ENOUGH_STORES, () -> create(volume("v", 2, 2, "d1", "d2")));
        assertThatThrownBy(() -> create(volume("v", 2, 2, "d1", "d2")))
                .hasMessageStartingWith("2 replicas need 2 stores, and 1 can be used")
                .hasMessageContaining("or ask for only 1 with --replicas")
                .hasMessageEndingWith("; not d2 (helper h2 is away)");
    }

    @Test
    void volumeWithoutNamedStoresUsesAllStores() throws Exception {
        cluster.helper(1);
        cluster.coordinator.administration().addStore(bucket("b1"), false, Optional.empty());
        assertThat(create(volume("v", 2, 1)).stores()).containsExactly(new StoreId("b1"), new StoreId("d1"));
        refused(ErrorCode.NOT_FOUND, () -> create(volume("w", 1, 1, "nowhere")));
    }

    @Test
    void volumeWithFilesIsDeletedOnlyByForce() throws Exception {
        cluster.withVolume(2);
        cluster.put(FilePath.parse("v:/a"), 10);
        Administration administration = cluster.coordinator.administration();
        refused(
                ErrorCode.VOLUME_NOT_EMPTY,
                () -> administration.deleteVolume(TestCluster.VOLUME, false, Optional.empty()));
        administration.deleteVolume(TestCluster.VOLUME, true, Optional.empty());
        refused(ErrorCode.VOLUME_NOT_FOUND, () -> administration.volume(TestCluster.VOLUME));
        assertThat(cluster.catalog.retired("", 10).items()).hasSize(1);
    }

    @Test
    void addingTheSameBucketTwiceSucceedsAndAnotherUnderItsIdFails() throws Exception {
        Administration administration = cluster.coordinator.administration();
        assertThat(administration.addStore(bucket("b"), false, Optional.empty()))
                .isEqualTo(new StoreStatus(bucket("b"), true));
        administration.addStore(bucket("b"), false, Optional.empty());
        Store other = new Store(new StoreId("b"), "x", new Store.S3("other", "eu-west-1", "", false, ""));
        refused(ErrorCode.ALREADY_EXISTS, () -> administration.addStore(other, false, Optional.empty()));
        assertThatThrownBy(() -> administration.addStore(other, false, Optional.empty()))
                .hasMessageContaining(
                        "store b exists already: " + bucket("b").kind().place() + ", failure domain ");
        refused(ErrorCode.INVALID_ARGUMENT, () -> administration.addStore(disk(1), false, Optional.empty()));
        administration.removeStore(new StoreId("b"), Optional.empty());
        refused(ErrorCode.NOT_FOUND, () -> administration.removeStore(new StoreId("b"), Optional.empty()));
    }

    @Test
    void diskIsAvailableWhileItsOwnersLeaseHolds() throws Exception {
        cluster.helper(1);
        assertThat(cluster.coordinator.administration().stores()).containsExactly(new StoreStatus(disk(1), true));
        cluster.ticker.advance(Duration.ofSeconds(8));
        assertThat(cluster.coordinator.administration().stores()).containsExactly(new StoreStatus(disk(1), false));
        cluster.restart();
        assertThat(cluster.coordinator.administration().stores()).containsExactly(new StoreStatus(disk(1), false));
        refused(ErrorCode.HELPER_UNKNOWN, () -> cluster.heartbeat(1));
        cluster.helper(1);
        assertThat(cluster.coordinator.administration().stores()).containsExactly(new StoreStatus(disk(1), true));
    }

    @Test
    void diskIsListedWithItsFreeBytesWhileItIsAttached() throws Exception {
        Administration administration = cluster.coordinator.administration();
        administration.addStore(bucket("b"), false, Optional.empty());
        HelperAddress h1 = new HelperAddress(new HelperId("h1"), "127.0.0.1:1", "127.0.0.1:2");
        long epoch = administration
                .registerHelper(h1, 1, List.of(DiskClaim.of(disk(1))))
                .epoch();
        administration.heartbeat(h1.id(), epoch, List.of(new DiskUsage(disk(1).id(), 10, 5, 7)));
        assertThat(administration.stores())
                .containsExactly(
                        new StoreStatus(bucket("b"), true),
                        new StoreStatus(disk(1), true, false, OptionalLong.of(5), 7));
        cluster.ticker.advance(Duration.ofSeconds(8));
        assertThat(administration.stores()).contains(new StoreStatus(disk(1), false));
    }

    @Test
    void helperRegistersOnlyItsOwnDisksAndNoneOfALiveHelper() throws Exception {
        Administration administration = cluster.coordinator.administration();
        administration.addStore(bucket("b"), false, Optional.empty());
        HelperAddress h1 = cluster.helper(1);
        HelperAddress h2 = cluster.helper(2);
        refused(ErrorCode.INVALID_ARGUMENT, () -> administration.registerHelper(h2, 1, List.of(DiskClaim.of(disk(1)))));
        refused(
                ErrorCode.INVALID_ARGUMENT,
                () -> administration.registerHelper(h2, 1, List.of(DiskClaim.of(bucket("b")))));
        refused(
                ErrorCode.ALREADY_EXISTS,
                () -> administration.registerHelper(h2, 1, List.of(DiskClaim.of(own("b", h2)))));
        refused(
                ErrorCode.ALREADY_EXISTS,
                () -> administration.registerHelper(h2, 1, List.of(DiskClaim.of(own("d1", h2)))));
        cluster.ticker.advance(Duration.ofSeconds(8));
        administration.registerHelper(h2, 1, List.of(DiskClaim.of(own("d1", h2))));
        assertThat(administration.stores()).contains(new StoreStatus(own("d1", h2), true));
        refused(ErrorCode.ALREADY_EXISTS, () -> administration.registerHelper(h1, 1, List.of(DiskClaim.of(disk(1)))));
    }

    @Test
    void refusedProcessLeavesNoDiskBehind() throws Exception {
        HelperAddress h1 = cluster.helper(1);
        refused(
                ErrorCode.COORDINATOR_UNAVAILABLE,
                () -> cluster.coordinator.administration().registerHelper(h1, 2, List.of(DiskClaim.of(own("d9", h1)))));
        assertThat(cluster.coordinator.administration().stores()).containsExactly(new StoreStatus(disk(1), true));
    }

    @Test
    void diskNotNamedByItsOwnerIsUnavailableAndFreeForAnotherHelper() throws Exception {
        Administration administration = cluster.coordinator.administration();
        HelperAddress h1 = cluster.helper(1);
        HelperAddress h2 = cluster.helper(2);
        administration.registerHelper(h1, 1, List.of(DiskClaim.of(own("d9", h1))));
        assertThat(administration.stores())
                .containsExactly(
                        new StoreStatus(disk(1), false),
                        new StoreStatus(disk(2), true),
                        new StoreStatus(own("d9", h1), true));
        refused(ErrorCode.NOT_ENOUGH_STORES, () -> create(volume("v", 1, 1, "d1")));
        administration.registerHelper(h2, 1, List.of(DiskClaim.of(own("d1", h2))));
        assertThat(administration.stores()).contains(new StoreStatus(own("d1", h2), true));
    }

    /** Regression: the registration was refused, so that the two good disks were absent, too. */
    @Test
    void helperWithOneLostDiskIsRegisteredWithItsOtherDisks() throws Exception {
        Administration administration = cluster.coordinator.administration();
        HelperAddress h1 = new HelperAddress(new HelperId("h1"), "127.0.0.1:1", "127.0.0.1:2");
        List<DiskClaim> disks =
                List.of(DiskClaim.of(own("d1", h1)), DiskClaim.of(own("d2", h1)), DiskClaim.of(own("d3", h1)));
        assertThat(administration.registerHelper(h1, 1, disks).lostDisks()).isEmpty();
        administration.loseStore(new StoreId("d2"), Optional.empty());

        HelperAdmission again = administration.registerHelper(h1, 1, disks);

        assertThat(again.lostDisks()).containsExactly(new StoreId("d2"));
        assertThat(administration.stores())
                .filteredOn(StoreStatus::available)
                .extracting(status -> status.store().id().value())
                .containsExactly("d1", "d3");
        assertThat(administration.heartbeat(h1.id(), again.epoch(), List.of())).isFalse();
    }

    @Test
    void helperIsRefusedWhenAllItsDisksAreLostAndAcceptedAfterTheirRemoval() throws Exception {
        Administration administration = cluster.coordinator.administration();
        HelperAddress h1 = new HelperAddress(new HelperId("h1"), "127.0.0.1:1", "127.0.0.1:2");
        List<DiskClaim> disks = List.of(DiskClaim.of(own("d1", h1)), DiskClaim.of(own("d2", h1)));
        administration.registerHelper(h1, 1, disks);
        administration.loseStore(new StoreId("d1"), Optional.empty());
        administration.loseStore(new StoreId("d2"), Optional.empty());
        refused(ErrorCode.ALREADY_EXISTS, () -> administration.registerHelper(h1, 1, disks));

        administration.removeStore(new StoreId("d1"), Optional.empty());

        assertThat(administration.registerHelper(h1, 1, disks).lostDisks()).containsExactly(new StoreId("d2"));
        assertThat(administration.stores()).contains(new StoreStatus(own("d1", h1), true));
    }

    @Test
    void lostDiskOfALiveHelperDoesNotShutOutAnotherHelper() throws Exception {
        Administration administration = cluster.coordinator.administration();
        HelperAddress h1 = cluster.helper(1);
        HelperAddress h2 = new HelperAddress(new HelperId("h2"), "127.0.0.1:3", "127.0.0.1:4");
        administration.loseStore(new StoreId("d1"), Optional.empty());
        List<DiskClaim> disks = List.of(DiskClaim.of(own("d1", h2)), DiskClaim.of(own("d2", h2)));
        assertThat(administration.registerHelper(h2, 1, disks).lostDisks()).containsExactly(new StoreId("d1"));
        assertThat(administration.helpers())
                .filteredOn(helper -> helper.address().id().equals(h2.id()))
                .allSatisfy(helper -> assertThat(helper.disks()).containsExactly(new StoreId("d2")));
        assertThat(h1.id()).isNotEqualTo(h2.id());
    }

    @Test
    void helperHasALimitedNumberOfDisks() {
        HelperAddress h1 = new HelperAddress(new HelperId("h1"), "127.0.0.1:1", "127.0.0.1:2");
        List<DiskClaim> disks = new ArrayList<>();
        for (int i = 0; i <= Administration.MAX_DISKS; i++) {
            disks.add(DiskClaim.of(own("d" + i, h1)));
        }
        refused(
                ErrorCode.INVALID_ARGUMENT,
                () -> cluster.coordinator.administration().registerHelper(h1, 1, disks));
    }

    private Volume create(Volume volume) throws CloudMwException {
        return cluster.coordinator.administration().createVolume(volume, Optional.empty());
    }

    private static Store own(String id, HelperAddress owner) {
        return new Store(new StoreId(id), "rack", new Store.Disk(owner.id(), Path.of("/data/" + id)));
    }

    public static void refused(ErrorCode code, ThrowingCallable call) {
        CloudMwException failure = catchThrowableOfType(CloudMwException.class, call);
        assertThat(failure).as("refusal").isNotNull();
        assertThat(failure.code()).as(failure.getMessage()).isEqualTo(code);
    }
}
