package io.cloudmw.client.tree;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import java.util.ArrayList;
import java.util.List;

/** Counts what becomes of files and tells the listener. Safe for any thread. */
final class Ledger {
    private final TreeListener listener;

    @GuardedBy("this")
    private final List<TreeReport.Failure> failures = new ArrayList<>();

    @GuardedBy("this")
    private long copied;

    @GuardedBy("this")
    private long copiedBytes;

    @GuardedBy("this")
    private long resumedBytes;

    @GuardedBy("this")
    private long unchanged;

    @GuardedBy("this")
    private long deleted;

    @GuardedBy("this")
    private long skipped;

    @GuardedBy("this")
    private long failed;

    @GuardedBy("this")
    private long progressed;

    Ledger(TreeListener listener) {
        this.listener = listener;
    }

    synchronized void copies(String file, long bytes, String why) {
        listener.copies(file, bytes, why);
    }

    synchronized void copied(long bytes, long resumed) {
        copied++;
        copiedBytes += bytes;
        resumedBytes += resumed;
    }

    synchronized void progressed(long more) {
        progressed += more;
        listener.progressed(progressed);
    }

    synchronized void waiting(String file, String why) {
        listener.waiting(file, why);
    }

    synchronized void unchanged() {
        unchanged++;
    }

    synchronized void deletes(String file) {
        listener.deletes(file);
    }

    synchronized void deleted() {
        deleted++;
        listener.deleted(deleted);
    }

    synchronized void skips(String file, String why) {
        skipped++;
        listener.skips(file, why);
    }

    synchronized void failed(String file, CloudMwException why) {
        failed++;
        if (failures.size() < TreeReport.MAX_FAILURES) {
            failures.add(new TreeReport.Failure(file, why));
        }
        listener.failed(file, why);
    }

    synchronized boolean hasFailures() {
        return failed > 0;
    }

    synchronized TreeReport report() {
        return new TreeReport(copied, copiedBytes, resumedBytes, unchanged, deleted, skipped, failed, failures);
    }
}
