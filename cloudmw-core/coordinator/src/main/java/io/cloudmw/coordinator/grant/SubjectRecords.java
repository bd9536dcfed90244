package io.cloudmw.coordinator.grant;

import io.cloudmw.coordinator.catalog.change.ValueUpdate;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.grant.Subject;
import java.util.List;
import java.util.Optional;

/** The records of subjects. Atomic, durable and safe for any thread like the catalog; calls block. */
public interface SubjectRecords {
    /** The most subjects. */
    int MAX = 10_000;

    /** Returns a number that grows with every change of a subject; 0: there was none. */
    long revision() throws CloudMwException;

    /** Returns a subject; empty: it has no rights and no tokens. */
    Optional<Subject> subject(String name) throws CloudMwException;

    /** Returns all subjects, by name. */
    List<Subject> subjects() throws CloudMwException;

    /**
     * Changes a subject. One without role, grants and tokens is removed. An update that returns what it got changes
     * nothing.
     *
     * @param update gets the present one, which may be without rights
     * @return the new one
     * @throws CloudMwException of the update; {@code OVERLOADED} when there are {@value #MAX} subjects
     */
    Subject change(String name, ValueUpdate<Subject> update) throws CloudMwException;

    /** The refusal of one subject more. */
    static CloudMwException tooMany() {
        return new CloudMwException(
                ErrorCode.OVERLOADED, "subjects: there are " + MAX + " (revoke the rights of some first)");
    }
}
