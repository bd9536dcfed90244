package io.cloudmw.testkit;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.client.ClientSecurity;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.StartedClusters;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.helper.config.DirectMemory;
import io.cloudmw.helper.standalone.HostedHelper;
import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.ProviderNotFoundException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A cluster between its start and its end. Safe for any thread. */
final class RunningCluster implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RunningCluster.class);
    private static final String SCHEME = "cloudmw";
    private static final long CHUNK_BYTES = 1 << 20;
    private static final int REPLICAS = 2;

    private final Path directory;
    private final RelayLoop relays;
    private final ClusterCoordinator coordinator;
    private final List<ClusterHelper> helpers = new ArrayList<>();

    @GuardedBy("this")
    private final Set<VolumeName> volumes = new LinkedHashSet<>();

    @GuardedBy("this")
    private @Nullable CloudMw client;

    /** Clients in this JVM find out here that the cluster speaks plain text. */
    @GuardedBy("this")
    private StartedClusters.@Nullable Registration known;

    private RunningCluster(ClusterLayout layout, Path directory, RelayLoop relays) throws CloudMwException {
        this.directory = directory;
        this.relays = relays;
        this.coordinator = new ClusterCoordinator(layout, directory, relays);
        for (int i = 1; i <= layout.helpers(); i++) {
            helpers.add(new ClusterHelper(i, layout, directory, coordinator.reached(), relays));
        }
    }

    static RunningCluster start(ClusterLayout layout) throws CloudMwException {
        requireMemory(layout.helpers());
        Path directory;
        try {
            directory = Files.createTempDirectory("cloudmw-testkit-");
        } catch (IOException e) {
            throw new CloudMwException(ErrorCode.LOCAL_IO, "cluster: no temporary directory: " + Reasons.of(e), e);
        }
        RelayLoop relays = new RelayLoop();
        RunningCluster cluster = null;
        boolean started = false;
        try {
            cluster = new RunningCluster(layout, directory, relays);
            cluster.begin();
            for (String name : layout.volumes()) {
                var unused = cluster.volume(new VolumeName(name));
            }
            started = true;
            return cluster;
        } finally {
            if (!started) {
                abandon(cluster, relays, directory);
            }
        }
    }

    private synchronized void begin() throws CloudMwException {
        coordinator.start();
        known = StartedClusters.register(coordinator.address(), ClientSecurity.insecure());
        for (ClusterHelper helper : helpers) {
            helper.begin();
        }
        for (ClusterHelper helper : helpers) {
            helper.awaitRegistration();
        }
    }

    private static void requireMemory(int helpers) {
        long most = DirectMemory.limitBytes() / HostedHelper.DIRECT_MEMORY_BYTES;
        if (helpers > most) {
            throw new IllegalStateException("helpers: " + helpers + " (expected: <= " + most + ", as each needs "
                    + (HostedHelper.DIRECT_MEMORY_BYTES >> 20)
                    + " MiB of direct memory; -XX:MaxDirectMemorySize of the tests' JVM gives more)");
        }
    }

    /** Ends what was started before a failure, which is what the caller learns. */
    private static void abandon(@Nullable RunningCluster cluster, RelayLoop relays, Path directory) {
        try {
            if (cluster != null) {
                cluster.close();
            } else {
                relays.close();
                delete(directory);
            }
        } catch (IOException e) {
            LOG.warn("cluster: {} could not be deleted", directory, e);
        }
    }

    ClusterCoordinator coordinator() {
        return coordinator;
    }

    ClusterHelper helper(int number) {
        return helpers.get(number - 1);
    }

    List<ClusterHelper> helpers() {
        return List.copyOf(helpers);
    }

    synchronized CloudMw client() {
        CloudMw made = client;
        if (made == null) {
            made = CloudMw.connect(coordinator.address());
            client = made;
        }
        return made;
    }

    synchronized VolumeName volume(VolumeName name) {
        if (!exists(name)) {
            int replicas = Math.min(REPLICAS, helpers.size());
            create(new Volume(
                    name,
                    new Chunking.BySize(CHUNK_BYTES),
                    replicas,
                    helpers.stream().map(helper -> helper.store().id()).toList(),
                    replicas,
                    Mode.DEFAULT,
                    false,
                    0));
        }
        volumes.add(name);
        return name;
    }

    private boolean exists(VolumeName name) {
        try {
            Volume unused = client().volumes().get(name).join();
            return true;
        } catch (CompletionException e) {
            if (e.getCause() instanceof CloudMwException failure && failure.code() == ErrorCode.VOLUME_NOT_FOUND) {
                return false;
            }
            throw e;
        }
    }

    synchronized Volume create(Volume settings) {
        Volume made = client().volumes().create(settings).join();
        volumes.add(made.name());
        return made;
    }

    /** The URI of a file in a volume, which is made if it was not made here before. */
    synchronized URI uriInVolume(VolumeName name, String path) {
        return uri(volumes.contains(name) ? name : volume(name), path);
    }

    private URI uri(VolumeName volume, String path) {
        try {
            return new URI(SCHEME, coordinator.address(), "/" + volume + path, null, null);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("path: " + path + " (expected: a path within a volume)", e);
        }
    }

    /** Closes the file systems and the client first, the coordinator last, then deletes the directory. */
    @Override
    public void close() throws IOException {
        List<Closeable> steps = List.of(
                this::closeFileSystems,
                this::closeClient,
                this::forget,
                () -> helpers.forEach(ClusterHelper::stop),
                coordinator::stop,
                relays::close,
                () -> delete(directory));
        List<Exception> failures = new ArrayList<>();
        for (Closeable step : steps) {
            try {
                step.close();
            } catch (IOException | RuntimeException e) {
                failures.add(e);
            }
        }
        if (!failures.isEmpty()) {
            IOException failure = new IOException(Reasons.of(failures.get(0)), failures.get(0));
            failures.subList(1, failures.size()).forEach(failure::addSuppressed);
            throw failure;
        }
    }

    private synchronized void closeClient() {
        if (client != null) {
            client.close();
        }
    }

    private synchronized void forget() {
        if (known != null) {
            known.close();
        }
    }

    private synchronized void closeFileSystems() throws IOException {
        for (VolumeName volume : volumes) {
            try {
                FileSystems.getFileSystem(uri(volume, "/")).close();
            } catch (FileSystemNotFoundException | ProviderNotFoundException e) {
                // Nobody opened it, or the class path is not that of the JVM, where the JDK looks for providers.
            }
        }
    }

    private static void delete(Path directory) throws IOException {
        List<Path> found;
        try (Stream<Path> all = Files.walk(directory)) {
            found = all.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path each : found) {
            Files.deleteIfExists(each);
        }
    }
}
