package io.cloudmw.coordinator.grant;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.grant.Revocation;
import io.cloudmw.core.grant.Subject;
import io.cloudmw.core.time.Ticker;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All subjects, in memory. A coordinator asks the catalog several times a second whether any subject was changed, by
 * whatever coordinator, and reads all anew then: so a change takes effect within a second, and a check reads no storage.
 * Listeners hear of a change. Safe for any thread.
 */
public final class KnownSubjects {
    /** The interval between two questions. */
    static final Duration INTERVAL = Duration.ofMillis(250);

    /** The longest time without an answer of the catalog; after it nobody is known until there is one. */
    static final Duration MAX_AGE = Duration.ofSeconds(5);

    private static final Logger LOG = LoggerFactory.getLogger(KnownSubjects.class);

    private final SubjectRecords records;
    private final Ticker ticker;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private volatile Generation present = new Generation(OptionalLong.empty(), Map.of(), 0);

    /**
     * The subjects of one revision.
     *
     * @param revision empty: none was read yet
     * @param confirmedNanos when the catalog was last asked whether they are still the newest
     */
    private record Generation(OptionalLong revision, Map<String, Subject> subjects, long confirmedNanos) {}

    /** Makes an object that knows nobody until {@link #look}. */
    public KnownSubjects(SubjectRecords records, Ticker ticker) {
        this.records = records;
        this.ticker = ticker;
    }

    /**
     * Reads all subjects and starts to ask for changes, on a timer of the caller's.
     *
     * @throws CloudMwException when the catalog cannot be read
     */
    public static KnownSubjects start(SubjectRecords records, Ticker ticker, ScheduledExecutorService timer)
            throws CloudMwException {
        KnownSubjects known = new KnownSubjects(records, ticker);
        known.look();
        var unused = timer.scheduleWithFixedDelay(
                known::lookAgain, INTERVAL.toNanos(), INTERVAL.toNanos(), TimeUnit.NANOSECONDS);
        return known;
    }

    /** Asks once; an exception would end the schedule. */
    private void lookAgain() {
        try {
            look();
        } catch (CloudMwException | RuntimeException | Error e) {
            LOG.warn("coordinator: subjects could not be read; asking again", e);
        }
    }

    /** Adds a listener, which hears each change on a thread that may not be blocked for long. */
    public void onChange(Runnable listener) {
        listeners.add(listener);
    }

    /**
     * Asks whether a subject was changed, and reads all anew then. Blocks on the catalog.
     *
     * @throws CloudMwException when the catalog cannot be read; the subjects stay known for a while
     */
    public void look() throws CloudMwException {
        if (reread()) {
            listeners.forEach(Runnable::run);
        }
    }

    /** Returns whether there was a change. */
    private synchronized boolean reread() throws CloudMwException {
        long nowNanos = ticker.nanos();
        OptionalLong revision = OptionalLong.of(records.revision());
        if (revision.equals(present.revision())) {
            present = new Generation(revision, present.subjects(), nowNanos);
            return false;
        }
        Map<String, Subject> subjects = new HashMap<>();
        for (Subject subject : records.subjects()) {
            subjects.put(subject.name(), subject);
        }
        present = new Generation(revision, Map.copyOf(subjects), nowNanos);
        return true;
    }

    /** Returns the revision of the subjects that are known; 0: none were read. */
    public long revision() {
        return present.revision().orElse(0);
    }

    /** Returns whether the catalog has confirmed lately that the subjects are the newest. */
    public boolean areConfirmed() {
        return areConfirmed(present);
    }

    private boolean areConfirmed(Generation known) {
        return known.revision().isPresent() && ticker.nanos() - known.confirmedNanos() <= MAX_AGE.toNanos();
    }

    /**
     * The losses of subjects.
     *
     * @param revision of the subjects that were known
     * @param bySubject the last loss of each that has one
     */
    public record Losses(long revision, Map<String, Revocation> bySubject) {
        public Losses {
            bySubject = Map.copyOf(bySubject);
        }
    }

    /** Returns the losses after which transfer tokens from before may still be shown. */
    public Losses losses(long nowMillis) {
        Generation now = present;
        Map<String, Revocation> losses = new HashMap<>();
        for (Subject subject : now.subjects().values()) {
            subject.revocation()
                    .filter(last -> !isOver(last, nowMillis))
                    .ifPresent(last -> losses.put(subject.name(), last));
        }
        return new Losses(now.revision().orElse(0), losses);
    }

    /** Returns the subjects whose last loss is so long ago that it need not be kept. */
    List<String> withOldLosses(long nowMillis) {
        return present.subjects().values().stream()
                .filter(subject -> subject.revocation()
                        .filter(last -> isOver(last, nowMillis))
                        .isPresent())
                .map(Subject::name)
                .toList();
    }

    static boolean isOver(Revocation loss, long nowMillis) {
        return nowMillis - loss.millis() > SubjectRecords.REVOCATIONS_KEPT.toMillis();
    }

    /**
     * Returns a subject, which may be without rights.
     *
     * @throws CloudMwException {@code COORDINATOR_UNAVAILABLE} when the catalog has not answered for too long
     */
    public Subject subject(String name) throws CloudMwException {
        Generation now = present;
        if (now.revision().isPresent() && !areConfirmed(now)) {
            throw new CloudMwException(
                    ErrorCode.COORDINATOR_UNAVAILABLE,
                    "the rights of subject " + name + " are not known: the catalog has not answered for "
                            + MAX_AGE.toSeconds() + " s");
        }
        Subject known = now.subjects().get(name);
        return known != null ? known : Subject.unknown(name);
    }
}
