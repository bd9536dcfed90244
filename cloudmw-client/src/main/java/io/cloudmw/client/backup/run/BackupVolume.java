package io.cloudmw.client.backup.run;

import io.cloudmw.client.context.PutTerms;
import io.cloudmw.client.file.FileEntry;
import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.client.read.GetRequest;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.client.rpc.coordinator.CoordinatorClient;
import io.cloudmw.client.transfer.TransferStarter;
import io.cloudmw.client.write.PutRequest;
import io.cloudmw.client.write.StreamPutSource;
import io.cloudmw.core.backup.BackupPart;
import io.cloudmw.core.backup.BackupRoot;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.memory.ByteBudget;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.PutCondition;
import io.cloudmw.core.model.fleet.Location;
import io.cloudmw.core.placement.PlannedChunk;
import io.cloudmw.core.wire.BackupWire;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The files of one volume's backups, in the volume that holds them: {@code /VOLUME/roots/NUMBER} and {@code
 * /VOLUME/parts/ID}. During a backup, or after it was interrupted, there is also {@code /VOLUME/draft}.
 */
final class BackupVolume {
    private static final int PAGE = 1000;
    private static final long GET_MEMORY_BYTES = 4L << 20;
    private static final long PUT_MEMORY_BYTES = 4L << 20;

    private final CoordinatorClient coordinator;
    private final TransferStarter transfers;
    private final VolumeName kept;
    private final VolumeName volume;
    private final ByteBudget streamMemory = new ByteBudget(PUT_MEMORY_BYTES);

    BackupVolume(CoordinatorClient coordinator, TransferStarter transfers, VolumeName kept, VolumeName volume) {
        this.coordinator = coordinator;
        this.transfers = transfers;
        this.kept = kept;
        this.volume = volume;
    }

    /**
     * A root's file.
     *
     * @param file as it was listed
     */
    record RootFile(long number, FilePath path, FileVersion file) {}

    private String roots() {
        return "/" + volume + "/roots";
    }

    private String parts() {
        return "/" + volume + "/parts";
    }

    FilePath root(long number) {
        return new FilePath(kept, roots() + "/" + String.format("%010d", number));
    }

    FilePath newPart() {
        return new FilePath(kept, parts() + "/" + UUID.randomUUID());
    }

    private FilePath draft() {
        return new FilePath(kept, "/" + volume + "/draft");
    }

    /** All backups, the oldest first. */
    List<RootFile> listRoots() throws CloudMwException {
        List<RootFile> found = new ArrayList<>();
        for (FileVersion file : files(roots())) {
            String name = file.file().name();
            if (name.matches("\\d{10}")) {
                found.add(new RootFile(Long.parseLong(name), file.file(), file));
            }
        }
        return found;
    }

    List<FileVersion> listParts() throws CloudMwException {
        return files(parts());
    }

    /** None where the directory does not exist yet. */
    private List<FileVersion> files(String directory) throws CloudMwException {
        List<FileVersion> files = new ArrayList<>();
        Optional<String> token = Optional.of("");
        while (token.isPresent()) {
            Optional<Page<FileEntry>> page =
                    Calls.find(coordinator.list(kept, directory, token.get(), PAGE), ErrorCode.NOT_FOUND);
            for (FileEntry entry : page.map(Page::items).orElse(List.of())) {
                entry.version()
                        .ifPresent(
                                version -> files.add(version.at(new FilePath(kept, directory + "/" + entry.name()))));
            }
            token = page.map(Page::nextToken).filter(next -> !next.isEmpty());
        }
        return files;
    }

    /** Reads a root, or a draft. */
    BackupRoot read(FilePath file) throws CloudMwException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Calls.await(transfers.get(new GetRequest(
                file,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                GetRequest.Destination.channel(Channels.newChannel(bytes)),
                GET_MEMORY_BYTES,
                TransferListener.NONE,
                Optional.empty(),
                Priority.BATCH,
                Location.NONE)));
        return BackupWire.root(bytes.toByteArray());
    }

    Optional<BackupRoot> readDraft() throws CloudMwException {
        boolean there =
                Calls.find(coordinator.stat(draft()), ErrorCode.NOT_FOUND).isPresent();
        return there ? Optional.of(read(draft())) : Optional.empty();
    }

    void writeDraft(BackupRoot root) throws CloudMwException {
        put(
                draft(),
                new ByteArrayInputStream(BackupWire.root(root)),
                TransferListener.NONE,
                PutTerms.NONE,
                VersionId.random());
    }

    void removeDraft() throws CloudMwException {
        remove(draft());
    }

    /**
     * Writes a root, which completes the backup.
     *
     * @throws CloudMwException {@code CONFLICT} when there is a backup with this number
     */
    FilePath writeRoot(BackupRoot root) throws CloudMwException {
        byte[] bytes = BackupWire.root(root);
        long chunkBytes = Calls.await(coordinator.volume(kept)).chunking().chunkSizeBytes(bytes.length);
        if (bytes.length > chunkBytes) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "volume " + kept + ": a backup's root is one chunk, of " + bytes.length + " bytes (expected: <= "
                            + chunkBytes + ", which is how the volume cuts files)");
        }
        FilePath path = root(root.number());
        put(
                path,
                new ByteArrayInputStream(bytes),
                TransferListener.NONE,
                PutTerms.NONE.with(PutCondition.ABSENT),
                BackupRoot.newVersion());
        return path;
    }

    /** Writes a part; its records come from the stream. */
    FileVersion writePart(InputStream records, TransferListener listener) throws CloudMwException {
        return put(newPart(), records, listener, PutTerms.NONE.with(PutCondition.ABSENT), VersionId.random());
    }

    private FileVersion put(
            FilePath path, InputStream bytes, TransferListener listener, PutTerms terms, VersionId version)
            throws CloudMwException {
        PutRequest request = new PutRequest(
                        path, new StreamPutSource(bytes, streamMemory), listener, terms, Optional.empty())
                .as(version);
        return Calls.await(transfers.put(request)).version();
    }

    /** Describes a part. */
    BackupPart describe(FileVersion file, long files) throws CloudMwException {
        List<Chunk> chunks = new ArrayList<>();
        for (int i = 0; i < file.segmentCount(); i++) {
            Calls.await(coordinator.segment(file, i, false)).chunks().stream()
                    .map(PlannedChunk::inManifest)
                    .forEach(chunks::add);
        }
        return new BackupPart(file, chunks, files);
    }

    /** Removes a file, if it exists. */
    void remove(FilePath file) throws CloudMwException {
        var unused = Calls.find(coordinator.remove(file, false), ErrorCode.NOT_FOUND);
    }
}
