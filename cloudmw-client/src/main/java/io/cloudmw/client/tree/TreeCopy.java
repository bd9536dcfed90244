package io.cloudmw.client.tree;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.file.EntryStatus;
import io.cloudmw.client.file.FileStatus;
import io.cloudmw.client.progress.PutDelay;
import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.file.FileVersion;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * A copy that makes one directory like another, file by file. A file with the same size and time on both sides counts
 * as unchanged; on request, digests decide instead.
 *
 * <p>Symbolic links and special files are ignored on both sides; directories without a file are not copied.
 */
public abstract class TreeCopy extends TreeTask {
    private final Path here;

    /**
     * @param here the local directory
     * @param there the directory of a volume
     */
    TreeCopy(CloudMw client, Path here, RemotePath there, TreeOptions options) {
        super(client, there, options);
        this.here = here;
    }

    /**
     * Makes an upload of a local directory's files into a directory of a volume.
     *
     * @param to need not exist
     * @throws IllegalArgumentException when {@code to} is in a snapshot
     */
    public static TreeCopy upload(CloudMw client, Path from, RemotePath to, TreeOptions options) {
        return new TreeUpload(client, from, to.requireCurrent(), options);
    }

    /**
     * Makes a download of the files of a volume's directory, as it is or was, into a local directory.
     *
     * @param to created if it does not exist
     */
    public static TreeCopy download(CloudMw client, RemotePath from, Path to, TreeOptions options) {
        return new TreeDownload(client, to, from, options);
    }

    @Override
    final void work() throws IOException, InterruptedException {
        check();
        SourceCount count = new SourceCount(counters());
        try {
            if (options().listener().wantsTotals()) {
                count.start(() -> countAll(count));
            }
            copyAll();
            settle();
        } finally {
            count.end();
        }
        if (options().delete() && !counters().hasFailures()) {
            check(); // a source that vanished meanwhile is not an empty one
            deleteOthers();
        }
    }

    /** Checks that the source exists. */
    abstract void check() throws IOException;

    abstract void copyAll() throws IOException, InterruptedException;

    /** Counts the files to copy, including those that are unchanged. */
    abstract void countAll(SourceCount count) throws IOException, InterruptedException;

    abstract void deleteOthers() throws IOException, InterruptedException;

    /** The local directory. */
    final Path here() {
        return here;
    }

    /** Returns whether a file name is that of a get's temporary file, which no copy transfers or deletes. */
    static boolean isPartial(String name) {
        return name.startsWith(".cloudmw-") && name.endsWith(".part");
    }

    /** An action for a path in a local directory. */
    @FunctionalInterface
    interface PathStep {
        void take(Path path) throws IOException, InterruptedException;
    }

    /**
     * Walks a local directory in the order in which a volume lists it ({@link SortedEntries}). So files that an upload
     * stores together are read together by a download.
     */
    final void walk(Path directory, PathStep step) throws CloudMwException, InterruptedException {
        attempt(directory, () -> {
            try (DirectoryStream<Path> paths = Files.newDirectoryStream(directory)) {
                SortedEntries sorted =
                        new SortedEntries(paths.iterator(), options().names(), SortedEntries.WINDOW);
                while (sorted.hasNext()) {
                    step.take(sorted.next());
                }
            }
        });
    }

    /** Returns whether a file of this size is copied together with others. */
    final boolean isSmall(long bytes) {
        // Digests are compared file by file.
        return bytes <= client().files().packs().limitBytes() && !options().checksum();
    }

    /** The status of a file, as of an entry. */
    static CompletableFuture<EntryStatus> entry(CompletableFuture<FileStatus> stat) {
        return stat.thenApply(
                file -> new EntryStatus(Optional.of(file.version()), file.createdAtMillis(), file.attributes(), false));
    }

    /**
     * Ends the copy of each file of a batch: by a step, which may block, or as a failure of that file alone.
     *
     * @param copies one for each file
     */
    final <F, R> CompletableFuture<?> each(
            List<F> files, List<CompletableFuture<R>> copies, Function<F, String> shown, BiConsumer<F, R> copied) {
        List<CompletableFuture<?>> done = new ArrayList<>();
        for (int i = 0; i < files.size(); i++) {
            F file = files.get(i);
            done.add(call(copies.get(i))
                    .thenAcceptAsync(result -> copied.accept(file, result), files())
                    .exceptionallyAsync(
                            failure -> {
                                failed(shown.apply(file), failure);
                                return null;
                            },
                            files()));
        }
        return CompletableFuture.allOf(done.toArray(CompletableFuture[]::new));
    }

    /** Empty when the file does not exist. */
    static CompletableFuture<Optional<EntryStatus>> orAbsent(CompletableFuture<EntryStatus> stat) {
        return stat.thenApply(Optional::of).exceptionallyCompose(failure -> {
            CloudMwException why = known(failure);
            return why.code() == ErrorCode.NOT_FOUND
                    ? CompletableFuture.completedFuture(Optional.empty())
                    : CompletableFuture.failedFuture(why);
        });
    }

    /**
     * The reason to copy a file; empty: it is the same on both sides.
     *
     * @param here the local file's attributes
     */
    final CompletableFuture<Optional<String>> difference(Path path, BasicFileAttributes here, EntryStatus there) {
        FileVersion version = there.version().orElseThrow();
        if (options().all()) {
            return CompletableFuture.completedFuture(Optional.of("all are"));
        }
        if (here.size() != version.sizeBytes()) {
            return CompletableFuture.completedFuture(Optional.of("another size"));
        }
        if (options().checksum()) {
            return call(client().files().isCopy(path, version))
                    .thenApply(same -> same ? Optional.empty() : Optional.of("other bytes"));
        }
        boolean same = here.lastModifiedTime()
                .toInstant()
                .equals(RecordedTime.of(version, there.attributes()).toInstant());
        return CompletableFuture.completedFuture(same ? Optional.empty() : Optional.of("another time"));
    }

    /** A listener that adds one transfer's progress to the total. */
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
                    counters().reused(bytes - reusedBefore);
                    reusedBefore = bytes;
                }
            }

            private void moved(long bytes) {
                if (bytes > before) {
                    counters().progressed(bytes - before);
                    before = bytes;
                }
            }

            @Override
            public void waiting(PutDelay delay) {
                counters().waiting(file.toString(), delay);
            }
        };
    }
}
