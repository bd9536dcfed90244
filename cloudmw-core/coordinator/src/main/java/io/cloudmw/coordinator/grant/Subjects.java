package io.cloudmw.coordinator.grant;

import io.cloudmw.coordinator.catalog.change.ValueUpdate;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.grant.ClusterRole;
import io.cloudmw.core.grant.GrantScope;
import io.cloudmw.core.grant.Revocation;
import io.cloudmw.core.grant.Right;
import io.cloudmw.core.grant.Subject;
import io.cloudmw.core.grant.TokenRecord;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.tls.ProcessIdentity;
import io.cloudmw.core.tls.ProcessRole;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Changes and lists of subjects, within the rights of who asks for them. Safe for any thread; calls block. */
public final class Subjects {
    private final SubjectRecords records;
    private final KnownSubjects known;
    private final Authorizer authorizer;
    private final WallClock clock;

    /** @param known what {@code authorizer} knows; a change takes effect there at once */
    public Subjects(SubjectRecords records, KnownSubjects known, Authorizer authorizer, WallClock clock) {
        this.records = records;
        this.known = known;
        this.authorizer = authorizer;
        this.clock = clock;
    }

    /**
     * Replaces the rights of a subject in a scope.
     *
     * @param by who asks for it; empty: in plain text
     * @param rights none: it has none there any more
     * @throws CloudMwException {@code NOT_FOUND} when it has none there already; {@code PERMISSION_DENIED} when the caller
     *     may not share there, or lacks a right that it gives; {@code INVALID_ARGUMENT} when the subject has too many
     *     grants
     */
    public Subject grant(Optional<ProcessIdentity> by, String name, GrantScope scope, Set<Right> rights)
            throws CloudMwException {
        requireKnownCaller(by);
        authorizer.requireRight(by, Right.SHARE, scope.volume(), scope.prefix());
        for (Right right : rights) {
            authorizer.requireRight(by, right, scope.volume(), scope.prefix());
        }
        Subject changed = changed(name, subject -> {
            for (Right right : Right.values()) {
                boolean had = subject.grants().stream()
                        .anyMatch(grant ->
                                grant.scope().equals(scope) && grant.rights().contains(right));
                if (had && !rights.contains(right)) {
                    authorizer.requireRight(by, right, scope.volume(), scope.prefix());
                }
            }
            if (rights.isEmpty()
                    && subject.grants().stream()
                            .noneMatch(grant -> grant.scope().equals(scope))) {
                throw new CloudMwException(
                        ErrorCode.NOT_FOUND, "subject " + name + " has no rights given at " + scope.describe());
            }
            return subject.with(scope, rights);
        });
        return authorizer.isAdministrator(by) ? changed : within(changed, scope.volume());
    }

    /** Replaces the role of a subject; fails with {@code PERMISSION_DENIED} unless an administrator asks for it. */
    public Subject role(Optional<ProcessIdentity> by, String name, Optional<ClusterRole> role) throws CloudMwException {
        requireKnownCaller(by);
        authorizer.requireRole(by, ClusterRole.ADMIN);
        return changed(name, subject -> {
            if (role.isEmpty() && subject.role().isEmpty()) {
                throw new CloudMwException(ErrorCode.NOT_FOUND, "subject " + name + " has no role");
            }
            return subject.withRole(role);
        });
    }

    /**
     * Lists subjects.
     *
     * @param volume only those with rights in it; empty: all
     */
    public List<Subject> list(Optional<ProcessIdentity> by, Optional<VolumeName> volume) throws CloudMwException {
        if (volume.isEmpty()) {
            authorizer.requireRole(by, ClusterRole.ADMIN);
            return records.subjects().stream()
                    .filter(subject -> !subject.isEmpty())
                    .toList();
        }
        authorizer.requireRight(by, Right.ADMIN, volume.get(), "/");
        List<Subject> found = new ArrayList<>();
        for (Subject subject : records.subjects()) {
            Subject inVolume = within(subject, volume.get());
            if (!inVolume.grants().isEmpty()) {
                found.add(inVolume);
            }
        }
        return found;
    }

    /** Removes the rights in a volume that was deleted, so that the next one with its name begins without. */
    public void forget(VolumeName volume) throws CloudMwException {
        for (Subject subject : records.subjects()) {
            if (!within(subject, volume).grants().isEmpty()) {
                Subject unused = records.change(subject.name(), before -> noted(before, before.without(volume)));
            }
        }
        known.look();
    }

