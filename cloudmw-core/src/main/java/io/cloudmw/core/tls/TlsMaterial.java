package io.cloudmw.core.tls;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
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

    /** The identity in the process's certificate; empty: it has no certificate, or one that names none. */
    Optional<ProcessIdentity> identity() {
        return own.flatMap(certified -> Certificates.identity(certified.certificate()));
    }

    /**
     * Checks that this material's successor is of the same process.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT} when its certificate names another one
     */
    public void requireSameProcess(TlsMaterial next) throws CloudMwException {
        Optional<ProcessIdentity> present = identity();
        Optional<ProcessIdentity> other = next.identity();
        boolean isSame = present.isEmpty()
                || next.own().isEmpty()
                || other.map(ProcessIdentity::holder).equals(present.map(ProcessIdentity::holder));
        if (!isSame) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "new certificate: of " + other.map(ProcessIdentity::uri).orElse("no process") + " (expected: of "
                            + present.get().holder() + ", like the one in use)");
        }
    }
}
