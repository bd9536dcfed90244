package io.cloudmw.client.rpc;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.proto.v1.CallId;
import io.cloudmw.proto.v1.RemoveRequest;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A client that is told of several coordinators. */
final class CoordinatorClientTest {
    private final ScheduledExecutorService owner = Executors.newSingleThreadScheduledExecutor();

    @AfterEach
    void stop() {
        owner.shutdownNow();
    }

    @Test
    void oneThatDiesIsLeftAndOneThatComesBackIsAskedAgain() throws Exception {
        try (FakeCoordinator first = new FakeCoordinator(1 << 20, 256 << 10);
                FakeCoordinator second = new FakeCoordinator(1 << 20, 256 << 10);
                CoordinatorClient client = client(first.address() + "," + second.address())) {
            for (int i = 0; i < 3; i++) {
                first.stop();
                assertThat(client.stores().get(60, SECONDS)).isEmpty();
                assertThat(client.stores().get(60, SECONDS)).isEmpty();
                first.start();
                second.stop();
                assertThat(client.stores().get(60, SECONDS)).isEmpty();
                assertThat(client.stores().get(60, SECONDS)).isEmpty();
                second.start();
            }
        }
    }

    /** As of a process that is stopped: its machine takes the connection, and nobody answers. */
    @Test
    void oneThatIsSilentFromTheBeginningIsNotAsked() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                FakeCoordinator coordinator = new FakeCoordinator(1 << 20, 256 << 10);
                CoordinatorClient client = client("127.0.0.1:" + silent.getLocalPort() + "," + coordinator.address())) {
            for (int i = 0; i < 20; i++) {
                assertThat(client.stores().get(60, SECONDS)).isEmpty();
            }
        }
    }

    @Test
    void oneWhoseNameNoHostHasIsPassedOver() throws Exception {
        try (FakeCoordinator coordinator = new FakeCoordinator(1 << 20, 256 << 10);
                CoordinatorClient client = client("no-such-host.invalid:7400," + coordinator.address())) {
            assertThat(client.stores().get(60, SECONDS)).isEmpty();
        }
    }

    @Test
    void allTriesOfACallHaveOneNameAndOtherCallsHaveOthers() throws Exception {
        try (FakeCoordinator coordinator = new FakeCoordinator(1 << 20, 256 << 10);
                CoordinatorClient client = client(coordinator.address())) {
            coordinator.refuse("Remove", ErrorCode.OVERLOADED, 2);
            for (int call = 0; call < 2; call++) {
                assertThat(client.remove(FilePath.parse("v:/none"))
                                .handle((removed, failure) -> failure != null)
                                .get(60, SECONDS))
                        .isTrue();
            }
            List<CallId> names =
                    coordinator.removals().stream().map(RemoveRequest::getCall).toList();
            assertThat(names).hasSize(4);
            assertThat(names.subList(0, 3)).containsOnly(names.get(0));
            assertThat(names.get(0).getId())
                    .isNotEmpty()
                    .isNotEqualTo(names.get(3).getId());
        }
    }

    private CoordinatorClient client(String addresses) {
        return new CoordinatorClient(addresses, Duration.ofSeconds(30), owner, owner, Ticker.system(), waiting -> {});
    }
}
