package io.cloudmw.core.catalog.memory;

import io.cloudmw.core.catalog.TreeEntry;
import io.cloudmw.core.catalog.TreeFile;
import io.cloudmw.core.catalog.TreeStore;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/** A tree of names in maps; its owner locks. */
final class TreeMaps implements TreeStore<RuntimeException> {
    private static final Comparator<String> BY_UTF8 =
            (a, b) -> Arrays.compareUnsigned(a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));

    private final Map<VolumeName, Long> roots = new HashMap<>();
    private final Map<Long, Directory> directories = new HashMap<>();
    private long lastDirectory;

    /** What is in one directory. */
    private static final class Directory {
        private final NavigableMap<String, TreeEntry> entries = new TreeMap<>(BY_UTF8);
        private int reachBytes;
    }

    void addVolume(VolumeName volume) {
        roots.put(volume, newDirectory());
    }

    void removeVolume(VolumeName volume) {
        Long root = roots.remove(volume);
        if (root != null) {
            drop(root);
        }
    }

    private void drop(long directory) {
        for (TreeEntry entry : directory(directory).entries.values()) {
            if (entry.isDirectory()) {
                drop(entry.directory());
            }
        }
        directories.remove(directory);
    }

    /** The current versions of all files of a volume. */
    List<VersionId> files(VolumeName volume) {
        List<VersionId> files = new ArrayList<>();
        root(volume).ifPresent(root -> collect(root, files));
        return files;
    }

    private void collect(long directory, List<VersionId> files) {
        for (TreeEntry entry : directory(directory).entries.values()) {
            entry.version().ifPresentOrElse(files::add, () -> collect(entry.directory(), files));
        }
    }

    /** The names that follow one, in order. */
    List<TreeEntry> after(long directory, String name, int limit) {
        return directory(directory).entries.tailMap(name, false).values().stream()
                .limit(limit)
                .toList();
    }

    private Directory directory(long number) {
        return Objects.requireNonNull(directories.get(number), "no such directory");
    }

    private long newDirectory() {
        directories.put(++lastDirectory, new Directory());
        return lastDirectory;
    }

    @Override
    public OptionalLong root(VolumeName volume) {
        Long root = roots.get(volume);
        return root == null ? OptionalLong.empty() : OptionalLong.of(root);
    }

    @Override
    public Optional<TreeEntry> child(long directory, String name) {
        return Optional.ofNullable(directory(directory).entries.get(name));
    }

    @Override
    public boolean isEmpty(long directory) {
        return directory(directory).entries.isEmpty();
    }

    @Override
    public boolean exists(long directory) {
        return directories.containsKey(directory);
    }

    @Override
    public long addDirectory(long parent, String name) {
        long added = newDirectory();
        directory(parent).entries.put(name, new TreeEntry(parent, name, Optional.empty(), added, ""));
        return added;
    }

    @Override
    public void putFile(long parent, String name, TreeFile file) {
        String movedBy = child(parent, name).map(TreeEntry::movedBy).orElse("");
        directory(parent).entries.put(name, new TreeEntry(parent, name, Optional.of(file), 0, movedBy));
    }

    @Override
    public void remove(TreeEntry entry) {
        directory(entry.parent()).entries.remove(entry.name());
        if (entry.isDirectory()) {
            directories.remove(entry.directory());
        }
    }

    @Override
    public TreeEntry move(TreeEntry entry, long parent, String name, String movedBy) {
        directory(entry.parent()).entries.remove(entry.name());
        TreeEntry moved = new TreeEntry(parent, name, entry.file(), entry.directory(), movedBy);
        directory(parent).entries.put(name, moved);
        return moved;
    }

    @Override
    public int reach(long directory) {
        return directory(directory).reachBytes;
    }

    @Override
    public void raise(long directory, int reachBytes) {
        directory(directory).reachBytes = reachBytes;
    }
}
