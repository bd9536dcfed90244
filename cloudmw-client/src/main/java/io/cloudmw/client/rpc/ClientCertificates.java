package io.cloudmw.client.rpc;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.tls.CertificateRefresh;
import io.cloudmw.core.tls.TlsCredentials;
import io.cloudmw.core.tls.TlsMaterial;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The certificates of a client. A client with a token gets its certificate from the coordinator before its first call,
 * and a new one when two thirds of its life are over. Safe for any thread.
 */
public final class ClientCertificates {
    private static final CompletableFuture<Void> READY = CompletableFuture.completedFuture(null);

    private final Optional<TlsCredentials> tls;
    private final CertificateRefresh.Source source;
    private final Predicate<TlsMaterial> refusal;
    private final Executor blocking;
    private final Ticker ticker;
    private final Object lock = new Object();
    private volatile long askedNanos;

    /** Material that a coordinator has refused. */
    private volatile TlsMaterial refused = TlsMaterial.NONE;

    @GuardedBy("lock")
    private @Nullable CompletableFuture<Void> running;

    /**
     * A client.
     *
     * @param tls empty: it speaks plain text
     * @param refusal whether the source can replace material that was refused
     */
    ClientCertificates(
            Optional<TlsCredentials> tls,
            CertificateRefresh.Source source,
            Predicate<TlsMaterial> refusal,
            Executor blocking,
            Ticker ticker) {
        this.tls = tls;
        this.source = source;
        this.refusal = refusal;
        this.blocking = blocking;
        this.ticker = ticker;
        this.askedNanos = ticker.nanos();
    }

    /** A client in plain text. */
    public static ClientCertificates none() {
        return new ClientCertificates(
                Optional.empty(), present -> Optional.empty(), never -> false, Runnable::run, Ticker.system());
    }

    /**
     * A client under TLS.
     *
     * @param source of the first and of later certificates
     * @param blocking runs the source
     */
    public static ClientCertificates from(CertificateRefresh.Source source, Executor blocking) {
        return new ClientCertificates(
                Optional.of(TlsCredentials.pending()), source, never -> false, blocking, Ticker.system());
    }

    /**
     * A client with a token.
     *
     * @param blocking runs the source
     */
    public static ClientCertificates from(TokenCertificates source, Executor blocking) {
        return new ClientCertificates(
                Optional.of(TlsCredentials.pending()), source, source::refuse, blocking, Ticker.system());
    }

    /** The TLS contexts; empty: plain text. */
    public Optional<TlsCredentials> tls() {
        return tls;
    }

    /**
     * Completes when the client has a certificate: at once when there is one. Fails with the reason why there is none,
     * and the next call tries again. A certificate that is soon over is renewed meanwhile.
     */
    public CompletableFuture<Void> ready() {
        if (tls.isEmpty()) {
            return READY;
        }
        boolean certified = accepted()
                .own()
                .filter(own -> own.certificate().getNotAfter().toInstant().toEpochMilli()
                        > WallClock.system().millis())
                .isPresent();
        if (certified && ticker.nanos() - askedNanos < CertificateRefresh.INTERVAL.toNanos()) {
            return READY;
        }
        CompletableFuture<Void> refreshed = refreshed(tls.get());
        return certified ? READY : refreshed;
    }

    /** The material that a connection made now shows and trusts. */
    TlsMaterial material() {
        return tls.map(TlsCredentials::material).orElse(TlsMaterial.NONE);
    }

    /**
     * Returns whether a refused call may succeed on a new connection with other material: with newer one that there is
     * already, or with one that {@link #ready} gets, because an earlier client had kept what was used.
     *
     * @param used the material when the call was sent; {@link TlsMaterial#NONE}: it was not sent
     */
    boolean mayPassWithOther(TlsMaterial used, CloudMwException failure) {
        boolean isRefusal = failure.code() == ErrorCode.TLS_FAILED || failure.code() == ErrorCode.UNAUTHENTICATED;
        if (used.own().isEmpty() || !isRefusal) {
            return false;
        }
        synchronized (lock) {
            if (!used.equals(refused) && !refusal.test(used)) {
                return false;
            }
            refused = used;
            return true;
        }
    }

    /** The material in use, unless a coordinator has refused it. */
    private TlsMaterial accepted() {
        TlsMaterial present = material();
        return present.equals(refused) ? TlsMaterial.NONE : present;
    }

    private CompletableFuture<Void> refreshed(TlsCredentials credentials) {
        synchronized (lock) {
            if (running != null) {
                return running;
            }
            askedNanos = ticker.nanos();
            CompletableFuture<Void> begun = new CompletableFuture<>();
            running = begun;
            var unused = begun.whenComplete((done, failure) -> {
                synchronized (lock) {
                    running = null;
                }
            });
            try {
                blocking.execute(() -> refresh(credentials, begun));
            } catch (RuntimeException e) {
                begun.completeExceptionally(e);
            }
            return begun;
        }
    }

    private void refresh(TlsCredentials credentials, CompletableFuture<Void> begun) {
        try {
            TlsMaterial present = accepted();
            Optional<TlsMaterial> next = source.next(present);
            if (next.isPresent()) {
                present.requireSameProcess(next.get());
                credentials.replace(next.get());
            }
            begun.complete(null);
        } catch (CloudMwException | RuntimeException | Error e) {
            begun.completeExceptionally(e);
        }
    }
}
