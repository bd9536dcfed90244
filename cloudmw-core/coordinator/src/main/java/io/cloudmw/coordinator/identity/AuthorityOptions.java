package io.cloudmw.coordinator.identity;

import io.cloudmw.core.config.Settings;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.security.TokenFile;
import io.cloudmw.core.tls.ProcessIdentity;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * The settings of the cluster's authority. See {@code docs/configuration.md}.
 *
 * @param file its key and certificate; made when it is missing
 * @param adminToken the administrator's token; made when it is missing
 * @param cluster the cluster's name in certificates; empty: the catalog's id
 * @param life the validity of certificates
 */
public record AuthorityOptions(Path file, Path adminToken, Optional<String> cluster, Duration life) {
    /** The setting of the authority's file. */
    public static final String FILE = "tls.authority";

    /** The setting of the file of the administrator's token. */
    public static final String ADMIN_TOKEN = "tls.admin-token-file";

    private static final Duration DEFAULT_LIFE = Duration.ofDays(7);

    /** Reads the settings. */
    public static AuthorityOptions read(Settings settings) throws CloudMwException {
        return new AuthorityOptions(
                settings.path(FILE, AuthorityFile.DEFAULT),
                settings.path(ADMIN_TOKEN, TokenFile.OF_ADMINISTRATOR),
                settings.optional(
                        "tls.cluster",
                        "a name of A-Za-z0-9._@+-",
                        name -> ProcessIdentity.checked("tls.cluster", name)),
                settings.duration("tls.certificate-life", DEFAULT_LIFE, Duration.ofSeconds(10), Duration.ofDays(365)));
    }
}
