package io.cloudmw.client;

import io.cloudmw.client.rpc.coordinator.GrantCalls;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.grant.AccessInfo;
import io.cloudmw.core.grant.ClusterRole;
import io.cloudmw.core.grant.GrantScope;
import io.cloudmw.core.grant.Right;
import io.cloudmw.core.grant.SubjectInfo;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.security.AccessToken;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * The operations on subjects: who may do what, and by which tokens. Safe for any thread; {@link CloudMw} says how a
 * future fails and which threads run callbacks.
 */
public final class SubjectOperations {
    private final GrantCalls calls;

    SubjectOperations(GrantCalls calls) {
        this.calls = calls;
    }

    /** Asks the cluster who this client is. */
    public CompletableFuture<AccessInfo> whoAmI() {
        return calls.whoAmI();
    }

    /**
     * Replaces the rights of a subject in a scope.
     *
     * @param rights none: the subject has none there any more
     * @return the subject; fails with {@code PERMISSION_DENIED} when this client may not share there, or lacks one of the
     *     rights itself
     */
    public CompletableFuture<SubjectInfo> grant(String subject, GrantScope scope, Set<Right> rights) {
        return calls.grant(subject, scope, rights);
    }

    /**
     * Replaces the role of a subject.
     *
     * @param role empty: it has none
     * @return the subject; fails with {@code PERMISSION_DENIED} unless this client is an administrator
     */
    public CompletableFuture<SubjectInfo> setRole(String subject, Optional<ClusterRole> role) {
        return calls.role(subject, role);
    }

    /**
     * Lists subjects.
     *
     * @param volume only those with rights in it; empty: all
     */
    public CompletableFuture<List<SubjectInfo>> list(Optional<VolumeName> volume) {
        return calls.list(volume);
    }

    /**
     * Makes a token. Its secret is drawn here, and the cluster keeps its hash alone.
     *
     * @param life empty: it never ends
     * @return the token's text, which nobody can show again; fails with {@code INVALID_ARGUMENT} when the cluster has no
     *     authority of its own
     */
    public CompletableFuture<String> createToken(String subject, Optional<Duration> life) {
        if (life.filter(time -> time.toMillis() <= 0).isPresent()) {
            return CompletableFuture.failedFuture(new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT, "life of a token: " + life.get() + " (expected: more than 0)"));
        }
        return calls.whoAmI().thenCompose(access -> {
            if (access.subject().isEmpty()) {
                throw new CompletionException(new CloudMwException(
                        ErrorCode.INVALID_ARGUMENT,
                        "the cluster speaks plain text, where tokens have no use (expected: tls.insecure=false)"));
            }
            String authority = access.authority()
                    .orElseThrow(() -> new CompletionException(new CloudMwException(
                            ErrorCode.INVALID_ARGUMENT,
                            "the cluster has no authority of its own: clients need certificates of its PKI")));
            AccessToken token = AccessToken.random(subject, authority);
            return calls.createToken(subject, token.sha256(), life).thenApply(recorded -> token.text());
        });
    }

    /**
     * Ends a token.
     *
     * @param id empty: all of the subject
     * @return the subject; fails with {@code NOT_FOUND} when it has no such token
     */
    public CompletableFuture<SubjectInfo> revokeToken(String subject, Optional<String> id) {
        return calls.revokeToken(subject, id);
    }
}
