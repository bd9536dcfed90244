package io.cloudmw.coordinator.catalog.tree;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.change.CatalogErrors;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.AttributeChange;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.FileCopy;
import io.cloudmw.core.model.file.Rename;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The tree of directories and files in a volume, with the rules that all catalogs share. A directory is made with its
 * first file and removed with its last, unless it was made to stay. An operation touches as many entries as its paths
 * have names, whatever lies below them. It is part of its store's transaction. Used by one thread at a time.
 *
 * @param <X> a further exception of the store
 */
public final class Tree<X extends Exception> {
    /** The most directories above a path when directories are created or moved. */
    public static final int MAX_DIRECTORIES = 64;

    private final TreeStore<X> store;

    public Tree(TreeStore<X> store) {
        this.store = store;
    }

    /**
     * The result of a rename.
     *
     * @param entry the entry under its new name
     * @param displaced the version of the file that was replaced, if any
     * @param done false: the entry had this name already, and nothing was changed
     */
    public record Renamed(TreeEntry entry, Optional<VersionId> displaced, boolean done) {}

    /** The existing directories of a path, from the root on. */
    private static final class Walk {
        private final FilePath path;
        private final List<String> names;
        private final List<Long> directories = new ArrayList<>();

        /** The entries that name the directories after the root. */
        private final List<TreeEntry> entries = new ArrayList<>();

        private boolean blocked;

        Walk(FilePath path) {
            this.path = path;
            this.names = List.of(path.path().substring(1).split("/", -1));
        }

        void requireVolume() throws CloudMwException {
            if (directories.isEmpty()) {
                throw CatalogErrors.volumeNotFound(path.volume());
            }
        }

        boolean isComplete() {
            return directories.size() == names.size();
        }

        long last() {
            return directories.get(directories.size() - 1);
        }

        void add(TreeEntry directory) {
            entries.add(directory);
            directories.add(directory.directory());
        }

        /** Returns the next name of the path. */
        String nextName() {
            return names.get(directories.size() - 1);
        }

        /** Returns the path up to the next name. */
        String nextPath() {
            return "/" + String.join("/", names.subList(0, directories.size()));
        }
    }

    private Walk walk(FilePath path) throws X, CloudMwException {
        Walk walk = new Walk(path);
        OptionalLong root = store.root(path.volume());
        root.ifPresent(walk.directories::add);
        while (root.isPresent() && !walk.isComplete()) {
            Optional<TreeEntry> next = store.child(walk.last(), walk.nextName());
            walk.blocked = next.isPresent() && !next.get().isDirectory();
            if (next.isEmpty() || walk.blocked) {
                break;
            }
            walk.add(next.get());
        }
        return walk;
    }

    private Optional<TreeEntry> end(Walk walk) throws X, CloudMwException {
        return walk.isComplete() ? store.child(walk.last(), walk.path.name()) : Optional.empty();
    }

    /** Returns the entry at a path. */
    public Optional<TreeEntry> find(FilePath path) throws X, CloudMwException {
        return end(walk(path));
    }

    /** Returns the directory that a path's last name is looked up in; empty: there is no such directory. */
    public OptionalLong directoryOf(FilePath path) throws X, CloudMwException {
        Walk walk = walk(path);
        return walk.isComplete() ? OptionalLong.of(walk.last()) : OptionalLong.empty();
    }

    /** Returns the current version of a file. */
    public Optional<VersionId> version(FilePath file) throws X, CloudMwException {
        return find(file).flatMap(TreeEntry::version);
    }

    /**
     * Returns the entry of a path that must name this version.
     *
     * @throws CloudMwException {@code CONFLICT} when it names another version or none
     */
    public TreeEntry requireVersion(FilePath file, VersionId version) throws X, CloudMwException {
        Optional<TreeEntry> entry = find(file);
        Optional<VersionId> found = entry.flatMap(TreeEntry::version);
        if (!found.equals(Optional.of(version))) {
            throw CatalogErrors.changed(file, Optional.of(version), found);
        }
        return entry.orElseThrow();
    }

    /**
     * Sets the version of a file and creates the missing directories. Other properties of an existing file stay.
     *
     * @param attributes those of a file that did not exist
     * @throws CloudMwException {@code VOLUME_NOT_FOUND}; {@code ALREADY_EXISTS} when the path is a directory or lies
     *     below a file; {@code INVALID_ARGUMENT} when the path has too many directories
     */
    public void put(FilePath file, VersionId version, Attributes attributes, long nowMillis)
            throws X, CloudMwException {
        Walk walk = walk(file);
        Optional<TreeEntry> present = end(walk);
        checkPlace(walk, present);
        complete(walk);
        TreeFile kept = present.flatMap(TreeEntry::file)
                .map(before -> before.replacedBy(version))
                .orElseGet(() -> new TreeFile(version, nowMillis, attributes));
        store.putFile(walk.last(), file.name(), kept);
        if (present.isEmpty()) {
            raise(walk, bytes(file.path()));
        }
    }

