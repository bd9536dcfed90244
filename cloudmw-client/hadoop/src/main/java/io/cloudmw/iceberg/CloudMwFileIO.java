package io.cloudmw.iceberg;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.client.nio.ClusterUri;
import io.cloudmw.connector.ClusterOptions;
import io.cloudmw.connector.SharedClient;
import io.cloudmw.connector.SharedClients;
import io.cloudmw.iceberg.file.FileLocation;
import io.cloudmw.iceberg.file.StoredFiles;
import io.cloudmw.iceberg.prefix.FileRemovals;
import io.cloudmw.iceberg.prefix.PrefixListing;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.iceberg.common.DynConstructors;
import org.apache.iceberg.io.BulkDeletionFailureException;
import org.apache.iceberg.io.DelegateFileIO;
import org.apache.iceberg.io.FileInfo;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.metrics.MetricsContext;
import org.apache.iceberg.util.SerializableMap;
import org.jspecify.annotations.Nullable;

/**
 * The file I/O of Iceberg over volumes: {@code cloudmw://host:port[,host:port]/volume/path}, or
 * {@code cloudmw:///volume/path}. Its properties are {@link IcebergSetting}s. Safe for any thread; calls block.
 *
 * <p>File I/Os with the same settings share one client for each cluster. A copy that was sent to another process, by
 * Java's serialisation or Kryo, connects there when it is used. A file appears, whole, when its stream is closed, and a
 * stream that reads stays on the version that it opened.
 */
public final class CloudMwFileIO implements DelegateFileIO {
    private static final long serialVersionUID = 1;

    private static final String HADOOP_METRICS = "org.apache.iceberg.hadoop.HadoopMetricsContext";

    private SerializableMap<String, String> properties = SerializableMap.copyOf(Map.of());

    private transient @Nullable Open open;
    private transient boolean closed;

    /** A file I/O with the default settings, until {@link #initialize} is called. */
    public CloudMwFileIO() {
        // for Iceberg, which calls it by reflection
    }

    /** The clients that this file I/O uses in this process. */
    private static final class Open {
        private final FileIOConfig config;
        private final MetricsContext metrics;

        @GuardedBy("this")
        private final Map<ClusterOptions, SharedClient> clients = new HashMap<>();

        private Open(Map<String, String> properties) {
            this.config = FileIOConfig.read(properties);
            this.metrics = metrics(properties);
        }

        private synchronized SharedClient client(ClusterUri clusterUri) {
            return clients.computeIfAbsent(config.of(clusterUri), SharedClients.ofProcess()::take);
        }

        private synchronized void close() {
            clients.values().forEach(SharedClient::close);
            clients.clear();
        }
    }

    /** The statistics of Hadoop, which engines read, where there is Hadoop. */
    private static MetricsContext metrics(Map<String, String> properties) {
        try {
            MetricsContext metrics = DynConstructors.builder(MetricsContext.class)
                    .loader(CloudMwFileIO.class.getClassLoader())
                    .hiddenImpl(HADOOP_METRICS, String.class)
                    .<MetricsContext>buildChecked()
                    .newInstance(ClusterUri.SCHEME);
            metrics.initialize(properties);
            return metrics;
        } catch (NoClassDefFoundError | NoSuchMethodException e) {
            return MetricsContext.nullMetrics();
        }
    }

    /**
     * Takes the settings. Nothing is sent.
     *
     * @param settings those that begin with {@value IcebergSetting#PREFIX} count here; others may be there, too
     * @throws IllegalArgumentException when a key is unknown or a value is wrong
     */
    @Override
    public synchronized void initialize(Map<String, String> settings) {
        SerializableMap<String, String> copy = SerializableMap.copyOf(settings);
        Open made = new Open(copy);
        endUse();
        properties = copy;
        open = made;
    }

    private synchronized Open open() {
        if (closed) {
            throw new IllegalStateException("the file I/O is closed (expected: no use after close())");
        }
        Open made = open == null ? new Open(properties) : open;
        open = made;
        return made;
    }

    private synchronized void endUse() {
        Open ending = open;
        open = null;
        if (ending != null) {
            ending.close();
        }
    }

    @Override
    public synchronized Map<String, String> properties() {
        return properties.immutableMap();
    }

    private StoredFiles files(FileLocation location) {
        Open using = open();
        return new StoredFiles(
                using.client(location.clusterUri()), using.config.ranges(), using.config.writes(), using.metrics);
    }

    @Override
    public InputFile newInputFile(String location) {
        FileLocation parsed = FileLocation.parse(location);
        return files(parsed).input(location, parsed, OptionalLong.empty());
    }

    @Override
    public InputFile newInputFile(String location, long length) {
        FileLocation parsed = FileLocation.parse(location);
        return files(parsed).input(location, parsed, OptionalLong.of(length));
    }

    @Override
    public OutputFile newOutputFile(String location) {
        FileLocation parsed = FileLocation.parse(location);
        return files(parsed).output(location, parsed);
    }

    private FileRemovals removals() {
        Open using = open();
        return new FileRemovals(location -> using.client(location.clusterUri()), using.config.deleteParallel());
    }

    /** Removes a file; a file that does not exist is no failure. */
    @Override
    public void deleteFile(String location) {
        removals().remove(location);
    }

    /**
     * Removes files, several at once; files that do not exist are no failure.
     *
     * @throws BulkDeletionFailureException when files could not be removed; it has the first reasons as suppressed
     *     exceptions
     */
    @Override
    public void deleteFiles(Iterable<String> locations) {
        removals().removeAll(locations);
    }

    /**
     * Lists the files in a directory, at any depth, page by page while they are iterated over.
     *
     * @param prefix the location of the directory, or of a file; it is no beginning of a name
     */
    @Override
    public Iterable<FileInfo> listPrefix(String prefix) {
        FileLocation parsed = FileLocation.parse(prefix);
        return new PrefixListing(open().client(parsed.clusterUri()), parsed, PrefixListing.LARGEST_PAGE);
    }

    /**
     * Removes all files in a directory, at any depth, and its directories.
     *
     * @param prefix the location of the directory, or of a file; it is no beginning of a name
     */
    @Override
    public void deletePrefix(String prefix) {
        removals().removePrefix(prefix);
    }

    /**
     * Ends the use of the clients. Open streams fail, unless another file I/O with the same settings is open.
     * Idempotent.
     */
    @Override
    public synchronized void close() {
        closed = true;
        endUse();
    }
}
