package io.cloudmw.coordinator.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.identity.DiskClaim;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.fleet.StoreIdentity;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class DiskAdmissionTest {
    private static final String CLUSTER = "c1";
    private static final long NOW = 77;
    private static final StoreIdentity OLD = StoreIdentity.random(CLUSTER);
    private static final StoreIdentity FRESH = StoreIdentity.random("");

    private final DiskAdmission admission = new DiskAdmission(CLUSTER, NOW);

    private static Store disk(StoreIdentity identity) {
        return new Store(new StoreId("d1"), "rack", new Store.Disk(new HelperId("h1"), Path.of("/mnt/d1")), identity);
    }

    private static Optional<Store> known(StoreIdentity identity) {
        return Optional.of(disk(identity));
    }

    private StoreIdentity admitted(Optional<Store> known, DiskClaim claim) throws CloudMwException {
        return admission.admit(known, claim).identity();
    }

    private String refused(Optional<Store> known, DiskClaim claim) {
        CloudMwException[] failure = new CloudMwException[1];
        assertThatThrownBy(() -> admission.admit(known, claim))
                .isInstanceOfSatisfying(CloudMwException.class, thrown -> failure[0] = thrown);
        assertThat(failure[0].code()).isEqualTo(ErrorCode.STORE_MISMATCH);
        return String.valueOf(failure[0].getMessage());
    }

    @Test
    void emptyDirectoryOfANewStoreIsAdmitted() throws Exception {
        assertThat(admitted(Optional.empty(), new DiskClaim(disk(FRESH), true, false)))
                .isEqualTo(FRESH.in(CLUSTER));
    }

    @Test
    void sameDiskIsAdmittedAgainEvenFromAnotherHelper() throws Exception {
        Store elsewhere =
                new Store(new StoreId("d1"), "rack", new Store.Disk(new HelperId("h2"), Path.of("/other")), OLD);
        assertThat(admission.admit(known(OLD.replacedAt(5)), DiskClaim.of(elsewhere)))
                .isEqualTo(elsewhere.with(OLD.replacedAt(5)));
    }

    @Test
    void emptyDirectoryUnderAKnownIdIsRefusedWithARemedy() {
        assertThat(refused(known(OLD), new DiskClaim(disk(FRESH), true, false)))
                .contains("disk d1", "/mnt/d1", OLD.value(), "not mounted?", "--replace-disk d1");
    }

    @Test
    void emptyDirectoryIsRefusedEvenForAStoreOfAReleaseBeforeIdentities() {
        assertThat(refused(known(StoreIdentity.NONE), new DiskClaim(disk(FRESH), true, false)))
                .contains("not mounted?");
    }

    @Test
    void anotherDiskOfTheClusterIsRefusedAndAdmittedAsAReplacement() throws Exception {
        StoreIdentity other = StoreIdentity.random(CLUSTER);
        assertThat(refused(known(OLD), DiskClaim.of(disk(other)))).contains(OLD.value(), other.value());
        assertThat(admitted(known(OLD), new DiskClaim(disk(other), false, true)))
                .isEqualTo(other.replacedAt(NOW));
    }

    @Test
    void emptyDirectoryIsAdmittedAsAReplacementOnce() throws Exception {
        DiskClaim claim = new DiskClaim(disk(FRESH), true, true);
        StoreIdentity replaced = admitted(known(OLD), claim);
        assertThat(replaced).isEqualTo(FRESH.in(CLUSTER).replacedAt(NOW));
        assertThat(new DiskAdmission(CLUSTER, NOW + 1)
                        .admit(known(replaced), claim)
                        .identity())
                .isEqualTo(replaced);
    }

    @Test
    void diskOfAnotherClusterIsRefusedEvenAsAReplacement() {
        DiskClaim foreign = new DiskClaim(disk(StoreIdentity.random("c2")), false, true);
        assertThat(refused(known(OLD), foreign)).contains("cluster c2", "empty the directory");
        assertThat(refused(known(StoreIdentity.NONE), foreign)).contains("cluster c2");
        assertThat(refused(Optional.empty(), foreign)).contains("cloudmw recover");
    }

    @Test
    void diskOfARecoveredClusterIsAdmittedUnderTheNewClusterId() throws Exception {
        StoreIdentity before = StoreIdentity.random("c0");
        assertThat(admitted(known(new StoreIdentity("", "c0", 0)), DiskClaim.of(disk(before))))
                .isEqualTo(before.in(CLUSTER));
        assertThat(admitted(known(before), DiskClaim.of(disk(before)))).isEqualTo(before.in(CLUSTER));
    }

    @Test
    void diskOfAReleaseBeforeIdentitiesGetsAnIdentityOnce() throws Exception {
        StoreIdentity given = admitted(known(StoreIdentity.NONE), DiskClaim.of(disk(FRESH)));
        assertThat(given).isEqualTo(FRESH.in(CLUSTER));
        refused(known(given), DiskClaim.of(disk(StoreIdentity.random(""))));
    }

    @Test
    void helperOfAReleaseBeforeIdentitiesIsAdmittedUntilItsDiskHasAnIdentity() throws Exception {
        DiskClaim silent = DiskClaim.of(disk(StoreIdentity.NONE));
        assertThat(admitted(Optional.empty(), silent)).isEqualTo(StoreIdentity.NONE);
        assertThat(admitted(known(StoreIdentity.NONE), silent)).isEqualTo(StoreIdentity.NONE);
        assertThat(refused(known(OLD), silent)).contains("older release");
    }
}
