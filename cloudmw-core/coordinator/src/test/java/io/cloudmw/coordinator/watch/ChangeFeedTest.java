package io.cloudmw.coordinator.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.change.CommitRequest;
import io.cloudmw.coordinator.testing.memory.InMemoryCatalog;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.Change;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.Rename;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.testing.Versions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class ChangeFeedTest {
    private static final VolumeName VOLUME = new VolumeName("v");
    private static final Duration NEVER = Duration.ofHours(1);
    private static final WatchOptions PUSHED = new WatchOptions(4, NEVER, NEVER, 100, NEVER);

    private final Catalog catalog = new InMemoryCatalog();
    private final List<ChangeFeed> feeds = new ArrayList<>();
    private ChangeFeed feed;
    private long now = 1_000_000_000;

    @BeforeEach
    void start() throws Exception {
        StoreId store = new StoreId("s");
        catalog.putStore(new Store(store, "domain", new Store.S3("bucket", "eu-west-1", "", false, "")));
        catalog.createVolume(new Volume(VOLUME, new Chunking.ByCount(3), 1, List.of(store), 1, Mode.ROUNDS, false, 42));
        feed = feed(PUSHED);
    }

    @AfterEach
    void stop() {
        feeds.forEach(ChangeFeed::close);
        catalog.close();
    }

    private ChangeFeed feed(WatchOptions options) {
        ChangeFeed made = new ChangeFeed(catalog, options, () -> now);
        feeds.add(made);
        return made;
    }

    private void put(String path) throws CloudMwException {
        FilePath file = new FilePath(VOLUME, path);
        FileVersion version = Versions.of(file, VersionId.random(), 0, now);
        catalog.commit(new CommitRequest(version, catalog.current(file).map(FileVersion::id), List.of()));
    }

    private void puts(int from, int to) throws CloudMwException {
        for (int i = from; i < to; i++) {
            put("/f" + i);
        }
    }

    private static List<String> files(int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> "/f" + i).toList();
    }

    private Watcher watch(ChangeFeed in, String path, OptionalLong after, RecordingSink sink) throws CloudMwException {
        Watcher watcher = in.watch(VOLUME, path, after, sink);
        watcher.wake();
        return watcher;
    }

    /** Starts a watch from now on, and waits for its beginning. */
    private RecordingSink watch(String path) throws CloudMwException {
        RecordingSink sink = new RecordingSink();
        Watcher unused = watch(feed, path, OptionalLong.empty(), sink);
        await().until(() -> sink.position() >= 0);
        return sink;
    }

    private static void awaitPaths(RecordingSink sink, List<String> paths) {
        await().untilAsserted(() -> assertThat(sink.paths()).isEqualTo(paths));
    }

    private static ErrorCode awaitFailure(RecordingSink sink) {
        await().until(() -> sink.failure() != null);
        return Objects.requireNonNull(sink.failure()).code();
    }

    @Test
    void ownChangesAreDeliveredWithoutAPoll() throws Exception {
        put("/before");
        RecordingSink sink = watch("/");
        assertThat(sink.position()).isEqualTo(1);
        puts(0, 300);
        awaitPaths(sink, files(0, 300));
        assertThat(sink.changes())
                .extracting(Change::position)
                .isEqualTo(LongStream.range(2, 302).boxed().toList());
    }

    /** The log has one listener, the last: that of another feed here. */
    @Test
    void changesOfOthersAreFoundByAPollWhileAVolumeIsWatched() throws Exception {
        ChangeFeed polling = feed(new WatchOptions(4, Duration.ofMillis(5), NEVER, 100, NEVER));
        feed(PUSHED);
        RecordingSink sink = new RecordingSink();
        Watcher watcher = watch(polling, "/", OptionalLong.of(0), sink);
        puts(0, 10);
        awaitPaths(sink, files(0, 10));
        watcher.close();
        assertThat(polling.watchers()).isZero();
    }

    @Test
    void onlyChangesOfThePathAreDelivered() throws Exception {
        RecordingSink sink = watch("/a/b");
        put("/a/b");
        put("/a/bc");
        catalog.remove(FilePath.parse("v:/a/b"), 1);
        put("/a/b/c");
        catalog.rename(new Rename(FilePath.parse("v:/a"), FilePath.parse("v:/z"), true), now);
        put("/y");
        awaitPaths(sink, List.of("/a/b", "/a/b", "/a/b/c", "/z"));
    }

    @Test
    void watchContinuesAfterAnyKeptPosition() throws Exception {
        puts(0, 300);
        for (int after : new int[] {0, 1, 150, 299, 300}) {
            RecordingSink sink = new RecordingSink();
            Watcher watcher = watch(feed, "/", OptionalLong.of(after), sink);
            awaitPaths(sink, files(after, 300));
            assertThat(sink.lost()).isEmpty();
            watcher.close();
        }
    }

    @Test
    void slowSinkBuffersNothingAndReceivesEverythingLater() throws Exception {
        RecordingSink sink = new RecordingSink();
        Watcher watcher = watch(feed, "/", OptionalLong.empty(), sink);
        await().until(() -> sink.position() == 0);
        sink.setReady(false);
        RecordingSink other = watch("/");
        puts(0, 500);
        awaitPaths(other, files(0, 500));
        assertThat(sink.paths()).isEmpty();
        sink.setReady(true);
        watcher.wake();
        awaitPaths(sink, files(0, 500));
        assertThat(sink.lost()).isEmpty();
    }

    @Test
    void laggingWatcherHearsOfTheLossAndContinuesFromThere() throws Exception {
        RecordingSink sink = new RecordingSink();
        Watcher watcher = watch(feed, "/", OptionalLong.empty(), sink);
        await().until(() -> sink.position() == 0);
        sink.setReady(false);
        puts(0, 300);
        feed.prune();
        sink.setReady(true);
        watcher.wake();
        await().untilAsserted(() -> assertThat(sink.lost()).containsExactly(300L));
        puts(300, 305);
        // A watcher that was about to read when its sink filled may have delivered the first few.
        await().untilAsserted(
                        () -> assertThat(sink.paths()).endsWith(files(300, 305).toArray(String[]::new)));
        assertThat(sink.paths()).hasSizeLessThan(300).doesNotHaveDuplicates();
        assertThat(sink.lost()).hasSize(1);
    }

    @Test
    void oldChangesArePrunedByNumberAndByAge() throws Exception {
        puts(0, 150);
        feed.prune();
        assertThat(catalog.changes().after(VOLUME, 49, 1).known()).isFalse();
        assertThat(catalog.changes().after(VOLUME, 50, 1).known()).isTrue();
        now += NEVER.toMillis() + 1;
        feed.prune();
        assertThat(catalog.changes().after(VOLUME, 149, 1).known()).isFalse();
    }

    @Test
    void unreachedPositionIsReportedAsLost() throws Exception {
        puts(0, 3);
        RecordingSink sink = new RecordingSink();
        Watcher unused = watch(feed, "/", OptionalLong.of(1000), sink);
        await().untilAsserted(() -> assertThat(sink.lost()).containsExactly(3L));
        puts(3, 4);
        awaitPaths(sink, files(3, 4));
    }

    @Test
    void endOfTheVolumeIsDeliveredEvenToAReturningWatcher() throws Exception {
        RecordingSink sink = watch("/a");
        put("/b");
        catalog.deleteVolume(VOLUME, true, now);
        await().until(sink::ended);
        assertThat(sink.changes()).containsExactly(Change.volumeDeleted(now).at(2));
        assertThat(feed.watchers()).isZero();

        RecordingSink late = new RecordingSink();
        Watcher unused = watch(feed, "/", OptionalLong.of(1), late);
        await().until(late::ended);
        RecordingSink told = new RecordingSink();
        Watcher again = watch(feed, "/", OptionalLong.of(2), told);
        assertThat(awaitFailure(told)).isEqualTo(ErrorCode.VOLUME_NOT_FOUND);
        again.close();
        RecordingSink fresh = new RecordingSink();
        Watcher anew = watch(feed, "/", OptionalLong.empty(), fresh);
        assertThat(awaitFailure(fresh)).isEqualTo(ErrorCode.VOLUME_NOT_FOUND);
        anew.close();
        assertThat(feed.watchers()).isZero();
    }

    @Test
    void watchersBeyondTheLimitAreRefusedUntilOneCloses() throws Exception {
        List<Watcher> watchers = new ArrayList<>();
        for (int i = 0; i < PUSHED.watchers(); i++) {
            watchers.add(feed.watch(VOLUME, "/", OptionalLong.empty(), new RecordingSink()));
        }
        refused(ErrorCode.OVERLOADED, "/", OptionalLong.empty());
        watchers.get(0).close();
        watchers.get(0).close();
        assertThat(feed.watchers()).isEqualTo(PUSHED.watchers() - 1);
        watchers.add(feed.watch(VOLUME, "/", OptionalLong.empty(), new RecordingSink()));
        refused(ErrorCode.OVERLOADED, "/", OptionalLong.empty());
    }

    @Test
    void malformedRequestsAreRefused() {
        refused(ErrorCode.INVALID_ARGUMENT, "a", OptionalLong.empty());
        refused(ErrorCode.INVALID_ARGUMENT, "", OptionalLong.empty());
        refused(ErrorCode.INVALID_ARGUMENT, "/", OptionalLong.of(-1));
    }

    private void refused(ErrorCode code, String path, OptionalLong after) {
        CloudMwException failure = catchThrowableOfType(
                CloudMwException.class, () -> feed.watch(VOLUME, path, after, new RecordingSink()));
        assertThat(failure.code()).isEqualTo(code);
    }

    @Test
    void idleWatcherHearsItsPosition() throws Exception {
        ChangeFeed beating = feed(new WatchOptions(4, NEVER, Duration.ofMillis(5), 100, NEVER));
        RecordingSink sink = new RecordingSink();
        Watcher unused = watch(beating, "/elsewhere", OptionalLong.empty(), sink);
        puts(0, 3);
        await().until(() -> sink.position() == 3);
        int calls = sink.calls();
        await().until(() -> sink.calls() > calls + 2);
        assertThat(sink.paths()).isEmpty();
    }

    @Test
    void closingFeedSendsItsWatchersElsewhere() throws Exception {
        RecordingSink sink = watch("/");
        feed.close();
        assertThat(awaitFailure(sink)).isEqualTo(ErrorCode.COORDINATOR_UNAVAILABLE);
        refused(ErrorCode.COORDINATOR_UNAVAILABLE, "/", OptionalLong.empty());
    }

    /** The coordinator stops during a delivery to the watcher. */
    @Test
    void watcherInADeliveryHearsThatTheCoordinatorStops() throws Exception {
        CountDownLatch telling = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        RecordingSink sink = new RecordingSink() {
            @Override
            @SuppressWarnings("UnsynchronizedOverridesSynchronized") // the feed closes while this waits
            public void told(List<Change> changes, long upTo) {
                super.told(changes, upTo);
                telling.countDown();
                try {
                    closed.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        };
        Watcher unused = watch(feed, "/", OptionalLong.empty(), sink);
        telling.await();
        feed.close();
        closed.countDown();
        assertThat(awaitFailure(sink)).isEqualTo(ErrorCode.COORDINATOR_UNAVAILABLE);
    }

    /** Random runs: two writers, and watchers that stop accepting, break off and return to either of two feeds. */
    @Test
    void watcherReceivesEverythingOnceAndInOrderUnderRandomOperations() throws Exception {
        for (long seed = 1; seed <= 20; seed++) {
            new Restless(seed).run();
        }
    }

    private final class Restless {
        private final long seed;
        private final SplittableRandom random;
        private final List<ChangeFeed> two = List.of(feed(polling()), feed(polling()));
        private final List<Change> told = new ArrayList<>();
        private final long start;
        private RecordingSink sink = new RecordingSink();
        private Watcher watcher;

        Restless(long seed) throws CloudMwException {
            this.seed = seed;
            this.random = new SplittableRandom(seed);
            this.start = catalog.changes().position(VOLUME);
            this.watcher = watch(two.get(0), "/", OptionalLong.of(start), sink);
        }

        void run() throws Exception {
            for (int step = 0; step < 60; step++) {
                switch (random.nextInt(5)) {
                    case 0 -> sink.setReady(false);
                    case 1 -> {
                        sink.setReady(true);
                        watcher.wake();
                    }
                    case 2 -> comeBack();
                    default -> puts(0, random.nextInt(1, 12));
                }
            }
            sink.setReady(true);
            watcher.wake();
            long end = catalog.changes().position(VOLUME);
            await().pollInSameThread()
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(1))
                    .until(() -> sink.position() == end);
            told.addAll(sink.changes());
            assertThat(told)
                    .as("seed %d", seed)
                    .extracting(Change::position)
                    .isEqualTo(LongStream.rangeClosed(start + 1, end).boxed().toList());
            two.forEach(ChangeFeed::close);
        }

        /** Starts a new sink after the last position that the former one heard. */
        private void comeBack() throws CloudMwException {
            watcher.close();
            assertThat(two).allMatch(feed -> feed.watchers() == 0);
            told.addAll(sink.changes());
            long reached = told.isEmpty() ? start : told.get(told.size() - 1).position();
            sink = new RecordingSink();
            watcher = watch(two.get(random.nextInt(2)), "/", OptionalLong.of(reached), sink);
        }
    }

    private static WatchOptions polling() {
        return new WatchOptions(4, Duration.ofMillis(2), Duration.ofMillis(3), 100_000, NEVER);
    }
}
