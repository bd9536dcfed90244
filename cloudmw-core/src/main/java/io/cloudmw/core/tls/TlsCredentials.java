package io.cloudmw.core.tls;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.util.AdvancedTlsX509KeyManager;
import io.grpc.util.AdvancedTlsX509TrustManager;
import io.grpc.util.AdvancedTlsX509TrustManager.Verification;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;

/**
 * The TLS contexts of a process: TLS 1.3 alone, its certificate shown to every peer, and peers verified by
 * {@link PeerRule}. New material takes effect with the next handshake, in all contexts, and connections shake hands anew
 * when they are old. The implementation is BoringSSL where it loads, otherwise the JDK's. Sessions are not resumed: each
 * connection shows certificates that are valid now.
 * Safe for any thread.
 */
public final class TlsCredentials {
    /** The age from which on nothing new begins on a connection, where no other is set. */
    public static final Duration DEFAULT_CONNECTION_AGE = Duration.ofHours(1);

    private static final String PROTOCOL = "TLSv1.3";

    private final SslProvider provider = OpenSsl.isAvailable() ? SslProvider.OPENSSL : SslProvider.JDK;
    private final AdvancedTlsX509KeyManager keys = new AdvancedTlsX509KeyManager();
    private final Map<Use, SslContext> contexts = new HashMap<>();
    private final Map<Use, AdvancedTlsX509TrustManager> trust = new HashMap<>();
    private final Duration connectionAge;
    private TlsMaterial material;

    /** The use of a context. */
    private record Use(Plane plane, Side side, Set<ProcessRole> peers) {}

    private enum Plane {
        CONTROL,
        BULK
    }

    private enum Side {
        CONNECTS,
        ACCEPTS,
        /** Also accepts peers without a certificate. */
        ACCEPTS_STRANGERS
    }

    /**
     * Makes the contexts of a process with this key, which trusts these authorities.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT} when an authority's certificate cannot be used
     */
    public TlsCredentials(TlsMaterial material) throws CloudMwException {
        this(material, DEFAULT_CONNECTION_AGE);
    }

    /**
     * Makes the contexts with an age of connections.
     *
     * @param connectionAge the age from which on nothing new begins on a connection
     * @throws CloudMwException {@code INVALID_ARGUMENT} when an authority's certificate cannot be used
     */
    public TlsCredentials(TlsMaterial material, Duration connectionAge) throws CloudMwException {
        this.connectionAge = connectionAge;
        trust(manager(new PeerRule(Set.of(), Optional::empty)), material);
        this.material = material;
        material.own().ifPresent(this::certify);
    }

    /** Makes the contexts of a process that has not enrolled yet: all handshakes fail until {@link #replace}. */
    public static TlsCredentials pending() {
        return pending(DEFAULT_CONNECTION_AGE);
    }

    /** Makes the contexts of a process that has not enrolled yet, with an age of connections. */
    public static TlsCredentials pending(Duration connectionAge) {
        try {
            return new TlsCredentials(TlsMaterial.NONE, connectionAge);
        } catch (CloudMwException e) {
            throw new IllegalStateException("TLS without certificates", e);
        }
    }

    /**
     * Replaces the key and the authorities. Connections that are open stay.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT} when an authority's certificate cannot be used
     */
    public synchronized void replace(TlsMaterial next) throws CloudMwException {
        for (AdvancedTlsX509TrustManager manager : trust.values()) {
            trust(manager, next);
        }
        next.own().ifPresent(this::certify);
        material = next;
    }

    /** The age from which on nothing new begins on a connection. */
    public Duration connectionAge() {
        return connectionAge;
    }

    /** The key and the authorities in use. */
    public synchronized TlsMaterial material() {
        return material;
    }

    /** When this process's certificate ends, in milliseconds since 1970; empty: it has none. */
    public OptionalLong certificateEndMillis() {
        return ends(material().own().stream().map(CertifiedKey::certificate));
    }

