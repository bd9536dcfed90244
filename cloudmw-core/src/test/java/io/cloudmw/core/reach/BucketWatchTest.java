package io.cloudmw.core.reach;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.access.CredentialsReference;
import io.cloudmw.core.access.ProbeReport;
import io.cloudmw.core.access.StoreFault;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.core.time.Ticker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

final class BucketWatchTest {
    private static final Duration SOON = Duration.ofMillis(100);

    private final Map<StoreId, StoreFault> wrong = new ConcurrentHashMap<>();
    private final AtomicInteger looks = new AtomicInteger();
    private volatile List<Store> stores = List.of();
    private final BucketProbe probe = new BucketProbe() {
        @Override
        public Optional<StoreFault> look(Store bucket) {
            looks.incrementAndGet();
            return Optional.ofNullable(wrong.get(bucket.id()));
        }

        @Override
        public ProbeReport probe(Store bucket, Duration timeout) {
            throw new AssertionError("nobody asked for it");
        }
    };

    private static Store bucket(String id) {
        return new Store(new StoreId(id), "z", new Store.S3(id, "r", "", false, ""));
    }

    private BucketWatch watch(BucketWatch.Listing listing, Duration interval) {
        return new BucketWatch("test", listing, probe, interval, Ticker.system(), new SplittableRandom(1));
    }

    @Test
    void theFirstLookSeesEveryBucketAndNoDisk() throws Exception {
        stores = List.of(
                bucket("a"),
                bucket("b"),
                new Store(new StoreId("d"), "z", new Store.Disk(new HelperId("h"), Path.of("/d"))));
        wrong.put(new StoreId("b"), new StoreFault(StoreFault.Kind.MISSING, "gone", 7));
        try (BucketWatch watch = watch(() -> stores, Duration.ofHours(1))) {
            watch.start();
            assertThat(watch.awaitFirstLook(Duration.ofMinutes(1))).isTrue();
            assertThat(watch.faults()).containsOnlyKeys(new StoreId("b"));
            assertThat(looks).hasValue(2);
        }
    }

