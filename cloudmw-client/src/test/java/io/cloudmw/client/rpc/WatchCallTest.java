package io.cloudmw.client.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.CloudMwOptions;
import io.cloudmw.client.file.Watch;
import io.cloudmw.client.file.WatchListener;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.Change;
import io.cloudmw.core.rpc.RpcErrors;
import io.cloudmw.proto.v1.WatchEvent;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A watch, against a scripted coordinator. */
final class WatchCallTest {
    private static final VolumeName VOLUME = new VolumeName("vol");

    private final List<String> heard = new CopyOnWriteArrayList<>();
    private final WatchListener listener = new WatchListener() {
        @Override
        public void changed(Change change) {
            heard.add(change.position() + change.path());
        }

        @Override
        public void lost(long position) {
            heard.add("lost " + position);
        }
    };
    private FakeCoordinator coordinator;
    private CloudMw client;

    @BeforeEach
    void start() throws IOException {
        coordinator = new FakeCoordinator(1 << 20, 64 << 10);
        client = client(Duration.ofSeconds(30));
    }

    @AfterEach
    void stop() {
        client.close();
        coordinator.close();
    }

    private CloudMw client(Duration patience) {
        return CloudMw.connect(CloudMwOptions.of(coordinator.address()).withCoordinatorTimeout(patience));
    }

    private void happens(int from, int to) {
        for (int i = from; i < to; i++) {
            coordinator.feed().add(Change.put(new FilePath(VOLUME, "/f"), VersionId.random(), 1));
        }
    }

    private void awaitHeard(long from, long to) {
        List<String> expected =
                LongStream.range(from, to).mapToObj(i -> i + "/f").toList();
        await().untilAsserted(() -> assertThat(heard).isEqualTo(expected));
    }

    private static ErrorCode failure(Watch watch) {
        await().until(() -> watch.done().isDone());
        try {
            watch.done().join();
            throw new AssertionError("it has not failed");
        } catch (CompletionException e) {
            return RpcErrors.fromStatus(Objects.requireNonNull(e.getCause()), ErrorCode.INTERNAL, "coordinator")
                    .code();
        }
    }

    private Watch watch(OptionalLong after) {
        return client.files().watch(VOLUME, "/", after, listener);
    }

    @Test
    void changesAreReportedFromStartToClose() {
        happens(1, 3);
        Watch watch = watch(OptionalLong.empty());
        assertThat(watch.started().join()).isEqualTo(2);
        happens(3, 8);
        awaitHeard(3, 8);
        assertThat(watch.position()).hasValue(7);
        watch.close();
        watch.close();
        watch.done().join();
        await().until(() -> coordinator.feed().watching() == 0);
    }

