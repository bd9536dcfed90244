package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.CloudMwOptions;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.PutOptions;
import io.cloudmw.client.file.FileEntry;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.Change;
import io.cloudmw.core.testing.consistency.ConsistencyCheck;
import io.cloudmw.core.testing.consistency.Operation;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

/**
 * A load of several clients that put, replace, remove, rename and look up a few paths, and record all answers. No call
 * may fail except by a legitimate refusal.
 */
final class BusyClients implements AutoCloseable {
    private static final Duration LONGEST = Duration.ofMinutes(3);
    private static final List<String> DIRECTORIES = List.of("/d0", "/d1", "/moved");

    /** The number of renames for each renamed file that is kept; the other files are removed. */
    private static final int KEPT = 8;

    private final VolumeName volume;
    private final int fileBytes;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Future<?>> running = new ArrayList<>();
    private final AtomicLong clock = new AtomicLong();
    private final Queue<Operation> operations = new ConcurrentLinkedQueue<>();

    /** The seed of each version's bytes. */
    private final Map<VersionId, Long> seeds = new ConcurrentHashMap<>();

    private volatile boolean stopped;

    private BusyClients(VolumeName volume, int fileBytes) {
        this.volume = volume;
        this.fileBytes = fileBytes;
    }

    /**
     * Starts the clients on an empty volume.
     *
     * @param coordinators the coordinators' addresses of each client, as {@link #connect} takes them
     */
    static BusyClients start(List<String> coordinators, VolumeName volume, int fileBytes) {
        BusyClients clients = new BusyClients(volume, fileBytes);
        for (int client = 0; client < coordinators.size(); client++) {
            long seed = client;
            String coordinator = coordinators.get(client);
            clients.running.add(clients.threads.submit(() -> clients.run(coordinator, seed)));
        }
        return clients;
    }

    /** Returns a client that waits long for a coordinator. */
    static CloudMw connect(String coordinators) {
        return CloudMw.connect(CloudMwOptions.of(coordinators).withCoordinatorTimeout(Duration.ofMinutes(2)));
    }

    /** Waits for a number of further calls. */
    void goOn(int calls) {
        int before = operations.size();
        await().atMost(LONGEST)
                .until(() ->
                        operations.size() > before + calls || running.stream().anyMatch(Future::isDone));
        assertThat(running).as("clients that have failed").noneMatch(Future::isDone);
    }

    /** Stops the clients; fails if one of them failed. */
    void stop() throws Exception {
        stopped = true;
        for (Future<?> client : running) {
            client.get();
        }
    }

    /**
     * Checks the recorded answers after {@link #stop}. They must be linearizable, and each change in the log must be
     * one that was acknowledged, exactly once.
     *
     * @param log all changes of the volume, except those made by others after the clients' last
     */
    void check(List<Change> log) {
        assertThat(ConsistencyCheck.violations(log, List.copyOf(operations))).isEmpty();
        assertThat(operations.stream().filter(Operation::isWrite))
                .as("each change is one that was acknowledged, and made once")
                .hasSameSizeAs(log);
    }

    /** Checks after {@link #stop} that every file has the bytes of its version. */
    void checkBytes(CloudMw client, Path scratch) throws IOException, CloudMwException {
        for (String directory : DIRECTORIES) {
            // A directory vanishes with its last file.
            Optional<Page<FileEntry>> there =
                    Calls.find(client.files().list(volume, directory, "", 1000), ErrorCode.NOT_FOUND);
            for (FileEntry entry : there.map(Page::items).orElse(List.of())) {
                FilePath file = new FilePath(volume, directory + "/" + entry.name());
                VersionId version = client.files()
                        .get(file, scratch, GetOptions.defaults())
                        .join()
                        .version()
                        .id();
                assertThat(seeds).as("acknowledgement of " + file).containsKey(version);
                assertThat(Files.readAllBytes(scratch))
                        .as(file.toString())
                        .isEqualTo(content(seeds.getOrDefault(version, 0L)));
            }
        }
    }

    private void run(String coordinator, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        try (CloudMw client = connect(coordinator)) {
            while (!stopped) {
                FilePath file = new FilePath(volume, "/d" + random.nextInt(2) + "/f" + random.nextInt(3));
                switch (random.nextInt(6)) {
                    case 0, 1 -> put(client, file);
                    case 2 -> remove(client, file);
                    case 3 -> rename(client, file);
                    default -> read(client, file);
                }
            }
        }
    }

    private byte[] content(long seed) {
        byte[] bytes = new byte[fileBytes];
        new SplittableRandom(seed).nextBytes(bytes);
        return bytes;
    }

    private void put(CloudMw client, FilePath file) {
        long began = clock.incrementAndGet();
        outcome(
                        client.files()
                                .put(new ByteArrayInputStream(content(began)), fileBytes, file, PutOptions.defaults()),
                        ErrorCode.CONFLICT)
                .ifPresent(receipt -> {
                    VersionId version = receipt.version().id();
                    seeds.put(version, began);
                    wrote("put of " + file, began, change -> is(Change.Kind.PUT, version, change));
                });
    }

    private void remove(CloudMw client, FilePath file) {
        long began = clock.incrementAndGet();
        outcome(client.files().remove(file), ErrorCode.NOT_FOUND)
                .ifPresentOrElse(
                        removed -> wrote(
                                "remove of " + file, began, change -> is(Change.Kind.REMOVED, removed.id(), change)),
                        () -> saw(file, Optional.empty(), began));
    }

    /** Renames a file to a path that is never reused, and usually removes it there. */
    private void rename(CloudMw client, FilePath file) {
        long began = clock.incrementAndGet();
        FilePath to = new FilePath(volume, "/moved/" + began);
        outcome(client.files().rename(file, to, true), ErrorCode.NOT_FOUND)
                .ifPresentOrElse(
                        moved -> {
                            wrote(
                                    "rename to " + to,
                                    began,
                                    change -> change.path().equals(to.path()) && change.kind() == Change.Kind.RENAMED);
                            if (began % KEPT != 0) {
                                remove(client, to);
                            }
                        },
                        () -> saw(file, Optional.empty(), began));
    }

    private void read(CloudMw client, FilePath file) {
        long began = clock.incrementAndGet();
        saw(
                file,
                outcome(client.files().stat(file), ErrorCode.NOT_FOUND)
                        .map(status -> status.version().id()),
                began);
    }

    private static boolean is(Change.Kind kind, VersionId version, Change change) {
        return change.kind() == kind && change.version().equals(Optional.of(version));
    }

    private void wrote(String what, long began, Predicate<Change> isIt) {
        operations.add(Operation.write(what, began, clock.incrementAndGet(), isIt));
    }

    private void saw(FilePath file, Optional<VersionId> found, long began) {
        operations.add(Operation.read(file.path(), found, began, clock.incrementAndGet()));
    }

    /** Returns the result of a call; empty if it was refused with the expected code. */
    private static <T> Optional<T> outcome(CompletableFuture<T> call, ErrorCode refusal) {
        try {
            return Optional.of(call.join());
        } catch (CompletionException e) {
            assertThat(e.getCause())
                    .isInstanceOfSatisfying(
                            CloudMwException.class,
                            failure -> assertThat(failure.code())
                                    .as(failure.getMessage())
                                    .isEqualTo(refusal));
            return Optional.empty();
        }
    }

    @Override
    public void close() {
        stopped = true;
        threads.shutdownNow();
    }
}
