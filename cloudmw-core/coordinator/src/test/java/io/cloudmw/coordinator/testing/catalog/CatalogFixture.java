package io.cloudmw.coordinator.testing.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.change.CommitRequest;
import io.cloudmw.coordinator.catalog.tree.DirectoryEntry;
import io.cloudmw.coordinator.catalog.version.RetiredVersion;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.Rename;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.testing.Versions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** An open catalog with a volume, and helper methods of tests. */
abstract class CatalogFixture {
    static final VolumeName VOLUME = new VolumeName("v");
    static final StoreId S1 = new StoreId("s1");
    static final StoreId S2 = new StoreId("s2");

    Catalog catalog;

    /** Opens an empty catalog; the suite closes it. */
    protected abstract Catalog open() throws Exception;

    @BeforeEach
    void openWithAVolume() throws Exception {
        catalog = open();
        catalog.putStore(bucket("s1"));
        catalog.putStore(bucket("s2"));
        catalog.createVolume(volume("v", S1, S2));
    }

    @AfterEach
    void closeCatalog() {
        catalog.close();
    }

    /** Returns how many of these parallel calls return true. */
    static int atOnce(List<Callable<Boolean>> calls) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            int succeeded = 0;
            for (Future<Boolean> call : threads.invokeAll(calls)) {
                succeeded += call.get() ? 1 : 0;
            }
            return succeeded;
        } finally {
            threads.shutdownNow();
        }
    }

    /** Returns whether a call succeeds; it may only fail with one of these codes. */
    static boolean succeeds(Callable<?> call, ErrorCode... refusals) throws Exception {
        try {
            call.call();
            return true;
        } catch (CloudMwException e) {
            assertThat(e.code()).isIn((Object[]) refusals);
            return false;
        }
    }

    DirectoryEntry rename(String from, String to) throws CloudMwException {
        return rename(from, to, true);
    }

    DirectoryEntry rename(String from, String to, boolean replace) throws CloudMwException {
        return catalog.rename(new Rename(FilePath.parse(from), FilePath.parse(to), replace), 1);
    }

    FileVersion put(String path, int segments, Optional<VersionId> expected) throws CloudMwException {
        FileVersion version = Versions.of(path, segments);
        putSegments(version);
        return commit(version, expected);
    }

    void putSegments(FileVersion version) throws CloudMwException {
        for (int index = 0; index < version.segmentCount(); index++) {
            catalog.putSegment(version.id(), index, Versions.segment(version.id(), index), 1);
        }
    }

    FileVersion commit(FileVersion version, Optional<VersionId> expected) throws CloudMwException {
        return catalog.commit(new CommitRequest(version, expected, List.of()));
    }

    /** Returns a background job's lease for the only holder. */
    Lease lease(String job) throws CloudMwException {
        return catalog.leases().acquire(job, "test", Duration.ofSeconds(1), 0).orElseThrow();
    }

    void report(VersionId version, long chunk, StoreId store, ReplicaState state) throws CloudMwException {
        catalog.report(List.of(fault(version, chunk, store, state)), 1);
    }

    static ReplicaReport fault(VersionId version, long chunk, StoreId store, ReplicaState state) {
        return new ReplicaReport(new ChunkId(version, chunk), store, state);
    }

    List<RetiredVersion> retired() throws CloudMwException {
        return catalog.retired("", 100).items();
    }

    Page<DirectoryEntry> list(String directory, String token, int limit) throws CloudMwException {
        return catalog.list(VOLUME, directory, token, limit);
    }

    /** Returns all names of a directory, read in pages; directories end in a slash. */
    List<String> names(String directory, int limit) throws CloudMwException {
        List<String> names = new ArrayList<>();
        String token = "";
        do {
            var page = list(directory, token, limit);
            assertThat(page.items()).hasSizeLessThanOrEqualTo(limit);
            for (var entry : page.items()) {
                names.add(entry.name() + (entry.isDirectory() ? "/" : ""));
                entry.version()
                        .ifPresent(version -> assertThat(version.file().name()).isEqualTo(entry.name()));
            }
            token = page.nextToken();
        } while (!token.isEmpty());
        return names;
    }

    static void refused(ErrorCode code, ThrowingCallable call) {
        CloudMwException failure = catchThrowableOfType(CloudMwException.class, call);
        assertThat(failure).as("refusal").isNotNull();
        assertThat(failure.code()).as(failure.getMessage()).isEqualTo(code);
    }

    static Volume volume(String name, StoreId... stores) {
        return new Volume(new VolumeName(name), new Chunking.ByCount(3), 2, List.of(stores), 1, Mode.ROUNDS, false, 42);
    }

    /** Returns a volume whose clients may serve each other. */
    static Volume peersVolume(String name, StoreId... stores) {
        Volume plain = volume(name, stores);
        return new Volume(
                plain.name(),
                plain.chunking(),
                plain.replicas(),
                plain.stores(),
                plain.writeQuorum(),
                plain.mode(),
                plain.rotateReplicas(),
                plain.createdAtMillis(),
                plain.target(),
                true);
    }

    static Store bucket(String id) {
        return new Store(new StoreId(id), "domain-" + id, new Store.S3("bucket-" + id, "eu-west-1", "", false, ""));
    }
}
