package io.cloudmw.cli.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SecretMaskTest {
    private static final String PLANTED = "wJalrXUtnFEMI-K7MDENG";
    private static final SecretMask MASK = SecretMask.of(Map.of(), List.of());

    @ParameterizedTest
    @ValueSource(
            strings = {
                "cluster.secret=" + PLANTED,
                "AWS_SECRET_ACCESS_KEY=" + PLANTED,
                "aws_secret_access_key = " + PLANTED,
                "{\"token\":\"" + PLANTED + "\",\"a\":1}",
                "password: '" + PLANTED + "'",
                "Authorization: Bearer " + PLANTED,
                "http://user:" + PLANTED + "@host:9000/bucket",
                "https://b.s3.amazonaws.com/k?X-Amz-Signature=" + PLANTED + "&X-Amz-Expires=60",
                "https://b.s3.amazonaws.com/k?X-Amz-Security-Token=" + PLANTED + "&x=1",
                "-Dsome.api-key=" + PLANTED + " -Dother=1",
                "-----BEGIN PRIVATE KEY-----\n" + PLANTED + "\n-----END PRIVATE KEY-----",
                "-----BEGIN RSA PRIVATE KEY-----\n" + PLANTED,
                "{\"message\":\"got {\\\"token\\\":\\\"a " + PLANTED + "\\\"}\"}",
                "{\"message\":\"password=\\\"a " + PLANTED + "\\\"\"}",
                "token=abc;" + PLANTED,
                "\"secrets\": [\"a\", \"" + PLANTED + "\"]",
                "http://user:p@" + PLANTED + "@host/",
                "--password " + PLANTED,
                "Authorization: Token " + PLANTED,
                "Cookie: a=b; c=" + PLANTED,
                "<password>" + PLANTED + "</password>",
                "pass=" + PLANTED,
                "SSECustomerKey=" + PLANTED,
                "https://h/?sig=" + PLANTED,
                "secret.profile=" + PLANTED
            })
    void secretIsReplaced(String text) {
        assertThat(MASK.apply("before " + text + "\nafter"))
                .doesNotContain(PLANTED)
                .startsWith("before ")
                .contains(SecretMask.MASKED);
    }

    @ParameterizedTest
    @CsvSource({
        "cluster.secret-file=/var/lib/cloudmw/cluster.secret",
        "coordinator.token-ttl=6h",
        "chunk=0123456789abcdef0123456789abcdef-7 store=d1",
        "helper h1 is registered with 10.0.0.1:7400",
        "http://10.0.0.1:9000/bucket"
    })
    void harmlessTextStays(String text) {
        assertThat(MASK.apply(text)).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "some.password=abc " + PLANTED,
                "some.password = abc, " + PLANTED,
                "some.password : a \\\n   " + PLANTED,
                "  token=a\\=\\\r\n" + PLANTED
            })
    void valueOfASettingEndsWithItsLine(String text) {
        assertThat(MASK.applyToSettings("a=1\n" + text + "\nb=2"))
                .doesNotContain(PLANTED)
                .startsWith("a=1\n")
                .endsWith("\nb=2");
    }

    @Test
    void privateKeyWhoseBeginWasCutOffIsReplaced() {
        assertThat(MASK.apply(PLANTED + "\n-----END PRIVATE KEY-----\nafter")).isEqualTo(SecretMask.MASKED + "\nafter");
    }

    @Test
    void knownSecretsAreReplacedWhereverTheyAre() {
        SecretMask mask = SecretMask.of(Map.of("MY_TOKEN", PLANTED, "HOME", "/home/somebody"), List.of("0123456789ab"));
        assertThat(mask.apply("x" + PLANTED + "y 0123456789ab /home/somebody"))
                .isEqualTo("x" + SecretMask.MASKED + "y " + SecretMask.MASKED + " /home/somebody");
    }

    /** A log has long lines; each of these took quadratic time, or the stack, with an unbounded expression. */
    @ParameterizedTest
    @ValueSource(strings = {"x", "\n", "a://", "secret", "token=\"\\\\", "0f", "\"'"})
    void longTextOfOneKindIsMasked(String unit) {
        String text = unit.repeat((2 << 20) / unit.length());
        assertThat(MASK.apply(text + " password=" + PLANTED)).doesNotContain(PLANTED);
        assertThat(MASK.applyToSettings(text + "\npassword=" + PLANTED)).doesNotContain(PLANTED);
    }

    @Test
    void jsonStaysJson() {
        assertThat(MASK.apply("{\"secret_key\": \"a b\\\"c\", \"n\": 1}"))
                .isEqualTo("{\"secret_key\": \"" + SecretMask.MASKED + "\", \"n\": 1}");
    }

    @Test
    void fileOfKeysLosesItsKeys() {
        String key = "0f".repeat(32);
        assertThat(MASK.apply(key + "\n" + key + "\n")).doesNotContain("0f0f");
        assertThat(MASK.apply("id AKIAIOSFODNN7EXAMPLE of")).isEqualTo("id " + SecretMask.MASKED + " of");
    }
}