    /** When the first of the trusted authorities ends, in milliseconds since 1970; empty: none is trusted. */
    public OptionalLong authorityEndMillis() {
        return ends(material().authorities().stream());
    }

    private static OptionalLong ends(Stream<X509Certificate> certificates) {
        return certificates
                .mapToLong(certificate -> certificate.getNotAfter().toInstant().toEpochMilli())
                .min();
    }

    /** The identity of this process; empty: it has no certificate, or one that names none. */
    public Optional<ProcessIdentity> identity() {
        return material().identity();
    }

    /**
     * The context of connections to gRPC servers.
     *
     * @param peers the roles that a server may have
     */
    public SslContext toServers(Set<ProcessRole> peers) {
        return context(new Use(Plane.CONTROL, Side.CONNECTS, peers));
    }

    /** The context of a gRPC server: only for callers with a certificate. */
    public SslContext atServer() {
        return context(new Use(Plane.CONTROL, Side.ACCEPTS, Set.of(ProcessRole.values())));
    }

    /** The context of a gRPC server whose callers may be strangers without a certificate. */
    public SslContext atServerWithStrangers() {
        return context(new Use(Plane.CONTROL, Side.ACCEPTS_STRANGERS, Set.of(ProcessRole.values())));
    }

    /**
     * The context of bulk connections made here.
     *
     * @param peers the roles that the accepting process may have
     */
    public SslContext toBulk(Set<ProcessRole> peers) {
        return context(new Use(Plane.BULK, Side.CONNECTS, peers));
    }

    /** The context of bulk connections accepted here: only from processes with a certificate. */
    public SslContext atBulk() {
        return context(new Use(Plane.BULK, Side.ACCEPTS, Set.of(ProcessRole.values())));
    }

    private synchronized SslContext context(Use use) {
        SslContext known = contexts.get(use);
        if (known != null) {
            return known;
        }
        AdvancedTlsX509TrustManager manager =
                manager(new PeerRule(use.peers(), () -> identity().map(ProcessIdentity::cluster)));
        try {
            trust(manager, material);
            SslContext made = build(use, manager);
            trust.put(use, manager);
            contexts.put(use, made);
            return made;
        } catch (CloudMwException | SSLException e) {
            throw new IllegalStateException("TLS context for material that was accepted", e);
        }
    }

    private static AdvancedTlsX509TrustManager manager(PeerRule rule) {
        try {
            return AdvancedTlsX509TrustManager.newBuilder()
                    .setVerification(Verification.CERTIFICATE_ONLY_VERIFICATION)
                    .setSslSocketAndEnginePeerVerifier(rule)
                    .build();
        } catch (CertificateException e) {
            throw new IllegalStateException("a trust manager without certificates", e);
        }
    }

    private SslContext build(Use use, AdvancedTlsX509TrustManager manager) throws SSLException {
        SslContextBuilder builder = use.side() == Side.CONNECTS
                ? SslContextBuilder.forClient().keyManager(keys).endpointIdentificationAlgorithm(null)
                : SslContextBuilder.forServer(keys)
                        .clientAuth(use.side() == Side.ACCEPTS ? ClientAuth.REQUIRE : ClientAuth.OPTIONAL);
        if (use.plane() == Plane.CONTROL) {
            builder = GrpcSslContexts.configure(builder, provider);
        }
        return builder.sslProvider(provider)
                .protocols(PROTOCOL)
                .trustManager(new ExplainingTrustManager(manager))
                .sessionCacheSize(1)
                .sessionTimeout(1)
                .build();
    }

    private void certify(CertifiedKey own) {
        keys.updateIdentityCredentials(own.chain().toArray(new X509Certificate[0]), own.key());
    }

    private static void trust(AdvancedTlsX509TrustManager manager, TlsMaterial material) throws CloudMwException {
        if (material.authorities().isEmpty()) {
            return;
        }
        try {
            manager.updateTrustCredentials(material.authorities().toArray(new X509Certificate[0]));
        } catch (IOException | GeneralSecurityException e) {
            throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, "certificates of authorities: " + Reasons.of(e), e);
        }
    }
}
