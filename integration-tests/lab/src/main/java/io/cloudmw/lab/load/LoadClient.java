package io.cloudmw.lab.load;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.PutOptions;
import io.cloudmw.client.file.FileEntry;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Page;
import io.cloudmw.lab.torture.model.Content;
import java.io.ByteArrayInputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/**
 * A client that writes, reads, lists and removes files of its own directory, which no other client uses, and compares
 * every result with what it wrote. Confined to one thread.
 */
final class LoadClient {
    /** The time after which an operation counts as never ending. */
    private static final Duration LIMIT = Duration.ofMinutes(3);

    private static final int PAGE = 1000;
    /** The number of rounds from one removal of a file to the next. */
    private static final int ROUNDS_PER_REMOVAL = 3;

    private final LoadSettings settings;
    private final int number;
    private final CloudMw client;
    private final OperationLog log;
    private final CountDownLatch stop;
    private final SplittableRandom random;
    private final String directory;
    /** The content of each file; a file whose last change failed is not there, since its content is not known. */
    private final Map<FilePath, Content> files =
            new TreeMap<>((a, b) -> a.path().compareTo(b.path()));

    private boolean namesKnown = true;
    private long writes;

    /**
     * Creates a client.
     *
     * @param directory of this client, which does not exist yet
     * @param stop ends the pauses between operations
     */
    LoadClient(
            LoadSettings settings,
            int number,
            CloudMw client,
            String directory,
            OperationLog log,
            CountDownLatch stop) {
        this.settings = settings;
        this.number = number;
        this.client = client;
        this.directory = directory;
        this.log = log;
        this.stop = stop;
        random = new SplittableRandom(settings.seed() * 31 + number);
    }

    /** Writes every file once. */
    void begin() {
        for (int file = 0; file < settings.files(); file++) {
            put(path(file));
        }
    }

    /**
     * Makes one round: writes a new version of a file, reads a whole file and part of one, lists the directory, and in
     * some rounds removes a file and writes it again.
     */
    void round(int round) throws InterruptedException {
        FilePath written = path(random.nextInt(settings.files()));
        put(written);
        pause();
        read(path(random.nextInt(settings.files())));
        pause();
        readRange(written);
        pause();
        list();
        pause();
        if (round % ROUNDS_PER_REMOVAL == 0) {
            FilePath removed = path(random.nextInt(settings.files()));
            remove(removed);
            pause();
            put(removed);
            pause();
        }
    }

    private FilePath path(int file) {
        return new FilePath(settings.volume(), directory + "/f" + file);
    }

    private void pause() throws InterruptedException {
        boolean unused = stop.await(settings.pause().toNanos(), TimeUnit.NANOSECONDS);
    }

    private void put(FilePath path) {
        // Numbers of writes are unique, so that an old version of any file is recognised.
        Content content =
                new Content(settings.seed(), writes++ * LoadSettings.MOST_CLIENTS + number, settings.sizeBytes());
        byte[] bytes = content.bytes(0, settings.sizeBytes());
        files.remove(path);
        boolean done = record(LoadOperation.Kind.PUT, path, () -> {
            await(client.files().put(new ByteArrayInputStream(bytes), bytes.length, path, PutOptions.defaults()));
            return Optional.empty();
        });
        if (done) {
            files.put(path, content);
        } else {
            namesKnown = false;
        }
    }

    private void read(FilePath path) {
        Content content = files.get(path);
        if (content != null) {
            read(LoadOperation.Kind.READ, path, content, new ByteRange(0, content.sizeBytes()));
        }
    }

    private void readRange(FilePath path) {
        Content content = files.get(path);
        if (content != null) {
            long from = random.nextLong(content.sizeBytes() - settings.rangeBytes() + 1);
            read(LoadOperation.Kind.RANGE, path, content, new ByteRange(from, settings.rangeBytes()));
        }
    }

    private void read(LoadOperation.Kind kind, FilePath path, Content content, ByteRange range) {
        ExpectedContent expected =
                new ExpectedContent(settings.seed(), content, range.offset(), Math.toIntExact(range.length()));
        GetOptions options =
                kind == LoadOperation.Kind.RANGE ? GetOptions.defaults().withRange(range) : GetOptions.defaults();
        boolean unused = record(kind, path, () -> {
            await(client.files().read(path, expected, options));
            return expected.difference();
        });
    }

    private void list() {
        boolean unused = record(LoadOperation.Kind.LIST, path(0), () -> {
            Page<FileEntry> page = await(client.files().list(settings.volume(), directory, "", PAGE));
            return differs(page);
        });
    }

    private Optional<String> differs(Page<FileEntry> page) {
        if (!namesKnown) {
            return Optional.empty();
        }
        List<String> found =
                page.items().stream().map(FileEntry::name).sorted().collect(Collectors.toCollection(ArrayList::new));
        List<String> expected = files.keySet().stream()
                .map(path -> path.path().substring(directory.length() + 1))
                .sorted()
                .toList();
        return found.equals(expected) ? Optional.empty() : Optional.of("listed " + found + " instead of " + expected);
    }

    private void remove(FilePath path) {
        if (files.remove(path) != null) {
            boolean done = record(LoadOperation.Kind.REMOVE, path, () -> {
                await(client.files().remove(path));
                return Optional.empty();
            });
            namesKnown = namesKnown && done;
        }
    }

    /** Waits for the result of an operation, and cancels an operation that takes too long. */
    private static <T> T await(CompletableFuture<T> operation) throws CloudMwException {
        try {
            return operation.get(LIMIT.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            operation.cancel(true);
            throw new CloudMwException(ErrorCode.DEADLINE_EXCEEDED, "no answer within " + LIMIT.toSeconds() + " s", e);
        } catch (InterruptedException e) {
            operation.cancel(true);
            Thread.currentThread().interrupt();
            throw new CloudMwException(ErrorCode.CANCELLED, "interrupted", e);
        } catch (ExecutionException | CancellationException e) {
            return Calls.await(operation);
        }
    }

    /** An operation that returns how its result differs from the expected one. */
    @FunctionalInterface
    private interface Action {
        Optional<String> run() throws CloudMwException;
    }

    /** Makes an operation and records it. Returns whether it succeeded with the expected result. */
    private boolean record(LoadOperation.Kind kind, FilePath path, Action action) {
        String phase = log.phase();
        long from = log.now();
        Optional<String> failure;
        try {
            failure = action.run();
        } catch (CloudMwException e) {
            failure = Optional.of(e.code() + ": " + e.getMessage());
        }
        log.add(new LoadOperation(phase, number, kind, path, from, log.now() - from, failure));
        return failure.isEmpty();
    }
}
