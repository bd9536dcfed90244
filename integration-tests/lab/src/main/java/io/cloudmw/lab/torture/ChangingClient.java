package io.cloudmw.lab.torture;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.PutOptions;
import io.cloudmw.client.file.FilePut;
import io.cloudmw.client.progress.PutReceipt;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.lab.torture.Operations.Operation;
import io.cloudmw.lab.torture.model.Content;
import io.cloudmw.lab.torture.model.FindingKind;
import io.cloudmw.lab.torture.model.Kept;
import io.cloudmw.lab.torture.model.Model;
import io.cloudmw.lab.torture.model.Mutation;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * A client that makes every kind of change to its own paths. Paths that it shares with other clients it changes only by
 * puts. Confined to one thread.
 */
final class ChangingClient {
    static final String SHARED = "/shared";

    private static final String MARK = "mark";
    private static final int SHARED_FILES = 4;

    /** The small files that are put at once. */
    private static final int TOGETHER = 8;

    private static final long LONG = 4L << 20;
    private static final Set<ErrorCode> REFUSALS = Set.of(
            ErrorCode.CONFLICT,
            ErrorCode.ALREADY_EXISTS,
            ErrorCode.NOT_EMPTY,
            ErrorCode.NOT_FOUND,
            ErrorCode.INVALID_ARGUMENT);

    private final TortureRun run;
    private final Model model;
    private final TortureClient client;
    private final SplittableRandom random;
    private final Path source;
    private final List<OwnPaths> places = new ArrayList<>();

    /** The paths in the volume whose small files share packs. */
    private final OwnPaths bySize;

    /**
     * Creates a client.
     *
     * @param source a file to put now and then
     */
    ChangingClient(TortureRun run, TortureClient client, Path source) {
        this.run = run;
        this.model = run.model();
        this.client = client;
        this.source = source;
        random = new SplittableRandom(run.settings().seed() * 31 + client.number());
        for (VolumeName volume : List.of(TortureFleet.BY_SIZE, TortureFleet.BY_COUNT)) {
            places.add(new OwnPaths(model, volume, client.number(), random));
        }
        bySize = places.get(0);
    }

    /** Makes one change. */
    void once() throws InterruptedException, IOException {
        OwnPaths own = places.get(random.nextInt(places.size()));
        int dice = random.nextInt(100);
        if (dice < 18) {
            put(own.draw(model::mayBePut), PutOptions.defaults(), Operation.PUT);
        } else if (dice < 32) {
            putTogether(bySize);
        } else if (dice < 40) {
            putOnCondition(own.draw(path -> model.isSettled(path)));
        } else if (dice < 48) {
            putShared(own.volume());
        } else if (dice < 62) {
            edit(own.draw(this::isThere));
        } else if (dice < 72) {
            rename(own.draw(this::isThere), own.draw(model::isSettled));
        } else if (dice < 78) {
            renameDirectory(own);
        } else if (dice < 87) {
            remove(own.draw(this::isThere));
        } else if (dice < 95) {
            mark(own.draw(this::isThere));
        } else {
            tryInVain(own.draw(model::isSettled), own.draw(this::isThere));
        }
    }

    private boolean isThere(FilePath path) {
        return model.isSettled(path) && model.isThere(path);
    }

    // ---- puts

    private void put(FilePath path, PutOptions options, Operation operation) throws InterruptedException, IOException {
        if (model.mayBePut(path)) {
            Content content = draw();
            put(path, content, operation, sending(path, content, options));
        }
    }

    /**
     * Puts bytes of the client's choice.
     *
     * @param content the file's content after the put
     */
    private void put(
            FilePath path,
            Content content,
            Operation operation,
            Function<CloudMw, CompletableFuture<PutReceipt>> sending)
            throws InterruptedException {
        BegunPut put = begin(path, content);
        concluded(put, client.ask(operation, path, sending));
    }

    /**
     * A put that was begun.
     *
     * @param certain whether no other change can make it fail
     */
    private record BegunPut(FilePath path, Mutation change, Content content, boolean certain) {}

    private BegunPut begin(FilePath path, Content content) {
        boolean certain = model.isSettled(path) && !path.path().startsWith(SHARED);
        return new BegunPut(path, model.beginPut(path, content, run.now()), content, certain);
    }

    private void concluded(BegunPut begun, CallOutcome<PutReceipt> asked) {
        FilePath path = begun.path();
        Mutation put = begun.change();
        Optional<PutReceipt> receipt = asked.answer();
        if (receipt.isPresent()) {
            model.acknowledgedPut(
                    path, put, receipt.get().version().id(), asked.span().to());
        } else if (asked.failedWith(ErrorCode.CONFLICT)) {
            model.refused(put);
            if (begun.certain()) {
                model.report(
                        FindingKind.UNEXPLAINED,
                        path,
                        "put failed although no other client changes this path: " + asked.message());
            }
        } else {
            model.lostPut(path, put, asked.span().to());
        }
    }

