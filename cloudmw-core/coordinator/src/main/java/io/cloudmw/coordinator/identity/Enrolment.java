package io.cloudmw.coordinator.identity;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.security.AccessToken;
import io.cloudmw.core.security.JoinProofs;
import io.cloudmw.core.security.JoinProofs.JoinProof;
import io.cloudmw.core.tls.Certificates;
import io.cloudmw.core.tls.ProcessIdentity;
import io.cloudmw.core.tls.ProcessRole;
import io.cloudmw.core.tls.SigningRequest;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** The rules by which the cluster's authority signs certificates. Safe for any thread. */
public final class Enrolment {
    private static final Logger LOG = LoggerFactory.getLogger(Enrolment.class);

    private final String cluster;
    private final Supplier<AuthorityFile.Authorities> authorities;
    private final JoinProofs joins;
    private final Tokens tokens;
    private final Duration life;

    /**
     * @param cluster the cluster's name in identities
     * @param authorities the present ones
     * @param tokens those of clients
     * @param life the validity of certificates of helpers and clients
     */
    public Enrolment(
            String cluster,
            Supplier<AuthorityFile.Authorities> authorities,
            JoinProofs joins,
            Tokens tokens,
            Duration life) {
        this.cluster = cluster;
        this.authorities = authorities;
        this.joins = joins;
        this.tokens = tokens;
        this.life = life;
    }

    /** The tokens by which clients get certificates. */
    @FunctionalInterface
    public interface Tokens {
        /** Returns whether a token is known and not over. Blocks on the catalog. */
        boolean isGood(AccessToken token) throws CloudMwException;
    }

    /**
     * A signed certificate.
     *
     * @param chain the certificate first, then its authority's
     * @param trusted the authorities that the process is to trust
     */
    public record Certified(List<X509Certificate> chain, List<X509Certificate> trusted) {
        public Certified {
            chain = List.copyOf(chain);
            trusted = List.copyOf(trusted);
        }
    }

    /**
     * Certifies a helper's key.
     *
     * @throws CloudMwException {@code UNAUTHENTICATED} when the proof is not one, or was used before; {@code
     *     INVALID_ARGUMENT} when the id or the request is none
     */
    public Certified helper(String id, SigningRequest request, JoinProof proof) throws CloudMwException {
        joins.verify(id, request.publicKey(), proof);
        return certified(ProcessRole.HELPER, id, Optional.empty(), request);
    }

    /** The fingerprint of the authority that signs now. */
    String authority() {
        return Certificates.fingerprint(authorities.get().signing().certificate());
    }

    /** The coordinator's proof for an answer to a helper. */
    public String answer(JoinProof proof, List<byte[]> certificates) {
        return joins.answer(proof, certificates);
    }

    /**
     * Certifies a client's key for the subject of its token.
     *
     * @throws CloudMwException {@code UNAUTHENTICATED} when the token is unknown; {@code INVALID_ARGUMENT} when the
     *     request is none
     */
    public Certified client(String text, SigningRequest request) throws CloudMwException {
        AccessToken token = parsed(text);
        if (!tokens.isGood(token)) {
            throw new CloudMwException(
                    ErrorCode.UNAUTHENTICATED,
                    "token " + token.id() + " of " + token.subject()
                            + ": the cluster does not know it, or it was revoked or is over");
        }
        return certified(ProcessRole.CLIENT, token.subject(), Optional.of(token.id()), request);
    }

    /**
     * Returns the identity of a token's bearer; empty: the text is no token of this cluster, or the token is not good.
     *
     * @throws CloudMwException when the catalog cannot be read
     */
    public Optional<ProcessIdentity> bearer(String text) throws CloudMwException {
        AccessToken token;
        try {
            token = AccessToken.parse(text);
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
        return tokens.isGood(token)
                ? Optional.of(
                        new ProcessIdentity(cluster, ProcessRole.CLIENT, token.subject(), Optional.of(token.id())))
                : Optional.empty();
    }

    private static AccessToken parsed(String text) throws CloudMwException {
        try {
            return AccessToken.parse(text);
        } catch (IllegalArgumentException e) {
            throw new CloudMwException(ErrorCode.UNAUTHENTICATED, String.valueOf(e.getMessage()));
        }
    }

    private Certified certified(ProcessRole role, String id, Optional<String> token, SigningRequest request)
            throws CloudMwException {
        PublicKey key = request.verified();
        ProcessIdentity identity;
        try {
            identity = new ProcessIdentity(cluster, role, id, token);
        } catch (IllegalArgumentException e) {
            throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, String.valueOf(e.getMessage()));
        }
        AuthorityFile.Authorities present = authorities.get();
        List<X509Certificate> chain = present.signing().certify(key, identity, life);
        LOG.atLevel(role == ProcessRole.CLIENT ? Level.DEBUG : Level.INFO)
                .log(
                        "certified {} until {}",
                        identity.describe(),
                        chain.get(0).getNotAfter().toInstant());
        return new Certified(chain, present.trusted());
    }
}
