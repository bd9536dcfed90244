package io.cloudmw.client;

import io.cloudmw.core.security.AccessToken;
import java.nio.file.Path;

/**
 * The way in which a client shows for whom it acts, and verifies coordinators, helpers and other clients. Immutable.
 */
public sealed interface ClientSecurity {
    /**
     * The security that this process and its user were given, looked up when the client connects:
     *
     * <ol>
     *   <li>that of a cluster that this process has started ({@link StartedClusters});
     *   <li>the environment: {@code CLOUDMW_TLS_INSECURE=true}, a token in {@code CLOUDMW_TOKEN}, its file in {@code
     *       CLOUDMW_TOKEN_FILE}, or the files of a PKI in {@code CLOUDMW_TLS_KEY}, {@code CLOUDMW_TLS_CERTIFICATE} and
     *       {@code CLOUDMW_TLS_AUTHORITIES};
     *   <li>the user's token, {@code ~/.cloudmw/token}, which {@code cloudmw login} writes;
     *   <li>the administrator's token, {@code ~/.cloudmw/admin.token}, which a coordinator of the same user wrote.
     * </ol>
     */
    static ClientSecurity byDefault() {
        return new Default();
    }

    /** Plain text: anyone on the network can read and change what is sent. For clusters on one machine. */
    static ClientSecurity insecure() {
        return new Insecure();
    }

    /**
     * A token of the cluster. The client gets a certificate for it before its first call.
     *
     * @param text as {@code cloudmw token create} prints it
     * @throws IllegalArgumentException when it is no token
     */
    static ClientSecurity token(String text) {
        return new Token(AccessToken.parse(text).text());
    }

    /**
     * A file with a token, which only its owner may read. It is read before the first call, which fails when there is
     * none.
     */
    static ClientSecurity tokenFile(Path file) {
        return new TokenFile(file);
    }

    /**
     * Certificates of a PKI, in PEM files. They are read before the first call, which fails when they cannot be used, and
     * again when they change.
     *
     * @param key the private key, which only its owner may read
     * @param certificate the key's certificate, then those of authorities between it and a trusted one
     * @param authorities the certificates of trusted authorities
     */
    static ClientSecurity certificate(Path key, Path certificate, Path authorities) {
        return new Certificate(key, certificate, authorities);
    }

    /** As {@link #byDefault}. */
    record Default() implements ClientSecurity {}

    /** Plain text. */
    record Insecure() implements ClientSecurity {}

    /** A token of the cluster. Never printed. */
    record Token(String text) implements ClientSecurity {
        @Override
        public String toString() {
            return "Token[redacted]";
        }
    }

    /** A file with a token. */
    record TokenFile(Path file) implements ClientSecurity {}

    /** Certificates of a PKI. */
    record Certificate(Path key, Path certificate, Path authorities) implements ClientSecurity {}
}
