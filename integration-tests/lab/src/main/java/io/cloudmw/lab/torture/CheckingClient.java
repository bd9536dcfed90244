package io.cloudmw.lab.torture;

import io.cloudmw.client.GetOptions;
import io.cloudmw.client.file.EntryStatus;
import io.cloudmw.client.file.FileEntry;
import io.cloudmw.client.file.FileGet;
import io.cloudmw.client.file.FileStatus;
import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.lab.torture.Operations.Operation;
import io.cloudmw.lab.torture.model.CallInterval;
import io.cloudmw.lab.torture.model.FindingKind;
import io.cloudmw.lab.torture.model.Kept;
import io.cloudmw.lab.torture.model.Model;
import io.cloudmw.lab.torture.model.Seen;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A client that reads the paths of all clients and checks the answers. Confined to one thread. */
final class CheckingClient {
    private static final String MARK = "mark";
    private static final int TRIES = 10;

    /** The files that are read at once. */
    private static final int TOGETHER = 8;

    private final TortureRun run;
    private final Model model;
    private final TortureClient client;
    private final SplittableRandom random;
    private final Path target;
    private final boolean mended;
    private long underReplicatedChunks;

    /**
     * Creates a client.
     *
     * @param target a local file for reads that go to a file
     * @param mended whether all faults are repaired, so that every read must succeed
     */
    CheckingClient(TortureRun run, TortureClient client, Path target, boolean mended) {
        this.run = run;
        this.model = run.model();
        this.client = client;
        this.target = target;
        this.mended = mended;
        random = new SplittableRandom(run.settings().seed() * 37 + client.number());
    }

    /** Makes one check. */
    void once() throws InterruptedException, IOException {
        Optional<FilePath> drawn = draw();
        if (drawn.isEmpty()) {
            return;
        }
        FilePath path = drawn.get();
        int dice = random.nextInt(100);
        if (dice < 34) {
            read(path, Optional.empty());
        } else if (dice < 40) {
            getTogether();
        } else if (dice < 62) {
            readRange(path);
        } else if (dice < 70) {
            get(path);
        } else if (dice < 85) {
            stat(path);
        } else {
            list(path);
        }
    }

    /** Draws a path, usually one that has a file, otherwise one that had. */
    private Optional<FilePath> draw() {
        List<FilePath> paths = model.paths();
        if (paths.isEmpty()) {
            return Optional.empty();
        }
        FilePath path = paths.get(random.nextInt(paths.size()));
        for (int i = 0; i < TRIES && !model.isThere(path); i++) {
            path = paths.get(random.nextInt(paths.size()));
        }
        return Optional.of(path);
    }

    private GetOptions options() {
        Mode[] modes = Mode.values();
        return random.nextInt(3) == 0
                ? GetOptions.defaults().withMode(modes[random.nextInt(modes.length)])
                : GetOptions.defaults();
    }

    private void readRange(FilePath path) throws InterruptedException {
        Optional<Kept> kept = model.kept(path);
        if (kept.isPresent() && kept.get().content().sizeBytes() > 0) {
            long size = kept.get().content().sizeBytes();
            long from = random.nextLong(size);
            read(path, Optional.of(new ByteRange(from, random.nextLong(1, size - from + 1))));
        }
    }

