package io.cloudmw.hadoop;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIOException;
import org.apache.hadoop.mapreduce.lib.output.committer.manifest.files.FileEntry;
import org.apache.hadoop.mapreduce.lib.output.committer.manifest.impl.ManifestStoreOperationsThroughFileSystem;
import org.jspecify.annotations.Nullable;

/**
 * The operations of Hadoop's manifest committer on volumes: {@code mapreduce.manifest.committer.store.operations.classname}
 * names this class. A rename whose answer was lost is recognized by the etag of the file at its target. Safe for any
 * thread.
 */
public class VolumeManifestOperations extends ManifestStoreOperationsThroughFileSystem {
    private boolean resilient;

    /** Makes operations that are bound to a file system later. The committer calls this. */
    public VolumeManifestOperations() {}

    @Override
    public void bindToFileSystem(FileSystem fileSystem, Path path) throws IOException {
        super.bindToFileSystem(fileSystem, path);
        resilient = fileSystem.hasPathCapability(path, CommonPathCapabilities.ETAGS_PRESERVED_IN_RENAME);
    }

    @Override
    public boolean storePreservesEtagsThroughRenames(Path path) {
        return resilient;
    }

    @Override
    public boolean storeSupportsResilientCommit() {
        return resilient;
    }

    /**
     * Moves the file of a task to its place.
     *
     * @return whether it was there already, put there by an earlier try of this call
     * @throws FileNotFoundException when it is in neither place
     * @throws PathIOException when another file is in its place
     */
    @Override
    public CommitFileResult commitFile(FileEntry entry) throws IOException {
        Path source = entry.getSourcePath();
        Path target = entry.getDestPath();
        try {
            move(source, target);
            return CommitFileResult.fromResilientCommit(false, Duration.ZERO);
        } catch (FileNotFoundException | FileAlreadyExistsException | PathIOException e) {
            String found = etagAt(target);
            if (found != null && found.equals(entry.getEtag())) {
                return CommitFileResult.fromResilientCommit(true, Duration.ZERO);
            }
            if (found == null) {
                throw e;
            }
            PathIOException taken = new PathIOException(
                    target.toString(),
                    "another file is there (expected: etag " + entry.getEtag() + ", found: " + found + ")");
            taken.addSuppressed(e);
            throw taken;
        }
    }

    /** Moves a file to exactly this path. {@code FileSystem.rename} would move it into a directory that is there. */
    @SuppressWarnings("deprecation") // FileContext calls it, too
    private void move(Path source, Path target) throws IOException {
        if (getFileSystem() instanceof CloudMwFileSystem files) {
            files.rename(source, target, Options.Rename.NONE);
        } else if (!getFileSystem().rename(source, target)) {
            throw new PathIOException(source.toString(), "was not moved to " + target);
        }
    }

    /** The etag of the file at a path; null: there is none. */
    private @Nullable String etagAt(Path path) throws IOException {
        try {
            FileStatus status = getFileStatus(path);
            return getEtag(status);
        } catch (FileNotFoundException e) {
            return null;
        }
    }
}
