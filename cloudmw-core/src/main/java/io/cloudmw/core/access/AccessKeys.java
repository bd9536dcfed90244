package io.cloudmw.core.access;

import java.util.Optional;

/**
 * A pair of access keys. {@link #toString} shows no secret.
 *
 * @param token the session token of temporary keys
 */
public record AccessKeys(String id, String secret, Optional<String> token) {
    public AccessKeys {
        if (id.isBlank() || secret.isBlank()) {
            throw new IllegalArgumentException("access keys: the id or the secret is empty");
        }
    }

    @Override
    public String toString() {
        return "access key " + id;
    }
}
