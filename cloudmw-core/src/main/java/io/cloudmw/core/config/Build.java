package io.cloudmw.core.config;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * The description of this build, as far as the build recorded it. It depends on the commit alone, so that two builds
 * of a commit are the same.
 */
public final class Build {
    private static final String NOTES = "build.properties";

    private Build() {}

    /**
     * The build in a line: {@code cloudmw 0.1.0 (commit 0123abc, 2026-11-22T03:50:00Z)}.
     *
     * @param main a class of the jar that runs
     */
    public static String describe(Class<?> main) {
        return describe(main.getPackage().getImplementationVersion(), notes());
    }

    static String describe(@Nullable String release, Properties notes) {
        String id = notes.getProperty("git.commit.id.abbrev");
        String changes = Boolean.parseBoolean(notes.getProperty("git.dirty")) ? " and changes" : "";
        String commit = id == null ? "unknown" : id + changes + ", " + notes.getProperty("git.commit.time");
        return "cloudmw " + (release == null ? "not from its jar" : release) + " (commit " + commit + ")";
    }

    /** The build's record; empty for sources that are no clone of the repository. */
    private static Properties notes() {
        Properties notes = new Properties();
        try (InputStream in = Build.class.getResourceAsStream(NOTES)) {
            if (in != null) {
                notes.load(in);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return notes;
    }
}
