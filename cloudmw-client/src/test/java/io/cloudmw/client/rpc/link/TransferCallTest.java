package io.cloudmw.client.rpc.link;

import static org.awaitility.Awaitility.await;

import io.cloudmw.client.rpc.ClientCertificates;
import io.cloudmw.client.rpc.ClientRpcChannels;
import io.cloudmw.client.rpc.FakeHelper;
import io.cloudmw.core.bulk.BulkOptions;
import io.cloudmw.core.bulk.BulkTransport;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.manifest.ManifestDigest;
import io.cloudmw.core.mode.LaneLayout;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.Urgency;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.monitor.SpeedBook;
import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.thread.Threads;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class TransferCallTest {
    private final ScheduledExecutorService timer = Threads.timer("test");
    private final CompletableFuture<TransferCall> begun = new CompletableFuture<>();
    private final CountDownLatch closed = new CountDownLatch(1);
    private FakeHelper helper;
    private HelperLinks links;

    @BeforeEach
    void start() throws IOException {
        helper = new FakeHelper("h", FakeHelper.Script.SERVE, Map.of());
        links = new HelperLinks(
                new BulkTransport("test", 1, BulkOptions.defaults(), Optional.empty(), new SimpleMeterRegistry()),
                helper -> new ClosingChannel(ClientRpcChannels.open(helper, ClientCertificates.none(), timer)),
                timer,
                1);
    }

    @AfterEach
    void stop() {
        links.close();
        helper.close();
        timer.shutdownNow();
    }

    /** A transfer may end while its stream opens; afterwards the same connection serves another. */
    @Test
    void transferClosedWhileItsStreamOpensLeavesNoStream() throws Exception {
        begun.complete(TransferCall.begin(links, setup(), 0, new IgnoredEvents()));
        closed.await();
        TransferCall second = TransferCall.begin(links, setup(), 0, new IgnoredEvents());
        await().until(() -> helper.begunTransfers() == 1 && helper.openTransfers() == 1);
        second.close();
        await().until(() -> helper.openTransfers() == 0);
    }

    private TransferSetup setup() {
        FileVersion version = new FileVersion(
                FilePath.parse("v:/f"), VersionId.random(), 0, 0, 0, 4096, 0, new ManifestDigest().finish());
        ReadPlan plan = new ReadPlan(
                version,
                List.of(helper.address()),
                List.of(),
                Mode.ROUNDS,
                false,
                TransferToken.of(new byte[] {1}),
                1,
                SpeedBook.EMPTY,
                Optional.empty());
        return new TransferSetup(
                VersionId.random().value(), plan, new LaneLayout(1, 1), false, Urgency.of(Priority.BATCH));
    }

    /** A channel that closes the first transfer when it is about to start its call. */
    private final class ClosingChannel extends ManagedChannel {
        private final ManagedChannel channel;

        ClosingChannel(ManagedChannel channel) {
            this.channel = channel;
        }

        @Override
        public <Q, A> ClientCall<Q, A> newCall(MethodDescriptor<Q, A> method, CallOptions options) {
            if (closed.getCount() > 0) {
                begun.join().close();
                closed.countDown();
            }
            return channel.newCall(method, options);
        }

        @Override
        public String authority() {
            return channel.authority();
        }

        @Override
        public ManagedChannel shutdown() {
            return channel.shutdown();
        }

        @Override
        public boolean isShutdown() {
            return channel.isShutdown();
        }

        @Override
        public boolean isTerminated() {
            return channel.isTerminated();
        }

        @Override
        public ManagedChannel shutdownNow() {
            return channel.shutdownNow();
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
            return channel.awaitTermination(timeout, unit);
        }
    }

    private static final class IgnoredEvents implements TransferEvents {
        @Override
        public void attempted(RacerId racer, BlockId block, Report report) {}

        @Override
        public void waits(RacerId racer, BlockId block) {}

        @Override
        public void lost(RacerId racer, BlockId block, RacerId winner) {}

        @Override
        public void forfeited(RacerId racer, BlockId block, CloudMwException cause) {}

        @Override
        public void faulted(ChunkId chunk, StoreId store, ErrorCode code) {}

        @Override
        public void checked(BlockId block) {}

        @Override
        public void gone(CloudMwException why) {}
    }
}