    /**
     * Drops losses so old that no transfer token from before them is good any more, and subjects that have nothing else.
     *
     * @return how many
     */
    public int prune() throws CloudMwException {
        List<String> old = known.withOldLosses(clock.millis());
        for (String name : old) {
            Subject unused = records.change(
                    name,
                    subject -> subject.withRevocation(
                            subject.revocation().filter(last -> !KnownSubjects.isOver(last, clock.millis()))));
        }
        if (!old.isEmpty()) {
            known.look();
        }
        return old.size();
    }

    /** The changed subject, with a note if it has lost something: its transfer tokens are good no more. */
    private Subject noted(Subject before, Subject changed) {
        long now = clock.millis();
        return before.loses(changed, now) ? changed.withRevocation(Optional.of(new Revocation(now, 0))) : changed;
    }

    /** A subject as those see it who have rights in this volume alone: its grants there. */
    private static Subject within(Subject subject, VolumeName volume) {
        return new Subject(
                subject.name(),
                Optional.empty(),
                subject.grants().stream()
                        .filter(grant -> grant.scope().volume().equals(volume))
                        .toList(),
                List.of());
    }

    /**
     * Records a token that the caller has drawn.
     *
     * @param sha256 of its secret
     * @param life empty: it never ends
     */
    public TokenRecord addToken(Optional<ProcessIdentity> by, String name, String sha256, Optional<Duration> life)
            throws CloudMwException {
        if (by.flatMap(ProcessIdentity::token).isPresent()) {
            // A token that made others would outlive its end.
            authorizer.requireRole(by, ClusterRole.ADMIN);
        } else {
            requireSelf(by, name);
        }
        long now = clock.millis();
        TokenRecord token = made(() -> new TokenRecord(
                sha256,
                now,
                life.isEmpty()
                        ? OptionalLong.empty()
                        : OptionalLong.of(now + life.get().toMillis())));
        Subject unused = changed(name, subject -> subject.withToken(token, now));
        return token;
    }

    /**
     * Ends a token.
     *
     * @param id empty: all of the subject
     * @throws CloudMwException {@code NOT_FOUND} when the subject has no such token
     */
    public Subject revokeToken(Optional<ProcessIdentity> by, String name, Optional<String> id) throws CloudMwException {
        requireSelf(by, name);
        return changed(name, subject -> {
            if (id.isEmpty()) {
                if (subject.tokens().isEmpty()) {
                    throw new CloudMwException(ErrorCode.NOT_FOUND, "subject " + name + " has no tokens");
                }
                return subject.withoutTokens();
            }
            if (subject.tokens().stream().noneMatch(token -> token.id().equals(id.get()))) {
                throw new CloudMwException(ErrorCode.NOT_FOUND, "subject " + name + " has no token " + id.get());
            }
            return subject.withoutToken(id.get());
        });
    }

    /** Returns the subject of a caller; the administrator has that role without a record. */
    public Subject caller(ProcessIdentity caller) throws CloudMwException {
        Subject subject = subject(caller.id());
        return authorizer.isAdministrator(Optional.of(caller))
                ? subject.withRole(Optional.of(ClusterRole.ADMIN))
                : subject;
    }

    /** Returns a subject as the catalog has it. */
    public Subject subject(String name) throws CloudMwException {
        return records.subject(name).orElse(Subject.unknown(name));
    }

    /** In plain text anybody could give himself rights that last until the cluster speaks TLS. */
    private static void requireKnownCaller(Optional<ProcessIdentity> by) throws CloudMwException {
        if (by.isEmpty()) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "subjects cannot be changed in plain text, where nobody is known (expected: tls.insecure=false)");
        }
    }

    private void requireSelf(Optional<ProcessIdentity> by, String name) throws CloudMwException {
        requireKnownCaller(by);
        boolean isSelf = by.filter(caller ->
                        caller.role() == ProcessRole.CLIENT && caller.id().equals(name))
                .isPresent();
        if (isSelf) {
            authorizer.requireKnown(by);
        } else {
            authorizer.requireRole(by, ClusterRole.ADMIN);
        }
    }

    private Subject changed(String name, ValueUpdate<Subject> update) throws CloudMwException {
        if (name.equals(Authorizer.ADMINISTRATOR)) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "subject " + name + " cannot be changed: it may do everything, and its token is in the file of"
                            + " tls.admin-token-file");
        }
        String checked = made(() -> ProcessIdentity.checked("subject", name));
        Subject changed = records.change(checked, before -> made(() -> noted(before, update.of(before))));
        known.look();
        return changed;
    }

    /** A conversion that throws {@code IllegalArgumentException} where values do not fit. */
    private interface Making<T> {
        T make() throws CloudMwException;
    }

    private static <T> T made(Making<T> making) throws CloudMwException {
        try {
            return making.make();
        } catch (IllegalArgumentException e) {
            throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, String.valueOf(e.getMessage()), e);
        }
    }
}
