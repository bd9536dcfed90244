package io.cloudmw.helper.serve;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.security.TransferTokens;
import io.cloudmw.core.tls.ProcessIdentity;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The streams of the bulk plane that tokens have admitted. A stream whose token is revoked while it runs is reset. Safe
 * for any thread; never blocks.
 */
public final class AuthorizedStreams {
    private final TransferTokens tokens;
    private final Set<AuthorizedStream> bound = ConcurrentHashMap.newKeySet();

    public AuthorizedStreams(TransferTokens tokens) {
        this.tokens = tokens;
    }

    /**
     * Verifies the token of a request.
     *
     * @throws CloudMwException {@code UNAUTHENTICATED} when the process at the other end may not show it
     */
    public AuthorizedStream authorize(TransferToken token, BulkStream stream) throws CloudMwException {
        return new AuthorizedStream(
                tokens.verify(
                        token.bytes(),
                        ProcessIdentity.bearer(stream.connection().peerIdentity())),
                stream);
    }

    /** Resets the streams whose tokens were revoked. */
    public void resetRevoked() {
        bound.forEach(AuthorizedStream::resetIfRevoked);
    }

    /** Returns how many streams a revocation could end. */
    int size() {
        return bound.size();
    }

    /** An admitted stream. */
    public final class AuthorizedStream {
        private final TransferClaims claims;
        private final BulkStream stream;

        @GuardedBy("this")
        private @Nullable BulkStreamListener serving;

        @GuardedBy("this")
        private boolean over;

        private AuthorizedStream(TransferClaims claims, BulkStream stream) {
            this.claims = claims;
            this.stream = stream;
        }

        /** The claims of the token. */
        public TransferClaims claims() {
            return claims;
        }

        /** Begins to watch the stream: when its token is revoked, it is reset and its listener is told that it failed. */
        public void watch(BulkStreamListener listener) {
            if (claims.holder().isEmpty()) {
                return; // in plain text
            }
            synchronized (this) {
                if (over) {
                    return;
                }
                serving = listener;
                bound.add(this);
            }
            resetIfRevoked();
        }

        /** The stream is over. Idempotent. */
        public synchronized void end() {
            over = true;
            bound.remove(this);
        }

        private void resetIfRevoked() {
            try {
                tokens.requireNotRevoked(claims);
            } catch (CloudMwException e) {
                BulkStreamListener told;
                synchronized (this) {
                    told = over ? null : serving;
                    over = true;
                    bound.remove(this);
                }
                if (told != null) {
                    stream.reset(e);
                    told.failed(e);
                }
            }
        }
    }
}
