package io.cloudmw.client.tree;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.progress.PutDelay;
import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.client.rpc.FileStatus;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Makes one directory like another, file by file. What has the same size and time on both sides is taken to be the same,
 * or, if that is wished, what has the same digests.
 *
 * <p>Symbolic links and what is no file are left alone, on both sides; directories without a file are not copied.
 */
public abstract class TreeCopy extends TreeTask {
    private final Path here;

    /**
     * Begins nothing yet.
     *
     * @param here the directory of this machine
     * @param there the one of a volume
     */
    TreeCopy(CloudMw client, Path here, RemotePath there, TreeOptions options) {
        super(client, there, options);
        this.here = here;
    }

    /**
     * Copies the files of a directory of this machine into one of a volume.
     *
     * @param to need not exist
     * @throws IllegalArgumentException when {@code to} is in a snapshot
     */
    public static TreeCopy upload(CloudMw client, Path from, RemotePath to, TreeOptions options) {
        return new TreeUpload(client, from, to.requireCurrent(), options);
    }

    /**
     * Copies the files of a directory of a volume, as it is or was, into one of this machine.
     *
     * @param to made if it does not exist
     */
    public static TreeCopy download(CloudMw client, RemotePath from, Path to, TreeOptions options) {
        return new TreeDownload(client, to, from, options);
    }

    @Override
    final void work() throws IOException, InterruptedException {
        check();
        SourceCount count = new SourceCount(ledger());
        try {
            if (options().listener().wantsTotals()) {
                count.start(() -> countAll(count));
            }
            copyAll();
            settle();
        } finally {
            count.end();
        }
        if (options().delete() && !ledger().hasFailures()) {
            check(); // a source that has gone meanwhile is not an empty one
            deleteOthers();
        }
    }

    /** Whether there is something to copy from. */
    abstract void check() throws IOException;

    abstract void copyAll() throws IOException, InterruptedException;

    /** Counts what is to be copied, and what is there already. */
    abstract void countAll(SourceCount count) throws IOException, InterruptedException;

    abstract void deleteOthers() throws IOException, InterruptedException;

    /** The directory of this machine. */
    final Path here() {
        return here;
    }

    /** Whether this is what a get that was interrupted left, or one under way has: never copied, never deleted. */
    static boolean isPartial(String name) {
        return name.startsWith(".cloudmw-") && name.endsWith(".part");
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
        if (options().all()) {
            return CompletableFuture.completedFuture(Optional.of("all are"));
        }
        if (here.size() != there.version().sizeBytes()) {
            return CompletableFuture.completedFuture(Optional.of("another size"));
        }
        if (options().checksum()) {
            return call(client().isCopy(path, there.version()))
                    .thenApply(same -> same ? Optional.empty() : Optional.of("other bytes"));
        }
        boolean same = here.lastModifiedTime()
                .toInstant()
                .equals(RecordedTime.of(there).toInstant());
        return CompletableFuture.completedFuture(same ? Optional.empty() : Optional.of("another time"));
    }

    /** Adds what a transfer comes on by to what all have. */
    final TransferListener progress(RemotePath file) {
        return new TransferListener() {
            private long before;
            private long reusedBefore;

            @Override
            public void progressed(long done, long total) {
                moved(done);
            }

            @Override
            public void sent(long bytes) {
                moved(bytes);
            }

            @Override
            public void reused(long bytes) {
                if (bytes > reusedBefore) {
                    ledger().reused(bytes - reusedBefore);
                    reusedBefore = bytes;
                }
            }

            private void moved(long bytes) {
                if (bytes > before) {
                    ledger().progressed(bytes - before);
                    before = bytes;
                }
            }

            @Override
            public void waiting(PutDelay delay) {
                ledger().waiting(file.toString(), delay);
            }
        };
    }
}
