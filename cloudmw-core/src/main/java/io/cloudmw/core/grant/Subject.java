package io.cloudmw.core.grant;

import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.tls.ProcessIdentity;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A person, an application or a service that uses the cluster.
 *
 * @param name as in certificates
 * @param role in the cluster; empty: none
 * @param grants at most one for each scope
 * @param tokens that act for it
 * @param revocation the last loss of a right, a role or a token; empty: there was none lately
 */
public record Subject(
        String name,
        Optional<ClusterRole> role,
        List<Grant> grants,
        List<TokenRecord> tokens,
        Optional<Revocation> revocation) {
    /** The most grants of a subject. */
    public static final int MAX_GRANTS = 256;

    /** The most tokens of a subject. */
    public static final int MAX_TOKENS = 64;

    public Subject {
        name = ProcessIdentity.checked("subject", name);
        grants = List.copyOf(grants);
        tokens = List.copyOf(tokens);
        if (grants.size() > MAX_GRANTS || tokens.size() > MAX_TOKENS) {
            throw new IllegalArgumentException("subject " + name + ": " + grants.size() + " grants, " + tokens.size()
                    + " tokens (expected: <= " + MAX_GRANTS + ", <= " + MAX_TOKENS + ")");
        }
    }

    /** A subject that has lost nothing. */
    public Subject(String name, Optional<ClusterRole> role, List<Grant> grants, List<TokenRecord> tokens) {
        this(name, role, grants, tokens, Optional.empty());
    }

    /** A subject without rights. */
    public static Subject unknown(String name) {
        return new Subject(name, Optional.empty(), List.of(), List.of());
    }

    /** Returns whether it has this right to a path. */
    public boolean may(Right right, VolumeName volume, String path) {
        return has(ClusterRole.ADMIN) || grants.stream().anyMatch(grant -> grant.gives(right, volume, path));
    }

    /** Returns whether it has this right to a volume, or to one of its directories. */
    public boolean mayIn(Right right, VolumeName volume) {
        return has(ClusterRole.ADMIN)
                || grants.stream()
                        .anyMatch(grant -> grant.scope().volume().equals(volume)
                                && grant.rights().stream().anyMatch(had -> had.includes(right)));
    }

    /** Returns whether it has this right to any path of any volume. */
    public boolean mayAnywhere(Right right) {
        return has(ClusterRole.ADMIN)
                || grants.stream().anyMatch(grant -> grant.rights().stream().anyMatch(had -> had.includes(right)));
    }

    /** Returns whether it has any right in a volume. */
    public boolean sees(VolumeName volume) {
        return has(ClusterRole.VIEWER)
                || grants.stream().anyMatch(grant -> grant.scope().volume().equals(volume));
    }

    /** Returns whether it has this role, or one that includes it. */
    public boolean has(ClusterRole wanted) {
        return role.filter(own -> own.includes(wanted)).isPresent();
    }

    /** Returns whether it has neither rights nor tokens. */
    public boolean isEmpty() {
        return role.isEmpty() && grants.isEmpty() && tokens.isEmpty();
    }

    /** Returns whether nothing need be kept of it. */
    public boolean isForgotten() {
        return isEmpty() && revocation.isEmpty();
    }

    /** Returns whether it has a right, a role or a good token that it would not have with the next record. */
    public boolean loses(Subject next, long nowMillis) {
        boolean keepsRole = role.isEmpty() || next.has(role.get());
        boolean keepsTokens = tokens.stream()
                .filter(token -> token.isGoodAt(nowMillis))
                .allMatch(token -> next.tokens().contains(token));
        return !keepsRole
                || !keepsTokens
                || !grants.stream().allMatch(had -> next.grants().stream().anyMatch(has -> has.covers(had)));
    }

    /** The same subject with another time of its last loss; empty: with none. */
    public Subject withRevocation(Optional<Revocation> last) {
        return new Subject(name, role, grants, tokens, last);
    }

    /** The same subject with other rights in one scope; none: without rights there. */
    public Subject with(GrantScope scope, Set<Right> rights) {
        List<Grant> changed = new ArrayList<>();
        boolean isNew = !rights.isEmpty();
        for (Grant grant : grants) {
            if (!grant.scope().equals(scope)) {
                changed.add(grant);
            } else if (!rights.isEmpty()) {
                changed.add(new Grant(scope, rights));
                isNew = false;
            }
        }
        if (isNew) {
            changed.add(new Grant(scope, rights));
        }
        return new Subject(name, role, changed, tokens, revocation);
    }

    /** The same subject without rights in a volume. */
    public Subject without(VolumeName volume) {
        return new Subject(
                name,
                role,
                grants.stream()
                        .filter(grant -> !grant.scope().volume().equals(volume))
                        .toList(),
                tokens,
                revocation);
    }

    /** The same subject with another role; empty: with none. */
    public Subject withRole(Optional<ClusterRole> other) {
        return new Subject(name, other, grants, tokens, revocation);
    }

    /** The same subject with one token more, and without those that are over. */
    public Subject withToken(TokenRecord token, long nowMillis) {
        List<TokenRecord> changed = new ArrayList<>(tokens);
        changed.removeIf(old -> !old.isGoodAt(nowMillis) || old.sha256().equals(token.sha256()));
        changed.add(token);
        return new Subject(name, role, grants, changed, revocation);
    }

    /** The same subject without the token of this id. */
    public Subject withoutToken(String id) {
        return new Subject(
                name,
                role,
                grants,
                tokens.stream().filter(token -> !token.id().equals(id)).toList(),
                revocation);
    }

    /** The same subject without tokens. */
    public Subject withoutTokens() {
        return new Subject(name, role, grants, List.of(), revocation);
    }
}
