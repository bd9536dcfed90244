package io.cloudmw.client.rpc;

import io.cloudmw.core.config.HostPorts;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.rpc.EnrolmentCall;
import io.cloudmw.core.security.AccessToken;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.tls.CertificateRefresh;
import io.cloudmw.core.tls.TlsMaterial;
import java.util.Optional;

/**
 * The source of the certificates of a client with a token: the coordinators, or a file in which an earlier client kept one
 * that is still valid. Confined to one thread, but for {@link #refuse}.
 */
public final class TokenCertificates implements CertificateRefresh.Source {
    private final HostPorts coordinators;
    private final TokenSource tokens;
    private final Optional<CertificateFiles> files;
    private final WallClock clock;
    private volatile Optional<TlsMaterial> fromFile = Optional.empty();
    private volatile boolean refused;

    /** A source of the present token: a text, or a file that may change. */
    @FunctionalInterface
    public interface TokenSource {
        AccessToken token() throws CloudMwException;
    }

    /** @param files empty: no certificate is kept */
    public TokenCertificates(
            HostPorts coordinators, TokenSource tokens, Optional<CertificateFiles> files, WallClock clock) {
        this.coordinators = coordinators;
        this.tokens = tokens;
        this.files = files;
        this.clock = clock;
    }

    @Override
    public Optional<TlsMaterial> next(TlsMaterial present) throws CloudMwException {
        if (!isDue(present)) {
            return Optional.empty();
        }
        AccessToken token = tokens.token();
        TlsMaterial known = present;
        if (present.own().isEmpty() && files.isPresent()) {
            known = files.get().read(coordinators, token).orElse(present);
            if (!refused && !isDue(known)) {
                fromFile = Optional.of(known);
                return fromFile;
            }
        }
        TlsMaterial made = EnrolmentCall.client(coordinators, token, known.authorities());
        made.own().ifPresent(own -> files.ifPresent(kept -> kept.keep(coordinators, token, own, made)));
        return Optional.of(made);
    }

    private boolean isDue(TlsMaterial material) {
        return material.own().map(own -> CertificateRefresh.isDue(own, clock)).orElse(true);
    }

    /**
     * A coordinator did not take this material, or its own certificate is not trusted by it.
     *
     * @return whether it was read from a file; none is read from then on
     */
    boolean refuse(TlsMaterial material) {
        boolean isFromFile = fromFile.filter(material::equals).isPresent();
        refused |= isFromFile;
        return isFromFile;
    }
}
