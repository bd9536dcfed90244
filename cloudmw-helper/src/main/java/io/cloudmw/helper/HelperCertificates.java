package io.cloudmw.helper;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.rpc.EnrolmentCall;
import io.cloudmw.core.security.ClusterSecret;
import io.cloudmw.core.security.JoinProofs;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.tls.CertificateRefresh;
import io.cloudmw.core.tls.PemFiles;
import io.cloudmw.core.tls.PemSource;
import io.cloudmw.core.tls.ProcessIdentity;
import io.cloudmw.core.tls.ProcessRole;
import io.cloudmw.core.tls.TlsCredentials;
import io.cloudmw.core.tls.TlsFiles;
import io.cloudmw.core.tls.TlsMaterial;
import io.cloudmw.helper.config.HelperConfig;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The certificates of a helper: from files, or from the cluster's authority, where the join secret proves that the helper
 * belongs to the cluster. They are renewed in the background. Safe for any thread.
 */
final class HelperCertificates implements AutoCloseable {
    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final Logger LOG = LoggerFactory.getLogger(HelperCertificates.class);

    /** The failures of an enrolment after which a later one may succeed. */
    private static final Set<ErrorCode> LATER =
            EnumSet.of(ErrorCode.COORDINATOR_UNAVAILABLE, ErrorCode.DEADLINE_EXCEEDED, ErrorCode.OVERLOADED);

    private final Optional<TlsCredentials> tls;
    private final @Nullable CertificateRefresh refresh;

    private HelperCertificates(Optional<TlsCredentials> tls, @Nullable CertificateRefresh refresh) {
        this.tls = tls;
        this.refresh = refresh;
    }

    /**
     * Opens the certificates. Where no coordinator answers, the helper starts without one, and enrols later.
     *
     * @throws CloudMwException {@code LOCAL_IO} or {@code INVALID_ARGUMENT} when files cannot be used, or are of another
     *     process; {@code UNAUTHENTICATED} when the coordinator has another join secret; {@code TLS_FAILED} when it
     *     speaks plain text
     */
    static HelperCertificates open(HelperConfig config, ClusterSecret secret) throws CloudMwException {
        if (config.tls().insecure()) {
            return new HelperCertificates(Optional.empty(), null);
        }
        Optional<TlsFiles> files = config.tls().files();
        if (files.isPresent()) {
            PemSource source = PemSource.of(files.get());
            TlsCredentials credentials = new TlsCredentials(
                    PemFiles.material(files.get()), config.tls().connectionAge());
            requireOwn(config, credentials);
            return new HelperCertificates(
                    Optional.of(credentials), CertificateRefresh.start(credentials, source, INTERVAL));
        }
        JoinProofs proofs = new JoinProofs(secret, WallClock.system());
        CertificateRefresh.Renewal renewal = present ->
                EnrolmentCall.helper(config.coordinator(), config.id().value(), proofs);
        TlsCredentials credentials = TlsCredentials.pending(config.tls().connectionAge());
        try {
            credentials.replace(renewal.renew(TlsMaterial.NONE));
        } catch (CloudMwException e) {
            if (!LATER.contains(e.code())) {
                throw e;
            }
            LOG.warn("helper {} has no certificate yet, and retries: {}", config.id(), e.getMessage());
        }
        return new HelperCertificates(
                Optional.of(credentials),
                CertificateRefresh.start(
                        credentials, CertificateRefresh.renewing(renewal, WallClock.system()), INTERVAL));
    }

    private static void requireOwn(HelperConfig config, TlsCredentials credentials) throws CloudMwException {
        Optional<ProcessIdentity> identity = credentials.identity();
        boolean isOwn = identity.isPresent()
                && identity.get().role() == ProcessRole.HELPER
                && identity.get().id().equals(config.id().value());
        if (!isOwn) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "tls.certificate: of "
                            + identity.map(ProcessIdentity::uri).orElse("no process")
                            + " (expected: a URI cloudmw://CLUSTER/helper/" + config.id()
                            + " among its alternative names)");
        }
    }

    /** The TLS contexts; empty: plain text. */
    Optional<TlsCredentials> tls() {
        return tls;
    }

    @Override
    public void close() {
        if (refresh != null) {
            refresh.close();
        }
    }
}
