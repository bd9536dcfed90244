package io.cloudmw.coordinator.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.change.ChangeRequest;
import io.cloudmw.coordinator.testing.memory.InMemoryCatalog;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.identity.BucketMarker;
import io.cloudmw.core.identity.BucketMarkers;
import io.cloudmw.core.model.CallId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.fleet.StoreIdentity;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

final class BucketIdentitiesTest {
    private static final Store BUCKET =
            new Store(new StoreId("b1"), "region", new Store.S3("bucket", "eu-west-1", "", false, "p/"));
    private static final Store OTHER =
            new Store(new StoreId("b2"), "region", new Store.S3("bucket", "eu-west-1", "", false, "p/"));

    private final Map<String, String> objects = new HashMap<>();
    private final Catalog catalog = new InMemoryCatalog();
    private final Catalog otherCatalog = new InMemoryCatalog();
    private ErrorCode refusal = ErrorCode.INTERNAL;

    private final BucketMarkers bucket = new BucketMarkers() {
        @Override
        public Optional<BucketMarker> read(Store store) throws CloudMwException {
            String text = objects.get(BucketMarker.NAME);
            return text == null ? Optional.empty() : Optional.of(BucketMarker.parse(text));
        }

        @Override
        public boolean write(Store store, BucketMarker marker, boolean replace) throws CloudMwException {
            if (refusal != ErrorCode.INTERNAL) {
                throw new CloudMwException(refusal, "may not write");
            }
            if (!replace && objects.containsKey(BucketMarker.NAME)) {
                return false;
            }
            objects.put(BucketMarker.NAME, marker.text());
            return true;
        }
    };

    private final BucketIdentities identities = new BucketIdentities(catalog, Optional.of(bucket), () -> 77);
    private final BucketIdentities others = new BucketIdentities(otherCatalog, Optional.of(bucket), () -> 78);

    private Store add(BucketIdentities as, Catalog to, Store store, boolean takesOver) throws CloudMwException {
        return to.addStore(as.claimed(store, takesOver), ChangeRequest.once(1));
    }

