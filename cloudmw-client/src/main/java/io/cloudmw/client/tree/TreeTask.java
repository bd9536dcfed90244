package io.cloudmw.client.tree;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.file.FileEntry;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.thread.Threads;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A run that acts on each file of a directory, several at once. A failure of one file does not stop the others. A
 * cancellation, or the loss of the coordinator or the volume, stops all. Memory does not depend on the number of files.
 * An instance runs once, on one thread.
 */
public abstract class TreeTask {
    private static final int MAX_THREADS = 8;
    /** The time for pending work to end when a run is stopped; applied twice, to the files and to their transfers. */
    private static final long END_SECONDS = 5;

    private final CloudMw client;
    private final RemotePath there;
    private final TreeOptions options;
    private final TreeCounters counters;
    private final Semaphore room;
    private final PendingCalls underWay = new PendingCalls();
    /** Reads and changes files and calls the listener; at most one task per file in flight. */
    private final ExecutorService files;
    /** A failure that stops all files. */
    private volatile @Nullable CloudMwException stopped;

    /** @param there the directory of a volume */
    TreeTask(CloudMw client, RemotePath there, TreeOptions options) {
        this.client = client;
        this.there = there;
        this.options = options;
        files = Threads.unbounded("client-tree", Math.min(options.parallel(), MAX_THREADS));
        counters = new TreeCounters(options.listener());
        room = new Semaphore(options.parallel());
    }

    /**
     * Runs, and blocks until every file is done. The run stops when this thread is interrupted, the client is closed or
     * the coordinator is lost. It then cancels what is pending and returns when that has ended. No file changes
     * afterwards, unless a file system or a listener hangs for longer than some seconds.
     *
     * @throws CloudMwException when the run could not begin, was cancelled, or lost the coordinator or the volume;
     *     failures of single files are in the report
     */
    public final TreeReport run() throws CloudMwException {
        try {
            work();
            settle();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CloudMwException(ErrorCode.CANCELLED, "interrupted", e);
        } catch (IOException e) {
            throw e instanceof CloudMwException known ? known : local("the directory", "read", e);
        } finally {
            end();
        }
        return counters.report();
    }

