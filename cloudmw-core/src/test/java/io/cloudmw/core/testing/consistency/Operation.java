package io.cloudmw.core.testing.consistency;

import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.Change;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;

/**
 * An operation of a client, with its result. Times are of a clock that all clients share: an operation that ended at a
 * lower time than another began was over before.
 */
public final class Operation {
    private final String what;
    private final long began;
    private final long ended;
    private final Predicate<Change> isWrite;
    private final Predicate<NamesAt> sees;
    private final boolean write;

    private Operation(
            String what, long began, long ended, boolean write, Predicate<Change> isWrite, Predicate<NamesAt> sees) {
        this.what = what;
        this.began = began;
        this.ended = ended;
        this.write = write;
        this.isWrite = isWrite;
        this.sees = sees;
    }

    /** A change that was acknowledged: it is exactly one in the log. */
    public static Operation write(String what, long began, long ended, Predicate<Change> isIt) {
        return new Operation(what, began, ended, true, isIt, names -> true);
    }

    /** A path was found to have this version, or no file. */
    public static Operation read(String path, Optional<VersionId> found, long began, long ended) {
        return seen(
                "read of " + path + ": " + found,
                began,
                ended,
                names -> names.file(path).equals(found));
    }

    /** A read like {@link #read}, with the time of the file's last change of attributes. */
    public static Operation read(
            String path, Optional<VersionId> found, OptionalLong notedAtMillis, long began, long ended) {
        return seen(
                "read of " + path + ": " + found + ", noted at " + notedAtMillis,
                began,
                ended,
                names -> names.file(path).equals(found)
                        && names.notedAtMillis(path).equals(notedAtMillis));
    }

    /** Another observation of the names. */
    public static Operation seen(String what, long began, long ended, Predicate<NamesAt> sees) {
        return new Operation(what, began, ended, false, change -> false, sees);
    }

    /** Returns whether it is a change. */
    public boolean isWrite() {
        return write;
    }

    boolean isIt(Change change) {
        return isWrite.test(change);
    }

    boolean sees(NamesAt names) {
        return sees.test(names);
    }

    long began() {
        return began;
    }

    long ended() {
        return ended;
    }

    @Override
    public String toString() {
        return what + " [" + began + ".." + ended + "]";
    }
}
