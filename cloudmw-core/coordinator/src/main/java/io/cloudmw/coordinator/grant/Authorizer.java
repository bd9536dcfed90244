package io.cloudmw.coordinator.grant;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.grant.ClusterRole;
import io.cloudmw.core.grant.Right;
import io.cloudmw.core.grant.Subject;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.tls.ProcessIdentity;
import io.cloudmw.core.tls.ProcessRole;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The decisions about callers. In a cluster in plain text nobody is known, and everybody may do everything. Safe for any
 * thread; decisions read no storage.
 */
public final class Authorizer {
    /** The administrator, who needs no record. */
    public static final String ADMINISTRATOR = "admin";

    private final KnownSubjects subjects;
    private final WallClock clock;

    public Authorizer(KnownSubjects subjects, WallClock clock) {
        this.subjects = subjects;
        this.clock = clock;
    }

    /** Returns the revision of the subjects by which the next decision is made, or that of older ones. */
    public long revision() {
        return subjects.revision();
    }

    /**
     * Requires a right to a path.
     *
     * @param caller empty: in plain text
     * @throws CloudMwException {@code PERMISSION_DENIED} when the caller does not have it
     */
    public void requireRight(Optional<ProcessIdentity> caller, Right right, VolumeName volume, String path)
            throws CloudMwException {
        require(
                caller,
                right == Right.READ,
                subject -> subject.may(right, volume, path),
                () -> right.word() + " on " + volume + ":" + path);
    }

    /** Requires a right to a volume, or to one of its directories; fails as {@link #requireRight}. */
    public void requireRightIn(Optional<ProcessIdentity> caller, Right right, VolumeName volume)
            throws CloudMwException {
        require(
                caller,
                right == Right.READ,
                subject -> subject.mayIn(right, volume),
                () -> right.word() + " in " + volume);
    }

    /** Requires a right to any path of any volume; fails as {@link #requireRight}. */
    public void requireRightAnywhere(Optional<ProcessIdentity> caller, Right right) throws CloudMwException {
        require(caller, false, subject -> subject.mayAnywhere(right), () -> right.word() + " on any volume");
    }

    /** Requires any right in a volume; fails as {@link #requireRight}. */
    public void requireSeen(Optional<ProcessIdentity> caller, VolumeName volume) throws CloudMwException {
        require(caller, true, subject -> subject.sees(volume), () -> "any right in " + volume);
    }

    /** Requires a role; fails as {@link #requireRight}. */
    public void requireRole(Optional<ProcessIdentity> caller, ClusterRole role) throws CloudMwException {
        require(caller, role == ClusterRole.VIEWER, subject -> subject.has(role), () -> "the role " + role.word());
    }

    /**
     * Requires a right that a subject may have.
     *
     * @param forHelpers whether helpers have it all
     * @param what the right's name, for the refusal
     */
    private void require(
            Optional<ProcessIdentity> caller, boolean forHelpers, Predicate<Subject> right, Supplier<String> what)
            throws CloudMwException {
        if (isUnlimited(caller) || (forHelpers && isHelper(caller))) {
            return;
        }
        Subject subject = subject(caller.orElseThrow());
        if (!right.test(subject)) {
            throw denied(subject, what.get());
        }
    }

    /** Requires that the caller's token is still good; fails as {@link #requireRight}. */
    public void requireKnown(Optional<ProcessIdentity> caller) throws CloudMwException {
        if (!readsAll(caller)) {
            Subject unused = subject(caller.orElseThrow());
        }
    }

    /** Returns whether the caller may read everything, so that no path needs to be looked at. */
    public boolean readsAll(Optional<ProcessIdentity> caller) {
        return isUnlimited(caller) || isHelper(caller);
    }

    /** Returns whether the caller may do everything. */
    boolean isAdministrator(Optional<ProcessIdentity> caller) throws CloudMwException {
        return isUnlimited(caller) || subject(caller.orElseThrow()).has(ClusterRole.ADMIN);
    }

    /** Returns whether the caller sees a volume in lists. */
    public boolean sees(Optional<ProcessIdentity> caller, VolumeName volume) throws CloudMwException {
        return readsAll(caller) || subject(caller.orElseThrow()).sees(volume);
    }

    /** Returns whether a caller is a coordinator, the administrator, or in plain text. */
    private static boolean isUnlimited(Optional<ProcessIdentity> caller) {
        return caller.isEmpty()
                || caller.get().role() == ProcessRole.COORDINATOR
                || (caller.get().role() == ProcessRole.CLIENT
                        && caller.get().id().equals(ADMINISTRATOR));
    }

    /** Returns whether a caller is a helper: it reads for others, and changes nothing but copies of chunks. */
    private static boolean isHelper(Optional<ProcessIdentity> caller) {
        return caller.filter(known -> known.role() == ProcessRole.HELPER).isPresent();
    }

    /** The caller's subject. One that came by a token must still have it. */
    private Subject subject(ProcessIdentity caller) throws CloudMwException {
        if (caller.role() != ProcessRole.CLIENT) {
            return Subject.unknown(caller.id());
        }
        Subject subject = subjects.subject(caller.id());
        Optional<String> token = caller.token();
        boolean isGood = token.isEmpty()
                || subject.tokens().stream()
                        .anyMatch(known -> known.id().equals(token.get()) && known.isGoodAt(clock.millis()));
        if (!isGood) {
            throw new CloudMwException(
                    ErrorCode.PERMISSION_DENIED,
                    "subject " + subject.name() + ": its token " + token.get() + " was revoked, or is over");
        }
        return subject;
    }

    private static CloudMwException denied(Subject subject, String what) {
        return new CloudMwException(
                ErrorCode.PERMISSION_DENIED,
                "subject " + subject.name() + " does not have " + what
                        + " (cloudmw whoami shows what it has; an administrator gives more by cloudmw grant)");
    }
}
