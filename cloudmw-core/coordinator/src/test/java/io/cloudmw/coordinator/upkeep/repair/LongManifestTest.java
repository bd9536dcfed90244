package io.cloudmw.coordinator.upkeep.repair;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.sqlite.SqliteCatalog;
import io.cloudmw.coordinator.read.FileReads;
import io.cloudmw.coordinator.read.ReadPlanSegment;
import io.cloudmw.coordinator.testing.TestCluster;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.Rename;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.placement.ReadPlan;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Test of a file of 1 TiB in 131,072 chunks and 1024 segments, written and opened through a catalog. */
final class LongManifestTest {
    private static final long TIB = 1L << 40;

    @TempDir
    private Path directory;

    @Test
    void terabyteFileIsCommittedOpenedAndReadInOneRangeWithOneSegment() throws Exception {
        AtomicInteger segments = new AtomicInteger();
        try (Catalog catalog = SqliteCatalog.open(directory.resolve("catalog.db"))) {
            TestCluster cluster = new TestCluster(counting(catalog, segments)).withVolume(2);
            VolumeName name = new VolumeName("large");
            cluster.coordinator
                    .administration()
                    .createVolume(
                            new Volume(
                                    name,
                                    new Chunking.BySize(8 << 20),
                                    1,
                                    List.of(new StoreId("d1")),
                                    1,
                                    Mode.ROUNDS,
                                    false,
                                    0),
                            Optional.empty());
            FilePath file = new FilePath(name, "/terabyte");
            FileVersion version = cluster.put(file, TIB);
            assertThat(version.chunkCount()).isEqualTo(131_072);
            assertThat(version.segmentCount()).isEqualTo(1024);
            assertThat(segments.getAndSet(0))
                    .as("each is checked once before the commit")
                    .isEqualTo(1024);

            FileReads reads = cluster.coordinator.reads();
            ReadPlan plan = reads.plan(file, Optional.empty(), Optional.empty());
            assertThat(segments).as("opening it").hasValue(0);
            List<HelperId> helpers =
                    plan.helpers().stream().map(HelperAddress::id).toList();
            ReadPlanSegment middle = reads.segment(file, version.id(), 512, helpers, false);
            assertThat(segments).as("reading in the middle").hasValue(1);
            assertThat(middle.chunks()).hasSize(128);
            assertThat(middle.chunks().get(0).chunk().range().offset()).isEqualTo(TIB / 2);
            assertThat(cluster.coordinator.names().stat(file).file().version()).isEqualTo(version);
            cluster.coordinator
                    .names()
                    .rename(new Rename(file, new FilePath(name, "/renamed"), false), Optional.empty());
            cluster.coordinator.names().list(name, "/", "", 0);
            assertThat(segments).as("what is no read").hasValue(1);
        }
    }

    /** Returns the same catalog; counts the segments read. */
    private static Catalog counting(Catalog catalog, AtomicInteger segments) {
        return (Catalog) Proxy.newProxyInstance(
                Catalog.class.getClassLoader(), new Class<?>[] {Catalog.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("segment")) {
                        segments.incrementAndGet();
                    }
                    try {
                        return method.invoke(catalog, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
