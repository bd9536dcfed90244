package io.cloudmw.helper.rpc;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.memory.ByteBudget;
import io.cloudmw.core.metrics.CacheMetrics;
import io.cloudmw.core.metrics.SwitchMetrics;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.volume.VolumeSet;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.BlockRule;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.IssuedBlock;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.rpc.RpcErrors;
import io.cloudmw.core.security.ClusterSecret;
import io.cloudmw.core.security.TokenBearer;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferRight;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.security.TransferTokens;
import io.cloudmw.core.testing.store.Chunks;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.core.wire.ToWire;
import io.cloudmw.helper.block.LeafMemory;
import io.cloudmw.helper.block.Spool;
import io.cloudmw.helper.cache.LeafCache;
import io.cloudmw.helper.fetch.StoreFetcher;
import io.cloudmw.helper.switching.SharedFetcher;
import io.cloudmw.helper.switching.WarmSessions;
import io.cloudmw.helper.testing.Fetches;
import io.cloudmw.proto.v1.BeginWarming;
import io.cloudmw.proto.v1.WarmCommand;
import io.cloudmw.proto.v1.WarmEvent;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of the stream of commands and answers, without a network. All blocks lie on a disk of the helper, so that each
 * is answered at once.
 */
final class WarmingServiceTest {
    private static final int LEAF = Fetches.LEAF;

    @TempDir
    private Path directory;

    private final ChunkId chunk = Chunks.id();
    private final FilePath file = new FilePath(new VolumeName("v"), "/f");
    private volatile long nowMillis;
    private final TransferTokens tokens =
            new TransferTokens(ClusterSecret.of(new byte[ClusterSecret.MIN_BYTES]), () -> nowMillis);
    private volatile boolean onOwnDisk = true;
    /** Completing this lets reads of other chunks go on, which then fail as missing. */
    private final CompletableFuture<Void> store = new CompletableFuture<>();

    private final ScheduledExecutorService timer = Threads.timer("test-timer");
    private Spool spool;
    private StoreFetcher fetcher;
    private LeafCache cache;
    private WarmingService service;

    @BeforeEach
    void start() throws IOException {
        spool = Spool.open(directory.resolve("spool"), new ByteBudget(1 << 20));
        fetcher = new StoreFetcher(
                Fetches.pools(timer),
                new StoreFetcher.Limits(LEAF, 1),
                new ByteBudget(1 << 20),
                spool,
                PooledByteBufAllocator.DEFAULT);
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        cache = new LeafCache(
                new LeafMemory(new ByteBudget(1 << 20), spool, PooledByteBufAllocator.DEFAULT, 1),
                Optional.empty(),
                new CacheMetrics(meters));
        service = new WarmingService(
                tokens,
                new WarmSessions(
                        VolumeSet.ALL,
                        new SharedFetcher(fetcher, cache, new SwitchMetrics(meters), store -> false),
                        (spec, tenant) -> Fetches.requester(id -> {
                            Void unused = store.join();
                            throw new CloudMwException(ErrorCode.STORE_UNAVAILABLE, "store s: away");
                        }),
                        (id, block, length) -> onOwnDisk,
                        1));
    }

    @AfterEach
    void stop() {
        cache.close();
        fetcher.close();
        spool.close();
        timer.shutdownNow();
    }

    /** The call as gRPC presents it: it counts requested commands, and the client may stop reading. */
    private static final class Call extends ServerCallStreamObserver<WarmEvent> {
        final List<WarmEvent> answers = new CopyOnWriteArrayList<>();
        final CompletableFuture<CloudMwException> failure = new CompletableFuture<>();
        boolean reads = true;
        boolean automatic = true;
        int requested;

        @Nullable
        Runnable onReady;

        @Override
        public boolean isCancelled() {
            return false;
        }

        @Override
        public void setOnCancelHandler(Runnable onCancel) {
            // This call is never cancelled.
        }

        @Override
        public void setCompression(String compression) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isReady() {
            return reads;
        }

        @Override
        public void setOnReadyHandler(Runnable handler) {
            onReady = handler;
        }

        @Override
        public void disableAutoRequest() {
            automatic = false;
        }

        @Override
        public void disableAutoInboundFlowControl() {
            disableAutoRequest();
        }

        @Override
        public void request(int count) {
            requested += count;
        }

        @Override
        public void setMessageCompression(boolean enable) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void onNext(WarmEvent event) {
            answers.add(event);
        }

