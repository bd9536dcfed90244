package io.cloudmw.core.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CredentialsReferenceTest {
    @Test
    void aReferenceNamesItsPlaceAndNoExternalId() {
        assertThat(CredentialsReference.chain().describe()).contains("default chain");
        assertThat(new CredentialsReference.Profile("team a").describe()).isEqualTo("profile team a");
        assertThat(new CredentialsReference.KeyFile(Path.of("/etc/k")).describe())
                .isEqualTo("file /etc/k");
        CredentialsReference role = new CredentialsReference.Role("arn:aws:iam::123456789012:role/r", "ext-4711");
        assertThat(role.describe())
                .isEqualTo("role arn:aws:iam::123456789012:role/r with an external id")
                .isEqualTo(role.toString());
    }

    @Test
    void malformedReferencesAreRefusedWithTheExpectedForm() {
        assertThatThrownBy(() -> new CredentialsReference.Profile(" ")).hasMessageContaining("expected: 1 to 2048");
        assertThatThrownBy(() -> new CredentialsReference.Profile("a\nb")).hasMessageContaining("\"a?b\"");
        assertThatThrownBy(() -> new CredentialsReference.KeyFile(Path.of("keys")))
                .hasMessageContaining("an absolute path");
        assertThatThrownBy(() -> new CredentialsReference.Role("reader", ""))
                .hasMessageContaining("arn:aws:iam::ACCOUNT:role/NAME");
        assertThatThrownBy(() -> new CredentialsReference.Role("arn:aws:iam::123456789012:role/r", "secret words"))
                .hasMessageContaining("external id: 12 characters")
                .hasMessageNotContaining("secret words");
    }

    @Test
    void keysShowNoSecret() {
        assertThat(new AccessKeys("AKIA1", "very-secret", Optional.of("token-secret")).toString())
                .isEqualTo("access key AKIA1");
    }
}
