package io.cloudmw.client.tree;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/**
 * The entries of a local directory in the order in which a volume lists their names, whatever the order of the file
 * system is. A directory of more entries than fit into memory is sorted in windows, one after the other. Not
 * thread-safe.
 */
final class SortedEntries implements Iterator<Path> {
    /** The most entries that are sorted together: some tens of megabytes. */
    static final int WINDOW = 100_000;

    private final Iterator<Path> entries;
    private final NameStyle names;
    private final int window;
    private final Deque<Path> sorted = new ArrayDeque<>();

    /** An entry with the bytes that decide its place. */
    private static final class Entry {
        private final Path path;
        private final byte[] name;

        Entry(Path path, byte[] name) {
            this.path = path;
            this.name = name;
        }
    }

    /**
     * @param entries in any order
     * @param names the mapping to the names in the volume
     * @param window the most entries that are kept in memory
     */
    SortedEntries(Iterator<Path> entries, NameStyle names, int window) {
        this.entries = entries;
        this.names = names;
        this.window = window;
    }

    /** Compares names as listings of volumes order them: by the bytes of their UTF-8. */
    static int compareNames(String a, String b) {
        return Arrays.compareUnsigned(utf8(a), utf8(b));
    }

    private static byte[] utf8(String name) {
        return name.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public boolean hasNext() {
        if (sorted.isEmpty()) {
            sortNext();
        }
        return !sorted.isEmpty();
    }

    @Override
    public Path next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        return sorted.remove();
    }

    private void sortNext() {
        List<Entry> found = new ArrayList<>();
        while (found.size() < window && entries.hasNext()) {
            Path path = entries.next();
            found.add(new Entry(path, utf8(name(path))));
        }
        found.sort((a, b) -> Arrays.compareUnsigned(a.name, b.name));
        found.forEach(entry -> sorted.add(entry.path));
    }

    /** Returns the name in the volume; a path that has none is refused later, wherever it comes. */
    private String name(Path path) {
        try {
            return names.inVolume(path);
        } catch (IllegalArgumentException e) {
            return String.valueOf(path.getFileName());
        }
    }
}