    /** Puts several small files at once, in one call or in a call each, so that they share packs. */
    private void putTogether(OwnPaths own) throws InterruptedException, IOException {
        Set<FilePath> paths = new LinkedHashSet<>();
        for (int i = 0; i < TOGETHER; i++) {
            FilePath path = own.draw(model::mayBePut);
            if (model.mayBePut(path)) {
                paths.add(path);
            }
        }
        List<BegunPut> begun = new ArrayList<>();
        for (FilePath path : paths) {
            begun.add(begin(path, drawSmall()));
        }
        List<CompletableFuture<PutReceipt>> puts = random.nextBoolean() ? putAll(begun) : putEach(begun);
        for (int i = 0; i < puts.size(); i++) {
            CompletableFuture<PutReceipt> put = puts.get(i);
            concluded(begun.get(i), client.ask(Operation.SMALL_PUT, begun.get(i).path(), cluster -> put));
        }
    }

    private List<CompletableFuture<PutReceipt>> putAll(List<BegunPut> begun) throws IOException {
        List<FilePut> files = new ArrayList<>();
        for (BegunPut put : begun) {
            Path file = source.resolveSibling(source.getFileName() + "-" + files.size());
            files.add(FilePut.of(Files.write(file, bytes(put)), put.path()));
        }
        return client.start(cluster -> cluster.files().putAll(files));
    }

    private List<CompletableFuture<PutReceipt>> putEach(List<BegunPut> begun) {
        return client.start(cluster -> begun.stream()
                .map(put -> cluster.files()
                        .put(
                                new ByteArrayInputStream(bytes(put)),
                                put.content().sizeBytes(),
                                put.path(),
                                PutOptions.defaults()))
                .toList());
    }

    private static byte[] bytes(BegunPut put) {
        return put.content().bytes(0, (int) put.content().sizeBytes());
    }

    private Content drawSmall() {
        int size = FileSizes.drawSmall(random, run.hasPutEnough());
        run.bytes().addAndGet(size);
        return new Content(run.settings().seed(), run.writes().getAndIncrement(), size);
    }

    private Content draw() {
        int size = drawSize();
        return new Content(run.settings().seed(), run.writes().getAndIncrement(), size);
    }

    private int drawSize() {
        int size = FileSizes.draw(random, run.hasPutEnough());
        run.bytes().addAndGet(size);
        return size;
    }

    private Function<CloudMw, CompletableFuture<PutReceipt>> sending(FilePath path, Content content, PutOptions options)
            throws IOException {
        byte[] bytes = content.bytes(0, (int) content.sizeBytes());
        if (random.nextInt(4) == 0) {
            Files.write(source, bytes);
            return cluster -> cluster.files().put(source, path, options);
        }
        return cluster -> cluster.files().put(new ByteArrayInputStream(bytes), bytes.length, path, options);
    }

    /** Puts on condition that the path still has the version that the model knows. */
    private void putOnCondition(FilePath path) throws InterruptedException, IOException {
        Optional<Kept> kept = model.kept(path);
        if (kept.isPresent()) {
            put(path, PutOptions.defaults().ifVersion(kept.get().version()), Operation.CONDITIONAL_PUT);
        } else if (model.isSettled(path)) {
            put(path, PutOptions.defaults().ifAbsent(), Operation.CONDITIONAL_PUT);
        }
    }

    // ---- parts of files

    /** Changes a part of a file whose content is known; shortens a long one. */
    private void edit(FilePath path) throws InterruptedException {
        Optional<Kept> kept = model.kept(path);
        if (kept.isEmpty() || !isThere(path)) {
            return;
        }
        Content before = kept.get().content();
        PutOptions options = random.nextBoolean()
                ? PutOptions.defaults()
                : PutOptions.defaults().ifVersion(kept.get().version());
        long size = before.sizeBytes();
        int dice = random.nextInt(3);
        if (dice == 0 || size > LONG) {
            long end = random.nextLong(size + 1);
            put(
                    path,
                    before.cutOff(end),
                    Operation.TRUNCATE,
                    cluster -> cluster.files().truncate(path, end, options));
        } else {
            long offset = dice == 1 ? size : random.nextLong(size + 1);
            int length = drawSize();
            Content after = before.written(run.writes().getAndIncrement(), offset, length);
            byte[] bytes = after.bytes(offset, length);
            put(path, after, dice == 1 ? Operation.APPEND : Operation.WRITE, cluster -> {
                ByteArrayInputStream source = new ByteArrayInputStream(bytes);
                return dice == 1
                        ? cluster.files().append(source, length, path, options)
                        : cluster.files().write(source, length, path, offset, options);
            });
        }
    }

