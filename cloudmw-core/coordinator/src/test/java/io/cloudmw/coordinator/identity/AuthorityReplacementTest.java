package io.cloudmw.coordinator.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.tls.TlsMaterial;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class AuthorityReplacementTest {
    private final WallClock clock = WallClock.system();

    @TempDir
    private Path directory;

    private static X509Certificate signing(TlsMaterial material) {
        return material.own().orElseThrow().certificate();
    }

    @Test
    void bothAuthoritiesAreTrustedUntilTheFormerOneGoes() throws CloudMwException {
        Path file = directory.resolve("authority.pem");
        X509Certificate former = signing(AuthorityReplacement.create(file, clock));

        TlsMaterial prepared = AuthorityReplacement.prepare(file, clock);
        assertThat(signing(prepared)).isEqualTo(former);
        assertThat(prepared.authorities()).hasSize(2).contains(former);

        TlsMaterial changed = AuthorityReplacement.switchOver(file, clock);
        assertThat(signing(changed)).isNotEqualTo(former);
        assertThat(changed.authorities()).hasSize(2).contains(former, signing(changed));

        TlsMaterial finished = AuthorityReplacement.finish(file);
        assertThat(signing(finished)).isEqualTo(signing(changed));
        assertThat(finished.authorities()).containsExactly(signing(changed));
    }

    @Test
    void stepsOutOfOrderAreRefusedAndChangeNothing() throws CloudMwException {
        Path file = directory.resolve("authority.pem");
        X509Certificate only = signing(AuthorityReplacement.create(file, clock));
        assertThatThrownBy(() -> AuthorityReplacement.create(file, clock)).hasMessageContaining("there is one already");
        assertThatThrownBy(() -> AuthorityReplacement.switchOver(file, clock))
                .hasMessageContaining("\"prepare\" first");
        assertThatThrownBy(() -> AuthorityReplacement.finish(file)).hasMessageContaining("\"prepare\", then");
        assertThat(AuthorityReplacement.prepare(file, clock).authorities()).hasSize(2);
        assertThatThrownBy(() -> AuthorityReplacement.prepare(file, clock)).hasMessageContaining("has begun already");
        assertThatThrownBy(() -> AuthorityReplacement.finish(file)).hasMessageContaining("\"switch\" first");
        assertThat(signing(AuthorityReplacement.read(file))).isEqualTo(only);
    }
}