    /** More watches than any shared pool has threads. */
    @Test
    void blockedListenersDelayNoOtherUpToTheLimit() throws Exception {
        CountDownLatch free = new CountDownLatch(1);
        CountDownLatch blocked = new CountDownLatch(Watch.MAX_OPEN - 1);
        WatchListener blocking = new WatchListener() {
            @Override
            public void changed(Change change) {
                blocked.countDown();
                try {
                    free.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }

            @Override
            public void lost(long position) {}
        };
        List<Watch> watches = new ArrayList<>();
        for (int i = 1; i < Watch.MAX_OPEN; i++) {
            watches.add(client.files().watch(VOLUME, "/", OptionalLong.of(0), blocking));
        }
        happens(1, 2);
        blocked.await();
        Watch last = watch(OptionalLong.of(0));
        happens(2, 5);
        awaitHeard(1, 5);
        watches.get(0).close();
        assertThat(failure(watch(OptionalLong.of(0))))
                .as("a listener is still busy")
                .isEqualTo(ErrorCode.OVERLOADED);
        free.countDown();
        await().until(() -> !watch(OptionalLong.of(0)).started().isCompletedExceptionally());
        last.close();
    }

    @Test
    void brokenWatchContinuesAfterTheLastChange() {
        Watch watch = watch(OptionalLong.of(0));
        for (int round = 0; round < 5; round++) {
            happens(1 + 3 * round, 4 + 3 * round);
            await().until(() -> coordinator.feed().watching() == 1);
            coordinator
                    .feed()
                    .breakOff(new CloudMwException(
                            round % 2 == 0 ? ErrorCode.COORDINATOR_UNAVAILABLE : ErrorCode.OVERLOADED, "on purpose"));
        }
        awaitHeard(1, 16);
        watch.close();
    }

    @Test
    void watchWaitsForRestartedCoordinator() throws Exception {
        Watch watch = watch(OptionalLong.empty());
        assertThat(watch.started().join()).isZero();
        happens(1, 4);
        awaitHeard(1, 4);
        coordinator.stop();
        happens(4, 7);
        coordinator.start();
        happens(7, 9);
        awaitHeard(1, 9);
        watch.close();
    }

    @Test
    void lossIsReportedAndTheWatchContinues() {
        Watch watch = watch(OptionalLong.empty());
        assertThat(watch.started().join()).isZero();
        happens(1, 4);
        coordinator
                .feed()
                .send(WatchEvent.newBuilder().setPosition(2).setLost(true).build());
        coordinator.feed().send(WatchEvent.newBuilder().setPosition(3).build());
        happens(4, 5);
        await().untilAsserted(() -> assertThat(heard).containsExactly("1/f", "2/f", "3/f", "lost 2", "4/f"));
        watch.close();
    }

    @Test
    void repeatedChangeIsProtocolViolation() {
        Watch watch = watch(OptionalLong.empty());
        assertThat(watch.started().join()).isZero();
        happens(1, 4);
        awaitHeard(1, 4);
        coordinator.feed().send(WatchEvent.newBuilder().setPosition(2).build());
        assertThat(failure(watch)).isEqualTo(ErrorCode.PROTOCOL_VIOLATION);
    }

    @Test
    void permanentFailureFailsTheWatch() {
        Watch watch = watch(OptionalLong.empty());
        assertThat(watch.started().join()).isZero();
        coordinator.feed().breakOff(new CloudMwException(ErrorCode.VOLUME_NOT_FOUND, "on purpose"));
        assertThat(failure(watch)).isEqualTo(ErrorCode.VOLUME_NOT_FOUND);
    }

    @Test
    void watchEndsWithItsVolume() {
        Watch watch = watch(OptionalLong.of(0));
        coordinator.feed().add(Change.volumeDeleted(1));
        watch.done().join();
        assertThat(heard).containsExactly("1/");
    }

    @Test
    void throwingListenerFailsTheWatch() {
        Watch watch = client.files().watch(VOLUME, "/", OptionalLong.of(0), new WatchListener() {
            @Override
            public void changed(Change change) {
                throw new AssertionError("on purpose");
            }

            @Override
            public void lost(long position) {}
        });
        happens(1, 2);
        assertThat(failure(watch)).isEqualTo(ErrorCode.INTERNAL);
        await().until(() -> coordinator.feed().watching() == 0);
    }

    @Test
    void blockedListenerDelaysNeitherOthersNorTheEnd() {
        CountDownLatch blocked = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        Watch slow = client.files().watch(VOLUME, "/", OptionalLong.of(0), new WatchListener() {
            @Override
            public void changed(Change change) {
                blocked.countDown();
                try {
                    released.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }

            @Override
            public void lost(long position) {}
        });
        Watch other = watch(OptionalLong.of(0));
        happens(1, 4);
        awaitHeard(1, 4);
        await().until(() -> blocked.getCount() == 0);
        slow.close();
        slow.done().join();
        released.countDown();
        other.close();
    }

    @Test
    void lostCoordinatorFailsTheWatchWithinTheTimeout() throws Exception {
        try (CloudMw impatient = client(Duration.ofSeconds(3))) {
            Watch watch = impatient.files().watch(VOLUME, "/", OptionalLong.empty(), listener);
            assertThat(watch.started().join()).isZero();
            coordinator.stop();
            assertThat(failure(watch)).isEqualTo(ErrorCode.COORDINATOR_UNAVAILABLE);
        }
    }

    @Test
    void closedClientFailsItsWatches() {
        Watch watch = watch(OptionalLong.empty());
        assertThat(watch.started().join()).isZero();
        client.close();
        assertThat(failure(watch)).isEqualTo(ErrorCode.CANCELLED);
        Watch late = watch(OptionalLong.empty());
        assertThat(failure(late)).isEqualTo(ErrorCode.CANCELLED);
    }
}
