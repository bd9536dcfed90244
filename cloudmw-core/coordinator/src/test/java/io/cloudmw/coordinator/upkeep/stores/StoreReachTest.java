package io.cloudmw.coordinator.upkeep.stores;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.coordinator.Administration;
import io.cloudmw.coordinator.fleet.BucketAccess;
import io.cloudmw.coordinator.fleet.HeartbeatReport;
import io.cloudmw.coordinator.testing.TestCluster;
import io.cloudmw.coordinator.upload.PlacementRequest;
import io.cloudmw.core.access.CredentialsReference;
import io.cloudmw.core.access.ProbeReport;
import io.cloudmw.core.access.StoreFault;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.RetryVerdict;
import io.cloudmw.core.identity.BucketMarker;
import io.cloudmw.core.identity.BucketMarkers;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.fleet.BucketEncryption;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.placement.PlacedChunk;
import io.cloudmw.core.placement.PlannedChunk;
import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.placement.WritePlan;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.status.StoreStatus;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that helpers are not asked for a store that they cannot use. */
final class StoreReachTest {
    private static final FilePath FILE = FilePath.parse("v:/f");
    private static final long MIB = 1 << 20;
    private static final StoreId A = new StoreId("a");
    private static final StoreId B = new StoreId("b");
    private static final StoreFault LACKING =
            new StoreFault(StoreFault.Kind.NO_CREDENTIALS, "no credentials here", 1_700_000_000_000L);

    private final Map<HelperId, Long> epochs = new HashMap<>();
    private TestCluster cluster;

    @BeforeEach
    void start() throws Exception {
        cluster = new TestCluster();
        for (int number = 1; number <= 3; number++) {
            HelperAddress helper = new HelperAddress(id(number), "127.0.0.1:" + number, "127.0.0.1:1" + number);
            epochs.put(
                    helper.id(),
                    administration().registerHelper(helper, 1, List.of()).epoch());
        }
        administration().addStore(TestCluster.bucket("a"), false, Optional.empty());
        administration().addStore(TestCluster.bucket("b"), false, Optional.empty());
    }

    private Administration administration() {
        return cluster.coordinator.administration();
    }

    private static HelperId id(int number) {
        return new HelperId("h" + number);
    }

    private void lacks(int helper, StoreId... stores) throws CloudMwException {
        lacks(helper, LACKING, stores);
    }

    private void lacks(int helper, StoreFault fault, StoreId... stores) throws CloudMwException {
        Map<StoreId, StoreFault> faults = new HashMap<>();
        for (StoreId store : stores) {
            faults.put(store, fault);
        }
        boolean unused = administration()
                .heartbeat(id(helper), epochs.getOrDefault(id(helper), 0L), new HeartbeatReport(List.of(), faults));
    }

    private void volume(int replicas, int quorum, String... stores) throws CloudMwException {
        administration().createVolume(TestCluster.volume("v", replicas, quorum, stores), Optional.empty());
    }

