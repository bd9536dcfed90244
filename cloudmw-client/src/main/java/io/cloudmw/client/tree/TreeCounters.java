package io.cloudmw.client.tree;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.client.progress.PutDelay;
import io.cloudmw.core.error.CloudMwException;
import java.util.ArrayList;
import java.util.List;

/** The counters of one run over a directory, which also tell the listener. Safe for any thread. */
final class TreeCounters {
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
    /** Bytes of copied files that interrupted transfers had moved before. */
    private long reused;

    /** Bytes of unchanged files. */
    @GuardedBy("this")
    private long unchangedBytes;

    @GuardedBy("this")
    private long totalFiles;

    @GuardedBy("this")
    private long totalBytes;

    @GuardedBy("this")
    private boolean isCounted;

    TreeCounters(TreeListener listener) {
        this.listener = listener;
    }

    synchronized void copies(String file, long bytes, String why) {
        listener.copies(file, bytes, why);
    }

    synchronized void copied(long bytes, long resumed) {
        copied++;
        copiedBytes += bytes;
        resumedBytes += resumed;
        advanced();
    }

    /** Counts another file of the source. */
    synchronized void counted(long bytes) {
        totalFiles++;
        totalBytes += bytes;
        advanced();
    }

    /** The count of the source is complete. */
    synchronized void counted() {
        isCounted = true;
        advanced();
    }

    @GuardedBy("this")
    private void advanced() {
        listener.advanced(new TreeProgress(
                copied + unchanged + failed,
                progressed + unchangedBytes,
                Math.max(0, progressed - reused),
                deleted,
                totalFiles,
                totalBytes,
                isCounted));
    }

    synchronized void progressed(long more) {
        progressed += more;
        listener.progressed(progressed);
        advanced();
    }

    synchronized void reused(long more) {
        reused += more;
    }

    synchronized void waiting(String file, PutDelay delay) {
        listener.waiting(file, delay);
    }

    synchronized void unchanged(long bytes) {
        unchanged++;
        unchangedBytes += bytes;
        advanced();
    }

    synchronized void deletes(String file) {
        listener.deletes(file);
    }

    synchronized void deleted() {
        deleted++;
        listener.deleted(deleted);
        advanced();
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
        advanced();
    }

    synchronized boolean hasFailures() {
        return failed > 0;
    }

    synchronized TreeReport report() {
        return new TreeReport(
                copied, copiedBytes, resumedBytes, unchanged, unchangedBytes, deleted, skipped, failed, failures);
    }
}
