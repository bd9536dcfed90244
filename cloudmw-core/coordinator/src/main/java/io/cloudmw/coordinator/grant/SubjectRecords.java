package io.cloudmw.coordinator.grant;

import io.cloudmw.coordinator.catalog.change.ValueUpdate;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.grant.Revocation;
import io.cloudmw.core.grant.Subject;
import io.cloudmw.core.security.TransferTokens;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The records of subjects. Atomic, durable and safe for any thread like the catalog; calls block. */
public interface SubjectRecords {
    /** The most subjects with rights or tokens. */
    int MAX = 10_000;

    /** The most records, with those of subjects that have lost everything lately. */
    int MAX_RECORDS = 2 * MAX;

    /** How long a loss is kept: no transfer token from before it is good any more, whatever the clocks differ. */
    Duration REVOCATIONS_KEPT = TransferTokens.MAX_LIFE.plusHours(1);

    /** Returns a number that grows with every change of a subject; 0: there was none. */
    long revision() throws CloudMwException;

    /** Returns a subject; empty: it has no rights and no tokens, and has lost none lately. */
    Optional<Subject> subject(String name) throws CloudMwException;

    /** Returns all subjects, by name. */
    List<Subject> subjects() throws CloudMwException;

    /**
     * Changes a subject. One that is {@linkplain Subject#isForgotten forgotten} is removed. An update that returns what
     * it got changes nothing. A new revocation gets the revision of this change.
     *
     * @param update gets the present one, which may be without rights
     * @return the new one
     * @throws CloudMwException of the update; {@code OVERLOADED} when there are {@value #MAX} subjects
     */
    Subject change(String name, ValueUpdate<Subject> update) throws CloudMwException;

    /** Returns a changed subject as it is recorded: a new revocation gets the revision of the change. */
    static Subject recorded(Subject before, Subject changed, long revision) {
        return changed.revocation().equals(before.revocation())
                ? changed
                : changed.withRevocation(changed.revocation().map(last -> new Revocation(last.millis(), revision)));
    }

    /**
     * Requires room for a subject that had no rights and no tokens, where there are {@value #MAX} records or more. What
     * subjects leave behind takes none of the room of others, as long as there is less of it than of all subjects.
     *
     * @param isNew whether it has no record yet
     * @param all those with a record
     * @throws CloudMwException {@code OVERLOADED}
     */
    static void requireRoom(boolean isNew, List<Subject> all) throws CloudMwException {
        boolean isFull = isNew && all.size() >= MAX_RECORDS;
        if (isFull || all.stream().filter(other -> !other.isEmpty()).count() >= MAX) {
            throw tooMany();
        }
    }

    /** The refusal of one subject more. */
    private static CloudMwException tooMany() {
        return new CloudMwException(
                ErrorCode.OVERLOADED, "subjects: there are " + MAX + " (revoke the rights of some first)");
    }
}
