package io.cloudmw.core.tls;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.core.time.WallClock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The background job that keeps a process's certificates valid. It asks a source for new material in short intervals.
 * When that fails, the last good material stays in use, and the failure is logged once. Safe for any thread.
 */
public final class CertificateRefresh implements AutoCloseable {
    /** The interval between two questions. */
    public static final Duration INTERVAL = Duration.ofSeconds(5);

    private static final Logger LOG = LoggerFactory.getLogger(CertificateRefresh.class);

    private final TlsCredentials credentials;
    private final Source source;
    private final ScheduledExecutorService timer;
    private String failure = "";

    /** A source of new material: files, or the authority that signed the old. */
    @FunctionalInterface
    public interface Source {
        /**
         * Returns new material; empty: the present one is still good. May block for some seconds.
         *
         * @throws CloudMwException when there should be new material and it cannot be had now
         */
        Optional<TlsMaterial> next(TlsMaterial present) throws CloudMwException;
    }

    private CertificateRefresh(TlsCredentials credentials, Source source, ScheduledExecutorService timer) {
        this.credentials = credentials;
        this.source = source;
        this.timer = timer;
    }

    /** Starts the job, on a thread of its own. */
    public static CertificateRefresh start(TlsCredentials credentials, Source source, Duration interval) {
        ScheduledExecutorService timer = Threads.timer("certificates");
        CertificateRefresh refresh = new CertificateRefresh(credentials, source, timer);
        var unused = timer.scheduleWithFixedDelay(
                refresh::run, interval.toNanos(), interval.toNanos(), TimeUnit.NANOSECONDS);
        return refresh;
    }

    /** Asks the source once. Called by one thread. */
    private void run() {
        try {
            TlsMaterial present = credentials.material();
            Optional<TlsMaterial> next = source.next(present);
            if (next.isPresent()) {
                present.requireSameProcess(next.get());
                credentials.replace(next.get());
                LOG.info(
                        "TLS: new certificate of {}, valid until {}",
                        credentials.identity().map(ProcessIdentity::describe).orElse("this process"),
                        next.get()
                                .own()
                                .map(own -> own.certificate()
                                        .getNotAfter()
                                        .toInstant()
                                        .toString())
                                .orElse("-"));
            }
            failure = "";
        } catch (CloudMwException | RuntimeException | Error e) {
            String reason = Reasons.of(e);
            if (!reason.equals(failure)) {
                failure = reason;
                LOG.warn("TLS: there is no new certificate yet, the last good one stays in use: {}", reason);
            }
        }
    }

    /**
     * The source that renews certificates when two thirds of their life are over.
     *
     * @param renewal asks the authority for a new certificate
     */
    public static Source renewing(Renewal renewal, WallClock clock) {
        return present -> {
            boolean isDue = present.own().map(own -> isDue(own, clock)).orElse(true);
            return isDue ? Optional.of(renewal.renew(present)) : Optional.empty();
        };
    }

    /** Returns whether two thirds of a certificate's life are over, or it may end before the second look from now. */
    public static boolean isDue(CertifiedKey own, WallClock clock) {
        long from = own.certificate().getNotBefore().toInstant().toEpochMilli();
        long until = own.certificate().getNotAfter().toInstant().toEpochMilli();
        long lastLooks = until - 2 * INTERVAL.toMillis();
        return clock.millis() >= Math.min(from + (until - from) / 3 * 2, lastLooks);
    }

    /** A way to get a new certificate. */
    @FunctionalInterface
    public interface Renewal {
        /** Returns material with a new certificate instead of the present one; blocks for some seconds at most. */
        TlsMaterial renew(TlsMaterial present) throws CloudMwException;
    }

    /** Ends the job. Idempotent. */
    @Override
    public void close() {
        timer.shutdownNow();
    }
}