        @Override
        public void onError(Throwable cause) {
            failure.complete(RpcErrors.fromStatus(cause, ErrorCode.INTERNAL, "test"));
        }

        @Override
        public void onCompleted() {
            // The test does not use this.
        }
    }

    private WarmCommand begin() {
        return begin(Long.MAX_VALUE);
    }

    private WarmCommand begin(long untilMillis) {
        TransferClaims claims = new TransferClaims(Set.of(TransferRight.READ), file, chunk.version(), untilMillis);
        return WarmCommand.newBuilder()
                .setBegin(BeginWarming.newBuilder().setToken(ToWire.token(tokens.issue(claims))))
                .build();
    }

    private io.cloudmw.proto.v1.Block block(int id) {
        Block block = new Block(
                new BlockId(id), 0, new ByteRange(0, LEAF), 1, List.of(new Entrant(new RacerId(0), 0)), BlockRule.SOLE);
        return ToWire.block(new IssuedBlock(block, chunk, LEAF, LEAF, new int[1], List.of(Fetches.STORE), false));
    }

    /** Commands under way when the client stops reading are handled; then none is requested until it reads again. */
    @Test
    void commandsAreNotRequestedWhileTheClientDoesNotRead() {
        Call call = new Call();
        StreamObserver<WarmCommand> commands = service.warm(call);
        assertThat(call.automatic).isFalse();
        commands.onNext(begin());
        commands.onNext(WarmCommand.newBuilder().setLook(block(0)).build());
        assertThat(call.requested).isEqualTo(3);
        call.reads = false;
        commands.onNext(WarmCommand.newBuilder().setKeep(block(1)).build());
        assertThat(call.answers).hasSize(3);
        assertThat(call.requested).isEqualTo(3);
        call.reads = true;
        Runnable onReady = call.onReady;
        assertThat(onReady).isNotNull();
        Objects.requireNonNull(onReady).run();
        Objects.requireNonNull(onReady).run();
        assertThat(call.requested).isEqualTo(4);
        commands.onNext(WarmCommand.newBuilder().setLook(block(2)).build());
        assertThat(call.answers.get(3).getWarmed().getKeptBytes()).isEqualTo(LEAF);
        assertThat(call.requested).isEqualTo(5);
    }

    /** The client continues with another token, and only this stream can report the block's cost. */
    @Test
    void runningCommandIsAnsweredAfterItsTokenExpired() throws Exception {
        onOwnDisk = false;
        Call call = new Call();
        StreamObserver<WarmCommand> commands = service.warm(call);
        commands.onNext(begin(1));
        commands.onNext(WarmCommand.newBuilder().setKeep(block(0)).build());
        nowMillis = Long.MAX_VALUE / 2;
        commands.onNext(WarmCommand.newBuilder().setLook(block(1)).build());
        assertThat(call.failure).isNotDone();
        commands.onNext(WarmCommand.newBuilder().setLook(block(2)).build());
        store.complete(null);
        assertThat(call.failure.get(60, SECONDS).code()).isEqualTo(ErrorCode.UNAUTHENTICATED);
        assertThat(call.answers)
                .last()
                .satisfies(last ->
                        assertThat(last.getWarmed().getErrorCode()).isEqualTo(ErrorCode.STORE_UNAVAILABLE.name()));
        assertThat(call.answers.stream().filter(WarmEvent::hasWarmed)).hasSize(1);
    }

    /** The transfer's token lasts longer. */
    @Test
    void rightToABlockEndsWithItsOwnToken() throws Exception {
        long ends = Long.MAX_VALUE - 1;
        TransferClaims transfer =
                new TransferClaims(Set.of(TransferRight.READ), file, VersionId.random(), Long.MAX_VALUE);
        TransferToken own = tokens.issue(new TransferClaims(Set.of(TransferRight.READ), file, chunk.version(), ends));
        Block block = new Block(
                new BlockId(0), 0, new ByteRange(0, LEAF), 1, List.of(new Entrant(new RacerId(0), 0)), BlockRule.SOLE);
        IssuedBlock issued =
                new IssuedBlock(block, chunk, LEAF, LEAF, new int[1], List.of(Fetches.STORE), false, Optional.of(own));
        assertThat(ReadAuthorization.checked(tokens, transfer, issued, TokenBearer.UNKNOWN)
                        .untilMillis())
                .isEqualTo(ends);
    }
}
