package io.cloudmw.hadoop.volume;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.file.FileChange;
import io.cloudmw.client.file.RemoteFile;
import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.FileVersion;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIOException;

/**
 * Appends files to a file, as one new version, and removes them. The chunks of the target are shared; the bytes of the
 * sources pass through the client. Safe for any thread; calls block.
 */
public final class Concatenation {
    private final CloudMw client;
    private final VolumeNames names;

    /** @param client not closed with this */
    public Concatenation(CloudMw client, VolumeNames names) {
        this.client = client;
        this.names = names;
    }

    /**
     * Appends the sources to the target, in order. When this fails before the new version is there, nothing has changed;
     * when it fails after that, sources may be left.
     *
     * @param target an existing file; all paths are qualified, and in one volume
     * @throws PathIOException when the target is among the sources, or a source twice
     */
    public void concat(Path target, List<Path> sources) throws IOException {
        FilePath file = names.entry(target);
        List<FilePath> parts = new ArrayList<>();
        Set<FilePath> seen = new HashSet<>(Set.of(file));
        for (Path source : sources) {
            FilePath part = names.entry(source);
            if (!seen.add(part)) {
                throw new PathIOException(source.toString(), "is concatenated with itself (expected: other files)");
            }
            parts.add(part);
        }
        if (parts.isEmpty()) {
            throw new PathIOException(target.toString(), "nothing to concatenate (expected: at least one source)");
        }
        List<VersionId> read = new ArrayList<>();
        FileVersion base = HadoopErrors.await(target, client.files().stat(file)).version();
        try (Parts open = new Parts()) {
            open.add(HadoopErrors.await(target, client.files().open(file, base.id())));
            for (int i = 0; i < parts.size(); i++) {
                RemoteFile source =
                        HadoopErrors.await(sources.get(i), client.files().open(parts.get(i)));
                read.add(source.version().id());
                open.add(source);
            }
            FileChange change = new FileChange(
                    base,
                    open.endBytes,
                    List.of(new ByteRange(base.sizeBytes(), open.endBytes - base.sizeBytes())),
                    open);
            if (open.endBytes > base.sizeBytes()) {
                var unused = HadoopErrors.await(target, client.files().change(change, TransferListener.NONE));
            }
        }
        for (int i = 0; i < parts.size(); i++) {
            if (isCurrent(sources.get(i), parts.get(i), read.get(i))) {
                var unused = HadoopErrors.await(sources.get(i), client.files().remove(parts.get(i), true));
            }
        }
    }

    /** Whether a source still has the version that was appended. Another one stays, because it was not. */
    private boolean isCurrent(Path source, FilePath part, VersionId version) throws IOException {
        try {
            return HadoopErrors.await(source, client.files().stat(part))
                    .version()
                    .id()
                    .equals(version);
        } catch (FileNotFoundException e) {
            return false;
        }
    }

    /** The open files, one behind the other: the target, then the sources. */
    private static final class Parts implements FileChange.Content, AutoCloseable {
        private final List<RemoteFile> files = new ArrayList<>();
        private final List<Long> starts = new ArrayList<>();
        private long endBytes;

        void add(RemoteFile file) {
            files.add(file);
            starts.add(endBytes);
            endBytes += file.version().sizeBytes();
        }

        @Override
        public void read(ByteBuffer target, long position) throws IOException {
            long at = position;
            for (int i = 0; i < files.size() && target.hasRemaining(); i++) {
                RemoteFile file = files.get(i);
                long within = at - starts.get(i);
                if (within >= 0 && within < file.version().sizeBytes()) {
                    at += HadoopErrors.await(file.version().file(), file.read(target, within));
                }
            }
        }

        @Override
        public void close() {
            files.forEach(RemoteFile::close);
        }
    }
}
