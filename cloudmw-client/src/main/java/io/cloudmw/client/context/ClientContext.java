package io.cloudmw.client.context;

import io.cloudmw.client.rpc.coordinator.CoordinatorClient;
import io.cloudmw.client.rpc.link.HelperLinks;
import io.cloudmw.core.cost.Pricing;
import io.cloudmw.core.hedge.RedundancyBudget;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.trace.Traces;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Tracer;
import java.util.function.Supplier;

/**
 * The resources that all transfers of one client share. Safe for any thread.
 *
 * @param threads of the client; closed with this context
 * @param coordinator connection to the coordinator; closed with this context
 * @param links connections to helpers, opened when first needed; closed with this context
 * @param reads the resources of reads
 * @param writeCredit memory of all puts together
 * @param lastCalls calls about transfers that have ended
 * @param pricing prices used for receipts and estimates
 * @param ticker clock of all transfers
 */
public record ClientContext(
        ClientThreads threads,
        CoordinatorClient coordinator,
        SharedLinks links,
        ReadResources reads,
        CreditPool writeCredit,
        LastCalls lastCalls,
        Pricing pricing,
        Ticker ticker)
        implements AutoCloseable {
    private static final int WRITE_SHARE = 4;

    /**
     * A context that owns the given threads, coordinator and links.
     *
     * @param linksMaker opens the connections to helpers
     * @param limits memory and link speed; puts get a quarter of the memory of gets, in a pool of their own, so that a
     *     get that feeds a put cannot starve it
     * @param redundancy limit on the redundancy of all gets together
     */
    public static ClientContext of(
            ClientThreads threads,
            CoordinatorClient coordinator,
            Supplier<HelperLinks> linksMaker,
            ClientLimits limits,
            Pricing pricing,
            RedundancyBudget redundancy,
            Ticker ticker) {
        Tracer silent = Traces.tracer(OpenTelemetry.noop());
        return of(threads, coordinator, linksMaker, limits, pricing, redundancy, ticker, silent);
    }

    /** The same, with a receiver of the spans of reads. */
    public static ClientContext of(
            ClientThreads threads,
            CoordinatorClient coordinator,
            Supplier<HelperLinks> linksMaker,
            ClientLimits limits,
            Pricing pricing,
            RedundancyBudget redundancy,
            Ticker ticker,
            Tracer tracer) {
        ReadResources reads =
                ReadResources.of(limits, redundancy, new PeerServing(coordinator, threads, ticker), ticker, tracer);
        CreditPool writeCredit = new CreditPool(Math.max(1, limits.memoryBytes() / WRITE_SHARE));
        return new ClientContext(
                threads,
                coordinator,
                new SharedLinks(linksMaker),
                reads,
                writeCredit,
                new LastCalls(),
                pricing,
                ticker);
    }

    /** Closes the connections and threads. Idempotent. */
    @Override
    public void close() {
        lastCalls.await();
        reads.peers().close();
        coordinator.close();
        links.close();
        reads.direct().close();
        threads.close();
    }
}
