package io.cloudmw.core.tls;

import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;

/**
 * The key of a process and the authorities that it trusts.
 *
 * @param own the process's key; empty: it has none yet
 * @param authorities whose certificates it trusts
 */
public record TlsMaterial(Optional<CertifiedKey> own, List<X509Certificate> authorities) {
    /** The most authorities that a process trusts. While an authority is being replaced there are two. */
    public static final int MAX_AUTHORITIES = 16;

    /** The material of a process that has not enrolled yet: it trusts nobody, and nobody trusts it. */
    public static final TlsMaterial NONE = new TlsMaterial(Optional.empty(), List.of());

    public TlsMaterial {
        authorities = List.copyOf(authorities);
        if ((authorities.isEmpty() && own.isPresent()) || authorities.size() > MAX_AUTHORITIES) {
            throw new IllegalArgumentException(
                    "authorities: " + authorities.size() + " certificates (expected: 1.." + MAX_AUTHORITIES + ")");
        }
    }
}
