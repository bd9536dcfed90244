package io.cloudmw.core.tls;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TlsFailuresTest {
    @Test
    void connectionThatBreaksDuringAHandshakeIsNoFailureOfTls() {
        assertThat(TlsFailures.isOne(new SSLHandshakeException("General problem")))
                .isTrue();
        assertThat(TlsFailures.isOne(new IOException("x", new SSLException("alert"))))
                .isTrue();
        assertThat(TlsFailures.isOne(new IOException("Connection reset"))).isFalse();
        assertThat(TlsFailures.isOne(
                        new SSLException("failure when writing TLS control frames", new IOException("Broken pipe"))))
                .isFalse();
        assertThat(TlsFailures.isOne(new SSLException("x", new ClosedChannelException())))
                .isFalse();
        assertThat(TlsFailures.isOne(
                        new SSLHandshakeException("Connection closed while SSL/TLS handshake was in progress")))
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "error:10000415:SSL routines:OPENSSL_internal:SSLV3_ALERT_CERTIFICATE_EXPIRED"
                        + "| its certificate has expired, or is not good yet",
                "Received fatal alert: certificate_expired | its certificate has expired, or is not good yet",
                "error:10000418:SSL routines:OPENSSL_internal:TLSV1_ALERT_UNKNOWN_CA"
                        + "| it does not trust the authority of its certificate",
                "error:1000045c:SSL routines:OPENSSL_internal:TLSV1_ALERT_CERTIFICATE_REQUIRED"
                        + "| it showed no certificate",
                "(bad_certificate) Received fatal alert: bad_certificate | its certificate is not the expected one",
                "Received fatal alert: handshake_failure | handshake_failure"
            })
    void alertSaysWhyTheOtherSideRefused(String text, String reason) {
        assertThat(TlsFailures.reason(new SSLException(text)))
                .isEqualTo("TLS: the other side refused this process: " + reason);
    }
}
