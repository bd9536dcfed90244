package io.cloudmw.helper.rpc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.memory.ByteBudget;
import io.cloudmw.core.metrics.RaceMetrics;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.Urgency;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.RacePolicy;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.race.RivalNotice;
import io.cloudmw.core.rpc.RpcChannels;
import io.cloudmw.core.rpc.VersionHandshake;
import io.cloudmw.core.security.ClusterSecret;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferRight;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.security.TransferTokens;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.helper.block.Spool;
import io.cloudmw.helper.compete.HelperServices;
import io.cloudmw.helper.compete.HelperTransfers;
import io.cloudmw.helper.compete.RivalLink;
import io.cloudmw.helper.compete.RivalMessage;
import io.cloudmw.helper.compete.TransferSpec;
import io.cloudmw.helper.fetch.StoreFetcher;
import io.cloudmw.helper.fetch.Upstream;
import io.cloudmw.helper.testing.Fetches;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of rivals that join a transfer which has not begun, with a valid or a forged token. */
final class CompetitionTest {
    private static final int PARKED = 2;

    @TempDir
    private Path directory;

    private final ClusterSecret secret = ClusterSecret.of(new byte[32]);
    private final TransferTokens tokens = new TransferTokens(secret, WallClock.system());
    private final ScheduledExecutorService timer = Threads.timer("test");
    private final RivalChannels channels = new RivalChannels(new RpcChannels(Optional.empty()), 2);
    private Spool spool;
    private StoreFetcher fetcher;
    private Server server;
    private HelperAddress rival;

    @BeforeEach
    void start() throws IOException {
        spool = Spool.open(directory.resolve("spool"), new ByteBudget(1));
        fetcher = new StoreFetcher(
                Fetches.pools(timer),
                new StoreFetcher.Limits(0, 1),
                new ByteBudget(0),
                spool,
                PooledByteBufAllocator.DEFAULT);
        HelperTransfers transfers = new HelperTransfers(new HelperServices(
                new HelperServices.BlockFetchers(fetcher, fetcher, fetcher),
                new HelperServices.Links(
                        spec -> store -> {
                            throw new CloudMwException(ErrorCode.STORE_UNAVAILABLE, "none");
                        },
                        spec -> Upstream.NONE,
                        session -> Optional.empty(),
                        (transfer, block, racer, store) -> new byte[0],
                        channels),
                (claims, report) -> {},
                new RaceMetrics(new SimpleMeterRegistry()),
                new HelperServices.Timing(Runnable::run, timer, Ticker.system()),
                RacePolicy.rounds(),
                new HelperServices.Limits(1, 1, 1, PARKED, TimeUnit.MILLISECONDS.toNanos(300), 1, 1)));
        server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .directExecutor()
                .intercept(VersionHandshake.server())
                .addService(new CompetitionService(tokens, transfers))
                .build()
                .start();
        rival = new HelperAddress(new HelperId("b"), "127.0.0.1:" + server.getPort(), "127.0.0.1:1");
    }

    @AfterEach
    void stop() {
        channels.close();
        server.shutdownNow();
        timer.shutdownNow();
        fetcher.close();
        spool.close();
    }

    private CompletableFuture<ErrorCode> join(String transfer, TransferToken token) {
        TransferClaims claims = claims();
        TransferSpec spec = new TransferSpec(
                transfer,
                token,
                claims,
                List.of(new HelperAddress(new HelperId("a"), "127.0.0.1:1", "127.0.0.1:1"), rival),
                new RacerId(0),
                1,
                false,
                false,
                0,
                List.of(),
                "session",
                Urgency.of(Priority.BATCH));
        CompletableFuture<ErrorCode> end = new CompletableFuture<>();
        RivalLink link = channels.connect(spec, new RacerId(1), new RivalLink.Listener() {
            @Override
            public void received(RivalMessage message, Runnable handled) {
                handled.run();
            }

            @Override
            public void ended(CloudMwException cause) {
                end.complete(cause.code());
            }
        });
        link.send(new RivalMessage(RivalNotice.CLAIM, new BlockId(0), new RacerId(0)));
        return end;
    }

    private static TransferClaims claims() {
        return new TransferClaims(
                Set.of(TransferRight.READ),
                FilePath.parse("v:/f"),
                VersionId.random(),
                WallClock.system().millis() + 60_000);
    }

    @Test
    void rivalWaitsForItsTransferUntilATimeout() {
        assertThat(join(VersionId.random().value(), tokens.issue(claims())))
                .succeedsWithin(30, TimeUnit.SECONDS)
                .isEqualTo(ErrorCode.NOT_FOUND);
    }

    @Test
    void waitingRivalsBeyondTheLimitAreRefused() {
        List<CompletableFuture<ErrorCode>> all = List.of(
                join(VersionId.random().value(), tokens.issue(claims())),
                join(VersionId.random().value(), tokens.issue(claims())),
                join(VersionId.random().value(), tokens.issue(claims())));
        await().until(() -> all.stream().allMatch(CompletableFuture::isDone));
        assertThat(all.stream().map(CompletableFuture::join))
                .containsExactlyInAnyOrder(ErrorCode.NOT_FOUND, ErrorCode.NOT_FOUND, ErrorCode.OVERLOADED);
    }

    @Test
    void forgedTokenIsRefused() {
        TransferToken forged = new TransferTokens(
                        ClusterSecret.of("another secret, as long as needed".getBytes(UTF_8)), WallClock.system())
                .issue(claims());
        assertThat(join(VersionId.random().value(), forged))
                .succeedsWithin(30, TimeUnit.SECONDS)
                .isEqualTo(ErrorCode.UNAUTHENTICATED);
    }

    @Test
    void linkToAMissingRivalEndsSoon() {
        server.shutdownNow();
        assertThat(join(VersionId.random().value(), tokens.issue(claims())))
                .succeedsWithin(30, TimeUnit.SECONDS)
                .isEqualTo(ErrorCode.HELPER_UNAVAILABLE);
    }
}
