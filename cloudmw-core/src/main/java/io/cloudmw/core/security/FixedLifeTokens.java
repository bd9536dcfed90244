package io.cloudmw.core.security;

import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.time.WallClock;
import java.time.Duration;
import java.util.Set;

/**
 * An issuer of transfer tokens that expire after a fixed time. Safe for any thread.
 *
 * @param life how long a token is valid
 */
public record FixedLifeTokens(TransferTokens tokens, Duration life, WallClock clock) {

    /** Returns a token with these rights to a version of a file. */
    public TransferToken issue(Set<TransferRight> rights, FilePath file, VersionId version) {
        return tokens.issue(new TransferClaims(rights, file, version, clock.millis() + life.toMillis()));
    }
}
