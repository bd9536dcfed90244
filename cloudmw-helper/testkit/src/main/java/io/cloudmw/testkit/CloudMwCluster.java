package io.cloudmw.testkit;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.client.CloudMw;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.volume.Volume;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * A cluster for tests: a coordinator and helpers {@code helper-1}, {@code helper-2}… with one disk each,
 * {@code disk-1}, {@code disk-2}…, in the JVM of the test. It listens on free ports of loopback, has a random secret,
 * and keeps everything in a temporary directory, which is deleted at the end.
 *
 * <pre>{@code
 * @RegisterExtension
 * static CloudMwCluster cluster = CloudMwCluster.builder().helpers(3).volume("data").build();
 * }</pre>
 *
 * <p>With JUnit, a static field is one cluster for all tests of the class and of its nested classes. An instance field
 * is a cluster of its own for each test; in classes with {@code Lifecycle.PER_CLASS} it is one for all. Methods of
 * tests may have parameters of the types {@link CloudMwCluster} and {@link CloudMw}. Without JUnit's extensions, call
 * {@link #start} and {@link #close}.
 *
 * <p>Any number of clusters run side by side. Each helper needs 64 MiB of direct memory. Safe for any thread.
 */
public final class CloudMwCluster
        implements BeforeAllCallback,
                BeforeEachCallback,
                AfterEachCallback,
                AfterAllCallback,
                ParameterResolver,
                AutoCloseable {
    private final ClusterLayout layout;

    @GuardedBy("this")
    private @Nullable RunningCluster running;

    /** The ids of JUnit's scopes that the cluster has entered, an outer class before its nested ones. */
    @GuardedBy("this")
    private final Set<String> scopes = new HashSet<>();

    private CloudMwCluster(ClusterLayout layout) {
        this.layout = layout;
    }

    /** Returns a builder of a cluster with three helpers. */
    public static Builder builder() {
        return new Builder();
    }

    /** A builder of clusters. Confined to one thread. */
    public static final class Builder {
        private static final int MOST_HELPERS = 16;

        private int helpers = 3;
        private final List<String> volumes = new ArrayList<>();
        private final Map<String, String> coordinator = new HashMap<>();
        private final Map<String, String> everyHelper = new HashMap<>();
        private final Map<Integer, Map<String, String>> ofHelper = new LinkedHashMap<>();

        private Builder() {}

        /** Sets the number of helpers, 1 to 16. */
        @CanIgnoreReturnValue
        public Builder helpers(int number) {
            if (number < 1 || number > MOST_HELPERS) {
                throw new IllegalArgumentException("helpers: " + number + " (expected: 1.." + MOST_HELPERS + ")");
            }
            helpers = number;
            return this;
        }

        /** Adds a volume, made at the start as {@link CloudMwCluster#volume(String)} does. */
        @CanIgnoreReturnValue
        public Builder volume(String name) {
            volumes.add(new VolumeName(name).value());
            return this;
        }

        /** Sets a setting of the coordinator; {@code docs/configuration.md} lists them. */
        @CanIgnoreReturnValue
        public Builder coordinatorSetting(String key, String value) {
            coordinator.put(key, value);
            return this;
        }

        /** Sets a setting of all helpers; {@code docs/configuration.md} lists them. */
        @CanIgnoreReturnValue
        public Builder helperSetting(String key, String value) {
            everyHelper.put(key, value);
            return this;
        }

        /** Sets a setting of one helper, counted from 1. */
        @CanIgnoreReturnValue
        public Builder helperSetting(int helper, String key, String value) {
            ofHelper.computeIfAbsent(helper, number -> new HashMap<>()).put(key, value);
            return this;
        }

        /**
         * Builds the cluster, which is not started yet.
         *
         * @throws IllegalArgumentException when a setting is for a helper that does not exist
         */
        public CloudMwCluster build() {
            for (int helper : ofHelper.keySet()) {
                requireHelper(helper, helpers);
            }
            return new CloudMwCluster(new ClusterLayout(helpers, volumes, coordinator, everyHelper, ofHelper));
        }
    }

    private static void requireHelper(int number, int helpers) {
        if (number < 1 || number > helpers) {
            throw new IllegalArgumentException("helper: " + number + " (expected: 1.." + helpers + ")");
        }
    }

    /**
     * Starts the cluster. All helpers are registered and the volumes exist when this returns. A closed cluster may be
     * started again: it is empty then.
     *
     * @return this
     * @throws IllegalStateException when it is started already, or the direct memory is too small for the helpers
     * @throws CloudMwException when a part cannot be opened, {@code INVALID_ARGUMENT} for an unknown setting or a bad
     *     value. Nothing is left running then
     */
    @CanIgnoreReturnValue
    public synchronized CloudMwCluster start() throws CloudMwException {
        if (running != null) {
            throw new IllegalStateException("cluster: it is started already");
        }
        running = RunningCluster.start(layout);
        return this;
    }

    /**
     * Closes the client and the file systems of this cluster, stops all servers and deletes the directory. Idempotent.
     *
     * @throws CloudMwException {@code LOCAL_IO} when the directory cannot be deleted; the servers are stopped then
     */
    @Override
    public synchronized void close() throws CloudMwException {
        RunningCluster ending = running;
        running = null;
        if (ending != null) {
            try {
                ending.close();
            } catch (IOException e) {
                throw new CloudMwException(ErrorCode.LOCAL_IO, "cluster: cannot be deleted: " + Reasons.of(e), e);
            }
        }
    }

    /** Returns whether the cluster is between its start and its close. */
    public synchronized boolean isStarted() {
        return running != null;
    }

    private synchronized RunningCluster running() {
        if (running == null) {
            throw new IllegalStateException("cluster: it is not started (expected: start(), or @RegisterExtension on a"
                    + " field of the test class)");
        }
        return running;
    }

    /** Returns the address of the coordinator, {@code 127.0.0.1:port}, for {@link CloudMw#connect(String)}. */
    public String coordinatorAddress() {
        return coordinator().address();
    }

    /** Returns a client of the cluster, the same at each call. The cluster closes it. */
    public CloudMw client() {
        return running().client();
    }

    /** Returns the coordinator, to stop and to start it. */
    public ClusterCoordinator coordinator() {
        return running().coordinator();
    }

    /** Returns a helper, to kill and to start it; helpers count from 1. */
    public ClusterHelper helper(int number) {
        requireHelper(number, layout.helpers());
        return running().helper(number);
    }

    /** Returns the disk of a helper, for its faults; helpers count from 1. */
    public ClusterStore store(int number) {
        return helper(number).store();
    }

    /** Returns all helpers. */
    public List<ClusterHelper> helpers() {
        return running().helpers();
    }

    /**
     * Returns a volume and makes it when it does not exist. It keeps two replicas of each chunk (one where there is one
     * helper), in disks of all helpers, both durable before a write ends. Chunks have 1 MiB, so that small files have
     * several. {@code client().volumes().create} makes other ones.
     */
    public VolumeName volume(String name) {
        return running().volume(new VolumeName(name));
    }

    /** Makes a volume of the given settings; its stores are {@code disk-1}, {@code disk-2}…. */
    @CanIgnoreReturnValue
    public Volume volume(Volume settings) {
        return running().create(settings);
    }

    /**
     * Returns the URI of a file for {@code java.nio.file}, {@code cloudmw://127.0.0.1:port/volume/path}. The volume is
     * made when it does not exist.
     *
     * @param path absolute in the volume, such as {@code /reports/2026.parquet}
     */
    public URI uri(String volume, String path) {
        if (!path.startsWith("/")) {
            throw new IllegalArgumentException("path: " + path + " (expected: it starts with /)");
        }
        return running().uriInVolume(new VolumeName(volume), path);
    }

    /** Returns the path of a file for {@code java.nio.file.Files}; the cluster closes its file system. */
    public Path path(String volume, String path) {
        return Path.of(uri(volume, path));
    }

    // ---- JUnit

    @Override
    public void beforeAll(ExtensionContext context) throws CloudMwException {
        enter(context);
    }

    @Override
    public void beforeEach(ExtensionContext context) throws CloudMwException {
        enter(context);
    }

    @Override
    public void afterEach(ExtensionContext context) throws CloudMwException {
        leave(context);
    }

    @Override
    public void afterAll(ExtensionContext context) throws CloudMwException {
        leave(context);
    }

    /** Enters a scope of JUnit; the outermost one starts the cluster. */
    private synchronized void enter(ExtensionContext scope) throws CloudMwException {
        boolean outermost = scopes.isEmpty();
        scopes.add(scope.getUniqueId());
        if (outermost) {
            start();
        }
    }

    /** Leaves a scope. JUnit also leaves scopes that another extension kept it from entering. */
    private synchronized void leave(ExtensionContext scope) throws CloudMwException {
        if (scopes.remove(scope.getUniqueId()) && scopes.isEmpty()) {
            close();
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == CloudMwCluster.class || type == CloudMw.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == CloudMw.class ? client() : this;
    }
}
