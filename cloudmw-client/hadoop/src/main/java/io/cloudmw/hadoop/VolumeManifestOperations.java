package io.cloudmw.hadoop;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
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
        if (getFileSystem().rename(source, target)) {
            return CommitFileResult.fromResilientCommit(false, Duration.ZERO);
        }
        String found = etagAt(target);
        if (found != null && found.equals(entry.getEtag())) {
            return CommitFileResult.fromResilientCommit(true, Duration.ZERO);
        }
        if (found == null) {
            throw new FileNotFoundException(source + ": is missing, and was not moved to " + target);
        }
        throw new PathIOException(
                target.toString(),
                "another file is there (expected: etag " + entry.getEtag() + ", found: " + found + ")");
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
