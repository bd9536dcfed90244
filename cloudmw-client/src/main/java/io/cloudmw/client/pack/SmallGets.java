package io.cloudmw.client.pack;

import io.cloudmw.client.context.ClientContext;
import io.cloudmw.client.context.Failures;
import io.cloudmw.client.file.EntryStatus;
import io.cloudmw.client.file.FileGet;
import io.cloudmw.client.file.PositionalTarget;
import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.client.rpc.coordinator.SmallFileCalls;
import io.cloudmw.client.sink.FileSink;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;

/**
 * Gets of many files. Files in packs are read pack by pack, each wanted part of a pack once; the others are read alone.
 * Safe for any thread; nothing blocks.
 */
public final class SmallGets {
    /** The largest gap between two wanted files that is read with them. */
    private static final long MAX_GAP_BYTES = 256 << 10;

    private static final int PACKS_AT_ONCE = 2;
    private static final int ALONE_AT_ONCE = 8;

    /** The reads by which files are fetched. */
    public interface Reads {
        /** Reads a part of a pack. */
        CompletableFuture<GetReceipt> pack(FilePath pack, VersionId version, ByteRange range, PositionalTarget target);

        /** Reads a file. */
        CompletableFuture<GetReceipt> alone(FileGet file, VersionId version);
    }

    private final ClientContext context;
    private final CallSlots packSlots = new CallSlots(PACKS_AT_ONCE);
    private final CallSlots aloneSlots = new CallSlots(ALONE_AT_ONCE);

    public SmallGets(ClientContext context) {
        this.context = context;
    }

    /**
     * Gets files of one volume, any number. Some are looked up at once, further ones as those have been read.
     *
     * @param durable whether files are forced to the disk
     * @return a future for each file, in their order
     */
    public List<CompletableFuture<EntryStatus>> get(
            VolumeName volume, List<FileGet> files, boolean durable, Reads reads) {
        List<SharedCall<EntryStatus>> results = new ArrayList<>(files.size());
        files.forEach(file -> results.add(new SharedCall<>()));
        Round round = new Round(durable, reads);
        GetWindow window = new GetWindow(
                files.size(), (from, end) -> look(volume, files.subList(from, end), results.subList(from, end), round));
        results.forEach(result -> result.whenEnded(window::end));
        window.beginMore();
        return List.copyOf(results.stream().map(SharedCall::result).toList());
    }

    private record Round(boolean durable, Reads reads) {}

    private void look(VolumeName volume, List<FileGet> files, List<SharedCall<EntryStatus>> results, Round round) {
        if (results.stream().allMatch(SharedCall::isDone)) {
            results.forEach(SharedCall::end);
            return;
        }
        List<String> paths = files.stream().map(file -> file.source().path()).toList();
        var unused = context.coordinator()
                .smallFiles()
                .stat(volume, paths, true)
                .thenAcceptAsync(
                        found -> read(volume, files, results, found, round),
                        context.threads().events())
                .whenComplete((done, failure) -> {
                    if (failure != null) {
                        CloudMwException cause = cause(failure);
                        results.forEach(result -> result.fail(cause));
                    }
                });
    }

    private static CloudMwException cause(Throwable failure) {
        return Reasons.unwrapped(failure) instanceof RejectedExecutionException
                ? Failures.clientClosed()
                : Failures.of(failure);
    }

    private void read(
            VolumeName volume,
            List<FileGet> files,
            List<SharedCall<EntryStatus>> results,
            List<Optional<SmallFileCalls.FoundFile>> found,
            Round round) {
        Map<ChunkId, List<PackedFile>> byPack = new LinkedHashMap<>();
        for (int i = 0; i < files.size(); i++) {
            FileGet file = files.get(i);
            SharedCall<EntryStatus> result = results.get(i);
            if (found.get(i).isEmpty()) {
                result.fail(new CloudMwException(ErrorCode.NOT_FOUND, "file " + file.source() + " not found"));
                continue;
            }
            EntryStatus status = found.get(i).get().status();
            Optional<Chunk> slice = found.get(i).get().slice();
            if (slice.isPresent()) {
                Chunk chunk = slice.get();
                byPack.computeIfAbsent(chunk.id().stored(), pack -> new ArrayList<>())
                        .add(new PackedFile(file, status, chunk, result));
            } else {
                alone(file, status, result, round);
            }
        }
        byPack.values().forEach(some -> runs(some).forEach(run -> read(volume, run, round)));
    }

    private void alone(FileGet file, EntryStatus status, SharedCall<EntryStatus> result, Round round) {
        VersionId version = status.version().orElseThrow().id();
        result.runAlone(aloneSlots, () -> round.reads().alone(file, version), receipt -> status);
    }

    /** Returns the files in order, in groups that are near each other. */
    private static List<List<PackedFile>> runs(List<PackedFile> files) {
        files.sort(Comparator.comparingLong(file -> file.place().offset()));
        List<List<PackedFile>> runs = new ArrayList<>();
        long end = Long.MIN_VALUE;
        for (PackedFile file : files) {
            if (runs.isEmpty() || file.place().offset() - end > MAX_GAP_BYTES) {
                runs.add(new ArrayList<>());
            }
            runs.get(runs.size() - 1).add(file);
            end = Math.max(end, file.place().end());
        }
        return runs;
    }

    private void read(VolumeName volume, List<PackedFile> files, Round round) {
        PackedFile first = files.get(0);
        VersionId pack = first.packVersion();
        long start = first.place().offset();
        long end = files.stream().mapToLong(file -> file.place().end()).max().orElseThrow();
        PackReader reader =
                new PackReader(files, round.durable(), context.threads().files(), FileSink::forceDirectory);
        var unused = packSlots
                .run(() -> SharedCall.follow(
                        files.stream().map(PackedFile::call).toList(),
                        round.reads()
                                .pack(FilePath.ofPack(volume, pack), pack, new ByteRange(start, end - start), reader)))
                .handleAsync(
                        (receipt, failure) -> reader.finish(), context.threads().files())
                .whenComplete((left, failure) -> {
                    if (left == null) {
                        reader.abandon(cause(failure));
                    } else {
                        // They are read by themselves: their pack may have been replaced.
                        left.forEach(file -> alone(file.get(), file.status(), file.call(), round));
                    }
                });
    }
}
