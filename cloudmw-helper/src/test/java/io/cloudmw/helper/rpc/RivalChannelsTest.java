package io.cloudmw.helper.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.Urgency;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.race.RivalNotice;
import io.cloudmw.core.rpc.RpcChannels;
import io.cloudmw.core.rpc.VersionHandshake;
import io.cloudmw.core.security.ClusterSecret;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferRight;
import io.cloudmw.core.security.TransferTokens;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.helper.compete.RivalLink;
import io.cloudmw.helper.compete.RivalMessage;
import io.cloudmw.helper.compete.TransferSpec;
import io.cloudmw.proto.v1.CompeteMessage;
import io.cloudmw.proto.v1.CompetitionGrpc;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests of the links to rivals, with a rival that sends more than is read. */
final class RivalChannelsTest {
    private static final int NOTICES = 50;

    private static TransferSpec transfer(HelperAddress rival) {
        TransferClaims claims = new TransferClaims(
                Set.of(TransferRight.READ),
                FilePath.parse("v:/f"),
                VersionId.random(),
                WallClock.system().millis() + 60_000);
        return new TransferSpec(
                VersionId.random().value(),
                new TransferTokens(ClusterSecret.of(new byte[32]), WallClock.system()).issue(claims),
                claims,
                List.of(rival),
                new RacerId(0),
                1,
                false,
                false,
                0,
                List.of(),
                "session",
                Urgency.of(Priority.BATCH));
    }

    /** A rival that sends notices at once, and ends its side when the other side has ended. */
    private static final class Talkative extends CompetitionGrpc.CompetitionImplBase {
        private final CountDownLatch left = new CountDownLatch(1);

        @Override
        public StreamObserver<CompeteMessage> compete(StreamObserver<CompeteMessage> answers) {
            return new StreamObserver<>() {
                @Override
                public void onNext(CompeteMessage message) {
                    for (int i = 0; i < NOTICES; i++) {
                        answers.onNext(RivalMessages.toWire(
                                new RivalMessage(RivalNotice.CLAIM, new BlockId(i), new RacerId(0))));
                    }
                }

                @Override
                public void onError(Throwable cause) {
                    left.countDown();
                }

                @Override
                public void onCompleted() {
                    answers.onCompleted();
                    left.countDown();
                }
            };
        }
    }

    /** The leak check fails the run where the unread notices keep their buffers. */
    @Test
    void closedLinkDropsAndReleasesUnreadNotices() throws IOException, InterruptedException {
        Talkative rival = new Talkative();
        Server server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .directExecutor()
                .intercept(VersionHandshake.server())
                .addService(rival)
                .build()
                .start();
        AtomicInteger received = new AtomicInteger();
        CountDownLatch first = new CountDownLatch(1);
        try (RivalChannels channels = new RivalChannels(new RpcChannels(Optional.empty()), 1)) {
            String address = "127.0.0.1:" + server.getPort();
            RivalLink link = channels.connect(
                    transfer(new HelperAddress(new HelperId("a"), address, "127.0.0.1:1")),
                    new RacerId(0),
                    new RivalLink.Listener() {
                        @Override
                        public void received(RivalMessage message, Runnable handled) {
                            received.incrementAndGet();
                            first.countDown();
                        }

                        @Override
                        public void ended(CloudMwException cause) {
                            throw new AssertionError(cause);
                        }
                    });
            assertThat(first.await(1, TimeUnit.MINUTES)).isTrue();
            link.close();
            assertThat(rival.left.await(1, TimeUnit.MINUTES)).isTrue();
        } finally {
            server.shutdown();
            assertThat(server.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
        }
        assertThat(received).hasValue(1);
    }
}