    /**
     * Restores a file at a path and creates the missing directories.
     *
     * @return false: the path names this file already
     * @throws CloudMwException as {@link #put}
     */
    public boolean restore(FilePath path, TreeFile file) throws X, CloudMwException {
        Walk walk = walk(path);
        Optional<TreeEntry> present = end(walk);
        checkPlace(walk, present);
        if (present.flatMap(TreeEntry::file).equals(Optional.of(file))) {
            return false;
        }
        complete(walk);
        store.putFile(walk.last(), path.name(), file);
        if (present.isEmpty()) {
            raise(walk, bytes(path.path()));
        }
        return true;
    }

    /**
     * Links a second path to the version of a file.
     *
     * @param from a path in the same volume
     * @return false: the path names this file already
     * @throws CloudMwException {@code CONFLICT} when {@code from} names another version; {@code INVALID_ARGUMENT} when
     *     it is in another volume; as {@link #put}
     */
    public boolean link(FilePath from, FilePath to, TreeFile as) throws X, CloudMwException {
        if (!from.volume().equals(to.volume())) {
            throw PathErrors.otherVolume(from, to);
        }
        Optional<VersionId> found = version(from);
        if (!found.equals(Optional.of(as.version()))) {
            throw CatalogErrors.changed(from, Optional.of(as.version()), found);
        }
        return restore(to, as);
    }

    /**
     * Checks that a file could be put at this path now; changes nothing.
     *
     * @throws CloudMwException as {@link #put}
     */
    public void checkPut(FilePath file) throws X, CloudMwException {
        Walk walk = walk(file);
        checkPlace(walk, end(walk));
    }

    private static void checkPlace(Walk walk, Optional<TreeEntry> present) throws CloudMwException {
        if (present.isPresent() && present.get().isDirectory()) {
            throw PathErrors.isDirectory(walk.path);
        }
        checkDirectories(walk);
    }

    /** Attributes after a change, and the version of the file that has them; empty: a directory has them. */
    public record Attributed(Optional<VersionId> version, Attributes attributes) {}

