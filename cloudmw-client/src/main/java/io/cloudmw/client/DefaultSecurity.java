package io.cloudmw.client;

import io.cloudmw.core.config.Settings;
import io.cloudmw.core.security.TokenFile;
import io.cloudmw.core.tls.TlsOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** The look-up of the security that a client was given without options. Stateless; safe for any thread. */
public final class DefaultSecurity {
    private static final String TOKEN = "CLOUDMW_TOKEN";
    private static final String TOKEN_FILE = "CLOUDMW_TOKEN_FILE";
    private static final String KEY = Settings.environmentName("tls.key");
    private static final String CERTIFICATE = Settings.environmentName("tls.certificate");
    private static final String AUTHORITIES = Settings.environmentName("tls.authorities");

    private DefaultSecurity() {}

    static ClientSecurity of(String coordinator, Map<String, String> environment) {
        return StartedClusters.find(coordinator)
                .or(() -> fromEnvironment(environment))
                .orElseGet(DefaultSecurity::ofUser);
    }

    /** The security that environment variables name; empty: they name none. */
    public static Optional<ClientSecurity> fromEnvironment(Map<String, String> environment) {
        if (environment
                .getOrDefault(Settings.environmentName(TlsOptions.INSECURE), "")
                .equals("true")) {
            return Optional.of(ClientSecurity.insecure());
        }
        String token = environment.getOrDefault(TOKEN, "");
        if (!token.isEmpty()) {
            return Optional.of(ClientSecurity.token(token));
        }
        String file = environment.getOrDefault(TOKEN_FILE, "");
        if (!file.isEmpty()) {
            return Optional.of(ClientSecurity.tokenFile(Path.of(file)));
        }
        String key = environment.getOrDefault(KEY, "");
        String certificate = environment.getOrDefault(CERTIFICATE, "");
        String authorities = environment.getOrDefault(AUTHORITIES, "");
        if (key.isEmpty() && certificate.isEmpty() && authorities.isEmpty()) {
            return Optional.empty();
        }
        if (key.isEmpty() || certificate.isEmpty() || authorities.isEmpty()) {
            throw new IllegalArgumentException(KEY + ", " + CERTIFICATE + ", " + AUTHORITIES
                    + ": some are missing (expected: all three, or none)");
        }
        return Optional.of(ClientSecurity.certificate(Path.of(key), Path.of(certificate), Path.of(authorities)));
    }

    /** The token of the user, or else of an administrator, in the user's home directory. */
    private static ClientSecurity ofUser() {
        return ClientSecurity.tokenFile(
                Files.exists(TokenFile.OF_USER) ? TokenFile.OF_USER : TokenFile.OF_ADMINISTRATOR);
    }
}
