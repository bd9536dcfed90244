package io.cloudmw.iceberg.prefix;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.tree.RemotePath;
import io.cloudmw.client.tree.TreeOptions;
import io.cloudmw.client.tree.TreeRemoval;
import io.cloudmw.client.tree.TreeReport;
import io.cloudmw.connector.CallResults;
import io.cloudmw.connector.SharedClient;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.iceberg.file.FileLocation;
import io.cloudmw.iceberg.file.IcebergErrors;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import org.apache.iceberg.exceptions.RuntimeIOException;
import org.apache.iceberg.exceptions.ValidationException;
import org.apache.iceberg.io.BulkDeletionFailureException;

/**
 * Removals of files: one, many, or all in a directory. A file that does not exist is no failure. The directories that
 * become empty go with their last file, unless they were made to stay.
 */
public final class FileRemovals {
    /** The failures that an exception keeps; more are only counted. */
    private static final int KEPT_FAILURES = 10;

    private final Function<FileLocation, SharedClient> clients;
    private final int parallel;

    /**
     * @param clients the client for a location
     * @param parallel removals under way at once, 1 to 64
     */
    public FileRemovals(Function<FileLocation, SharedClient> clients, int parallel) {
        this.clients = clients;
        this.parallel = parallel;
    }

    /** Removes a file. */
    public void remove(String location) {
        FileLocation parsed = FileLocation.parse(location);
        FilePath file = parsed.file();
        try {
            var unused = CallResults.find(clients.apply(parsed).files().remove(file));
        } catch (IOException e) {
            throw IcebergErrors.unchecked(location, e);
        }
    }

    /**
     * Removes files, several at once. A failure of one file does not stop the others.
     *
     * @throws BulkDeletionFailureException when files could not be removed; it has the first {@value #KEPT_FAILURES}
     *     reasons as suppressed exceptions
     */
    public void removeAll(Iterable<String> locations) {
        Batch batch = new Batch();
        try {
            for (String location : locations) {
                batch.submit(location);
            }
            batch.settle();
        } catch (InterruptedException e) {
            batch.cancel();
            Thread.currentThread().interrupt();
            InterruptedIOException interrupted = new InterruptedIOException("bulk delete: interrupted");
            interrupted.initCause(e);
            throw new RuntimeIOException(interrupted);
        }
        batch.throwFailures();
    }

    /** The removals of one call. */
    private final class Batch {
        private final Semaphore room = new Semaphore(parallel);
        private final Map<Long, CompletableFuture<?>> underWay = new ConcurrentHashMap<>();
        private final List<Throwable> kept = new ArrayList<>();
        private long submitted;
        private int failed;

        private void submit(String location) throws InterruptedException {
            room.acquire();
            CompletableFuture<?> removal = start(location);
            long number = submitted++;
            underWay.put(number, removal);
            var unused = removal.whenComplete((version, failure) -> {
                underWay.remove(number);
                if (failure != null) {
                    failed(location, Reasons.unwrapped(failure));
                }
                room.release();
            });
        }

        private CompletableFuture<?> start(String location) {
            try {
                FileLocation parsed = FileLocation.parse(location);
                return clients.apply(parsed).files().remove(parsed.file());
            } catch (ValidationException e) {
                return CompletableFuture.failedFuture(e);
            }
        }

        private void failed(String location, Throwable why) {
            if (why instanceof CloudMwException known && known.code() == ErrorCode.NOT_FOUND) {
                return;
            }
            synchronized (this) {
                failed++;
                if (kept.size() < KEPT_FAILURES) {
                    kept.add(why instanceof IOException known ? IcebergErrors.unchecked(location, known) : why);
                }
            }
        }

        private void settle() throws InterruptedException {
            room.acquire(parallel);
        }

        private void cancel() {
            underWay.values().forEach(each -> each.cancel(true));
        }

        private synchronized void throwFailures() {
            if (failed > 0) {
                BulkDeletionFailureException exception = new BulkDeletionFailureException(failed);
                kept.forEach(exception::addSuppressed);
                throw exception;
            }
        }
    }

    /**
     * Removes all files in a directory, at any depth, and its directories; or a file. The removal is not atomic.
     *
     * @param prefix the location of the directory; it is no beginning of a name
     */
    public void removePrefix(String prefix) {
        FileLocation parsed = FileLocation.parse(prefix);
        CloudMw client = clients.apply(parsed).client();
        TreeOptions options = TreeOptions.ofRemoval(parallel);
        try {
            RemotePath directory = new RemotePath(parsed.volume(), Optional.empty(), parsed.path());
            TreeReport report = new TreeRemoval(client, directory, options).run();
            if (report.failed() > 0) {
                TreeReport.Failure first = report.failures().get(0);
                throw new RuntimeIOException(
                        first.why(),
                        "%s: %d files could not be removed, %s first: %s",
                        prefix,
                        report.failed(),
                        first.file(),
                        first.why().getMessage());
            }
        } catch (IllegalArgumentException e) {
            throw new ValidationException(e, "location: %s: %s", prefix, e.getMessage());
        } catch (CloudMwException e) {
            if (e.code() != ErrorCode.NOT_FOUND) {
                throw IcebergErrors.unchecked(prefix, e);
            }
        }
    }
}
