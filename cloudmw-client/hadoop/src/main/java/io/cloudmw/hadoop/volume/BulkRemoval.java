package io.cloudmw.hadoop.volume;

import io.cloudmw.client.CloudMw;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.fs.BulkDelete;
import org.apache.hadoop.fs.BulkDeleteUtils;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.statistics.IOStatistics;

/**
 * The removal of many files at once, each by a call of its own; the calls are under way together. Missing files are no
 * failure. An empty directory is removed, too; one with entries is a failure. A directory above another path of the call
 * stays. Safe for any thread; calls block.
 */
public final class BulkRemoval implements BulkDelete {
    /** The largest number of paths of one call. */
    public static final int PAGE = 250;

    private final CloudMw client;
    private final VolumeNames names;
    private final Path base;
    private final IOStatistics statistics;

    /**
     * @param client not closed with this
     * @param base qualified; all paths must be below it
     * @param statistics of the file system
     */
    public BulkRemoval(CloudMw client, VolumeNames names, Path base, IOStatistics statistics) {
        this.client = client;
        this.names = names;
        this.base = base;
        this.statistics = statistics;
    }

    @Override
    public int pageSize() {
        return PAGE;
    }

    @Override
    public Path basePath() {
        return base;
    }

    @Override
    public IOStatistics getIOStatistics() {
        return statistics;
    }

    @Override
    public List<Map.Entry<Path, String>> bulkDelete(Collection<Path> paths) throws IOException {
        BulkDeleteUtils.validateBulkDeletePaths(paths, PAGE, base);
        Map<Path, CompletableFuture<?>> files = new LinkedHashMap<>();
        for (Path path : paths) {
            files.put(path, client.files().remove(names.entry(path), true));
        }
        List<Map.Entry<Path, String>> failures = new ArrayList<>();
        List<Path> noFiles = settle(files, failures);
        Map<Path, CompletableFuture<?>> directories = new LinkedHashMap<>();
        for (Path path : noFiles) {
            if (paths.stream().noneMatch(other -> isBelow(other, path))) {
                directories.put(path, client.files().removeDirectory(names.entry(path)));
            }
        }
        List<Path> unused = settle(directories, failures);
        return failures;
    }

    private static boolean isBelow(Path path, Path directory) {
        return path.toUri().getPath().startsWith(directory.toUri().getPath() + "/");
    }

    /** Waits for removals; adds failures, and returns the paths where there was nothing to remove. */
    private static List<Path> settle(Map<Path, CompletableFuture<?>> calls, List<Map.Entry<Path, String>> failures)
            throws IOException {
        List<Path> missing = new ArrayList<>();
        for (Map.Entry<Path, CompletableFuture<?>> call : calls.entrySet()) {
            try {
                Object unused = HadoopErrors.await(call.getKey(), call.getValue());
            } catch (FileNotFoundException e) {
                missing.add(call.getKey());
            } catch (InterruptedIOException e) {
                calls.values().forEach(each -> each.cancel(true));
                throw e;
            } catch (IOException e) {
                failures.add(Map.entry(call.getKey(), e.toString()));
            }
        }
        return missing;
    }

    @Override
    public void close() {}
}
