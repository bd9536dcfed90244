package io.cloudmw.coordinator.identity;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.security.AccessToken;
import io.cloudmw.core.security.ClusterSecret;
import io.cloudmw.core.security.JoinProofs;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.tls.CertificateRefresh;
import io.cloudmw.core.tls.CertifiedKey;
import io.cloudmw.core.tls.PemFiles;
import io.cloudmw.core.tls.PemSource;
import io.cloudmw.core.tls.ProcessIdentity;
import io.cloudmw.core.tls.ProcessRole;
import io.cloudmw.core.tls.SigningRequest;
import io.cloudmw.core.tls.TlsCredentials;
import io.cloudmw.core.tls.TlsFiles;
import io.cloudmw.core.tls.TlsMaterial;
import io.cloudmw.core.tls.TlsOptions;
import java.security.KeyPair;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The certificates of a coordinator: from files, or signed by the cluster's authority, whose key it has. They are
 * renewed in the background, and the authority's file is read again when it changes. Safe for any thread.
 */
public final class CoordinatorCertificates implements AutoCloseable {
    private final Optional<TlsCredentials> tls;
    private final Optional<Enrolment> enrolment;
    private final @Nullable CertificateRefresh refresh;

    private CoordinatorCertificates(
            Optional<TlsCredentials> tls, Optional<Enrolment> enrolment, @Nullable CertificateRefresh refresh) {
        this.tls = tls;
        this.enrolment = enrolment;
        this.refresh = refresh;
    }

    /**
     * Opens the certificates.
     *
     * @param catalog has the cluster's id and the tokens of clients
     * @param listen where the coordinator serves; its name in certificates
     * @throws CloudMwException {@code LOCAL_IO} or {@code INVALID_ARGUMENT} when files cannot be used
     */
    public static CoordinatorCertificates open(
            TlsOptions options, AuthorityOptions authority, ClusterSecret secret, Catalog catalog, HostPort listen)
            throws CloudMwException {
        if (options.insecure()) {
            return new CoordinatorCertificates(Optional.empty(), Optional.empty(), null);
        }
        Optional<TlsFiles> files = options.files();
        return files.isPresent()
                ? ofFiles(files.get(), options.connectionAge())
                : ofAuthority(authority, options.connectionAge(), secret, catalog, listen);
    }

    private static CoordinatorCertificates ofFiles(TlsFiles files, Duration connectionAge) throws CloudMwException {
        PemSource source = PemSource.of(files);
        TlsCredentials credentials = new TlsCredentials(PemFiles.material(files), connectionAge);
        Optional<ProcessIdentity> identity = credentials.identity();
        if (identity.isEmpty() || identity.get().role() != ProcessRole.COORDINATOR) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "tls.certificate: of " + identity.map(ProcessIdentity::uri).orElse("no process")
                            + " (expected: a URI cloudmw://CLUSTER/coordinator/NAME among its alternative names)");
        }
        return new CoordinatorCertificates(
                Optional.of(credentials),
                Optional.empty(),
                CertificateRefresh.start(credentials, source, CertificateRefresh.INTERVAL));
    }

    private static CoordinatorCertificates ofAuthority(
            AuthorityOptions options, Duration connectionAge, ClusterSecret secret, Catalog catalog, HostPort listen)
            throws CloudMwException {
        WallClock clock = WallClock.system();
        AuthorityFile authority = AuthorityFile.openOrCreate(options.file(), clock);
        String cluster = options.cluster().orElse(catalog.clusterId());
        ProcessIdentity identity = new ProcessIdentity(cluster, ProcessRole.COORDINATOR, name(listen));
        TlsCredentials credentials = new TlsCredentials(own(authority.present(), identity, options), connectionAge);
        ClientTokens tokens = new ClientTokens(
                AdminToken.readOrCreate(
                        options.adminToken(), authority.present().signing().certificate()),
                catalog.subjects(),
                clock);
        Enrolment enrolment =
                new Enrolment(cluster, authority::present, new JoinProofs(secret, clock), tokens, options.life());
        CertificateRefresh.Source renewing =
                CertificateRefresh.renewing(present -> own(authority.present(), identity, options), clock);
        CertificateRefresh.Source file = PemSource.of(TlsFiles.in(options.file()));
        CertificateRefresh.Source source = material -> {
            if (file.next(material).isPresent()) {
                AuthorityFile.Authorities next = authority.reread();
                AccessToken unused = AdminToken.readOrCreate(
                        options.adminToken(), next.signing().certificate());
                return Optional.of(own(next, identity, options));
            }
            return renewing.next(material);
        };
        return new CoordinatorCertificates(
                Optional.of(credentials),
                Optional.of(enrolment),
                CertificateRefresh.start(credentials, source, CertificateRefresh.INTERVAL));
    }

    /** A new key for this coordinator, certified by the authority. */
    private static TlsMaterial own(
            AuthorityFile.Authorities authorities, ProcessIdentity identity, AuthorityOptions options)
            throws CloudMwException {
        KeyPair key = SigningRequest.newKey();
        return new TlsMaterial(
                Optional.of(new CertifiedKey(
                        key.getPrivate(), authorities.signing().certify(key.getPublic(), identity, options.life()))),
                authorities.trusted());
    }

    /** The address as a name: other characters become hyphens, at the beginning they are left out. */
    private static String name(HostPort listen) {
        String name = listen.toString().replaceAll("[^A-Za-z0-9._-]", "-").replaceAll("^[^A-Za-z0-9]+", "");
        return name.isEmpty() ? "coordinator" : name;
    }

    /** The TLS contexts; empty: plain text. */
    public Optional<TlsCredentials> tls() {
        return tls;
    }

    /** The rules by which the authority signs; empty: the cluster has no authority of its own. */
    public Optional<Enrolment> enrolment() {
        return enrolment;
    }

    /** The fingerprint of the cluster's own authority, for new tokens; empty: it has none. */
    public Optional<String> authority() {
        return enrolment.map(Enrolment::authority);
    }

    @Override
    public void close() {
        if (refresh != null) {
            refresh.close();
        }
    }
}
