package io.cloudmw.hadoop.volume;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.file.EntryStatus;
import io.cloudmw.client.tree.RemotePath;
import io.cloudmw.client.tree.TreeOptions;
import io.cloudmw.client.tree.TreeRemoval;
import io.cloudmw.client.tree.TreeReport;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.ParentNotDirectoryException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIOException;
import org.apache.hadoop.fs.PathIsNotEmptyDirectoryException;

/**
 * Changes of names: directories, removals and renames. All paths are qualified. Directories stay when they are empty.
 * Safe for any thread; calls block.
 */
public final class NameChanges {
    private final CloudMw client;
    private final VolumeNames names;
    private final int parallel;

    /**
     * @param client not closed with this
     * @param parallel removals under way at once, 1..64
     */
    public NameChanges(CloudMw client, VolumeNames names, int parallel) {
        this.client = client;
        this.names = names;
        this.parallel = parallel;
    }

    /**
     * Makes a directory, and those above it. A directory that exists is no error.
     *
     * @throws FileAlreadyExistsException when there is a file at the path
     * @throws ParentNotDirectoryException when there is a file above it
     */
    public void makeDirectories(Path path) throws IOException {
        NamedPath place = names.place(path);
        if (place.isFixed() || place.isVolumeRoot()) {
            CloudMwFileStatus unused = names.status(path); // fails where there is none
            return;
        }
        try {
            Void unused = HadoopErrors.await(path, client.files().createDirectory(names.entry(path), true));
        } catch (FileAlreadyExistsException e) {
            if (names.find(path, place).isPresent()) {
                throw e;
            }
            ParentNotDirectoryException exception =
                    new ParentNotDirectoryException(path + ": there is a file above it");
            exception.initCause(e);
            throw exception;
        }
    }

    /**
     * Checks that a file may be written at a path, and makes the directory above it.
     *
     * @param overwrite whether a file may be there already
     * @param parents whether a missing directory above is made
     * @return whether there is a file, which will be replaced
     */
    public boolean prepareFile(Path path, boolean overwrite, boolean parents) throws IOException {
        NamedPath place = names.changeable(path);
        if (place.isVolumeRoot()) {
            CloudMwFileStatus unused = names.status(path); // fails where there is no such volume
            throw new FileAlreadyExistsException(path + ": is a directory");
        }
        NamedPath above = place.parent();
        CompletableFuture<Optional<EntryStatus>> parent = names.findLater(above);
        Optional<EntryStatus> present = names.find(path, place);
        if (present.isPresent()) {
            if (present.get().isDirectory() || !overwrite) {
                throw new FileAlreadyExistsException(
                        path + (present.get().isDirectory() ? ": is a directory" : ": exists already"));
            }
            return true;
        }
        Path parentPath = path.getParent();
        Optional<EntryStatus> found = HadoopErrors.await(parentPath, parent);
        names.checkParent(parentPath, found, parents);
        if (found.isEmpty()) {
            makeDirectories(parentPath);
        }
        return false;
    }

    /**
     * Removes what a path names. The directory above stays. The root of a volume loses its entries and stays.
     *
     * @return false when the path names nothing, or is the directory of all volumes
     * @throws PathIsNotEmptyDirectoryException for a directory with entries, unless {@code recursive}
     */
    public boolean delete(Path path, boolean recursive) throws IOException {
        if (names.place(path).isClusterRoot()) {
            return false;
        }
        NamedPath place = names.changeable(path);
        Optional<EntryStatus> present = names.find(path, place);
        if (present.isEmpty()) {
            return false;
        }
        try {
            if (!present.get().isDirectory()) {
                var unused = HadoopErrors.await(path, client.files().remove(names.entry(path), true));
            } else if (recursive) {
                deleteTree(path, place);
            } else if (place.isVolumeRoot()) {
                if (names.list(path).hasNext()) {
                    throw new PathIsNotEmptyDirectoryException(path.toString());
                }
            } else {
                Void unused = HadoopErrors.await(path, client.files().removeDirectory(names.entry(path)));
            }
            return true;
        } catch (FileNotFoundException e) {
            return false; // another client was faster
        }
    }

