package io.cloudmw.connector;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.client.ClientSecurity;
import io.cloudmw.core.model.ReadPath;
import io.cloudmw.core.model.fleet.Location;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Nothing is sent to a cluster, so that there need not be one. */
final class SharedClientsTest {
    private final SharedClients clients = new SharedClients();

    private static ClusterOptions options(String coordinators) {
        return new ClusterOptions(
                coordinators,
                Duration.ofSeconds(1),
                Location.NONE,
                ReadPath.AUTO,
                64 << 20,
                16 << 20,
                1 << 20,
                24,
                ClientSecurity.insecure());
    }

    @Test
    void equalOptionsHaveOneClientUntilItsLastUseEnds() {
        SharedClient first = clients.take(options("127.0.0.1:1"));
        SharedClient second = clients.take(options("127.0.0.1:1"));
        SharedClient other = clients.take(options("127.0.0.1:2"));
        assertThat(second.client()).isSameAs(first.client());
        assertThat(second.channels()).isSameAs(first.channels());
        assertThat(other.client()).isNotSameAs(first.client());
        assertThat(clients.size()).isEqualTo(2);

        first.close();
        first.close();
        assertThat(clients.size()).isEqualTo(2);
        second.close();
        assertThat(clients.size()).isEqualTo(1);
        other.close();
        assertThat(clients.size()).isEqualTo(0);
    }

    @Test
    void useThatWasForgottenEnds() {
        forget();
        Awaitility.await().until(() -> {
            System.gc();
            return clients.size() == 0;
        });
    }

    private void forget() {
        assertThat(clients.take(options("127.0.0.1:1")).client()).isNotNull();
        assertThat(clients.size()).isEqualTo(1);
    }
}
