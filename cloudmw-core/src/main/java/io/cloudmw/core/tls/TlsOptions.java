package io.cloudmw.core.tls;

import io.cloudmw.core.address.HostKind;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.config.Settings;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.security.TransferTokens;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * The settings of TLS that all processes have, below {@code tls}. See {@code docs/configuration.md}.
 *
 * @param insecure whether all connections are in plain text
 * @param files the certificates of a PKI; empty: the process enrols at the cluster's own authority
 * @param connectionAge the age from which on nothing new begins on a connection
 * @param tokenKeyLife the period of each key that signs transfer tokens
 */
public record TlsOptions(boolean insecure, Optional<TlsFiles> files, Duration connectionAge, Duration tokenKeyLife) {
    /** The setting of plain text. */
    public static final String INSECURE = "tls.insecure";

    /** Plain text. */
    public static final TlsOptions PLAIN =
            new TlsOptions(true, Optional.empty(), TlsCredentials.DEFAULT_CONNECTION_AGE, TransferTokens.MAX_LIFE);

    /**
     * Reads the settings.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT} when only some of the three files are given, or files and plain
     *     text
     */
    public static TlsOptions read(Settings settings) throws CloudMwException {
        boolean insecure = settings.flag(INSECURE, false);
        Duration age = settings.duration(
                "tls.connection-age",
                TlsCredentials.DEFAULT_CONNECTION_AGE,
                Duration.ofSeconds(10),
                Duration.ofDays(7));
        Duration keyLife = settings.duration(
                "tls.token-key-life",
                TransferTokens.MAX_LIFE,
                TransferTokens.SHORTEST_KEY_LIFE,
                TransferTokens.MAX_LIFE);
        Optional<Path> key = settings.optionalPath("tls.key");
        Optional<Path> certificate = settings.optionalPath("tls.certificate");
        Optional<Path> authorities = settings.optionalPath("tls.authorities");
        if (key.isEmpty() && certificate.isEmpty() && authorities.isEmpty()) {
            return new TlsOptions(insecure, Optional.empty(), age, keyLife);
        }
        if (key.isEmpty() || certificate.isEmpty() || authorities.isEmpty()) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "tls.key, tls.certificate, tls.authorities: some are missing (expected: all three, or none)");
        }
        if (insecure) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    INSECURE + ": true, and there are certificates in tls.key (expected: one of the two)");
        }
        return new TlsOptions(
                false, Optional.of(new TlsFiles(key.get(), certificate.get(), authorities.get())), age, keyLife);
    }

    /**
     * Refuses plain text on an address that other machines reach.
     *
     * @param setting the setting of the address, for the message
     * @throws CloudMwException {@code INVALID_ARGUMENT} for plain text on another address than loopback
     */
    public void requireListen(String setting, HostPort listen) throws CloudMwException {
        if (insecure) {
            requirePlainText(setting, listen);
        }
    }

    /**
     * Refuses an address for plain text, unless it is loopback.
     *
     * @throws CloudMwException as {@link #requireListen}
     */
    public static void requirePlainText(String setting, HostPort listen) throws CloudMwException {
        if (HostKind.of(listen.host()) != HostKind.LOOPBACK) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    setting + ": " + listen + " in plain text, which other machines could read and change (expected:"
                            + " an address of loopback, such as 127.0.0.1; or TLS, without --insecure and "
                            + INSECURE + "=true)");
        }
    }
}