    /** After a complete run nothing is left to end. */
    private void end() {
        underWay.cancel();
        boolean interrupted = Thread.interrupted();
        try {
            if (room.tryAcquire(options.parallel(), END_SECONDS, TimeUnit.SECONDS)) {
                underWay.over().get(END_SECONDS, TimeUnit.SECONDS);
            }
        } catch (InterruptedException e) {
            interrupted = true;
        } catch (ExecutionException | TimeoutException e) {
            // Work that hangs does so on daemon threads.
        } finally {
            files.shutdown();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Submits the work for each file; {@link #run} waits for its end. */
    abstract void work() throws IOException, InterruptedException;

    /** The directory of the volume. */
    final RemotePath there() {
        return there;
    }

    /** Runs work that may block. */
    final Executor files() {
        return files;
    }

    final CloudMw client() {
        return client;
    }

    /** A call of the client that is cancelled when the run is stopped. */
    final <T> CompletableFuture<T> call(CompletableFuture<T> call) {
        return underWay.add(call);
    }

    final TreeOptions options() {
        return options;
    }

    final TreeCounters counters() {
        return counters;
    }

    // ---- one directory

    /** A walk through one directory. */
    @FunctionalInterface
    interface Walk {
        void run() throws IOException, InterruptedException;
    }

    /**
     * Walks a directory. A directory that cannot be read is one failure: its content stays as it is, and the run
     * continues.
     */
    final void attempt(Object directory, Walk walk) throws CloudMwException, InterruptedException {
        try {
            walk.run();
        } catch (DirectoryIteratorException e) {
            failed(shown(directory), local(directory, "read", Objects.requireNonNull(e.getCause())));
        } catch (IOException e) {
            checkNotStopped(); // a failure below that stops all was thrown already
            failed(shown(directory), e instanceof CloudMwException ? e : local(directory, "read", e));
            checkNotStopped();
        }
    }

    /** An action for an entry of a volume's directory. */
    @FunctionalInterface
    interface EntryStep {
        void take(FileEntry entry) throws CloudMwException, InterruptedException;
    }

    /** Walks a directory of the volume, page by page. */
    final void walk(RemotePath directory, EntryStep step) throws CloudMwException, InterruptedException {
        attempt(directory, () -> {
            String token = "";
            do {
                Page<FileEntry> page = Calls.await(directory.list(client, token));
                for (FileEntry entry : page.items()) {
                    step.take(entry);
                }
                token = page.nextToken();
            } while (!token.isEmpty());
        });
    }

    // ---- one file

    /** Submits the work for a file once a slot is free; a failure concerns that file only. */
    final void submit(String file, Supplier<CompletableFuture<?>> work) throws CloudMwException, InterruptedException {
        checkNotStopped();
        room.acquire();
        CompletableFuture<?> done;
        try {
            checkNotStopped();
            done = work.get();
        } catch (CloudMwException | RuntimeException e) {
            done = CompletableFuture.failedFuture(e);
        }
        var unused = done.whenCompleteAsync(
                (nothing, failure) -> {
                    try {
                        if (failure != null) {
                            failed(file, failure);
                        }
                    } finally {
                        room.release();
                    }
                },
                files);
    }

    /** Waits for all submitted work. */
    final void settle() throws CloudMwException, InterruptedException {
        room.acquire(options.parallel());
        room.release(options.parallel());
        checkNotStopped();
    }

    /** Throws the failure that stopped the run, if there is one. */
    private void checkNotStopped() throws CloudMwException {
        CloudMwException why = stopped;
        if (why != null) {
            throw why;
        }
    }

    final void failed(String file, Throwable failure) {
        CloudMwException why = known(file, failure);
        if (concernsAll(why.code())) {
            stop(why);
        } else if (isFailure(why)) {
            counters.failed(file, why);
        }
    }

    /**
     * Returns whether an error of one file counts as a failure; false when the file is in the wanted state all the
     * same.
     */
    boolean isFailure(CloudMwException why) {
        return true;
    }

    private static boolean concernsAll(ErrorCode code) {
        return switch (code) {
            case CANCELLED, COORDINATOR_UNAVAILABLE, VOLUME_NOT_FOUND -> true;
            default -> false;
        };
    }

    private synchronized void stop(CloudMwException why) {
        if (stopped == null) {
            stopped = why;
            underWay.cancel();
        }
    }

    /** Names the file in failures of checks that do not know it. */
    private static CloudMwException known(String file, Throwable failure) {
        return Reasons.unwrapped(failure) instanceof IllegalArgumentException wrong
                ? new CloudMwException(ErrorCode.INVALID_ARGUMENT, file + ": " + wrong.getMessage(), wrong)
                : known(failure);
    }

    static CloudMwException known(Throwable failure) {
        Throwable cause = Reasons.unwrapped(failure);
        if (cause instanceof CloudMwException known) {
            return known;
        }
        if (cause instanceof IllegalArgumentException) {
            return new CloudMwException(ErrorCode.INVALID_ARGUMENT, String.valueOf(cause.getMessage()), cause);
        }
        boolean cancelled = cause instanceof CancellationException;
        return new CloudMwException(
                cancelled ? ErrorCode.CANCELLED : ErrorCode.INTERNAL, "unexpected: " + cause, cause);
    }

    static CloudMwException local(Object file, String what, IOException e) {
        return new CloudMwException(ErrorCode.LOCAL_IO, shown(file) + ": cannot " + what + " it: " + Reasons.of(e), e);
    }

    private static String shown(Object file) {
        return file instanceof Path path ? NameStyle.shown(path) : file.toString();
    }

    /** Removes a directory of the volume if it is still there and empty. Files that stayed in it were reported. */
    final void removeIfEmpty(RemotePath directory) throws CloudMwException {
        try {
            Void unused = Calls.await(call(client.files().removeDirectory(directory.file())));
        } catch (CloudMwException e) {
            if (e.code() != ErrorCode.NOT_EMPTY && e.code() != ErrorCode.NOT_FOUND) {
                failed(directory.toString(), e);
                checkNotStopped();
            }
        }
    }

    /** Removes a file of the volume, unless this is a dry run. */
    final CompletableFuture<?> remove(RemotePath file) {
        counters.deletes(file.toString());
        CompletableFuture<?> removed = options.dryRun()
                ? CompletableFuture.completedFuture(null)
                : call(client.files().remove(file.file()));
        return removed.thenRun(counters::deleted);
    }
}