    /** Reads a whole file or a range of it, and reports violations. */
    void read(FilePath path, Optional<ByteRange> range) throws InterruptedException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        GetOptions options = range.map(options()::withRange).orElse(options());
        Operation operation = range.isPresent() ? Operation.READ_RANGE : Operation.READ;
        CallOutcome<GetReceipt> asked =
                client.ask(operation, path, cluster -> cluster.files().read(path, Channels.newChannel(bytes), options));
        if (asked.answer().isPresent()) {
            Seen seen = Seen.of(asked.answer().get().version());
            arrived(path, seen, range.orElse(new ByteRange(0, seen.sizeBytes())), bytes.toByteArray(), asked.span());
        } else if (!asked.failedWith(ErrorCode.NOT_FOUND)) {
            model.readPart(path, range.map(ByteRange::offset).orElse(0L), bytes.toByteArray(), asked.span());
            failed(path, asked, range);
        } else {
            model.absent(path, operation.label(), asked.span());
        }
    }

    private void arrived(FilePath path, Seen seen, ByteRange range, byte[] bytes, CallInterval span) {
        if (bytes.length != range.length()) {
            model.report(
                    FindingKind.WRONG_BYTES,
                    path,
                    "a read of " + seen + " gave " + bytes.length + " bytes instead of " + range);
        }
        model.read(path, seen, range.offset(), bytes, span);
    }

    private void get(FilePath path) throws InterruptedException, IOException {
        CallOutcome<GetReceipt> asked = client.ask(
                Operation.GET,
                path,
                cluster -> cluster.files().get(path, target, options().withDurable(false)));
        if (asked.answer().isPresent()) {
            Seen seen = Seen.of(asked.answer().get().version());
            arrived(path, seen, new ByteRange(0, seen.sizeBytes()), Files.readAllBytes(target), asked.span());
            Files.delete(target);
        } else if (asked.failedWith(ErrorCode.NOT_FOUND)) {
            model.absent(path, "get", asked.span());
        } else {
            failed(path, asked, Optional.empty());
        }
    }

    /** Reads several files at once; those in one pack are read together. */
    private void getTogether() throws InterruptedException, IOException {
        Set<FilePath> paths = new LinkedHashSet<>();
        for (int i = 0; i < TOGETHER; i++) {
            draw().ifPresent(paths::add);
        }
        List<FileGet> gets = new ArrayList<>();
        for (FilePath path : paths) {
            gets.add(new FileGet(path, target.resolveSibling(target.getFileName() + "-" + gets.size())));
        }
        long from = run.now();
        List<CompletableFuture<EntryStatus>> started =
                client.start(cluster -> cluster.files().getAll(gets, options().withDurable(false)));
        for (int i = 0; i < gets.size(); i++) {
            CompletableFuture<EntryStatus> get = started.get(i);
            FilePath path = gets.get(i).source();
            CallOutcome<EntryStatus> asked =
                    client.ask(Operation.SMALL_GET, path, cluster -> get).since(from);
            if (asked.answer().isPresent()) {
                Seen seen = Seen.of(asked.answer().get().version().orElseThrow());
                Path file = gets.get(i).target();
                arrived(path, seen, new ByteRange(0, seen.sizeBytes()), Files.readAllBytes(file), asked.span());
                Files.delete(file);
            } else if (asked.failedWith(ErrorCode.NOT_FOUND)) {
                model.absent(path, "get", asked.span());
            } else {
                failed(path, asked, Optional.empty());
            }
        }
    }

    /** Judges a failed read. The coordinator may refuse a range because another client has made the file shorter. */
    private void failed(FilePath path, CallOutcome<?> asked, Optional<ByteRange> range) throws InterruptedException {
        if (asked.failedWith(ErrorCode.INVALID_ARGUMENT) && range.isPresent()) {
            List<Kept> candidates = model.candidates(path, asked.span());
            if (!candidates.isEmpty()
                    && candidates.stream()
                            .allMatch(kept ->
                                    kept.content().sizeBytes() >= range.get().end())) {
                model.report(FindingKind.UNEXPLAINED, path, range.get() + " was refused: " + asked.message());
            }
        } else if (isAvoidable(path, asked.span())) {
            model.report(
                    FindingKind.AVOIDABLE_READ_FAILURE,
                    path,
                    "a read from " + asked.span().from() / 1_000_000 + " to "
                            + asked.span().to() / 1_000_000 + " ms failed: " + asked.message());
        } else if (mended) {
            model.report(
                    FindingKind.LOST_ACKNOWLEDGED_WRITE,
                    path,
                    "read failed although all faults are repaired: " + asked.message());
        } else {
            run.operations().unavoidable();
        }
    }

    /**
     * Returns whether the read should have succeeded: the coordinator was not unavailable for too long, and each chunk
     * had a reachable good copy throughout.
     */
    private boolean isAvoidable(FilePath path, CallInterval span) throws InterruptedException {
        if (run.coordinatorAwayNanos(span) > client.patience().toNanos() / 2) {
            return false;
        }
        Predicate<String> within = store -> run.outages().nanos(store, span) == 0;
        List<Kept> candidates = model.candidates(path, span);
        for (Kept kept : candidates) {
            if (!run.replicas().wasReadable(path, kept, within, run.civilMillis(span.from()))) {
                return false;
            }
        }
        return !candidates.isEmpty();
    }

    /** Asks for a file's version and attributes, and reports violations. */
    void stat(FilePath path) throws InterruptedException {
        CallOutcome<FileStatus> asked =
                client.ask(Operation.STAT, path, cluster -> cluster.files().stat(path));
        if (asked.answer().isPresent()) {
            FileStatus status = asked.answer().get();
            underReplicatedChunks += status.underReplicatedChunks();
            if (model.present(path, "stat", Seen.of(status.version()), asked.span())) {
                model.marked(path, status.attributes().values().getOrDefault(MARK, Model.NO_MARK), asked.span());
            }
        } else if (asked.failedWith(ErrorCode.NOT_FOUND)) {
            model.absent(path, "stat", asked.span());
        }
    }

    /** Returns the number of under-replicated chunks, summed over all answers to {@link #stat}. */
    long underReplicatedChunks() {
        return underReplicatedChunks;
    }

    /** Lists a random directory above a path. */
    private void list(FilePath path) throws InterruptedException {
        String directory = path.path();
        do {
            directory = directory.substring(0, Math.max(1, directory.lastIndexOf('/')));
        } while (directory.length() > 1 && random.nextInt(3) == 0);
        list(path.volume(), directory);
    }

    /** Lists a directory and reports violations. */
    void list(VolumeName volume, String directory) throws InterruptedException {
        int limit = random.nextBoolean() ? 1000 : random.nextInt(1, 5);
        Map<String, @Nullable Seen> shown = new HashMap<>();
        FilePath path = new FilePath(volume, directory.equals("/") ? "/*" : directory);
        long from = run.now();
        String token = "";
        do {
            String next = token;
            CallOutcome<Page<FileEntry>> asked =
                    client.ask(Operation.LIST, path, cluster -> cluster.files().list(volume, directory, next, limit));
            if (asked.failedWith(ErrorCode.NOT_FOUND) && token.isEmpty()) {
                break;
            }
            if (asked.answer().isEmpty()) {
                return;
            }
            asked.answer()
                    .get()
                    .items()
                    .forEach(entry -> shown.put(
                            entry.name(), entry.version().map(Seen::of).orElse(null)));
            token = asked.answer().get().nextToken();
        } while (!token.isEmpty());
        model.listed(volume, directory, shown, new CallInterval(from, run.now()));
    }
}
