package io.cloudmw.coordinator.grant;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.grant.Subject;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The subjects that this coordinator has read lately. It asks the catalog several times a second whether any subject was
 * changed, by whatever coordinator, and reads all anew then: so a change takes effect within a second, and a call costs no
 * read. Safe for any thread.
 */
public final class KnownSubjects {
    /** The interval between two questions. */
    static final Duration INTERVAL = Duration.ofMillis(250);

    private static final Logger LOG = LoggerFactory.getLogger(KnownSubjects.class);

    private final SubjectRecords records;
    private volatile Generation present;

    /** The subjects that were read since the last change. */
    private record Generation(long revision, Map<String, Subject> subjects) {
        static Generation of(long revision) {
            return new Generation(revision, new ConcurrentHashMap<>());
        }
    }

    private KnownSubjects(SubjectRecords records, long revision) {
        this.records = records;
        this.present = Generation.of(revision);
    }

    /** Returns those of a cluster in plain text, where nobody is checked: it asks only when it is told to. */
    public static KnownSubjects unchecked(SubjectRecords records) {
        return new KnownSubjects(records, -1);
    }

    /**
     * Starts to ask, on a timer of the caller's.
     *
     * @throws CloudMwException when the catalog cannot be read
     */
    public static KnownSubjects start(SubjectRecords records, ScheduledExecutorService timer) throws CloudMwException {
        KnownSubjects known = new KnownSubjects(records, records.revision());
        var unused =
                timer.scheduleWithFixedDelay(known::look, INTERVAL.toNanos(), INTERVAL.toNanos(), TimeUnit.NANOSECONDS);
        return known;
    }

    /** Asks once; an exception would end the schedule. Blocks on the catalog. */
    void look() {
        try {
            long revision = records.revision();
            if (revision != present.revision()) {
                present = Generation.of(revision);
            }
        } catch (CloudMwException | RuntimeException | Error e) {
            // Without an answer nothing is known to be unchanged.
            present = Generation.of(-1);
            LOG.warn("coordinator: the revision of subjects could not be read; asking again", e);
        }
    }

    /** Returns a subject, which may be without rights. Blocks on the catalog when it was not read since the last change. */
    public Subject subject(String name) throws CloudMwException {
        Generation now = present;
        Subject known = now.subjects().get(name);
        if (known != null) {
            return known;
        }
        Subject read = records.subject(name).orElse(Subject.unknown(name));
        if (now.subjects().size() < SubjectRecords.MAX) {
            now.subjects().put(name, read);
        }
        return read;
    }
}
