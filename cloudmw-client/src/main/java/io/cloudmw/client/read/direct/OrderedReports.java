package io.cloudmw.client.read.direct;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;

/**
 * The reports of an attempt that several threads advance: the listener gets one at a time, and none after the attempt's
 * end. A reader that takes the last leaves may otherwise report progress of an attempt that has finished. Safe for any
 * thread.
 */
final class OrderedReports {
    private final LocalAttempt attempt;
    private final LocalAttempt.Listener listener;

    @GuardedBy("this")
    private boolean over;

    OrderedReports(LocalAttempt attempt, LocalAttempt.Listener listener) {
        this.attempt = attempt;
        this.listener = listener;
    }

    synchronized void began() {
        if (!over) {
            listener.began(attempt);
        }
    }

    synchronized void progressed() {
        if (!over) {
            listener.progressed(attempt);
        }
    }

    synchronized void finished() {
        if (!over) {
            over = true;
            listener.finished(attempt);
        }
    }

    synchronized void failed(CloudMwException cause) {
        if (!over) {
            over = true;
            listener.failed(attempt, cause);
        }
    }
}
