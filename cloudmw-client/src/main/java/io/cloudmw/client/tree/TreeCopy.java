package io.cloudmw.client.tree;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.client.rpc.FileEntry;
import io.cloudmw.client.rpc.FileStatus;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.thread.Threads;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes one directory like another, file by file. What has the same size and time on both sides is taken to be the same,
 * or, if that is wished, what has the same digests. A file that cannot be copied stops no other; that the caller is
 * cancelled, or the coordinator or the volume is gone, stops all.
 *
 * <p>Symbolic links and what is no file are left alone, on both sides; directories without a file are not copied. One run
 * for each instance, by one thread.
 */
public abstract class TreeCopy {
    private static final int MAX_THREADS = 8;
    /** For what is under way to be over when a run is stopped; twice, for the files and for their transfers. */
    private static final long END_SECONDS = 5;

    private final CloudMw client;
    private final Path here;
    private final RemoteDirectory there;
    private final TreeOptions options;
    private final Ledger ledger;
    private final Semaphore room;
    private final UnderWay underWay = new UnderWay();
    /** Looks at files and changes them, and tells the listener; at most one task for each file under way. */
    private final ExecutorService files;
    /** A failure that concerns all. */
    private volatile @Nullable CloudMwException stopped;

    /**
     * Begins nothing yet.
     *
     * @param here the directory of this machine
     * @param there the one of a volume
     */
    TreeCopy(CloudMw client, Path here, RemoteDirectory there, TreeOptions options) {
        this.client = client;
        this.here = here;
        this.there = there;
        this.options = options;
        files = Threads.unbounded("client-tree", Math.min(options.parallel(), MAX_THREADS));
        ledger = new Ledger(options.listener());
        room = new Semaphore(options.parallel());
    }

    /**
     * Copies the files of a directory of this machine into one of a volume.
     *
     * @param to {@code /} or {@code /a/b}, which need not exist
     */
    public static TreeCopy upload(CloudMw client, Path from, VolumeName volume, String to, TreeOptions options) {
        return new TreeUpload(client, from, new RemoteDirectory(volume, to), options);
    }

    /**
     * Copies the files of a directory of a volume into one of this machine.
     *
     * @param from {@code /} or {@code /a/b}
     * @param to made if it does not exist
     */
    public static TreeCopy download(CloudMw client, VolumeName volume, String from, Path to, TreeOptions options) {
        return new TreeDownload(client, to, new RemoteDirectory(volume, from), options);
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
            check();
            copyAll();
            settle();
            if (options.delete() && !ledger.hasFailures()) {
                check(); // a source that has gone meanwhile is not an empty one
                deleteOthers();
                settle();
            }
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

    /** Whether there is something to copy from. */
    abstract void check() throws IOException;

    abstract void copyAll() throws IOException, InterruptedException;

    abstract void deleteOthers() throws IOException, InterruptedException;

    /** The directory of this machine. */
    final Path here() {
        return here;
    }

    /** The one of the volume. */
    final RemoteDirectory there() {
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

    final Ledger ledger() {
        return ledger;
    }

    /** Whether this is what a get that was interrupted left, or one under way has: never copied, never deleted. */
    static boolean isPartial(String name) {
        return name.startsWith(".cloudmw-") && name.endsWith(".part");
    }

    // ---- one directory

    /** Goes through one directory. */
    @FunctionalInterface
    private interface Walk {
        void run() throws IOException, InterruptedException;
    }

    /** That a directory cannot be read is a failure of its own: what is in it stays as it is, and the others have their turn. */
    private void attempt(Object directory, Walk walk) throws CloudMwException, InterruptedException {
        try {
            walk.run();
        } catch (DirectoryIteratorException e) {
            failed(directory.toString(), local(directory, "read", Objects.requireNonNull(e.getCause())));
        } catch (IOException e) {
            goOn(); // what stops all was thrown by what is below
            failed(directory.toString(), e instanceof CloudMwException ? e : local(directory, "read", e));
            goOn();
        }
    }

    /** What is done with an entry of a directory of a volume. */
    @FunctionalInterface
    interface EntryStep {
        void take(FileEntry entry) throws CloudMwException, InterruptedException;
    }

    /** Goes through a directory of the volume, page by page. */
    final void walk(RemoteDirectory directory, EntryStep step) throws CloudMwException, InterruptedException {
        attempt(directory, () -> {
            String token = "";
            do {
                Page<FileEntry> page = RemotePages.next(client, directory, token);
                for (FileEntry entry : page.items()) {
                    step.take(entry);
                }
                token = page.nextToken();
            } while (!token.isEmpty());
        });
    }

    /** What is done with a path in a directory of this machine. */
    @FunctionalInterface
    interface PathStep {
        void take(Path path) throws IOException, InterruptedException;
    }

    /** Goes through a directory of this machine. */
    final void walk(Path directory, PathStep step) throws CloudMwException, InterruptedException {
        attempt(directory, () -> {
            try (DirectoryStream<Path> paths = Files.newDirectoryStream(directory)) {
                for (Path path : paths) {
                    step.take(path);
                }
            }
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
        CloudMwException why = known(failure);
        if (concernsAll(why.code())) {
            stop(why);
        } else {
            ledger.failed(file, why);
        }
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

    private static CloudMwException known(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
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
        return new CloudMwException(ErrorCode.LOCAL_IO, file + ": cannot " + what + " it: " + Reasons.of(e), e);
    }

    /** Empty: there is no such file. */
    static CompletableFuture<Optional<FileStatus>> orAbsent(CompletableFuture<FileStatus> stat) {
        return stat.thenApply(Optional::of).exceptionallyCompose(failure -> {
            CloudMwException why = known(failure);
            return why.code() == ErrorCode.NOT_FOUND
                    ? CompletableFuture.completedFuture(Optional.empty())
                    : CompletableFuture.failedFuture(why);
        });
    }

    /**
     * Why a file is to be copied; empty: it is the same on both sides.
     *
     * @param here what is known of it on this machine
     */
    final CompletableFuture<Optional<String>> difference(Path path, BasicFileAttributes here, FileStatus there) {
        if (options.all()) {
            return CompletableFuture.completedFuture(Optional.of("all are"));
        }
        if (here.size() != there.version().sizeBytes()) {
            return CompletableFuture.completedFuture(Optional.of("another size"));
        }
        if (options.checksum()) {
            return call(client.isCopy(path, there.version()))
                    .thenApply(same -> same ? Optional.empty() : Optional.of("other bytes"));
        }
        boolean same = here.lastModifiedTime()
                .toInstant()
                .equals(RecordedTime.of(there).toInstant());
        return CompletableFuture.completedFuture(same ? Optional.empty() : Optional.of("another time"));
    }

    /** Adds what a transfer comes on by to what all have. */
    final TransferListener progress() {
        return new TransferListener() {
            private long before;

            @Override
            public void progressed(long done, long total) {
                ledger.progressed(done - before);
                before = done;
            }
        };
    }
}
