package io.cloudmw.client.tree;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.client.rpc.FileEntry;
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
 * Does something with each file of a directory, several at once. A file with which it cannot be done stops no other; that the
 * caller is cancelled, or the coordinator or the volume is gone, stops all. Memory does not depend on how many files there
 * are. One run for each instance, by one thread.
 */
public abstract class TreeTask {
    private static final int MAX_THREADS = 8;
    /** For what is under way to be over when a run is stopped; twice, for the files and for their transfers. */
    private static final long END_SECONDS = 5;

    private final CloudMw client;
    private final RemotePath there;
    private final TreeOptions options;
    private final TreeCounters ledger;
    private final Semaphore room;
    private final PendingCalls underWay = new PendingCalls();
    /** Looks at files and changes them, and tells the listener; at most one task for each file under way. */
    private final ExecutorService files;
    /** A failure that concerns all. */
    private volatile @Nullable CloudMwException stopped;

    /**
     * Begins nothing yet.
     *
     * @param there the directory of a volume
     */
    TreeTask(CloudMw client, RemotePath there, TreeOptions options) {
        this.client = client;
        this.there = there;
        this.options = options;
        files = Threads.unbounded("client-tree", Math.min(options.parallel(), MAX_THREADS));
        ledger = new TreeCounters(options.listener());
        room = new Semaphore(options.parallel());
    }

    /**
     * Does it; blocks until every file is done. When it is stopped, because this thread is interrupted, the client closed or the
     * coordinator gone, it cancels what is under way and returns when that is over: no file changes afterwards, unless a file
     * system or a listener hangs for longer than some seconds.
     *
     * @throws CloudMwException when nothing could be begun, it was cancelled, or the coordinator or the volume is gone; what
     *     became of single files is in the report
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
        return ledger.report();
    }

    /** Nothing is left to end where all was done. */
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
            // What hangs does so on daemon threads.
        } finally {
            files.shutdown();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Submits what is to be done with each file; its end is waited for. */
    abstract void work() throws IOException, InterruptedException;

    /** The directory of the volume. */
    final RemotePath there() {
        return there;
    }

    /** For what may block. */
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

    final TreeCounters ledger() {
        return ledger;
    }

    // ---- one directory

    /** Goes through one directory. */
    @FunctionalInterface
    interface Walk {
        void run() throws IOException, InterruptedException;
    }

    /** That a directory cannot be read is a failure of its own: what is in it stays as it is, and the others have their turn. */
    final void attempt(Object directory, Walk walk) throws CloudMwException, InterruptedException {
        try {
            walk.run();
        } catch (DirectoryIteratorException e) {
            failed(shown(directory), local(directory, "read", Objects.requireNonNull(e.getCause())));
        } catch (IOException e) {
            goOn(); // what stops all was thrown by what is below
            failed(shown(directory), e instanceof CloudMwException ? e : local(directory, "read", e));
            goOn();
        }
    }

    /** What is done with an entry of a directory of a volume. */
    @FunctionalInterface
    interface EntryStep {
        void take(FileEntry entry) throws CloudMwException, InterruptedException;
    }

    /** Goes through a directory of the volume, page by page. */
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

    /** Works at a file when there is room; a failure is its own. */
    final void submit(String file, Supplier<CompletableFuture<?>> work) throws CloudMwException, InterruptedException {
        goOn();
        room.acquire();
        CompletableFuture<?> done;
        try {
            goOn();
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

    /** Waits for all that was submitted. */
    final void settle() throws CloudMwException, InterruptedException {
        room.acquire(options.parallel());
        room.release(options.parallel());
        goOn();
    }

    /** Not once something has stopped it all. */
    private void goOn() throws CloudMwException {
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
            ledger.failed(file, why);
        }
    }

    /** Whether what concerns one file is a failure, or what was wanted all the same. */
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

    /** A check of a name does not know whose name it is. */
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

    /** Removes a file of the volume, unless that is only to be talked about. */
    final CompletableFuture<?> remove(RemotePath file) {
        ledger.deletes(file.toString());
        CompletableFuture<?> removed =
                options.dryRun() ? CompletableFuture.completedFuture(null) : call(client.remove(file.file()));
        return removed.thenRun(ledger::deleted);
    }
}
