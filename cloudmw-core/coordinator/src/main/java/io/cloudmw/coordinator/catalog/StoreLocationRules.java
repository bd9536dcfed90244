package io.cloudmw.coordinator.catalog;

import io.cloudmw.core.access.CredentialsReference;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.fleet.BucketEncryption;
import io.cloudmw.core.model.fleet.Store;
import java.util.List;

/** The rules about which stores may be known together, shared by all catalogs. */
public final class StoreLocationRules {
    private static final String TO_REMOVE = "cloudmw store rm ";

    private StoreLocationRules() {}

    /**
     * Checks that no other store has this store's id or location. Two stores at one location would hold one copy where
     * two are counted, and each would delete what the other keeps.
     *
     * @param known all stores, as the writing transaction reads them
     * @throws CloudMwException {@code ALREADY_EXISTS} when another store has the id or the location; the message says
     *     whether that store was declared lost
     */
    public static void requireFree(Store store, List<Store> known) throws CloudMwException {
        for (Store other : known) {
            if (other.isDefinedAs(store)) {
                return;
            }
            if (other.id().equals(store.id())) {
                requireNotLost(other);
                throw new CloudMwException(
                        ErrorCode.ALREADY_EXISTS,
                        "store " + store.id() + " exists already: "
                                + other.kind().place() + ", failure domain " + other.failureDomain()
                                + (other.withoutAccess().isDefinedAs(store.withoutAccess())
                                        ? ", with other credentials or another encryption (expected: cloudmw store set "
                                                + store.id() + ")"
                                        : ""));
            }
            if (store.kind() instanceof Store.S3 place && isIn(place, other)) {
                throw new CloudMwException(
                        ErrorCode.ALREADY_EXISTS,
                        "store " + store.id() + ": store " + other.id() + " is in bucket " + place.bucket()
                                + " with the same prefix"
                                + (other.isLost() ? "; it was declared lost: " + TO_REMOVE + other.id() : ""));
            }
        }
    }

    private static void requireNotLost(Store known) throws CloudMwException {
        if (known.isLost()) {
            throw new CloudMwException(
                    ErrorCode.ALREADY_EXISTS,
                    "store " + known.id() + " was declared lost, and is known until it is removed: " + TO_REMOVE
                            + known.id() + ", once no volume uses it; then add it again");
        }
    }

    /**
     * Returns the store with its credentials elsewhere.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT} when the store is a disk
     */
    public static Store withCredentials(Store known, CredentialsReference reference) throws CloudMwException {
        if (!(known.kind() instanceof Store.S3)) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "store " + known.id() + ": a disk has no credentials (expected: a bucket)");
        }
        return known.with(reference);
    }

    /**
     * Returns the store with another encryption of new objects.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT} when the store is a disk
     */
    public static Store withEncryption(Store known, BucketEncryption encryption) throws CloudMwException {
        if (!(known.kind() instanceof Store.S3)) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "store " + known.id()
                            + ": CloudMW does not encrypt disks (expected: a bucket; a disk is as its file system is)");
        }
        return known.with(encryption);
    }

    /**
     * Returns the record of a store that is added. A known store keeps its identity unless another is given.
     *
     * @throws CloudMwException as {@link #requireFree}
     */
    public static Store added(Store store, List<Store> known) throws CloudMwException {
        requireFree(store, known);
        if (store.identity().isKnown()) {
            return store;
        }
        return known.stream().filter(store::isDefinedAs).findFirst().orElse(store);
    }

    private static boolean isIn(Store.S3 place, Store other) {
        return other.kind() instanceof Store.S3 taken
                && taken.bucket().equals(place.bucket())
                && taken.endpoint().equals(place.endpoint())
                && taken.prefix().equals(place.prefix());
    }
}
