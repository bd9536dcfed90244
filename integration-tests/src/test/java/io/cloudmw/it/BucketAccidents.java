package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.client.GetOptions;
import io.cloudmw.client.progress.Attempt;
import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.it.localstack.LocalStack;
import io.cloudmw.it.localstack.LocalStackExtension;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.S3Object;

/** Tests of failing buckets in three regions during reads. The subclass sets the mode. */
@ExtendWith(LocalStackExtension.class)
abstract class BucketAccidents {
    static final long MIB = 1 << 20;
    private static final List<String> REGIONS = List.of("us-east-1", "eu-central-1", "ap-south-1");

    /** The speed of a store at which a chunk takes seconds, so that every helper has started before one finishes. */
    private static final String SLOW = "1MiB/s";

    @TempDir
    Path directory;

    private final Mode mode;

    BucketAccidents(Mode mode) {
        this.mode = mode;
    }

    /** Returns three helpers without disks and three fresh buckets, each in a region of its own. */
    Fleet fleet(LocalStack localStack, List<String> buckets, String throttle, String... processes) throws IOException {
        Fleet fleet = Fleet.hostedOnBuckets(localStack, directory, Fleet.NO_REPAIR, processes);
        for (int i = 0; i < REGIONS.size(); i++) {
            fleet.bucket(buckets.get(i), REGIONS.get(i), localStack.endpoint().toString());
        }
        fleet.startHelpers(
                1, REGIONS.size(), i -> throttle.isEmpty() ? Map.of() : Map.of("helper.s3.throttle", throttle));
        return fleet;
    }

    static List<String> freshBuckets() {
        String run = UUID.randomUUID().toString().substring(0, 8);
        return REGIONS.stream().map(region -> "it-" + run + "-" + region).toList();
    }

    static StoreId[] stores(List<String> buckets) {
        return buckets.stream().map(StoreId::new).toArray(StoreId[]::new);
    }

    @Test
    void aBucketThatWasDeletedIsReadAround(LocalStack localStack) throws IOException {
        List<String> buckets = freshBuckets();
        try (Fleet fleet = fleet(localStack, buckets, "").in(mode)) {
            FilePath file = new FilePath(fleet.volume("v", stores(buckets)), "/f");
            Path source = fleet.file("source", 12 * MIB);
            fleet.put(source, file);
            try (S3Client s3 = localStack.s3(REGIONS.get(0))) {
                objects(s3, buckets.get(0))
                        .forEach(object -> s3.deleteObject(
                                request -> request.bucket(buckets.get(0)).key(object.key())));
                s3.deleteBucket(request -> request.bucket(buckets.get(0)));
            }

            fleet.get(file, fleet.target("back"));

            assertThat(fleet.target("back")).hasSameBinaryContentAs(source);
        }
    }

    @Test
    void aReplicaThatWasDeletedIsNamedCountedAndReadAroundFromThenOn(LocalStack localStack)
            throws IOException, InterruptedException {
        List<String> buckets = freshBuckets();
        try (Fleet fleet = fleet(localStack, buckets, SLOW).in(mode)) {
            Path source = fleet.file("source", 6 * MIB);
            FilePath file = putAndWarmUp(fleet, buckets, source);
            try (S3Client s3 = localStack.s3(REGIONS.get(0))) {
                String key = objects(s3, buckets.get(0)).get(0).key();
                s3.deleteObject(request -> request.bucket(buckets.get(0)).key(key));
            }

            assertNamedCountedAndReadAround(fleet, file, source, buckets.get(0), ErrorCode.REPLICA_MISSING);
        }
    }

    @Test
    void aReplicaWithOneFlippedByteIsNamedCountedQuarantinedAndReadAroundFromThenOn(LocalStack localStack)
            throws IOException, InterruptedException {
        List<String> buckets = freshBuckets();
        try (Fleet fleet = fleet(localStack, buckets, SLOW).in(mode)) {
            Path source = fleet.file("source", 6 * MIB);
            FilePath file = putAndWarmUp(fleet, buckets, source);
            try (S3Client s3 = localStack.s3(REGIONS.get(0))) {
                String key = objects(s3, buckets.get(0)).get(0).key();
                byte[] bytes = s3.getObjectAsBytes(
                                request -> request.bucket(buckets.get(0)).key(key))
                        .asByteArray();
                bytes[77_777] ^= 0x40;
                s3.putObject(request -> request.bucket(buckets.get(0)).key(key), RequestBody.fromBytes(bytes));
            }

            assertNamedCountedAndReadAround(fleet, file, source, buckets.get(0), ErrorCode.REPLICA_CORRUPT);
        }
    }

