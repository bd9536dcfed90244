package io.cloudmw.helper;

import io.cloudmw.core.audit.RefusalTrail;
import io.cloudmw.core.bulk.BulkConnector;
import io.cloudmw.core.bulk.BulkOptions;
import io.cloudmw.core.bulk.BulkTransport;
import io.cloudmw.core.metrics.ScheduleMetrics;
import io.cloudmw.core.schedule.FairPool;
import io.cloudmw.core.schedule.ScheduleLimits;
import io.cloudmw.core.security.TransferTokens;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.tls.TlsCredentials;
import io.cloudmw.core.trace.Telemetry;
import io.cloudmw.helper.config.HelperConfig;
import io.cloudmw.helper.fetch.BlockFetcher;
import io.cloudmw.helper.fetch.TracingFetcher;
import io.cloudmw.helper.remote.HelperConnections;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;

/**
 * The configuration of a helper process and the resources that all of its parts use.
 *
 * @param tokens verifies the tokens that clients and other helpers show
 * @param tls the certificates of its connections; empty: plain text
 * @param refusals the audit trail
 * @param telemetry receives meters and spans
 * @param resources owns everything that the parts open
 */
record HelperContext(
        HelperConfig config,
        TransferTokens tokens,
        Optional<TlsCredentials> tls,
        RefusalTrail refusals,
        Telemetry telemetry,
        ScheduledExecutorService timer,
        BulkTransport transport,
        ResourceStack resources) {
    private static final int CONNECTED_HELPERS = 256;
    /**
     * Time for which a helper that could not be reached is not asked again. The pause keeps waiting requests from
     * timing out one after the other. A restarted helper is asked soon all the same.
     */
    private static final Duration UNREACHABLE_PAUSE = Duration.ofSeconds(3);

    /** Opens the timer and the bulk transport. */
    static HelperContext open(
            HelperConfig config,
            TransferTokens tokens,
            Optional<TlsCredentials> tls,
            Telemetry telemetry,
            ResourceStack resources) {
        ScheduledExecutorService timer = resources.pool(Threads.timer("timer"));
        BulkOptions options =
                BulkOptions.defaults().withBusyPoll(config.switching().busyPoll());
        BulkTransport transport =
                resources.opened(new BulkTransport("cloudmw-bulk", 2, options, tls, telemetry.meters()));
        return new HelperContext(
                config, tokens, tls, new RefusalTrail(Ticker.system()), telemetry, timer, transport, resources);
    }

    MeterRegistry meters() {
        return telemetry.meters();
    }

    /** A fetcher that makes spans of the traced attempts of the given one. */
    BlockFetcher traced(BlockFetcher fetcher) {
        return new TracingFetcher(fetcher, config.id(), telemetry.tracer());
    }

    HelperConfig.Limits limits() {
        return config.limits();
    }

    /** Opens a pool of bulk connections to other helpers. */
    HelperConnections connections(BulkOptions options) {
        BulkConnector connector = new BulkConnector(transport, config.id().value(), options);
        return resources.opened(
                new HelperConnections(connector, CONNECTED_HELPERS, Ticker.system(), UNREACHABLE_PAUSE));
    }

    /** Makes a fair pool of blocking threads; the caller closes it. */
    FairPool fairPool(String name, int threads, ScheduleLimits schedule) {
        return new FairPool(name, threads, schedule, Ticker.system(), timer, new ScheduleMetrics(meters(), name));
    }
}
