package io.cloudmw.client.context;

import io.cloudmw.core.hedge.RedundancyBudget;
import io.cloudmw.core.metrics.MonitorMetrics;
import io.cloudmw.core.monitor.SpeedMonitor;
import io.cloudmw.core.time.Ticker;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.opentelemetry.api.trace.Tracer;

/**
 * The resources that all reads of one client share. Safe for any thread.
 *
 * @param credit memory that all gets together may have in flight
 * @param redundancy limit on the redundancy of all gets together
 * @param speeds speeds of the stores that this client has read directly
 * @param link the machine's network link
 * @param peers this client's chunk server, if it serves other clients
 * @param direct resources of reads without helpers
 * @param tracer receiver of the spans of reads
 */
public record ReadResources(
        CreditPool credit,
        RedundancyBudget redundancy,
        SpeedMonitor speeds,
        LinkShare link,
        PeerServing peers,
        DirectResources direct,
        Tracer tracer) {
    static ReadResources of(
            ClientLimits limits, RedundancyBudget redundancy, PeerServing peers, Ticker ticker, Tracer tracer) {
        return new ReadResources(
                new CreditPool(limits.memoryBytes()),
                redundancy,
                new SpeedMonitor(ticker, SpeedMonitor.DEFAULT_KEYS, new MonitorMetrics(new CompositeMeterRegistry())),
                new LinkShare(limits.linkBytesPerSecond()),
                peers,
                new DirectResources(limits.path(), ticker),
                tracer);
    }
}
