package io.cloudmw.client;

import io.cloudmw.client.context.ClientContext;
import io.cloudmw.client.context.ClientLimits;
import io.cloudmw.client.context.ClientThreads;
import io.cloudmw.client.rpc.ClientCertificates;
import io.cloudmw.client.rpc.CoordinatorTimes;
import io.cloudmw.client.rpc.coordinator.CoordinatorClient;
import io.cloudmw.core.cost.Pricing;
import io.cloudmw.core.hedge.RedundancyBudget;
import io.cloudmw.core.model.RedundancyLimits;
import io.cloudmw.core.time.Ticker;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;

/** Contexts of clients that need no helper. */
public final class FakeContext {
    private FakeContext() {}

    /**
     * Makes a context.
     *
     * @param threads closed with the context
     * @param coordinator its address
     * @param calls runs what follows on an answer of the coordinator
     * @param timer of the calls
     */
    public static ClientContext of(
            ClientThreads threads, String coordinator, Executor calls, ScheduledExecutorService timer) {
        return ClientContext.of(
                threads,
                new CoordinatorClient(
                        coordinator,
                        ClientCertificates.none(),
                        CoordinatorTimes.of(Duration.ofSeconds(30)),
                        calls,
                        timer,
                        Ticker.system(),
                        waiting -> {}),
                () -> {
                    throw new IllegalStateException("no helper is needed");
                },
                new ClientLimits(1 << 20, Long.MAX_VALUE),
                Pricing.DEFAULT,
                new RedundancyBudget(RedundancyLimits.DEFAULT),
                Ticker.system());
    }
}
