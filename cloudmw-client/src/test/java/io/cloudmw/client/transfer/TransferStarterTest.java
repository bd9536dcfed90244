package io.cloudmw.client.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cloudmw.client.context.ClientContext;
import io.cloudmw.client.context.ClientLimits;
import io.cloudmw.client.context.ClientThreads;
import io.cloudmw.client.context.PutTerms;
import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.client.rpc.ClientCertificates;
import io.cloudmw.client.rpc.CoordinatorTimes;
import io.cloudmw.client.rpc.FakeCoordinator;
import io.cloudmw.client.rpc.coordinator.CoordinatorClient;
import io.cloudmw.client.write.PutRequest;
import io.cloudmw.client.write.StreamPutSource;
import io.cloudmw.core.cost.Pricing;
import io.cloudmw.core.hedge.RedundancyBudget;
import io.cloudmw.core.memory.ByteBudget;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.RedundancyLimits;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.time.Ticker;
import java.io.ByteArrayInputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class TransferStarterTest {
    private static final int MEMORY = 8 << 20;

    @Test
    void putBrokenWhileSendingReturnsItsMemory() throws Exception {
        ClientThreads threads = new ClientThreads();
        try (FakeCoordinator coordinator = new FakeCoordinator(1 << 20, 64 << 10)) {
            ClientContext context = ClientContext.of(
                    threads,
                    new CoordinatorClient(
                            coordinator.address(),
                            ClientCertificates.none(),
                            CoordinatorTimes.of(Duration.ofSeconds(30)),
                            threads.events(),
                            threads.timer(),
                            Ticker.system(),
                            waiting -> {}),
                    () -> {
                        throw new IllegalStateException("on purpose");
                    },
                    new ClientLimits(MEMORY, Long.MAX_VALUE),
                    Pricing.DEFAULT,
                    new RedundancyBudget(RedundancyLimits.DEFAULT),
                    Ticker.system());
            try (TransferStarter transfers = new TransferStarter(context)) {
                coordinator.add(new HelperAddress(new HelperId("h"), "127.0.0.1:1", "127.0.0.1:1"));
                coordinator.add(
                        new Store(new StoreId("s"), "s", new Store.Disk(new HelperId("h"), Path.of("/nowhere"))));
                PutRequest request = new PutRequest(
                        FilePath.parse("v:/f"),
                        new StreamPutSource(new ByteArrayInputStream(new byte[1000]), 1000, new ByteBudget(0)),
                        TransferListener.NONE,
                        PutTerms.NONE,
                        Optional.empty());
                assertThat(transfers.put(request))
                        .failsWithin(30, TimeUnit.SECONDS)
                        .withThrowableThat()
                        .withStackTraceContaining("on purpose");
                await().until(() ->
                        context.writeCredit().free() == context.writeCredit().capacity());
            }
        }
    }
}
