package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.CloudMwOptions;
import io.cloudmw.client.PutOptions;
import io.cloudmw.client.rpc.Watch;
import io.cloudmw.client.rpc.WatchListener;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.Change;
import io.cloudmw.core.model.Chunking;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.FileVersion;
import io.cloudmw.core.model.Store;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.testing.consistency.ConsistencyCheck;
import io.cloudmw.core.testing.consistency.Operation;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What clients see of names, and are told of them, while their coordinator is killed. Files are empty: bytes are not its business. */
final class WatchIT {
    private static final int CLIENTS = 4;
    private static final int KILLS = 3;

    @TempDir
    private Path directory;

    private static VolumeName volume(Fleet fleet) {
        StoreId store = new StoreId("bucket");
        fleet.client()
                .addStore(new Store(store, "domain", new Store.S3("bucket", "eu-west-1", "", false, "")), false)
                .join();
        return fleet.volume("v", new Chunking.ByCount(1), 1, store);
    }

    private static FileVersion put(CloudMw client, FilePath file) {
        return client.put(InputStream.nullInputStream(), 0, file, PutOptions.defaults())
                .join()
                .version();
    }

    @Test
    void whatClientsSeeAndAreToldHoldsThroughKillsOfTheirCoordinator() throws Exception {
        try (Fleet fleet = new Fleet(directory, Map.of())) {
            Clients clients = new Clients(fleet.coordinatorAddress(), volume(fleet));
            Log log = new Log();
            try (CloudMw watching = connect(fleet.coordinatorAddress());
                    Watch watch = watching.watch(clients.volume, "/", OptionalLong.of(0), log)) {
                ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
                try {
                    List<Future<?>> running = new ArrayList<>();
                    for (int client = 0; client < CLIENTS; client++) {
                        long seed = client;
                        running.add(threads.submit(() -> clients.run(seed)));
                    }
                    for (int kill = 1; kill <= KILLS; kill++) {
                        int before = clients.operations.size();
                        await().atMost(Duration.ofMinutes(2)).until(() -> clients.operations.size() > before + 60);
                        fleet.coordinator().kill();
                        fleet.restart("coordinator");
                    }
                    clients.stop = true;
                    for (Future<?> client : running) {
                        client.get();
                    }
                } finally {
                    threads.shutdownNow();
                }
                VersionId last = put(fleet.client(), new FilePath(clients.volume, "/last"))
                        .id();
                await().atMost(Duration.ofMinutes(1)).until(() -> log.ends(last));
                assertThat(watch.done()).isNotDone();
            }
            assertThat(log.lost).isEmpty();
            assertThat(ConsistencyCheck.violations(log.changes, List.copyOf(clients.operations)))
                    .isEmpty();
        }
    }

    @Test
    void theCommandSaysWhatHappens() throws IOException {
        try (Fleet fleet = new Fleet(directory, Map.of())) {
            VolumeName volume = volume(fleet);
            put(fleet.client(), new FilePath(volume, "/a/b"));
            fleet.client()
                    .rename(new FilePath(volume, "/a"), new FilePath(volume, "/c"), false)
                    .join();
            CommandLine cloudmw = new CommandLine(fleet.coordinatorAddress());
            String out = cloudmw.run("watch", "v:/a/b", "--from", "0", "--count", "2")
                    .orThrow()
                    .out();
            assertThat(out.lines().map(String::strip))
                    .containsExactly("1  put            v:/a/b", "2  renamed        v:/a -> v:/c");
            assertThat(cloudmw.run("watch", "nowhere").exitCode()).isEqualTo(3);
        }
    }

    private static CloudMw connect(String coordinator) {
        return CloudMw.connect(CloudMwOptions.of(coordinator).withCoordinatorTimeout(Duration.ofMinutes(2)));
    }

    /** What a watch was told. */
    private static final class Log implements WatchListener {
        private final List<Change> changes = new CopyOnWriteArrayList<>();
        private final List<Long> lost = new CopyOnWriteArrayList<>();

        @Override
        public void changed(Change change) {
            changes.add(change);
        }

        @Override
        public void lost(long position) {
            lost.add(position);
        }

        boolean ends(VersionId version) {
            return !changes.isEmpty()
                    && changes.get(changes.size() - 1).version().equals(Optional.of(version));
        }
    }

    /** Several clients that change and look at a few paths, and keep what they were told. */
    private static final class Clients {
        private final String coordinator;
        private final VolumeName volume;
        private final AtomicLong clock = new AtomicLong();
        private final Queue<Operation> operations = new ConcurrentLinkedQueue<>();
        private volatile boolean stop;

        Clients(String coordinator, VolumeName volume) {
            this.coordinator = coordinator;
            this.volume = volume;
        }

        void run(long seed) {
            SplittableRandom random = new SplittableRandom(seed);
            try (CloudMw client = connect(coordinator)) {
                while (!stop) {
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

        private void put(CloudMw client, FilePath file) {
            long began = clock.incrementAndGet();
            outcome(client.put(InputStream.nullInputStream(), 0, file, PutOptions.defaults()), ErrorCode.CONFLICT)
                    .ifPresent(receipt -> wrote(
                            "put of " + file,
                            began,
                            change -> is(Change.Kind.PUT, receipt.version().id(), change)));
        }

        private void remove(CloudMw client, FilePath file) {
            long began = clock.incrementAndGet();
            outcome(client.remove(file), ErrorCode.NOT_FOUND)
                    .ifPresent(removed ->
                            wrote("remove of " + file, began, change -> is(Change.Kind.REMOVED, removed.id(), change)));
        }

        /** To a path that nothing else is ever put at. */
        private void rename(CloudMw client, FilePath file) {
            long began = clock.incrementAndGet();
            FilePath to = new FilePath(volume, "/moved/" + began);
            outcome(client.rename(file, to, true), ErrorCode.NOT_FOUND)
                    .ifPresent(moved -> wrote(
                            "rename to " + to,
                            began,
                            change -> change.path().equals(to.path()) && change.kind() == Change.Kind.RENAMED));
        }

        private void read(CloudMw client, FilePath file) {
            long began = clock.incrementAndGet();
            Optional<VersionId> found = outcome(client.stat(file), ErrorCode.NOT_FOUND)
                    .map(status -> status.version().id());
            operations.add(Operation.read(file.path(), found, began, clock.incrementAndGet()));
        }

        private static boolean is(Change.Kind kind, VersionId version, Change change) {
            return change.kind() == kind && change.version().equals(Optional.of(version));
        }

        private void wrote(String what, long began, Predicate<Change> isIt) {
            operations.add(Operation.write(what, began, clock.incrementAndGet(), isIt));
        }

        /** A refusal is no outcome: a call that was repeated because its answer was lost may be refused and yet have been done. */
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
    }
}
