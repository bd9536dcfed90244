package io.cloudmw.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.security.AccessToken;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class DefaultSecurityTest {
    private static final String TOKEN =
            AccessToken.random("app", "0".repeat(64)).text();

    @Test
    void environmentNamesPlainTextATokenItsFileOrCertificates() {
        assertThat(DefaultSecurity.fromEnvironment(Map.of("CLOUDMW_TLS_INSECURE", "true", "CLOUDMW_TOKEN", TOKEN)))
                .contains(ClientSecurity.insecure());
        assertThat(DefaultSecurity.fromEnvironment(Map.of("CLOUDMW_TOKEN", TOKEN, "CLOUDMW_TOKEN_FILE", "f")))
                .contains(ClientSecurity.token(TOKEN));
        assertThat(DefaultSecurity.fromEnvironment(Map.of("CLOUDMW_TLS_INSECURE", "false", "CLOUDMW_TOKEN_FILE", "f")))
                .contains(ClientSecurity.tokenFile(Path.of("f")));
        assertThat(DefaultSecurity.fromEnvironment(
                        Map.of("CLOUDMW_TLS_KEY", "k", "CLOUDMW_TLS_CERTIFICATE", "c", "CLOUDMW_TLS_AUTHORITIES", "a")))
                .contains(ClientSecurity.certificate(Path.of("k"), Path.of("c"), Path.of("a")));
        assertThat(DefaultSecurity.fromEnvironment(Map.of())).isEmpty();
        assertThatThrownBy(() -> DefaultSecurity.fromEnvironment(Map.of("CLOUDMW_TLS_KEY", "k")))
                .hasMessageContaining("some are missing");
    }

    @Test
    void startedClusterIsKnownByItsAddressUntilItIsClosed() {
        Map<String, String> environment = Map.of("CLOUDMW_TOKEN_FILE", "f");
        ClientSecurity own = ClientSecurity.tokenFile(Path.of("own"));
        StartedClusters.Registration known = StartedClusters.register("127.0.0.1:7", own);
        assertThat(DefaultSecurity.of("127.0.0.1:7", environment)).isEqualTo(own);
        assertThat(DefaultSecurity.of("127.0.0.1:8", environment)).isEqualTo(ClientSecurity.tokenFile(Path.of("f")));
        known.close();
        assertThat(DefaultSecurity.of("127.0.0.1:7", environment)).isEqualTo(ClientSecurity.tokenFile(Path.of("f")));
    }
}