    private void putShared(VolumeName volume) throws InterruptedException, IOException {
        FilePath path = new FilePath(volume, SHARED + "/f" + random.nextInt(SHARED_FILES));
        if (random.nextBoolean()) {
            putOnCondition(path);
        } else {
            put(path, PutOptions.defaults(), Operation.PUT);
        }
    }

    // ---- names

    private void rename(FilePath from, FilePath to) throws InterruptedException {
        if (!isThere(from) || !model.isSettled(to) || from.equals(to)) {
            return;
        }
        boolean replace = model.isThere(to);
        Mutation rename = model.beginRename(from, to, run.now());
        concluded(
                rename,
                from,
                client.ask(Operation.RENAME, from, cluster -> cluster.files().rename(from, to, replace)));
    }

    private void renameDirectory(OwnPaths own) throws InterruptedException {
        String from = own.directory();
        if (!own.mayMove(from)) {
            return;
        }
        String to = own.nameForDirectory();
        FilePath fromPath = new FilePath(own.volume(), from);
        FilePath toPath = new FilePath(own.volume(), to);
        Mutation rename = model.beginRenameDirectory(own.volume(), from, to, run.now());
        concluded(
                rename,
                fromPath,
                client.ask(
                        Operation.RENAME_DIRECTORY,
                        fromPath,
                        cluster -> cluster.files().rename(fromPath, toPath, false)));
        own.moved(from, to);
    }

    private void remove(FilePath path) throws InterruptedException {
        if (!isThere(path)) {
            return;
        }
        Mutation remove = model.beginRemove(path, run.now());
        CallOutcome<?> asked =
                client.ask(Operation.REMOVE, path, cluster -> cluster.files().remove(path));
        if (asked.failedWith(ErrorCode.NOT_FOUND) && wasDisturbed(asked)) {
            // The change took effect although the client has no answer: its first try lost the answer, and a later try
            // found the file removed.
            model.acknowledged(remove, asked.span().to());
        } else {
            concluded(remove, path, asked);
        }
    }

    private void mark(FilePath path) throws InterruptedException {
        if (!isThere(path)) {
            return;
        }
        String value = "mark-" + run.writes().getAndIncrement();
        Mutation change = model.beginMark(path, value, run.now());
        concluded(
                change,
                path,
                client.ask(
                        Operation.ATTR,
                        path,
                        cluster -> cluster.files().setAttributes(path, Map.of(MARK, value), Set.of())));
    }

    /**
     * Returns whether the client may have repeated a call. Clients repeat calls only while a coordinator may be
     * unavailable.
     */
    private boolean wasDisturbed(CallOutcome<?> asked) {
        return run.fleet().coordinators().stream()
                .anyMatch(name -> run.outages().nanos(name, asked.span()) > 0);
    }

    private void concluded(Mutation change, FilePath path, CallOutcome<?> asked) {
        if (asked.answer().isPresent()) {
            model.acknowledged(change, asked.span().to());
        } else if (asked.failure().filter(REFUSALS::contains).isPresent()) {
            model.refused(change);
            model.report(FindingKind.UNEXPLAINED, path, change + " was refused: " + asked.message());
        } else {
            model.lost(change, asked.span().to());
        }
    }

    // ---- what must fail

    /**
     * Tries a change that must fail.
     *
     * @param absent a path; if the model does not know that it has no file, this does nothing
     */
    private void tryInVain(FilePath absent, FilePath there) throws InterruptedException, IOException {
        if (!isThere(there)) {
            return;
        }
        if (random.nextBoolean()) {
            Content content = draw();
            Mutation put = model.beginPut(there, content, run.now());
            PutOptions ifAbsent = PutOptions.defaults().ifAbsent();
            CallOutcome<?> asked = client.ask(Operation.CONDITIONAL_PUT, there, sending(there, content, ifAbsent));
            inVain(put, there, asked, ErrorCode.CONFLICT);
        } else if (model.isSettled(absent) && !model.isThere(absent)) {
            Mutation remove = model.beginRemove(absent, run.now());
            CallOutcome<?> asked = client.ask(
                    Operation.REMOVE, absent, cluster -> cluster.files().remove(absent));
            inVain(remove, absent, asked, ErrorCode.NOT_FOUND);
        }
    }

    private void inVain(Mutation change, FilePath path, CallOutcome<?> asked, ErrorCode expected) {
        model.refused(change);
        if (asked.answer().isPresent()
                || asked.failure()
                        .filter(code -> code != expected && REFUSALS.contains(code))
                        .isPresent()) {
            model.report(FindingKind.UNEXPLAINED, path, change + " should have failed with " + expected + ": " + asked);
        }
    }
}