    /**
     * Changes the attributes of a file or a directory. A directory stays from then on.
     *
     * @throws CloudMwException {@code NOT_FOUND}; {@code INVALID_ARGUMENT} when there would be too many
     */
    public Attributed setAttributes(AttributeChange change, long nowMillis) throws X, CloudMwException {
        TreeEntry entry = find(change.file()).orElseThrow(() -> PathErrors.fileNotFound(change.file()));
        Attributes changed;
        try {
            changed = entry.attributes().with(change);
        } catch (IllegalArgumentException e) {
            throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, change.file() + ": " + e.getMessage(), e);
        }
        if (entry.file().isPresent()) {
            store.putFile(entry.parent(), entry.name(), entry.file().get().with(changed));
        } else {
            KeptDirectory before = entry.kept().orElse(new KeptDirectory(nowMillis, Attributes.NONE));
            store.keepDirectory(entry, before.with(changed));
        }
        return new Attributed(entry.version(), changed);
    }

    /**
     * Removes a file.
     *
     * @param keepDirectories makes its directory stay; otherwise the directories that are empty then are removed
     * @return the version of the file
     * @throws CloudMwException {@code NOT_FOUND}
     */
    public VersionId remove(FilePath file, boolean keepDirectories, long nowMillis) throws X, CloudMwException {
        Walk walk = walk(file);
        TreeEntry entry = end(walk).orElseThrow(() -> PathErrors.fileNotFound(file));
        VersionId version = entry.version().orElseThrow(() -> PathErrors.fileNotFound(file));
        store.remove(entry);
        leave(walk, keepDirectories, nowMillis);
        return version;
    }

    /** Makes the directory of a path stay after an entry left it, or removes the directories that became empty. */
    private void leave(Walk walk, boolean keepDirectories, long nowMillis) throws X, CloudMwException {
        if (!keepDirectories) {
            prune(walk);
        } else if (!walk.entries.isEmpty()) {
            keep(walk.entries.get(walk.entries.size() - 1), nowMillis);
        }
    }

    /** Makes a directory stay; returns false if it stays already. */
    private boolean keep(TreeEntry directory, long nowMillis) throws X, CloudMwException {
        if (directory.kept().isPresent()) {
            return false;
        }
        store.keepDirectory(directory, new KeptDirectory(nowMillis, Attributes.NONE));
        return true;
    }

    /**
     * Creates a directory that stays when it is empty.
     *
     * @param parents whether missing directories above are created, and a directory that exists is no error
     * @param attributes those of the directory at the path, if it did not exist
     * @return false: it exists and stays already
     * @throws CloudMwException as {@link Catalog#createDirectory}
     */
    public boolean createDirectory(FilePath path, boolean parents, Attributes attributes, long nowMillis)
            throws X, CloudMwException {
        Walk walk = walk(path);
        Optional<TreeEntry> present = end(walk);
        if (present.isPresent() && (!parents || !present.get().isDirectory())) {
            throw present.get().isDirectory() ? PathErrors.isDirectory(path) : PathErrors.isFile(path);
        }
        if (present.isPresent()) {
            return keep(present.get(), nowMillis);
        }
        checkDirectories(walk);
        int there = walk.entries.size();
        if (!parents && !walk.isComplete()) {
            throw PathErrors.directoryNotFound(new FilePath(path.volume(), walk.nextPath()));
        }
        complete(walk);
        for (TreeEntry above : walk.entries.subList(there, walk.entries.size())) {
            var unused = keep(above, nowMillis);
        }
        store.keepDirectory(add(walk), new KeptDirectory(nowMillis, attributes));
        return true;
    }

    /** Adds a directory at the end of a path whose other directories exist. */
    private TreeEntry add(Walk walk) throws X, CloudMwException {
        String name = walk.path.name();
        long number = store.addDirectory(walk.last(), name);
        raise(walk, bytes(walk.path.path()));
        return TreeEntry.directory(walk.last(), name, number, Optional.empty());
    }

    /**
     * Restores a directory that stays when it is empty, and creates the missing directories above, which do not.
     *
     * @return false: the path is this directory already
     * @throws CloudMwException as {@link #put}, but {@code ALREADY_EXISTS} when the path is a file
     */
    public boolean restoreDirectory(FilePath path, KeptDirectory as) throws X, CloudMwException {
        Walk walk = walk(path);
        Optional<TreeEntry> present = end(walk);
        if (present.isPresent() && !present.get().isDirectory()) {
            throw PathErrors.isFile(path);
        }
        if (present.isPresent() && present.get().kept().equals(Optional.of(as))) {
            return false;
        }
        complete(walk);
        store.keepDirectory(present.isPresent() ? present.get() : add(walk), as);
        return true;
    }

    /**
     * Removes an empty directory. The directory above stays.
     *
     * @throws CloudMwException as {@link Catalog#removeDirectory}
     */
    public void removeDirectory(FilePath path, long nowMillis) throws X, CloudMwException {
        Walk walk = walk(path);
        walk.requireVolume();
        TreeEntry entry = end(walk).orElseThrow(() -> PathErrors.directoryNotFound(path));
        if (!entry.isDirectory()) {
            throw PathErrors.fileNotDirectory(path);
        }
        if (!store.isEmpty(entry.directory())) {
            throw PathErrors.directoryNotEmpty(path);
        }
        store.remove(entry);
        leave(walk, true, nowMillis);
    }

    /**
     * Returns the properties that a copy of a file will have.
     *
     * @throws CloudMwException as {@link Catalog#copy}
     */
    public TreeFile copied(FileCopy copy, long nowMillis) throws X, CloudMwException {
        Walk from = walk(copy.from());
        from.requireVolume();
        TreeEntry source = end(from).orElseThrow(() -> PathErrors.fileNotFound(copy.from()));
        TreeFile file = source.file().orElseThrow(() -> PathErrors.directoryNotFile(copy.from()));
        Optional<TreeEntry> target = find(copy.to());
        if (target.isPresent() && target.get().isDirectory()) {
            throw PathErrors.isDirectory(copy.to());
        }
        if (target.isPresent() && !copy.replace()) {
            throw PathErrors.isFile(copy.to());
        }
        return copy.from().equals(copy.to()) ? file : new TreeFile(file.version(), nowMillis, file.attributes());
    }

    /** Removes the empty directories of a path, from the last to the first. */
    public void prune(FilePath path) throws X, CloudMwException {
        prune(walk(path));
    }

    /**
     * Moves a file or a directory to another path.
     *
     * @throws CloudMwException as {@link Catalog#rename}
     */
    public Renamed rename(Rename rename, long nowMillis) throws X, CloudMwException {
        Walk from = walk(rename.from());
        Walk to = walk(rename.to());
        Optional<TreeEntry> target = end(to);
        from.requireVolume();
        TreeEntry source = end(from).orElseThrow(() -> PathErrors.pathNotFound(rename.from()));
        if (rename.from().equals(rename.to()) && (rename.replace() || source.isDirectory())) {
            return new Renamed(source, Optional.empty(), false);
        }
        check(rename, source, target);
        int below = source.isDirectory() ? store.reach(source.directory()) : 0;
        int longest = bytes(rename.to().path()) + below;
        if (longest > FilePath.MAX_BYTES) {
            throw PathErrors.pathsTooLong(rename, longest);
        }
        complete(to);
        if (target.isPresent()) {
            store.remove(target.get());
        }
        TreeEntry moved = store.move(source, to.last(), rename.to().name());
        raise(to, longest);
        leave(from, rename.keepDirectories(), nowMillis);
        return new Renamed(moved, target.flatMap(TreeEntry::version), true);
    }

    private void check(Rename rename, TreeEntry source, Optional<TreeEntry> target) throws X, CloudMwException {
        if (source.isDirectory()) {
            if (rename.isIntoItself()) {
                throw PathErrors.intoItself(rename);
            }
            checkDepth(rename.to());
        }
        if (target.isPresent() && target.get().isDirectory()) {
            if (!rename.replace()) {
                throw PathErrors.isDirectory(rename.to());
            }
            if (!store.isEmpty(target.get().directory())) {
                throw PathErrors.directoryNotEmpty(rename.to());
            }
        } else if (target.isPresent() && (source.isDirectory() || !rename.replace())) {
            throw PathErrors.isFile(rename.to());
        }
    }

    /** Returns the number of the directory at this path. */
    public OptionalLong directory(DirectoryPath path) throws X, CloudMwException {
        if (path.asEntry().isEmpty()) {
            return store.root(path.volume());
        }
        Optional<TreeEntry> entry = find(path.asEntry().get());
        return entry.isPresent() && entry.get().isDirectory()
                ? OptionalLong.of(entry.get().directory())
                : OptionalLong.empty();
    }

    /**
     * Returns where a page of a listing begins; empty when there is nothing to list.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT} when the token is malformed; {@code CONFLICT} when the
     *     directory of the previous page has another path now
     */
    public Optional<ListingPosition> position(DirectoryPath path, String pageToken) throws X, CloudMwException {
        OptionalLong here = directory(path);
        if (pageToken.isEmpty()) {
            return here.isPresent() ? Optional.of(new ListingPosition(here.getAsLong(), "")) : Optional.empty();
        }
        ListingPosition position = ListingPosition.parse(pageToken);
        if (here.isPresent() && here.getAsLong() == position.directory()) {
            return Optional.of(position);
        }
        if (store.exists(position.directory())) {
            throw PathErrors.movedWhileListed(path);
        }
        // The directory was removed with its last entry.
        return Optional.empty();
    }

    /** Checks that the directories of a path exist or could be created. */
    private static void checkDirectories(Walk walk) throws CloudMwException {
        walk.requireVolume();
        if (walk.blocked) {
            throw PathErrors.belowFile(walk.path, walk.nextPath());
        }
        if (!walk.isComplete()) {
            checkDepth(walk.path);
        }
    }

    /** Creates the missing directories of a path. */
    private void complete(Walk walk) throws X, CloudMwException {
        checkDirectories(walk);
        while (!walk.isComplete()) {
            long parent = walk.last();
            String name = walk.nextName();
            walk.add(TreeEntry.directory(parent, name, store.addDirectory(parent, name), Optional.empty()));
        }
    }

    private static void checkDepth(FilePath path) throws CloudMwException {
        long directories = path.path().chars().filter(c -> c == '/').count() - 1;
        if (directories > MAX_DIRECTORIES) {
            throw PathErrors.tooDeep(path, directories);
        }
    }

    /** Removes the directories of a path that became empty, from the last to the first one that stays. */
    private void prune(Walk walk) throws X, CloudMwException {
        for (int i = walk.directories.size() - 1; i > 0; i--) {
            TreeEntry directory = walk.entries.get(i - 1);
            if (directory.kept().isPresent() || !store.isEmpty(directory.directory())) {
                return;
            }
            store.remove(walk.entries.get(i - 1));
        }
    }

    /**
     * Raises the recorded length of the longest path in each directory above. A directory that has recorded such a
     * length already ends the loop, since those above it have recorded it, too.
     */
    private void raise(Walk walk, int longestBytes) throws X, CloudMwException {
        int reach = longestBytes - bytes(walk.path.path()) + bytes("/" + walk.path.name());
        for (int i = walk.directories.size() - 1; i >= 0; i--) {
            long directory = walk.directories.get(i);
            if (store.reach(directory) >= reach) {
                return;
            }
            store.raise(directory, reach);
            reach += i > 0 ? bytes("/" + walk.names.get(i - 1)) : 0;
        }
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}
