package io.cloudmw.client.tree;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.file.FileEntry;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.FileVersion;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * A comparison of two snapshots of a volume, or of a snapshot with the present. It walks both trees side by side, by
 * name, with one page of each directory in memory. A file differs when its version or its attributes do; content is not
 * read. Used by one thread, which it blocks.
 */
public final class SnapshotDiff {
    private final CloudMw client;
    private final VolumeName volume;
    private final Optional<String> before;
    private final Optional<String> after;
    private final Listener listener;

    /** The kind of a difference. */
    public enum Kind {
        ADDED,
        REMOVED,
        /** Another version, perhaps with other attributes too. */
        CHANGED,
        /** The same version with other attributes. */
        ATTRIBUTES
    }

    /**
     * A file that differs.
     *
     * @param version the later version; of a removed file the earlier one
     */
    public record Difference(Kind kind, String path, FileVersion version) {}

    /**
     * A listener to differences, in the order of the names. Where a file is a directory on the other side, the added
     * path comes first.
     */
    public interface Listener {
        /** Returns false to end the comparison. */
        boolean found(Difference difference) throws CloudMwException;

        /**
         * Called for each directory of the earlier side that is no directory on the later one, before its files. Returns
         * false to end the comparison.
         */
        default boolean missing(String directory) throws CloudMwException {
            return true;
        }
    }

    /** Compares a snapshot with {@code after}; empty: with the present. */
    public SnapshotDiff(CloudMw client, VolumeName volume, String before, Optional<String> after, Listener listener) {
        this.client = client;
        this.volume = volume;
        this.before = Optional.of(before);
        this.after = after;
        this.listener = listener;
    }

    /**
     * Compares a directory and everything below it.
     *
     * @param directory {@code "/"} or {@code "/a/b"}; a missing directory counts as empty
     */
    public void run(String directory) throws CloudMwException {
        var unused = compare(directory, names(before, directory), names(after, directory));
    }

    private Names names(Optional<String> snapshot, String directory) {
        return new Names(Optional.of(new RemotePath(volume, snapshot, directory)));
    }

    /** The entries of a directory, in order. */
    private final class Names {
        private final Optional<RemotePath> directory;
        private final Deque<FileEntry> page = new ArrayDeque<>();
        private String token = "";
        private boolean last;

        /** Reads a directory; empty: a missing one. */
        Names(Optional<RemotePath> directory) {
            this.directory = directory;
            this.last = directory.isEmpty();
        }

        Optional<FileEntry> peek() throws CloudMwException {
            while (page.isEmpty() && !last) {
                Page<FileEntry> next = read();
                page.addAll(next.items());
                token = next.nextToken();
                last = token.isEmpty();
            }
            return Optional.ofNullable(page.peek());
        }

        void skip() {
            page.remove();
        }

        private Page<FileEntry> read() throws CloudMwException {
            RemotePath read = directory.orElseThrow();
            try {
                return Calls.await(read.list(client, token));
            } catch (CloudMwException e) {
                if (e.code() == ErrorCode.NOT_FOUND && Calls.await(read.isKept(client))) {
                    return new Page<>(List.of(), "");
                }
                throw e;
            }
        }
    }

    private boolean compare(String directory, Names earlier, Names later) throws CloudMwException {
        while (true) {
            Optional<FileEntry> was = earlier.peek();
            Optional<FileEntry> is = later.peek();
            if (was.isEmpty() && is.isEmpty()) {
                return true;
            }
            int order = was.isEmpty()
                    ? 1
                    : is.isEmpty()
                            ? -1
                            : SortedEntries.compareNames(
                                    was.get().name(), is.get().name());
            Optional<FileEntry> first = order <= 0 ? was : Optional.empty();
            Optional<FileEntry> second = order >= 0 ? is : Optional.empty();
            if (first.isPresent()) {
                earlier.skip();
            }
            if (second.isPresent()) {
                later.skip();
            }
            if (!compare(directory, first, second)) {
                return false;
            }
        }
    }

    private boolean compare(String directory, Optional<FileEntry> was, Optional<FileEntry> is) throws CloudMwException {
        String name = was.or(() -> is).orElseThrow().name();
        String path = directory.equals("/") ? "/" + name : directory + "/" + name;
        Optional<FileVersion> former = was.flatMap(FileEntry::version);
        Optional<FileVersion> present = is.flatMap(FileEntry::version);
        boolean wasDirectory = was.isPresent() && former.isEmpty();
        boolean isDirectory = is.isPresent() && present.isEmpty();
        if (wasDirectory && isDirectory) {
            return below(path, true, true);
        }
        if (isDirectory && !below(path, false, true)) {
            return false;
        }
        return files(path, was, is) && (!wasDirectory || (listener.missing(path) && below(path, true, false)));
    }

    private boolean below(String path, boolean earlier, boolean later) throws CloudMwException {
        return compare(path, earlier ? names(before, path) : none(), later ? names(after, path) : none());
    }

    private Names none() {
        return new Names(Optional.empty());
    }

    private boolean files(String path, Optional<FileEntry> was, Optional<FileEntry> is) throws CloudMwException {
        Optional<FileVersion> former = was.flatMap(FileEntry::version);
        Optional<FileVersion> present = is.flatMap(FileEntry::version);
        if (former.isPresent() && present.isPresent()) {
            if (!former.get().id().equals(present.get().id())) {
                return listener.found(new Difference(Kind.CHANGED, path, present.get()));
            }
            return was.map(FileEntry::attributesDigest).equals(is.map(FileEntry::attributesDigest))
                    || listener.found(new Difference(Kind.ATTRIBUTES, path, present.get()));
        }
        if (present.isPresent()) {
            return listener.found(new Difference(Kind.ADDED, path, present.get()));
        }
        return former.isEmpty() || listener.found(new Difference(Kind.REMOVED, path, former.get()));
    }
}
