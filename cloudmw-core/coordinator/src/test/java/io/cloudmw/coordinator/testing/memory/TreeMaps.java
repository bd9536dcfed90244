package io.cloudmw.coordinator.testing.memory;

import io.cloudmw.coordinator.catalog.tree.KeptDirectory;
import io.cloudmw.coordinator.catalog.tree.TreeEntry;
import io.cloudmw.coordinator.catalog.tree.TreeFile;
import io.cloudmw.coordinator.catalog.tree.TreeStore;
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
import java.util.TreeSet;

/** A tree of names in maps; guarded by the owner. */
final class TreeMaps implements TreeStore<RuntimeException> {
    private static final Comparator<String> BY_UTF8 =
            (a, b) -> Arrays.compareUnsigned(a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));

    private final Map<VolumeName, Long> roots = new HashMap<>();
    private final Map<Long, Directory> directories = new HashMap<>();
    private final FormerEntries former = new FormerEntries();
    private long lastDirectory;

    /** The content of one directory. */
    private static final class Directory {
        private final VolumeName volume;
        private final NavigableMap<String, TreeEntry> entries = new TreeMap<>(BY_UTF8);

        /** By name, how many snapshots of the volume had been taken when the entry took its present form. */
        private final Map<String, Long> since = new HashMap<>();

        private int reachBytes;

        Directory(VolumeName volume) {
            this.volume = volume;
        }
    }

    void addVolume(VolumeName volume) {
        roots.put(volume, newDirectory(volume));
    }

    FormerEntries former() {
        return former;
    }

    private void put(TreeEntry entry) {
        Directory in = directory(entry.parent());
        leave(in, entry.name());
        in.entries.put(entry.name(), entry);
        in.since.put(entry.name(), former.taken(in.volume));
        former.count(entry, 1);
    }

    /** Copies an entry to the past before it is changed or removed, if a snapshot may see it. */
    private void leave(Directory in, String name) {
        TreeEntry entry = in.entries.remove(name);
        if (entry != null) {
            former.keep(in.volume, entry, in.since.getOrDefault(name, 0L));
            former.count(entry, -1);
        }
    }

    /** Returns the entry of a name in the snapshot with this number. */
    Optional<TreeEntry> child(long directory, String name, long number) {
        Directory in = directories.get(directory);
        if (in != null && in.entries.containsKey(name) && in.since.getOrDefault(name, 0L) <= number) {
            return Optional.ofNullable(in.entries.get(name));
        }
        return former.find(directory, name, number);
    }

    /** Returns the names after one, in order, in the snapshot with this number. */
    List<TreeEntry> after(long directory, String name, int limit, long number) {
        TreeSet<String> names = new TreeSet<>(BY_UTF8);
        Directory in = directories.get(directory);
        if (in != null) {
            names.addAll(in.entries.keySet());
        }
        names.addAll(former.names(directory));
        return names.tailSet(name, false).stream()
                .flatMap(next -> child(directory, next, number).stream())
                .limit(limit)
                .toList();
    }

    void removeVolume(VolumeName volume) {
        Long root = roots.remove(volume);
        if (root != null) {
            drop(root);
        }
    }

    private void drop(long directory) {
        for (TreeEntry entry : directory(directory).entries.values()) {
            former.count(entry, -1);
            if (entry.isDirectory()) {
                drop(entry.directory());
            }
        }
        directories.remove(directory);
    }

    /** Returns the current versions of all files of a volume. */
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

    /** Returns the names after one, in order. */
    List<TreeEntry> after(long directory, String name, int limit) {
        return directory(directory).entries.tailMap(name, false).values().stream()
                .limit(limit)
                .toList();
    }

    private Directory directory(long number) {
        return Objects.requireNonNull(directories.get(number), "no such directory");
    }

    private long newDirectory(VolumeName volume) {
        directories.put(++lastDirectory, new Directory(volume));
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
        long added = newDirectory(directory(parent).volume);
        put(TreeEntry.directory(parent, name, added, Optional.empty()));
        return added;
    }

    @Override
    public void keepDirectory(TreeEntry directory, KeptDirectory kept) {
        put(TreeEntry.directory(directory.parent(), directory.name(), directory.directory(), Optional.of(kept)));
    }

    @Override
    public void putFile(long parent, String name, TreeFile file) {
        put(TreeEntry.file(parent, name, file));
    }

    @Override
    public void remove(TreeEntry entry) {
        leave(directory(entry.parent()), entry.name());
        if (entry.isDirectory()) {
            directories.remove(entry.directory());
        }
    }

    @Override
    public TreeEntry move(TreeEntry entry, long parent, String name) {
        leave(directory(entry.parent()), entry.name());
        TreeEntry moved = entry.at(parent, name);
        put(moved);
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
