package io.cloudmw.hadoop.volume;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.file.FileChange;
import io.cloudmw.client.file.RemoteFile;
import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.VersionPart;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIOException;

/**
 * Appends files to a file and removes them. The new version shares the chunks of the target, and those of every source
 * that begins at a multiple of the chunk size and has that chunk size. The bytes of other sources pass through the
 * client. More than {@value VersionPart#MAX_PARTS} sources are appended so many at a time. Safe for any thread; calls
 * block.
 */
public final class Concatenation {
    private final CloudMw client;
    private final VolumeNames names;

    /** @param client not closed with this */
    public Concatenation(CloudMw client, VolumeNames names) {
        this.client = client;
        this.names = names;
    }

    /** A file to append. */
    private record Source(Path path, FilePath file) {}

    /**
     * Appends the sources to the target, in order. A failure leaves the first sources appended and removed, none or a
     * multiple of {@value VersionPart#MAX_PARTS}, and the others unchanged; if it comes while sources are removed, some
     * that were appended are left.
     *
     * @param target an existing file; all paths are qualified, and in one volume
     * @throws PathIOException when the target is among the sources, or a source twice
     */
    public void concat(Path target, List<Path> sources) throws IOException {
        FilePath file = names.entry(target);
        List<Source> parts = new ArrayList<>();
        Set<FilePath> seen = new HashSet<>(Set.of(file));
        for (Path source : sources) {
            FilePath part = names.entry(source);
            if (!seen.add(part)) {
                throw new PathIOException(source.toString(), "is concatenated with itself (expected: other files)");
            }
            parts.add(new Source(source, part));
        }
        if (parts.isEmpty()) {
            throw new PathIOException(target.toString(), "nothing to concatenate (expected: at least one source)");
        }
        FileVersion base = HadoopErrors.await(target, client.files().stat(file)).version();
        for (int from = 0; from < parts.size(); from += VersionPart.MAX_PARTS) {
            base = append(target, base, parts.subList(from, Math.min(parts.size(), from + VersionPart.MAX_PARTS)));
        }
    }

    private FileVersion append(Path target, FileVersion base, List<Source> sources) throws IOException {
        List<FileVersion> versions = new ArrayList<>();
        for (Source source : sources) {
            versions.add(HadoopErrors.await(source.path(), client.files().stat(source.file()))
                    .version());
        }
        FileVersion whole = base;
        try (Joined joined = new Joined(client, base, versions)) {
            if (joined.endBytes() > base.sizeBytes()) {
                ByteRange appended = new ByteRange(base.sizeBytes(), joined.endBytes() - base.sizeBytes());
                FileChange change =
                        new FileChange(base, joined.endBytes(), List.of(appended), joined, joined.appended());
                whole = HadoopErrors.await(target, client.files().change(change, TransferListener.NONE))
                        .version();
            }
        }
        for (int i = 0; i < sources.size(); i++) {
            Source source = sources.get(i);
            if (isCurrent(source, versions.get(i).id())) {
                var unused = HadoopErrors.await(source.path(), client.files().remove(source.file(), true));
            }
        }
        return whole;
    }

    /** Whether a source still has the version that was appended. Another one stays, because it was not. */
    private boolean isCurrent(Source source, VersionId version) throws IOException {
        try {
            return HadoopErrors.await(source.path(), client.files().stat(source.file()))
                    .version()
                    .id()
                    .equals(version);
        } catch (FileNotFoundException e) {
            return false;
        }
    }

    /** Versions one behind the other: the target, then the sources. Those with bytes to be written are opened. */
    private static final class Joined implements FileChange.Content, AutoCloseable {
        private final CloudMw client;
        private final List<FileChange.Part> parts = new ArrayList<>();

        /** Guarded by itself. */
        private final Map<FileChange.Part, RemoteFile> open = new HashMap<>();

        Joined(CloudMw client, FileVersion base, List<FileVersion> sources) {
            this.client = client;
            parts.add(new FileChange.Part(base, 0));
            for (FileVersion source : sources) {
                parts.add(new FileChange.Part(source, endBytes()));
            }
        }

        long endBytes() {
            return parts.get(parts.size() - 1).range().end();
        }

        List<FileChange.Part> appended() {
            return parts.subList(1, parts.size());
        }

        private RemoteFile open(FileChange.Part part) throws IOException {
            FileVersion version = part.version();
            synchronized (open) {
                RemoteFile file = open.get(part);
                if (file == null) {
                    file = HadoopErrors.await(version.file(), client.files().open(version.file(), version.id()));
                    open.put(part, file);
                }
                return file;
            }
        }

        @Override
        public void read(ByteBuffer target, long position) throws IOException {
            long at = position;
            for (int i = 0; i < parts.size() && target.hasRemaining(); i++) {
                FileChange.Part part = parts.get(i);
                if (at >= part.positionBytes() && at < part.range().end()) {
                    at += HadoopErrors.await(part.version().file(), open(part).read(target, at - part.positionBytes()));
                }
            }
        }

        @Override
        public void close() {
            synchronized (open) {
                open.values().forEach(RemoteFile::close);
            }
        }
    }
}