    /**
     * Puts a file and warms up the helpers' S3 clients. A slow first request must not keep a helper from the bad
     * replica until a good copy is complete. While no store is known to be faster, a single attempt goes to the first
     * replica of the plan.
     */
    private FilePath putAndWarmUp(Fleet fleet, List<String> buckets, Path source) {
        FilePath file = new FilePath(fleet.volume("v", new Chunking.ByCount(1), 3, stores(buckets)), "/f");
        fleet.put(source, file);
        if (mode == Mode.ROUNDS) {
            fleet.get(file, fleet.target("warm"));
        }
        fleet.awaitTheFirstLookOfRepair();
        return file;
    }

    private static void assertNamedCountedAndReadAround(
            Fleet fleet, FilePath file, Path source, String store, ErrorCode code)
            throws IOException, InterruptedException {
        GetReceipt receipt = fleet.get(file, fleet.target("back"));

        assertThat(fleet.target("back")).hasSameBinaryContentAs(source);
        assertThat(receipt.faults()).anySatisfy(fault -> {
            assertThat(fault.store().value()).isEqualTo(store);
            assertThat(fault.code()).isEqualTo(code);
        });
        assertThat(fleet.metricOfAll(3, "cloudmw_replica_faults_total")).isGreaterThanOrEqualTo(1);
        Awaitility.await().until(() -> fleet.client().files().stat(file).join().underReplicatedChunks() == 1);

        GetReceipt again = fleet.get(file, fleet.target("again"));

        assertThat(fleet.target("again")).hasSameBinaryContentAs(source);
        assertThat(again.rows()).noneMatch(row -> row.store().value().equals(store));
    }

    @Test
    void whenAllOfS3DiesInTheMiddleOfAGetTheDiskReplicaFinishesIt() throws IOException, InterruptedException {
        try (LocalStack own = LocalStack.startPrivate()) {
            List<String> buckets = freshBuckets();
            try (Fleet fleet = fleet(own, buckets, "6MiB/s").in(mode)) {
                Map<String, String> disk = new HashMap<>();
                disk.put("helper.disk.disk-4.path", directory.resolve("disk-4").toString());
                disk.put("helper.disk.disk-4.domain", "disk-4");
                disk.put("helper.disk.disk-4.throttle", "4MiB/s");
                fleet.startHelper(4, disk);
                StoreId[] stores = {new StoreId(buckets.get(0)), new StoreId(buckets.get(1)), new StoreId("disk-4")};
                FilePath file = new FilePath(fleet.volume("v", new Chunking.ByCount(6), 3, stores), "/f");
                Path source = fleet.file("source", 18 * MIB);
                fleet.put(source, file);

                Milestone middle = new Milestone(4 * MIB);
                CompletableFuture<GetReceipt> get = fleet.client()
                        .files()
                        .get(file, fleet.target("back"), GetOptions.defaults().withListener(middle));
                middle.await();
                own.kill();

                assertThat(get.join().bytes()).isEqualTo(18 * MIB);
                assertThat(fleet.target("back")).hasSameBinaryContentAs(source);
            }
        }
    }

    @Test
    void withoutAnyHelperTheClientRacesByItselfOverSignedUrls(LocalStack localStack) throws IOException {
        List<String> buckets = freshBuckets();
        try (Fleet fleet = fleet(localStack, buckets, "", "helper-1", "helper-2", "helper-3")
                .in(mode)) {
            FilePath file = new FilePath(fleet.volume("v", stores(buckets)), "/f");
            Path source = fleet.file("source", 12 * MIB);
            fleet.put(source, file);
            for (int i = 1; i <= 3; i++) {
                fleet.helper(i).kill();
            }

            GetReceipt receipt = fleet.get(file, fleet.target("back"));

            assertThat(fleet.target("back")).hasSameBinaryContentAs(source);
            assertThat(receipt.winners()).containsOnlyKeys(Attempt.LOCAL);
        }
    }

    private static List<S3Object> objects(S3Client s3, String bucket) {
        return s3.listObjectsV2(request -> request.bucket(bucket)).contents();
    }
}
