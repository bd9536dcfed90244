package io.cloudmw.client.tree;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.WarmOptions;
import io.cloudmw.client.progress.WarmListener;
import io.cloudmw.client.progress.WarmReceipt;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.core.cache.VersionFilter;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.file.FileVersion;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A warm-up of switches with the files of a volume's directory, as it is or was, and of those below it. All files are
 * fetched before any is checked, because a late file may evict an early one.
 */
public final class TreeWarmUp extends TreeTask {
    /** Two megabytes: one other version in 500 is taken for a fetched one after a million. */
    private static final int FILTER_BITS = 24;

    private final WarmOptions how;
    private final VersionFilter fetchedVersions = new VersionFilter(FILTER_BITS);

    @GuardedBy("this")
    private Optional<WarmReceipt> fetched = Optional.empty();

    @GuardedBy("this")
    private Optional<WarmReceipt> found = Optional.empty();

    /**
     * @param options used are the number of files in flight and the listener
     * @param how the options for each file; its version and listener are not used
     */
    public TreeWarmUp(CloudMw client, RemotePath directory, TreeOptions options, WarmOptions how) {
        super(client, directory, options);
        this.how = how;
    }

    /** The sum of all files' receipts, and the number of files that failed; empty: no file was done. */
    public synchronized Optional<WarmReceipt> receipt() {
        Optional<WarmReceipt> all = fetched.isPresent() && found.isPresent()
                ? Optional.of(fetched.get().found(found.get()))
                : fetched.or(() -> found);
        return all.map(receipt -> receipt.withFailed(counters().report().failed()));
    }

    @Override
    void work() throws CloudMwException, InterruptedException {
        Calls.await(there().list(client(), "")); // fails where there is no switch, once
        if (how.fetch()) {
            AtomicLong allBytes = new AtomicLong();
            eachFile(there(), (file, version) -> allBytes.addAndGet(version.sizeBytes()));
            WarmOptions fetch = how.asPartOf(allBytes.get());
            eachFile(there(), (file, version) -> submit(file.toString(), () -> fetch(file, fetch, version)));
            settle();
        }
        if (how.look()) {
            eachFile(there(), this::lookIfFetched);
        }
    }

    /** Checks a file that was fetched. Cached bytes of other files would hide missing bytes of fetched ones. */
    private void lookIfFetched(RemotePath file, FileVersion version) throws CloudMwException, InterruptedException {
        if (!how.fetch() || fetchedVersions.mayContain(version.id())) {
            submit(file.toString(), () -> look(file, version));
        }
    }

    /** An action for a file. */
    @FunctionalInterface
    private interface FileStep {
        void take(RemotePath file, FileVersion version) throws CloudMwException, InterruptedException;
    }

    private void eachFile(RemotePath directory, FileStep step) throws CloudMwException, InterruptedException {
        walk(directory, entry -> {
            RemotePath path = directory.child(entry);
            Optional<FileVersion> version = entry.version();
            if (version.isPresent()) {
                step.take(path, version.get());
            } else {
                eachFile(path, step);
            }
        });
    }

    private CompletableFuture<?> fetch(RemotePath file, WarmOptions fetch, FileVersion version) {
        WarmOptions one = fetch.withVersion(version.id()).withListener(progress());
        return call(client().files().warm(file.file(), one)).thenAccept(receipt -> fetched(version, receipt));
    }

    private CompletableFuture<?> look(RemotePath file, FileVersion version) {
        WarmOptions one = how.onlyLooking().withVersion(version.id());
        return call(client().files().warm(file.file(), one)).thenAccept(this::found);
    }

    private synchronized void fetched(FileVersion version, WarmReceipt more) {
        fetchedVersions.add(version.id());
        fetched = Optional.of(fetched.map(all -> all.plus(more)).orElse(more));
    }

    private synchronized void found(WarmReceipt more) {
        found = Optional.of(found.map(all -> all.plus(more)).orElse(more));
    }

    /** A listener that adds one file's progress to the total. */
    private WarmListener progress() {
        return new WarmListener() {
            private long before;

            @Override
            public void progressed(long done, long total) {
                counters().progressed(done - before);
                before = done;
            }
        };
    }
}
