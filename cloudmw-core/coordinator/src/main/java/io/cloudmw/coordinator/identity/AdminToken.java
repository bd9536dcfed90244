package io.cloudmw.coordinator.identity;

import io.cloudmw.coordinator.grant.Authorizer;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.security.AccessToken;
import io.cloudmw.core.security.TokenFile;
import io.cloudmw.core.tls.Certificates;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The token of the cluster's administrator, in a file that only its owner may read. Commands of the same user on the
 * coordinator's machine find it there.
 */
final class AdminToken {
    private static final Logger LOG = LoggerFactory.getLogger(AdminToken.class);

    private AdminToken() {}

    /**
     * Reads the token, or creates the file with a new one. Where the authority was replaced, the file gets the same token
     * with the name of the new one.
     *
     * @throws CloudMwException {@code LOCAL_IO} when it cannot be read or written, or others can read it; {@code
     *     INVALID_ARGUMENT} when it holds no token
     */
    static AccessToken readOrCreate(Path file, X509Certificate authority) throws CloudMwException {
        String pin = Certificates.fingerprint(authority);
        if (!Files.exists(file) && TokenFile.create(file, AccessToken.random(Authorizer.ADMINISTRATOR, pin))) {
            LOG.info("there was no token file {}: created it with the administrator's token", file.toAbsolutePath());
        }
        AccessToken found = TokenFile.read(file);
        if (found.authority().equals(pin)) {
            return found;
        }
        AccessToken same = found.withAuthority(pin);
        TokenFile.replace(file, same);
        LOG.info("token file {}: the token names the new authority now", file.toAbsolutePath());
        return same;
    }
}
