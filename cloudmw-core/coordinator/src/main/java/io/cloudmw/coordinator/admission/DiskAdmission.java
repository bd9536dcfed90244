package io.cloudmw.coordinator.admission;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.identity.DiskClaim;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.fleet.StoreIdentity;
import java.util.Optional;

/**
 * The decision about whether a disk is the one that the catalog knows under its id. Pure. If both sides have an
 * identity, it alone decides: a disk keeps its identity when it moves to another helper, and when its cluster's catalog
 * was recovered under a new cluster id.
 */
public final class DiskAdmission {
    private final String cluster;
    private final long nowMillis;

    /** @param cluster the id of the admitting cluster */
    public DiskAdmission(String cluster, long nowMillis) {
        this.cluster = cluster;
        this.nowMillis = nowMillis;
    }

    /**
     * Returns the disk's record for the catalog.
     *
     * @param known the catalog's record of this id
     * @throws CloudMwException {@code STORE_MISMATCH} when it is another disk, or an empty directory
     */
    public Store admit(Optional<Store> known, DiskClaim claim) throws CloudMwException {
        Store disk = claim.disk();
        StoreIdentity said = disk.identity();
        StoreIdentity expected = known.map(Store::identity).orElse(StoreIdentity.NONE);
        boolean same = said.isSame(expected);
        if (!same && isOfAnotherCluster(claim, expected)) {
            throw mismatch(
                    disk,
                    expected,
                    "a disk of cluster " + said.cluster() + " (identity " + said.value() + ")",
                    anotherCluster(known));
        }
        if (same) {
            return disk.with(expected.in(cluster));
        }
        if (known.isEmpty()) {
            return disk.with(said.isKnown() ? said.in(cluster) : StoreIdentity.NONE);
        }
        if (claim.replaces()) {
            return disk.with(said.in(cluster).replacedAt(nowMillis));
        }
        if (claim.empty()) {
            throw mismatch(disk, expected, "a directory without a store in it; not mounted?", replaceIt(disk));
        }
        if (!expected.isKnown()) {
            return disk.with(said.isKnown() ? said.in(cluster) : expected);
        }
        if (!said.isKnown()) {
            throw mismatch(
                    disk,
                    expected,
                    "no identity, as helpers of an older release say none",
                    "Run the same release on all machines.");
        }
        throw mismatch(disk, expected, "another disk (identity " + said.value() + ")", replaceIt(disk));
    }

    private boolean isOfAnotherCluster(DiskClaim claim, StoreIdentity expected) {
        String its = claim.disk().identity().cluster();
        boolean recovered = !expected.isKnown() && its.equals(expected.cluster());
        return !claim.empty() && !its.isEmpty() && !its.equals(cluster) && !recovered;
    }

    private static String replaceIt(Store disk) {
        return "If the former disk is lost, start the helper with --replace-disk " + disk.id()
                + ": all copies it had are made again.";
    }

    private static String anotherCluster(Optional<Store> known) {
        return known.isEmpty()
                ? "If this cluster's catalog was lost, run cloudmw recover first. To use the disk here, empty the directory."
                : "Attach the right disk. To use this one here, empty the directory, then use --replace-disk "
                        + known.get().id() + ".";
    }

    private CloudMwException mismatch(Store disk, StoreIdentity expected, String found, String advice) {
        String wanted = expected.isKnown()
                ? "the disk with identity " + expected.value() + " of cluster " + cluster
                : "a disk of store " + disk.id() + " of cluster " + cluster;
        return new CloudMwException(
                ErrorCode.STORE_MISMATCH,
                "disk " + disk.id() + ": " + disk.kind().place() + " has " + found + " (expected: " + wanted + "). "
                        + advice);
    }
}