    private static void mismatches(ThrowingCallable call, String... said) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.STORE_MISMATCH))
                .hasMessageContainingAll(said);
    }

    private StoreIdentity known() throws CloudMwException {
        return catalog.stores().get(0).identity();
    }

    @Test
    void newBucketGetsAMarkerThatNamesItsStore() throws Exception {
        Store added = add(identities, catalog, BUCKET, false);
        assertThat(added.identity().isKnown()).isTrue();
        BucketMarker marker = BucketMarker.parse(objects.getOrDefault(BucketMarker.NAME, ""));
        assertThat(marker.store()).isEqualTo(BUCKET.id());
        assertThat(marker.identity()).isEqualTo(added.identity());
        assertThat(identities.claimed(BUCKET, false).identity())
                .as("a try that is repeated")
                .isEqualTo(added.identity());
    }

    @Test
    void bucketOfAnotherClusterOrStoreIsRefusedUnlessItIsTakenOver() throws Exception {
        add(others, otherCatalog, BUCKET, false);
        mismatches(() -> identities.claimed(BUCKET, false), "cluster " + otherCatalog.clusterId(), "--replace");
        mismatches(() -> identities.claimed(OTHER, false), "store b1");
        add(identities, catalog, BUCKET, true);
        identities.look();
        others.look();
        assertThat(identities.mismatch(BUCKET.id())).isEmpty();
        assertThat(others.mismatch(BUCKET.id())).isPresent();
    }

    @Test
    void bucketOfARemovedStoreMayBeAddedUnderAnotherId() throws Exception {
        add(identities, catalog, BUCKET, false);
        mismatches(() -> identities.claimed(OTHER, false), "store b1");
        catalog.removeStore(BUCKET.id());
        assertThat(identities.claimed(OTHER, false).identity().isKnown()).isTrue();
        assertThat(BucketMarker.parse(objects.getOrDefault(BucketMarker.NAME, ""))
                        .store())
                .isEqualTo(OTHER.id());
    }

    @Test
    void emptiedBucketIsDetectedAndAcceptedOnlyAfterTheOperatorConfirms() throws Exception {
        Store added = add(identities, catalog, BUCKET, false);
        objects.clear();
        identities.look();
        assertThat(identities.mismatch(BUCKET.id()).orElseThrow())
                .contains("no marker", "store replace b1", added.identity().value());
        assertThat(objects).as("nobody writes a marker by itself").isEmpty();

        Store replaced = identities.replaced(BUCKET.id(), false, Optional.empty());
        assertThat(replaced.identity().isSame(added.identity())).isFalse();
        assertThat(known()).isEqualTo(replaced.identity());
        assertThat(known().replacedAtMillis()).isEqualTo(77);
        identities.look();
        assertThat(identities.mismatch(BUCKET.id())).isEmpty();
        assertThat(known()).isEqualTo(replaced.identity());
    }

    @Test
    void repeatedReplacementLeavesTheMarkerThatTheCatalogKnows() throws Exception {
        add(identities, catalog, BUCKET, false);
        Optional<CallId> call = Optional.of(new CallId(UUID.randomUUID(), 77));
        Store first = identities.replaced(BUCKET.id(), false, call);
        assertThat(identities.replaced(BUCKET.id(), false, call)).isEqualTo(first);
        identities.look();
        assertThat(identities.mismatch(BUCKET.id())).isEmpty();
    }

    @Test
    void bucketOfAReleaseBeforeIdentitiesGetsAMarkerOnce() throws Exception {
        catalog.addStore(BUCKET, ChangeRequest.once(1));
        identities.look();
        assertThat(known().isKnown()).isTrue();
        assertThat(objects).hasSize(1);
    }

    @Test
    void bucketOfARecoveredClusterIsAcceptedUnderTheNewClusterId() throws Exception {
        Store before = add(others, otherCatalog, BUCKET, false);
        catalog.putStore(BUCKET.with(new StoreIdentity("", otherCatalog.clusterId(), 0)));
        identities.look();
        assertThat(known()).isEqualTo(before.identity().in(catalog.clusterId()));
        assertThat(BucketMarker.parse(objects.getOrDefault(BucketMarker.NAME, ""))
                        .identity())
                .isEqualTo(known());
    }

    @Test
    void unwritableBucketIsAddedWithoutAMarker() throws Exception {
        refusal = ErrorCode.STORE_DENIED;
        assertThat(add(identities, catalog, BUCKET, false).identity()).isEqualTo(StoreIdentity.NONE);
        identities.look();
        assertThat(identities.mismatch(BUCKET.id())).isEmpty();
        refusal = ErrorCode.INTERNAL;
        identities.look();
        assertThat(known().isKnown()).isTrue();
    }

    @Test
    void markerOfAnUnknownFormBelongsToNoStore() {
        objects.put(BucketMarker.NAME, "{}");
        mismatches(() -> identities.claimed(BUCKET, false), "unknown form");
    }

    /**
     * Regression: the check overwrote the marker with a new identity, so that the loss of all copies went unnoticed.
     */
    @Test
    void bucketOfARemovedStoreIsNotTakenForAStoresFormerBucket() throws Exception {
        Store a = add(identities, catalog, BUCKET, false);
        String markerOfA = objects.getOrDefault(BucketMarker.NAME, "");
        objects.clear();
        add(identities, catalog, new Store(OTHER.id(), "region", new Store.S3("else", "r", "", false, "p/")), false);
        String markerOfForgotten = objects.getOrDefault(BucketMarker.NAME, "");
        catalog.removeStore(OTHER.id());
        identities.look();
        assertThat(identities.mismatch(BUCKET.id()))
                .hasValueSatisfying(reason -> assertThat(reason).contains("store b2"));
        assertThat(objects).containsEntry(BucketMarker.NAME, markerOfForgotten);
        assertThat(known()).isEqualTo(a.identity());
        objects.put(BucketMarker.NAME, markerOfA);
        identities.look();
        assertThat(identities.mismatch(BUCKET.id())).isEmpty();
    }

    /** Regression: the replacement overwrote any marker unread. */
    @Test
    void bucketOfAnotherClusterOrStoreReplacesNoneUnlessItIsTakenOver() throws Exception {
        add(identities, catalog, BUCKET, false);
        objects.clear();
        add(others, otherCatalog, BUCKET, false);
        String foreign = objects.getOrDefault(BucketMarker.NAME, "");
        mismatches(
                () -> identities.replaced(BUCKET.id(), false, Optional.empty()),
                "cluster " + otherCatalog.clusterId(),
                "store replace b1 --force");
        assertThat(objects).containsEntry(BucketMarker.NAME, foreign);
        objects.put(BucketMarker.NAME, "{}");
        mismatches(() -> identities.replaced(BUCKET.id(), false, Optional.empty()), "unknown form", "--force");
        Store replaced = identities.replaced(BUCKET.id(), true, Optional.empty());
        assertThat(known()).isEqualTo(replaced.identity());
        identities.look();
        assertThat(identities.mismatch(BUCKET.id())).isEmpty();
    }

    /** Regression: the check added the store again. */
    @Test
    void storeRemovedDuringTheCheckStaysRemoved() throws Exception {
        catalog.addStore(BUCKET, ChangeRequest.once(1));
        BucketMarkers removing = new BucketMarkers() {
            @Override
            public Optional<BucketMarker> read(Store store) throws CloudMwException {
                return bucket.read(store);
            }

            @Override
            public boolean write(Store store, BucketMarker marker, boolean replace) throws CloudMwException {
                catalog.removeStore(store.id());
                return bucket.write(store, marker, replace);
            }
        };
        new BucketIdentities(catalog, Optional.of(removing), () -> 79).look();
        assertThat(catalog.stores()).isEmpty();
    }
}
