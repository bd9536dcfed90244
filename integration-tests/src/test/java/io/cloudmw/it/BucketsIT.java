package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.client.PutOptions;
import io.cloudmw.client.progress.PutReceipt;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.it.localstack.LocalStack;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests of puts, reads and failures on three buckets in three regions, in the volumes' default mode. */
final class BucketsIT extends BucketAccidents {
    BucketsIT() {
        super(Mode.COOPERATIVE);
    }

    @Test
    void filesOfAnySizeComeBackWholeFromThreeRegions(LocalStack localStack) throws IOException {
        List<String> buckets = freshBuckets();
        try (Fleet fleet = fleet(localStack, buckets, "")) {
            VolumeName byCount = fleet.volume("by-count", stores(buckets));
            VolumeName bySize = fleet.volume("by-size", new Chunking.BySize(MIB), 3, stores(buckets));
            for (long size : new long[] {0, 1, MIB - 1, MIB, MIB + 1}) {
                roundTrip(fleet, bySize, size);
            }
            roundTrip(fleet, byCount, 50_000_000);
        }
    }

    private static void roundTrip(Fleet fleet, VolumeName volume, long size) throws IOException {
        Path source = fleet.file("source", size);
        FilePath file = new FilePath(volume, "/size/" + size);
        fleet.put(source, file);
        fleet.get(file, fleet.target("back"));
        assertThat(fleet.target("back")).hasSameBinaryContentAs(source);
    }

    /**
     * Both the second placement batch of the put and the later put meet a restarted coordinator whose helpers are not
     * registered yet.
     */
    @Test
    void putsIntoBucketsSurviveARestartOfTheCoordinator(LocalStack localStack)
            throws IOException, InterruptedException {
        List<String> buckets = freshBuckets();
        try (Fleet fleet = fleet(localStack, buckets, "", "coordinator")) {
            VolumeName volume = fleet.volume("v", new Chunking.BySize(MIB / 4), 2, stores(buckets));
            Path source = fleet.file("source", 24 * MIB);
            FilePath file = new FilePath(volume, "/f");
            Milestone begun = new Milestone(MIB);
            CompletableFuture<PutReceipt> put = fleet.client()
                    .files()
                    .put(source, file, PutOptions.defaults().withListener(begun));
            begun.await();
            fleet.coordinator().kill();
            fleet.restart("coordinator");
            Path small = fleet.file("small", MIB);
            fleet.put(small, new FilePath(volume, "/small"));
            put.join();

            fleet.get(file, fleet.target("back"));
            assertThat(fleet.target("back")).hasSameBinaryContentAs(source);
            fleet.get(new FilePath(volume, "/small"), fleet.target("back-small"));
            assertThat(fleet.target("back-small")).hasSameBinaryContentAs(small);
        }
    }
}
