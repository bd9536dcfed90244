package io.cloudmw.hadoop;

import io.cloudmw.client.CloudMw;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.helper.standalone.StandaloneCluster;
import io.cloudmw.helper.standalone.StandaloneConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A cluster in the JVM of the tests, with the volumes {@code contract} and {@code files}. One serves all tests. */
public final class HadoopCluster {
    private final StandaloneCluster cluster;

    private HadoopCluster(StandaloneCluster cluster) {
        this.cluster = cluster;
    }

    private static final class Shared {
        private static final HadoopCluster CLUSTER = start();
    }

    /** The cluster, which is stopped with the JVM. */
    public static HadoopCluster shared() {
        return Shared.CLUSTER;
    }

    private static HadoopCluster start() {
        try {
            Path directory = Files.createTempDirectory("cloudmw-hadoop");
            StandaloneCluster cluster = StandaloneCluster.start(new StandaloneConfig(
                    new HostPort("127.0.0.1", 0), directory.resolve("cluster"), directory.resolve("secret"), 2));
            List<StoreId> disks = List.of(new StoreId("disk-1"), new StoreId("disk-2"));
            try (CloudMw client = CloudMw.connect(cluster.coordinator().toString())) {
                for (String name : List.of("contract", "files")) {
                    client.volumes()
                            .create(new Volume(
                                    new VolumeName(name),
                                    new Chunking.BySize(1 << 20),
                                    1,
                                    disks,
                                    1,
                                    Mode.DEFAULT,
                                    false,
                                    0))
                            .join();
                }
            }
            return new HadoopCluster(cluster);
        } catch (CloudMwException e) {
            throw new IllegalStateException(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The address of the coordinator. */
    public String coordinator() {
        return cluster.coordinator().toString();
    }
}
