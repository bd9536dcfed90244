package io.cloudmw.client.tree;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.WarmOptions;
import io.cloudmw.client.progress.WarmListener;
import io.cloudmw.client.progress.WarmReceipt;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.FileVersion;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Warms switches with the files of a directory of a volume, as it is or was, and of those below it. All are fetched before any
 * is looked at: what comes late may take the place of what came early.
 */
public final class TreeWarmUp extends TreeTask {
    private final WarmOptions how;
    private final VersionFilter fetchedVersions = new VersionFilter();

    @GuardedBy("this")
    private Optional<WarmReceipt> fetched = Optional.empty();

    @GuardedBy("this")
    private Optional<WarmReceipt> found = Optional.empty();

    /**
     * Begins nothing yet.
     *
     * @param options of which how many at once and the listener count
     * @param how each file is warmed; its version and listener do not count
     */
    public TreeWarmUp(CloudMw client, RemotePath directory, TreeOptions options, WarmOptions how) {
        super(client, directory, options);
        this.how = how;
    }

    /** What became of all files that were dealt with, as one, and how many were not; empty: none was. */
    public synchronized Optional<WarmReceipt> receipt() {
        Optional<WarmReceipt> all = fetched.isPresent() && found.isPresent()
                ? Optional.of(fetched.get().found(found.get()))
                : fetched.or(() -> found);
        return all.map(receipt -> receipt.withFailed(ledger().report().failed()));
    }

    @Override
    void work() throws CloudMwException, InterruptedException {
        Calls.await(there().list(client(), "")); // says so where there is none, once
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

    /** What is kept of a file that was not fetched would hide as much that is missing of another. */
    private void lookIfFetched(RemotePath file, FileVersion version) throws CloudMwException, InterruptedException {
        if (!how.fetch() || fetchedVersions.contains(version.id())) {
            submit(file.toString(), () -> look(file, version));
        }
    }

    /** What is done about a file. */
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
        return call(client().warm(file.file(), one)).thenAccept(receipt -> fetched(version, receipt));
    }

    private CompletableFuture<?> look(RemotePath file, FileVersion version) {
        WarmOptions one = how.onlyLooking().withVersion(version.id());
        return call(client().warm(file.file(), one)).thenAccept(this::found);
    }

    private synchronized void fetched(FileVersion version, WarmReceipt more) {
        fetchedVersions.add(version.id());
        fetched = Optional.of(fetched.map(all -> all.plus(more)).orElse(more));
    }

    private synchronized void found(WarmReceipt more) {
        found = Optional.of(found.map(all -> all.plus(more)).orElse(more));
    }

    /** Adds what one file comes on by to what all have. */
    private WarmListener progress() {
        return new WarmListener() {
            private long before;

            @Override
            public void progressed(long done, long total) {
                ledger().progressed(done - before);
                before = done;
            }
        };
    }
}
