package io.cloudmw.client.channel;

import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;

/**
 * The meaning of a set of open options, as the JDK's file systems understand them. Immutable.
 *
 * @param read whether bytes may be read; also when neither reading nor writing is requested
 * @param write whether bytes may be written
 * @param append whether every write goes to the end
 * @param truncate whether the content of an existing file is dropped
 * @param create whether a missing file is made
 * @param createNew whether an existing file is an error
 */
record OpenMode(boolean read, boolean write, boolean append, boolean truncate, boolean create, boolean createNew) {
    /**
     * Reads the options of an output stream; none: {@code CREATE} and {@code TRUNCATE_EXISTING}.
     *
     * @throws IllegalArgumentException for {@code READ}
     */
    static OpenMode ofStream(Set<? extends OpenOption> options) {
        if (options.contains(StandardOpenOption.READ)) {
            throw new IllegalArgumentException("options: READ (expected: options of an output stream)");
        }
        Set<OpenOption> effective = new HashSet<>(options);
        if (options.isEmpty()) {
            effective.add(StandardOpenOption.CREATE);
            effective.add(StandardOpenOption.TRUNCATE_EXISTING);
        }
        effective.add(StandardOpenOption.WRITE);
        return of(effective);
    }

    /**
     * Reads open options. {@code SPARSE}, {@code SYNC} and {@code DSYNC} have no effect: a version is durable when it is
     * committed.
     *
     * @throws UnsupportedOperationException for an option that this does not know, and for {@code DELETE_ON_CLOSE}
     * @throws IllegalArgumentException for options that exclude one another
     */
    static OpenMode of(Set<? extends OpenOption> options) {
        for (OpenOption option : options) {
            if (!(option instanceof StandardOpenOption) || option == StandardOpenOption.DELETE_ON_CLOSE) {
                throw new UnsupportedOperationException("option: " + option);
            }
        }
        boolean append = options.contains(StandardOpenOption.APPEND);
        boolean write = append || options.contains(StandardOpenOption.WRITE);
        boolean read = !write || options.contains(StandardOpenOption.READ);
        boolean truncate = write && options.contains(StandardOpenOption.TRUNCATE_EXISTING);
        if (append && read) {
            throw new IllegalArgumentException("options: READ and APPEND (expected: one of them)");
        }
        if (append && truncate) {
            throw new IllegalArgumentException("options: APPEND and TRUNCATE_EXISTING (expected: one of them)");
        }
        boolean createNew = write && options.contains(StandardOpenOption.CREATE_NEW);
        boolean create = write && options.contains(StandardOpenOption.CREATE);
        return new OpenMode(read, write, append, truncate, create || createNew, createNew);
    }
}
