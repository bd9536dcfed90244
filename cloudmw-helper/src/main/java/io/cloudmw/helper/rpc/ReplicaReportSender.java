package io.cloudmw.helper.rpc;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.RetryVerdict;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.retry.Backoff;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.helper.fetch.ReplicaReporter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sender of reports on replicas to the coordinator. The sender sends them in the background, best effort, with a
 * bounded number of retries and of waiting reports. Safe for any thread.
 */
public final class ReplicaReportSender implements ReplicaReporter, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicaReportSender.class);
    private static final int MAX_TRIES = 12;
    private static final Backoff BACKOFF = Backoff.between(Duration.ofMillis(250), Duration.ofSeconds(30));

    private final CoordinatorCalls coordinator;
    private final int limit;
    private final ScheduledExecutorService thread = Threads.timer("reports");
    private final Object lock = new Object();

    @GuardedBy("lock")
    private int waiting;

    /**
     * Creates a sender without reports.
     *
     * @param limit waiting reports; further ones are dropped
     */
    public ReplicaReportSender(CoordinatorCalls coordinator, int limit) {
        this.coordinator = coordinator;
        this.limit = limit;
    }

    @Override
    public void report(TransferClaims claims, ReplicaReport report) {
        synchronized (lock) {
            if (waiting >= limit) {
                LOG.warn("dropped a report because {} wait already: {}", waiting, report);
                return;
            }
            waiting++;
        }
        attempt(claims, report, 0, 0);
    }

    private void attempt(TransferClaims claims, ReplicaReport report, int tried, long delayNanos) {
        if (Threads.later(thread, delayNanos, () -> send(claims, report, tried)).isEmpty()) {
            done();
        }
    }

    private void send(TransferClaims claims, ReplicaReport report, int tried) {
        try {
            coordinator.report(claims, List.of(report));
            done();
        } catch (CloudMwException e) {
            // A version is unknown until its commit, so NOT_FOUND may be early rather than wrong.
            boolean hopeless =
                    e.verdict() == RetryVerdict.NEVER && !e.code().grpcStatus().equals("NOT_FOUND");
            if (hopeless || tried + 1 >= MAX_TRIES) {
                LOG.warn("gave up reporting {}: {}", report, e.getMessage());
                done();
            } else {
                attempt(claims, report, tried + 1, BACKOFF.delayNanos(tried + 1));
            }
        } catch (RuntimeException | Error e) {
            LOG.error("reporting {} failed by a defect", report, e);
            done();
        }
    }

    private void done() {
        synchronized (lock) {
            waiting--;
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
