package io.cloudmw.core.tls;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.io.IOException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** The failures of TLS among the causes of an exception, in the field's words. Stateless; safe for any thread. */
public final class TlsFailures {
    private static final int MAX_DEPTH = 16;

    /** The words of Netty for a connection that ended before its handshake did. */
    private static final String CLOSED = "Connection closed while SSL/TLS handshake was in progress";

    /** The words for alerts: BoringSSL's and the JDK's names of one alert differ in case and in their beginning. */
    private static final Pattern ALERT = Pattern.compile("(?i)(?:SSLV3|TLSV1)_ALERT_(\\w+)|fatal alert: (\\w+)");

    private static final Map<String, String> ALERTS = Map.of(
            "certificate_expired", "its certificate has expired, or is not good yet",
            "unknown_ca", "it does not trust the authority of its certificate",
            "certificate_required", "it showed no certificate",
            "bad_certificate", "its certificate is not the expected one");

    private TlsFailures() {}

    /** Returns whether the failure is one of TLS, and not only of a connection that broke during a handshake. */
    public static boolean isOne(@Nullable Throwable failure) {
        Optional<SSLException> found = find(failure, SSLException.class);
        return found.isPresent()
                && !String.valueOf(found.get().getMessage()).contains(CLOSED)
                && find(found.get(), IOException.class)
                        .filter(innermost -> innermost instanceof SSLException)
                        .isPresent();
    }

    /**
     * The exception for a failure of TLS.
     *
     * @param link the connection's name in the message
     */
    public static CloudMwException of(String link, Throwable failure) {
        return new CloudMwException(ErrorCode.TLS_FAILED, link + ": " + reason(failure), failure);
    }

    /** The innermost reason: that of the certificate, if it is known; otherwise that of the protocol. */
    public static String reason(Throwable failure) {
        Optional<String> path = find(failure, CertPathValidatorException.class).map(Throwable::getMessage);
        Optional<String> certificate = find(failure, CertificateException.class).map(Throwable::getMessage);
        String text = path.or(() -> certificate)
                .or(() -> find(failure, SSLException.class).map(Throwable::getMessage))
                .orElse(String.valueOf(failure.getMessage()));
        if (text.contains("not an SSL/TLS record")) {
            return "the other side speaks plain text, not TLS";
        }
        if (text.contains("PEER_DID_NOT_RETURN_A_CERTIFICATE") || text.contains("Empty client certificate chain")) {
            return "TLS: the other side showed no certificate";
        }
        return "TLS: " + alert(text).orElse(text);
    }

    /** The reason for which the other side refused this process, when it named one. */
    private static Optional<String> alert(String text) {
        Matcher alert = ALERT.matcher(text);
        if (!alert.find()) {
            return Optional.empty();
        }
        String name = alert.group(alert.group(1) == null ? 2 : 1).toLowerCase(Locale.ROOT);
        return Optional.of("the other side refused this process: " + ALERTS.getOrDefault(name, name));
    }

    private static <T extends Throwable> Optional<T> find(@Nullable Throwable failure, Class<T> type) {
        Optional<T> innermost = Optional.empty();
        Throwable cause = failure;
        for (int depth = 0; cause != null && depth < MAX_DEPTH; depth++) {
            if (type.isInstance(cause)) {
                innermost = Optional.of(type.cast(cause));
            }
            cause = cause.getCause();
        }
        return innermost;
    }
}
