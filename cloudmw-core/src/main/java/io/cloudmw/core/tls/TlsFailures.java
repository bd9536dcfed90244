package io.cloudmw.core.tls;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.util.Optional;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** The failures of TLS among the causes of an exception, in the field's words. Stateless; safe for any thread. */
public final class TlsFailures {
    private static final int MAX_DEPTH = 16;

    private TlsFailures() {}

    /** Returns whether the failure is one of TLS. */
    public static boolean isOne(@Nullable Throwable failure) {
        return find(failure, SSLException.class).isPresent();
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
        return "TLS: " + text;
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
