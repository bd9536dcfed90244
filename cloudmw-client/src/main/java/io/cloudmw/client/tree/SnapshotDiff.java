package io.cloudmw.client.tree;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.client.rpc.FileEntry;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FileVersion;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.VolumeName;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * What differs between two snapshots of a volume, or one and what is now: walks both trees side by side, by name, a page of each directory
 * in memory. It looks at all names, and at nothing but names: a file differs when its version or what is noted of it does. Used by one thread, which it blocks.
 */
public final class SnapshotDiff {
    private final CloudMw client;
    private final VolumeName volume;
    private final Optional<String> before;
    private final Optional<String> after;
    private final Listener listener;

    /** What became of a path. */
    public enum Kind {
        ADDED,
        REMOVED,
        /** Another version; perhaps other attributes too. */
        CHANGED,
        /** The same version with other attributes. */
        ATTRIBUTES
    }

    /**
     * A file that differs.
     *
     * @param version the later one; of one that was removed the earlier one
     */
    public record Difference(Kind kind, String path, FileVersion version) {}

    /** Told of each, in the order of the names; where a file is a directory in the other, what was added comes first. */
    public interface Listener {
        /** False: no more is wanted. */
        boolean found(Difference difference) throws CloudMwException;
    }

    /** Compares a snapshot with {@code after}; empty: with what is now. */
    public SnapshotDiff(CloudMw client, VolumeName volume, String before, Optional<String> after, Listener listener) {
        this.client = client;
        this.volume = volume;
        this.before = Optional.of(before);
        this.after = after;
        this.listener = listener;
    }

    /**
     * Compares a directory and all below it.
     *
     * @param directory {@code "/"} or {@code "/a/b"}; where it is not there it is taken as empty
     */
    public void run(String directory) throws CloudMwException {
        var unused = compare(directory, names(before, directory), names(after, directory));
    }

    private Names names(Optional<String> snapshot, String directory) {
        return new Names(Optional.of(new RemotePath(volume, snapshot, directory)));
    }

    /** The entries of a directory, one after the other. */
    private final class Names {
        private final Optional<RemotePath> directory;
        private final Deque<FileEntry> page = new ArrayDeque<>();
        private String token = "";
        private boolean last;

        /** Reads a directory; empty: one that is not there. */
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
                    : is.isEmpty() ? -1 : order(was.get().name(), is.get().name());
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

    private static int order(String a, String b) {
        return Arrays.compareUnsigned(a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));
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
        return files(path, was, is) && (!wasDirectory || below(path, true, false));
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
