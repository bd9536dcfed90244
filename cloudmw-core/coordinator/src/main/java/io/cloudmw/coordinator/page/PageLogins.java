package io.cloudmw.coordinator.page;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.coordinator.grant.Authorizer;
import io.cloudmw.coordinator.identity.Enrolment;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.grant.ClusterRole;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.tls.ProcessIdentity;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The logins at the web page by tokens of the cluster, whose subjects need the role {@code viewer}. The role is looked up
 * again with each request, so that a revoked token ends its logins. Safe for any thread.
 */
public final class PageLogins {
    /** The most logins at once; one more ends the oldest. */
    static final int MAX = 256;

    /** The longest time of a login. */
    static final Duration LIFE = Duration.ofHours(12);

    private static final int SESSION_BYTES = 32;

    private final boolean needed;
    private final Optional<Enrolment> enrolment;
    private final RoleCheck role;
    private final Ticker ticker;
    private final SecureRandom random = new SecureRandom();

    @GuardedBy("this")
    private final Map<String, Login> logins = new LinkedHashMap<>();

    private interface RoleCheck {
        void requireViewer(ProcessIdentity subject) throws CloudMwException;
    }

    private record Login(ProcessIdentity subject, long sinceNanos) {}

    /**
     * @param needed whether the page needs a login on loopback, too: the cluster is under TLS
     * @param enrolment knows the tokens; empty: the cluster has none
     */
    public PageLogins(boolean needed, Optional<Enrolment> enrolment, Authorizer authorizer, Ticker ticker) {
        this(needed, enrolment, subject -> authorizer.requireRole(Optional.of(subject), ClusterRole.VIEWER), ticker);
    }

    private PageLogins(boolean needed, Optional<Enrolment> enrolment, RoleCheck role, Ticker ticker) {
        this.needed = needed;
        this.enrolment = enrolment;
        this.role = role;
        this.ticker = ticker;
    }

    /** The logins of a cluster in plain text: none is needed, and none is possible. */
    public static PageLogins none() {
        return new PageLogins(false, Optional.empty(), subject -> {}, Ticker.system());
    }

    /** Returns whether nobody sees the page without a login, wherever it is. */
    public boolean isNeeded() {
        return needed;
    }

    /** Returns whether tokens of the cluster log in. */
    public boolean hasTokens() {
        return enrolment.isPresent();
    }

    /**
     * Logs in.
     *
     * @return the secret name of the login; empty: the token is not good
     * @throws CloudMwException {@code PERMISSION_DENIED} when its subject lacks the role; others when the catalog cannot
     *     be read
     */
    public Optional<String> login(String token) throws CloudMwException {
        Optional<ProcessIdentity> subject = viewer(token);
        if (subject.isEmpty()) {
            return Optional.empty();
        }
        byte[] bytes = new byte[SESSION_BYTES];
        random.nextBytes(bytes);
        String name = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        synchronized (this) {
            if (logins.size() >= MAX) {
                logins.remove(logins.keySet().iterator().next());
            }
            logins.put(name, new Login(subject.get(), ticker.nanos()));
        }
        return Optional.of(name);
    }

    /** Returns whether a token is good, so that it opens the page; fails as {@link #login}. */
    public boolean admits(String token) throws CloudMwException {
        return viewer(token).isPresent();
    }

    /**
     * Returns whether a login is good.
     *
     * @throws CloudMwException when the rights of its subject are not known
     */
    public boolean isLogin(String name) throws CloudMwException {
        Login login;
        synchronized (this) {
            login = logins.get(name);
            if (login != null && ticker.nanos() - login.sinceNanos() > LIFE.toNanos()) {
                logins.remove(name);
                return false;
            }
        }
        return login != null && isViewer(login.subject());
    }

    private Optional<ProcessIdentity> viewer(String token) throws CloudMwException {
        if (enrolment.isEmpty()) {
            return Optional.empty();
        }
        Optional<ProcessIdentity> subject = enrolment.get().bearer(token);
        if (subject.isPresent()) {
            role.requireViewer(subject.get());
        }
        return subject;
    }

    private boolean isViewer(ProcessIdentity subject) throws CloudMwException {
        try {
            role.requireViewer(subject);
            return true;
        } catch (CloudMwException e) {
            if (e.code() == ErrorCode.PERMISSION_DENIED) {
                return false;
            }
            throw e;
        }
    }
}