    private void deleteTree(Path path, NamedPath place) throws IOException {
        NamedPath above = place.parent();
        if (!place.isVolumeRoot() && !above.isVolumeRoot()) {
            makeDirectories(path.getParent()); // stays when it becomes empty
        }
        TreeOptions options = TreeOptions.ofRemoval(parallel);
        RemotePath directory = new RemotePath(place.volume().orElseThrow(), Optional.empty(), place.path());
        TreeReport report = HadoopErrors.translating(path, () -> new TreeRemoval(client, directory, options).run());
        if (report.failed() > 0) {
            TreeReport.Failure first = report.failures().get(0);
            throw new PathIOException(
                    path.toString(),
                    report.failed() + " entries could not be removed; the first of them: " + first.file(),
                    first.why());
        }
    }

    /**
     * Moves a file or a directory as {@code FileSystem.rename} does: into a directory that exists, and never over an
     * entry.
     *
     * @return false when the source is missing, when an entry is in the way, when the directory above the target is
     *     missing, or when a directory would move into itself
     * @throws PathIOException when the paths are in different volumes
     */
    public boolean rename(Path from, Path to) throws IOException {
        NamedPath source = names.changeable(from);
        NamedPath target = names.changeable(to);
        checkSameVolume(from, source, to, target);
        CompletableFuture<Optional<EntryStatus>> there = names.findLater(target);
        Optional<EntryStatus> moved = names.find(from, source);
        if (moved.isEmpty() || source.isVolumeRoot()) {
            return false;
        }
        if (source.equals(target)) {
            return !moved.get().isDirectory();
        }
        if (target.isBelow(source)) {
            return false;
        }
        Optional<EntryStatus> present = HadoopErrors.await(to, there);
        Path place = to;
        if (present.isPresent()) {
            if (!present.get().isDirectory()) {
                return false;
            }
            place = new Path(to, from.getName());
            if (names.place(place).equals(source)) {
                return !moved.get().isDirectory();
            }
        } else {
            Optional<EntryStatus> above = names.find(to.getParent(), target.parent());
            if (above.isEmpty()) {
                return false;
            }
            names.checkParent(to.getParent(), above, false);
        }
        try {
            var unused = HadoopErrors.await(
                    place, client.files().rename(names.entry(from), names.entry(place), false, true));
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        }
    }

    /**
     * Moves a file or a directory to exactly this path, in one step.
     *
     * @param overwrite whether a file may replace a file, and an entry an empty directory
     * @throws FileNotFoundException when the source or the directory above the target is missing
     * @throws FileAlreadyExistsException when an entry is in the way
     */
    public void move(Path from, Path to, boolean overwrite) throws IOException {
        NamedPath source = names.changeable(from);
        NamedPath target = names.changeable(to);
        checkSameVolume(from, source, to, target);
        EntryStatus moved = names.require(from, source);
        if (source.equals(target)) {
            throw new FileAlreadyExistsException(from + ": is renamed to itself");
        }
        Optional<EntryStatus> present = names.find(to, target);
        if (present.isPresent()) {
            if (present.get().isDirectory() != moved.isDirectory()) {
                throw new PathIOException(
                        to.toString(),
                        moved.isDirectory()
                                ? "a directory cannot replace a file"
                                : "a file cannot replace a directory");
            }
        } else {
            names.checkParent(to.getParent(), names.find(to.getParent(), target.parent()), false);
        }
        var unused = HadoopErrors.await(to, client.files().rename(names.entry(from), names.entry(to), overwrite, true));
    }

    private static void checkSameVolume(Path from, NamedPath source, Path to, NamedPath target) throws PathIOException {
        if (!source.volume().equals(target.volume())) {
            throw new PathIOException(
                    from.toString(), "cannot be renamed to " + to + ": it is in another volume (copy it instead)");
        }
    }
}
