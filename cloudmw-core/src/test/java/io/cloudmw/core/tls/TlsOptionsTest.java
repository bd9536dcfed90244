package io.cloudmw.core.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.config.Settings;
import io.cloudmw.core.error.CloudMwException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TlsOptionsTest {
    private static TlsOptions read(Map<String, String> settings) throws CloudMwException {
        return TlsOptions.read(Settings.of(settings));
    }

    @Test
    void connectionsAreUnderTlsWithoutASetting() throws CloudMwException {
        TlsOptions options = read(Map.of());
        assertThat(options.insecure()).isFalse();
        assertThat(options.tokenKeyLife()).isEqualTo(Duration.ofDays(1));
        options.requireListen("x.listen", HostPort.parse("0.0.0.0:7400"));
    }

    @Test
    void keysOfTokensLiveFromTenSecondsToADay() throws CloudMwException {
        assertThat(read(Map.of("tls.token-key-life", "10s")).tokenKeyLife()).isEqualTo(Duration.ofSeconds(10));
        for (String wrong : List.of("9s", "25h")) {
            assertThatThrownBy(() -> read(Map.of("tls.token-key-life", wrong)))
                    .hasMessageContaining("tls.token-key-life");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1:7400", "127.9.9.9:0", "[::1]:7400", "localhost:7400"})
    void plainTextListensOnLoopback(String address) throws CloudMwException {
        read(Map.of("tls.insecure", "true")).requireListen("x.listen", HostPort.parse(address));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0:7400", "[::]:0", "10.0.0.1:7400", "coordinator.example.org:7400"})
    void plainTextListensNowhereElse(String address) throws CloudMwException {
        TlsOptions plain = read(Map.of("tls.insecure", "true"));
        assertThatThrownBy(() -> plain.requireListen("x.listen", HostPort.parse(address)))
                .isInstanceOf(CloudMwException.class)
                .hasMessageContainingAll("x.listen: " + HostPort.parse(address), "in plain text", "without --insecure");
    }

    @Test
    void filesOfAPkiAreAllOrNone() throws CloudMwException {
        Map<String, String> all = Map.of("tls.key", "k", "tls.certificate", "c", "tls.authorities", "a");
        assertThat(read(all).files()).contains(new TlsFiles(Path.of("k"), Path.of("c"), Path.of("a")));
        assertThatThrownBy(() -> read(Map.of("tls.key", "k"))).hasMessageContaining("some are missing");
        assertThatThrownBy(() -> read(
                        Map.of("tls.key", "k", "tls.certificate", "c", "tls.authorities", "a", "tls.insecure", "true")))
                .hasMessageContaining("expected: one of the two");
    }
}