    private StoreStatus status(StoreId store) throws CloudMwException {
        return administration().stores().stream()
                .filter(status -> status.store().id().equals(store))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void storeThatSomeProcessesCanUseIsAvailableAndListsTheOthers() throws Exception {
        lacks(1, A);
        assertThat(status(A).available()).isTrue();
        assertThat(status(A).reach().fault()).isEmpty();
        assertThat(status(A).reach().shutOut()).containsOnlyKeys("helper h1").containsValue(LACKING);
        assertThat(status(B).reach().shutOut()).isEmpty();
    }

    @Test
    void storeThatNobodyCanUseTakesNothingNewAndComesBack() throws Exception {
        volume(1, 1, "a", "b");
        StoreFault missing = new StoreFault(StoreFault.Kind.MISSING, "there is no bucket", 5);
        lacks(1, A);
        lacks(2, missing, A);
        lacks(3, A);
        assertThat(status(A).available()).isFalse();
        assertThat(status(A).reach().fault()).as("what says most of the store").contains(missing);
        FileVersion version = cluster.put(FILE, 20 * MIB);
        assertThat(cluster.segment(version.id(), 0))
                .allSatisfy(chunk -> assertThat(chunk.replicas()).containsExactly(B));
        lacks(2);
        assertThat(status(A).available()).isTrue();
        assertThat(cluster.segment(cluster.put(FILE, 20 * MIB).id(), 0))
                .anySatisfy(chunk -> assertThat(chunk.replicas()).containsExactly(A));
    }

    /** A store is lacking: its absence must not be taken for a refusal by all. */
    @Test
    void putWaitsWhereStoresAreTooFewAndTheLastOneIsUnreachable() throws Exception {
        volume(2, 2, "a", "b");
        administration().loseStore(B, Optional.empty());
        assertThat(refusedPlacement().verdict()).as("the one left takes chunks").isEqualTo(RetryVerdict.SAME_REPLICA);
        everybodyMeets(new StoreFault(StoreFault.Kind.UNREACHABLE, "timed out", 5), A);
        CloudMwException waits = refusedPlacement();
        assertThat(waits.code()).isEqualTo(ErrorCode.QUORUM_NOT_MET);
        assertThat(waits.verdict()).isEqualTo(RetryVerdict.SAME_REPLICA);
        assertThat(waits).hasMessageContainingAll("0 of 1 stores", "not a (unreachable", "--add-store");
    }

    @Test
    void putEndsAtOnceWhereAStoreRefusesEverybody() throws Exception {
        volume(2, 2, "a", "b");
        everybodyMeets(new StoreFault(StoreFault.Kind.DENIED, "no", 5), A);
        assertThat(refusedPlacement().code()).isEqualTo(ErrorCode.STORE_DENIED);
        administration().loseStore(B, Optional.empty());
        CloudMwException ends = refusedPlacement();
        assertThat(ends.code()).isEqualTo(ErrorCode.STORE_DENIED);
        assertThat(ends.verdict()).isEqualTo(RetryVerdict.NEVER);
        everybodyMeets(new StoreFault(StoreFault.Kind.MISSING, "there is no bucket", 5), A);
        assertThat(refusedPlacement().code()).isEqualTo(ErrorCode.STORE_UNAVAILABLE);
    }

    private void everybodyMeets(StoreFault fault, StoreId store) throws CloudMwException {
        for (int number = 1; number <= 3; number++) {
            lacks(number, fault, store);
        }
    }

    private CloudMwException refusedPlacement() {
        return catchThrowableOfType(
                CloudMwException.class,
                () -> cluster.coordinator.uploads().place(FILE, VersionId.random(), 0, 1, Set.of()));
    }

    @Test
    void readIsPlannedForHelpersThatCanUseTheStore() throws Exception {
        volume(1, 1, "a");
        FileVersion version = cluster.put(FILE, 4 * MIB);
        lacks(1, A);
        lacks(3, A);
        ReadPlan plan = cluster.coordinator.reads().plan(FILE, Optional.empty(), Optional.empty());
        assertThat(plan.helpers()).extracting(HelperAddress::id).containsExactly(id(2));
        for (PlannedChunk chunk : cluster.coordinator
                .reads()
                .segment(FILE, version.id(), 0, List.of(id(1), id(2), id(3)), true)
                .chunks()) {
            assertThat(chunk.entrants()).extracting(Entrant::racer).allMatch(racer -> racer.rank() == 1);
            assertThat(chunk.entrants()).hasSize(1);
            assertThat(chunk.direct()).containsOnlyKeys(A);
        }
    }

    @Test
    void eachStoreIsReadByAHelperThatCanWhereNoneCanUseAll() throws Exception {
        volume(2, 1, "a", "b");
        FileVersion version = cluster.put(FILE, 4 * MIB);
        lacks(1, A);
        lacks(2, B);
        lacks(3, A, B);
        ReadPlan plan = cluster.coordinator.reads().plan(FILE, Optional.empty(), Optional.empty());
        List<HelperId> ranked = plan.helpers().stream().map(HelperAddress::id).toList();
        assertThat(ranked).containsExactlyInAnyOrder(id(1), id(2));
        for (PlannedChunk chunk : cluster.coordinator
                .reads()
                .segment(FILE, version.id(), 0, ranked, false)
                .chunks()) {
            assertThat(chunk.entrants()).hasSize(2).allSatisfy(entrant -> {
                StoreId store = chunk.chunk().replicas().get(entrant.replica());
                assertThat(ranked.get(entrant.racer().rank())).isEqualTo(store.equals(A) ? id(2) : id(1));
            });
        }
    }

    @Test
    void chunkGoesToAHelperThatCanUseItsStoresAndAnotherCarriesTheRest() throws Exception {
        volume(2, 1, "a", "b");
        lacks(1, A);
        lacks(2, B);
        assertThat(placed(Set.of())).allSatisfy(chunk -> {
            assertThat(chunk.helper()).isEqualTo(id(3));
            assertThat(chunk.owed()).isEmpty();
            assertThat(chunk.carriers()).isEmpty();
        });
        assertThat(placed(Set.of(id(3)))).allSatisfy(chunk -> {
            assertThat(chunk.helper()).isIn(id(1), id(2));
            assertThat(chunk.owed()).isEmpty();
            assertThat(chunk.carriers()).isEqualTo(chunk.helper().equals(id(1)) ? Map.of(A, id(2)) : Map.of(B, id(1)));
        });
        assertThat(plan(Set.of(id(3))).helpers())
                .as("who carries has an address")
                .extracting(HelperAddress::id)
                .contains(id(1), id(2));
    }

    @Test
    void copyThatNoHelperCanCarryIsOwed() throws Exception {
        volume(2, 1, "a", "b");
        lacks(1, A);
        lacks(2, A, B);
        lacks(3, new StoreFault(StoreFault.Kind.UNREACHABLE, "silent", 5), A);
        assertThat(placed(Set.of())).allSatisfy(chunk -> {
            assertThat(chunk.owed()).containsExactly(A);
            assertThat(chunk.carriers()).isEmpty();
        });
    }

    private List<PlacedChunk> placed(Set<HelperId> avoid) throws CloudMwException {
        return plan(avoid).placements();
    }

    private WritePlan plan(Set<HelperId> avoid) throws CloudMwException {
        return cluster.coordinator.uploads().place(FILE, VersionId.random(), 0, 8, avoid);
    }

    @Test
    void anotherHelperCarriesAQuorumBeyondOneHelpersStoresOrThePutIsRefused() throws Exception {
        volume(2, 2, "a", "b");
        lacks(1, A);
        lacks(2, B);
        lacks(3, A);
        assertThat(placed(Set.of())).allSatisfy(chunk -> {
            assertThat(chunk.owed()).isEmpty();
            assertThat(chunk.carriers()).hasSize(1);
        });
        lacks(2, A, B);
        CloudMwException refused = catchThrowableOfType(CloudMwException.class, () -> placed(Set.of()));
        assertThat(refused.code()).isEqualTo(ErrorCode.STORE_DENIED);
    }

    @Test
    void plansNameNoCredentialsAndOtherCredentialsMakeAnotherStore() throws Exception {
        CredentialsReference profile = new CredentialsReference.Profile("p");
        StoreStatus changed = administration().setCredentials(A, profile, Optional.empty());
        assertThat(changed.store()).isEqualTo(TestCluster.bucket("a").with(profile));
        assertThat(administration().buckets()).contains(changed.store());
        volume(1, 1, "a");
        FileVersion unused = cluster.put(FILE, MIB);
        ReadPlan plan = cluster.coordinator.reads().plan(FILE, Optional.empty(), Optional.empty());
        assertThat(plan.stores()).extracting(StoreStatus::store).containsExactly(TestCluster.bucket("a"));
        CloudMwException refused = catchThrowableOfType(
                CloudMwException.class,
                () -> administration().addStore(TestCluster.bucket("a"), false, Optional.empty()));
        assertThat(refused.code()).isEqualTo(ErrorCode.ALREADY_EXISTS);
        assertThat(refused).hasMessageContaining("cloudmw store set a");
    }

    @Test
    void externalIdIsSentToHelpersOnly() throws Exception {
        CredentialsReference role = new CredentialsReference.Role("arn:aws:iam::123456789012:role/r", "ext-1");
        assertThat(administration()
                        .setCredentials(A, role, Optional.empty())
                        .store()
                        .toString())
                .doesNotContain("external");
        assertThat(status(A).store()).isEqualTo(TestCluster.bucket("a").with(role.shown()));
        assertThat(administration().buckets()).contains(TestCluster.bucket("a").with(role));
    }

    @Test
    void storeThatFailsItsProofIsNotAdded() throws Exception {
        Store store = TestCluster.bucket("c");
        CloudMwException refused = catchThrowableOfType(
                CloudMwException.class,
                () -> administration()
                        .addStore(
                                store,
                                false,
                                false,
                                unproven -> {
                                    throw new CloudMwException(ErrorCode.STORE_DENIED, "no");
                                },
                                Optional.empty()));
        assertThat(refused.code()).isEqualTo(ErrorCode.STORE_DENIED);
        assertThat(administration().buckets()).doesNotContain(store);
    }

    @Test
    void storeGetsItsMarkerAfterItsProof() throws Exception {
        Map<StoreId, BucketMarker> markers = new HashMap<>();
        cluster.direct = marking(markers);
        cluster.restart();
        Store store = TestCluster.bucket("c");
        CloudMwException refused = catchThrowableOfType(
                CloudMwException.class,
                () -> administration()
                        .addStore(
                                store,
                                false,
                                true,
                                unproven -> {
                                    throw new CloudMwException(ErrorCode.STORE_DENIED, "no");
                                },
                                Optional.empty()));
        assertThat(refused.code()).isEqualTo(ErrorCode.STORE_DENIED);
        assertThat(markers).isEmpty();

        StoreStatus added = administration()
                .addStore(
                        store,
                        false,
                        false,
                        unproven -> {
                            assertThat(markers).isEmpty();
                            return Map.of();
                        },
                        Optional.empty());
        assertThat(markers)
                .containsEntry(
                        store.id(), new BucketMarker(store.id(), added.store().identity()));

        markers.remove(store.id());
        cluster.coordinator.lookAtBuckets();
        assertThat(status(store.id()).mismatch()).isPresent();
        CredentialsReference profile = new CredentialsReference.Profile("p");
        assertThat(administration()
                        .setCredentials(store.id(), profile, Optional.empty())
                        .mismatch())
                .isPresent();
        StoreStatus replaced = administration().replaceStore(store.id(), false, Optional.empty());
        assertThat(replaced.mismatch()).isEmpty();
        assertThat(replaced.store().isDefinedAs(store.with(profile))).isTrue();
    }

    private static BucketAccess marking(Map<StoreId, BucketMarker> markers) {
        return new BucketAccess() {
            @Override
            public Optional<URI> presign(Store store, ChunkId chunk, Duration validity) {
                return Optional.empty();
            }

            @Override
            public Optional<BucketMarkers> markers() {
                return Optional.of(new BucketMarkers() {
                    @Override
                    public Optional<BucketMarker> read(Store bucket) {
                        return Optional.ofNullable(markers.get(bucket.id()));
                    }

                    @Override
                    public boolean write(Store bucket, BucketMarker marker, boolean replace) {
                        if (!replace && markers.containsKey(bucket.id())) {
                            return false;
                        }
                        markers.put(bucket.id(), marker);
                        return true;
                    }
                });
            }
        };
    }

    /** Regression: the put failed although other stores of the volume could take the chunk. */
    @Test
    void storeThatRefusedAPutGetsNothingMoreOfIt() throws Exception {
        administration().addStore(TestCluster.bucket("c"), false, Optional.empty());
        administration().createVolume(TestCluster.volume("v", 2, 2, "a", "b", "c"), Optional.empty());
        VersionId version = VersionId.random();
        for (long index = 0; index < 8; index++) {
            PlacedChunk placed = cluster.coordinator
                    .uploads()
                    .place(new PlacementRequest(FILE, version, index, 1, Set.of(), Set.of(B), Optional.empty()))
                    .placements()
                    .get(0);
            assertThat(placed.writable()).containsExactly(A, new StoreId("c"));
        }
        assertThat(catchThrowableOfType(
                        CloudMwException.class,
                        () -> cluster.coordinator
                                .uploads()
                                .place(new PlacementRequest(
                                        FILE, version, 9, 1, Set.of(), Set.of(A, B), Optional.empty()))))
                .hasMessageContaining("refused this put")
                .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.STORE_DENIED))
                .satisfies(e -> assertThat(e.verdict()).isEqualTo(RetryVerdict.NEVER));
    }

    /** Regression: the other helpers found out for themselves, up to a minute later. */
    @Test
    void helperHearsWhichBucketsOthersFoundMissing() throws Exception {
        StoreFault gone = new StoreFault(StoreFault.Kind.MISSING, "gone", 7);
        HeartbeatReport lacking = new HeartbeatReport(List.of(), Map.of(A, gone, B, LACKING));
        HelperId first = id(1);
        administration().heartbeat(first, epochs.getOrDefault(first, 0L), lacking);
        assertThat(administration().doubtful(HeartbeatReport.of(List.of()))).containsExactly(A);
        assertThat(administration().doubtful(lacking)).isEmpty();
    }

    /** Regression: a lost store was listed with the processes that cannot use it. */
    @Test
    void lostStoreIsReportedAsLostOnly() throws Exception {
        StoreFault gone = new StoreFault(StoreFault.Kind.MISSING, "gone", 7);
        HelperId first = id(1);
        administration()
                .heartbeat(first, epochs.getOrDefault(first, 0L), new HeartbeatReport(List.of(), Map.of(A, gone)));
        administration().loseStore(A, Optional.empty());
        assertThat(status(A).reach().shutOut()).isEmpty();
    }

    /** Regression: no proof was required, and the whole fleet was denied afterwards. */
    @Test
    void credentialsThatDoNotOpenTheStoreChangeNothing() throws Exception {
        CredentialsReference bad = new CredentialsReference.Profile("bad");
        Store before = status(A).store();
        assertThat(catchThrowableOfType(
                        CloudMwException.class,
                        () -> administration()
                                .setCredentials(
                                        A,
                                        bad,
                                        proven -> {
                                            assertThat(((Store.S3) proven.kind()).credentials())
                                                    .isEqualTo(bad);
                                            throw new CloudMwException(ErrorCode.STORE_DENIED, "wrong keys");
                                        },
                                        Optional.empty())))
                .hasMessage("wrong keys");
        assertThat(status(A).store()).isEqualTo(before);
    }

    @Test
    void encryptionIsChangedAfterItsProofAndIsInPlans() throws Exception {
        BucketEncryption kms = BucketEncryption.kms("arn:aws:kms:eu-west-1:123456789012:key/k", true);
        List<Store> proved = new ArrayList<>();
        StoreStatus changed = administration().setEncryption(A, kms, store -> proved(proved, store), Optional.empty());
        Store encrypted = TestCluster.bucket("a").with(kms);
        assertThat(changed.store()).isEqualTo(encrypted);
        assertThat(proved).containsExactly(encrypted);
        assertThat(administration().buckets()).contains(encrypted);
        volume(1, 1, "a");
        FileVersion unused = cluster.put(FILE, MIB);
        ReadPlan plan = cluster.coordinator.reads().plan(FILE, Optional.empty(), Optional.empty());
        assertThat(plan.stores())
                .as("a helper that cannot ask the coordinator encrypts, too")
                .extracting(StoreStatus::store)
                .containsExactly(encrypted);
        CloudMwException refused = catchThrowableOfType(
                CloudMwException.class,
                () -> administration().addStore(TestCluster.bucket("a"), false, Optional.empty()));
        assertThat(refused).hasMessageContaining("another encryption (expected: cloudmw store set a)");
    }

    private static Map<String, ProbeReport> proved(List<Store> proved, Store store) {
        proved.add(store);
        return Map.of();
    }

    @Test
    void encryptionThatIsNotProvedOrOfADiskChangesNothing() throws Exception {
        Store before = status(A).store();
        CloudMwException unproved = catchThrowableOfType(
                CloudMwException.class,
                () -> administration()
                        .setEncryption(
                                A,
                                BucketEncryption.AES256,
                                store -> {
                                    throw new CloudMwException(ErrorCode.STORE_DENIED, "it ignores that");
                                },
                                Optional.empty()));
        assertThat(unproved).hasMessage("it ignores that");
        assertThat(status(A).store()).isEqualTo(before);
        Store disk = new Store(new StoreId("disk"), "rack", new Store.Disk(id(1), Path.of("/d")));
        cluster.catalog.putStore(disk);
        CloudMwException refused = catchThrowableOfType(
                CloudMwException.class,
                () -> administration()
                        .setEncryption(
                                disk.id(), BucketEncryption.AES256, Administration.StoreProof.NONE, Optional.empty()));
        assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(refused).hasMessageContaining("does not encrypt disks");
    }
}