    @Test
    void aBucketComesBackByItself() throws Exception {
        StoreId a = new StoreId("a");
        stores = List.of(bucket("a"));
        wrong.put(a, new StoreFault(StoreFault.Kind.DENIED, "no", 7));
        try (BucketWatch watch = watch(() -> stores, SOON)) {
            watch.start();
            assertThat(watch.awaitFirstLook(Duration.ofMinutes(1))).isTrue();
            assertThat(watch.fault(a)).isPresent();
            wrong.clear();
            Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> watch.fault(a).isEmpty());
        }
    }

    @Test
    void aSingleMissingAnswerIsNotUnreachable() throws Exception {
        StoreId a = new StoreId("a");
        stores = List.of(bucket("a"));
        AtomicInteger failing = new AtomicInteger();
        BucketProbe once = new BucketProbe() {
            @Override
            public Optional<StoreFault> look(Store bucket) {
                looks.incrementAndGet();
                return failing.getAndDecrement() > 0
                        ? Optional.of(new StoreFault(StoreFault.Kind.UNREACHABLE, "silent", 7))
                        : Optional.empty();
            }

            @Override
            public ProbeReport probe(Store bucket, Duration timeout) {
                throw new AssertionError("nobody asked for it");
            }
        };
        try (BucketWatch watch =
                new BucketWatch("test", () -> stores, once, SOON, Ticker.system(), new SplittableRandom(1))) {
            watch.start();
            assertThat(watch.awaitFirstLook(Duration.ofMinutes(1))).isTrue();
            failing.set(1);
            int before = looks.get();
            Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> {
                assertThat(watch.fault(a)).isEmpty();
                return failing.get() < 0 && looks.get() > before + 1;
            });
            failing.set(Integer.MAX_VALUE);
            Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> watch.fault(a).isPresent());
        }
    }

    @Test
    void aBucketWhoseCredentialsChangedIsAskedAtOnceAndFoundAnew() throws Exception {
        StoreId a = new StoreId("a");
        stores = List.of(bucket("a"));
        wrong.put(a, new StoreFault(StoreFault.Kind.NO_CREDENTIALS, "none", 7));
        try (BucketWatch watch = watch(() -> stores, Duration.ofHours(1))) {
            watch.start();
            assertThat(watch.awaitFirstLook(Duration.ofMinutes(1))).isTrue();
            Store changed = bucket("a").with(new CredentialsReference.Profile("p"));
            wrong.clear();
            stores = List.of(changed);
            Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> watch.findAnew(a).equals(Optional.of(changed)));
            Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> watch.fault(a).isEmpty());
        }
    }

    /** Once, buckets that the pool had rejected counted as being asked for ever, and the first look never ended. */
    @Test
    void bucketsThatAFullPoolRejectsAreAskedLater() throws Exception {
        stores = IntStream.range(0, 10).mapToObj(i -> bucket("b" + i)).toList();
        wrong.put(new StoreId("b9"), new StoreFault(StoreFault.Kind.MISSING, "gone", 7));
        CountDownLatch rejected = new CountDownLatch(2);
        BucketProbe slow = new BucketProbe() {
            @Override
            public Optional<StoreFault> look(Store bucket) {
                try {
                    assertThat(rejected.await(1, TimeUnit.MINUTES)).isTrue();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                return probe.look(bucket);
            }

            @Override
            public ProbeReport probe(Store bucket, Duration timeout) {
                throw new AssertionError("nobody asked for it");
            }
        };
        ThreadPoolExecutor pool = Threads.blocking("buckets", 1, 2);
        RejectedExecutionHandler refusal = pool.getRejectedExecutionHandler();
        pool.setRejectedExecutionHandler((task, full) -> {
            rejected.countDown();
            refusal.rejectedExecution(task, full);
        });
        try (BucketWatch watch = new BucketWatch(
                "test", () -> stores, slow, Duration.ofHours(1), Ticker.system(), new SplittableRandom(1))) {
            watch.start(pool);
            assertThat(watch.awaitFirstLook(Duration.ofMinutes(1))).isTrue();
            assertThat(watch.faults()).containsOnlyKeys(new StoreId("b9"));
            assertThat(looks).hasValue(10);
        }
    }

    /** A full pool rejects the list too: it is read once there is room. */
    @Test
    void aListThatAFullPoolRejectsIsReadLater() throws Exception {
        stores = List.of(bucket("a"));
        CountDownLatch rejected = new CountDownLatch(1);
        ThreadPoolExecutor pool = new ThreadPoolExecutor(1, 1, 1, TimeUnit.MINUTES, new SynchronousQueue<>());
        RejectedExecutionHandler refusal = pool.getRejectedExecutionHandler();
        pool.setRejectedExecutionHandler((task, full) -> {
            rejected.countDown();
            refusal.rejectedExecution(task, full);
        });
        pool.execute(() -> {
            try {
                assertThat(rejected.await(1, TimeUnit.MINUTES)).isTrue();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        try (BucketWatch watch = watch(() -> stores, Duration.ofHours(1))) {
            watch.start(pool);
            assertThat(watch.awaitFirstLook(Duration.ofMinutes(1))).isTrue();
            assertThat(watch.find(new StoreId("a"))).isPresent();
        }
    }

    @Test
    void aListThatCannotBeReadHoldsNobodyUpUnlessItMayComeBack() throws Exception {
        try (BucketWatch watch = watch(
                () -> {
                    throw new CloudMwException(ErrorCode.INTERNAL, "on purpose");
                },
                SOON)) {
            watch.start();
            assertThat(watch.awaitFirstLook(Duration.ofMinutes(1))).isTrue();
            assertThat(watch.faults()).isEmpty();
        }
    }

    /** Once, it was asked for ever, and the first look waited for it. */
    @Test
    void aBucketThatWasDeclaredLostIsNotAsked() throws Exception {
        stores = List.of(bucket("a"), bucket("b").lost(7));
        wrong.put(new StoreId("b"), new StoreFault(StoreFault.Kind.MISSING, "gone", 7));
        try (BucketWatch watch = watch(() -> stores, Duration.ofHours(1))) {
            watch.start();
            assertThat(watch.awaitFirstLook(Duration.ofMinutes(1))).isTrue();
            assertThat(watch.faults()).isEmpty();
            assertThat(looks).hasValue(1);
        }
    }

    /** Once, the finding of a check was not reported. */
    @Test
    void findingsOfChecksCountAtOnce() throws Exception {
        StoreId a = new StoreId("a");
        stores = List.of(bucket("a"));
        StoreFault gone = new StoreFault(StoreFault.Kind.MISSING, "gone", 7);
        BucketProbe checking = new BucketProbe() {
            @Override
            public Optional<StoreFault> look(Store bucket) {
                return probe.look(bucket);
            }

            @Override
            public ProbeReport probe(Store bucket, Duration timeout) {
                return wrong.containsKey(bucket.id())
                        ? ProbeReport.failed(wrong.get(bucket.id()))
                        : new ProbeReport(Optional.empty(), 1, 0);
            }
        };
        try (BucketWatch watch = watch(() -> stores, Duration.ofHours(1))) {
            watch.start();
            assertThat(watch.awaitFirstLook(Duration.ofMinutes(1))).isTrue();
            BucketProbe telling = new NotifyingProbe(checking, watch);
            wrong.put(a, gone);
            var unusedFirst = telling.probe(bucket("a"), SOON);
            assertThat(watch.fault(a)).contains(gone);
            wrong.clear();
            var unusedSecond = telling.probe(bucket("a"), SOON);
            assertThat(watch.fault(a)).isEmpty();
            wrong.put(a, new StoreFault(StoreFault.Kind.DENIED, "no PUT", 7));
            var unusedThird = telling.probe(bucket("a"), SOON);
            Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> watch.fault(a).isPresent());
        }
    }

    /** Once, a bucket that refused a chunk was asked again only at its turn, up to a minute later. */
    @Test
    void aBucketThatIsDoubtedIsAskedAgain() throws Exception {
        StoreId a = new StoreId("a");
        stores = List.of(bucket("a"));
        try (BucketWatch watch = watch(() -> stores, Duration.ofHours(1))) {
            watch.start();
            assertThat(watch.awaitFirstLook(Duration.ofMinutes(1))).isTrue();
            wrong.put(a, new StoreFault(StoreFault.Kind.MISSING, "gone", 7));
            watch.doubt(a);
            Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> watch.fault(a).isPresent());
        }
    }
}
