package io.cloudmw.lab.torture;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.lab.torture.model.Finding;
import io.cloudmw.lab.torture.model.FindingKind;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A file of events: faults, failed operations and findings, one per line. Safe for any thread. */
final class Journal implements AutoCloseable {
    /** The number of findings that are kept; further ones are only counted. */
    static final int MAX_FINDINGS = 100;

    private static final Logger log = LoggerFactory.getLogger(Journal.class);

    private final Ticker ticker;

    @GuardedBy("this")
    private final BufferedWriter file;

    @GuardedBy("this")
    private final List<Finding> findings = new ArrayList<>();

    @GuardedBy("this")
    private final Map<FindingKind, Long> counts = new EnumMap<>(FindingKind.class);

    @GuardedBy("this")
    private String last = "";

    /**
     * Opens a journal.
     *
     * @param ticker the clock of the lines' times, the same as the model's
     */
    Journal(Path file, Ticker ticker) throws IOException {
        this.file = Files.newBufferedWriter(file);
        this.ticker = ticker;
    }

    /** Writes a line. */
    synchronized void say(String what) {
        last = what;
        try {
            file.write(String.format(Locale.ROOT, "%10.3f  %s%n", ticker.nanos() / 1e9, what));
            file.flush();
        } catch (IOException e) {
            log.debug("the journal is closed: {}", what, e);
        }
    }

    /** Writes a finding, which is a violation of the model. */
    synchronized void found(Finding finding) {
        counts.merge(finding.kind(), 1L, Long::sum);
        if (findings.size() < MAX_FINDINGS) {
            findings.add(finding);
        }
        say("FOUND " + finding.kind() + " " + finding.path() + ": " + finding.what());
        finding.history().forEach(line -> say("    " + line));
    }

    synchronized long count(FindingKind kind) {
        return counts.getOrDefault(kind, 0L);
    }

    /** Returns the first {@value #MAX_FINDINGS} findings. */
    synchronized List<Finding> findings() {
        return List.copyOf(findings);
    }

    /** Returns the last line. */
    synchronized String last() {
        return last;
    }

    @Override
    public synchronized void close() throws IOException {
        file.close();
    }
}
