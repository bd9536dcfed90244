package io.cloudmw.core.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.Priority;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A client that reads a little now and then, beside one that keeps 64 streams busy, in virtual time. It uses lanes to
 * stores that respond like S3, and a device that does one thing after the other.
 */
class GreedyNeighbourSimulationTest {
    private static final long MILLIS = 1_000_000L;
    private static final long KIB = 1024;
    private static final long MIB = 1L << 20;
    private static final int STREAMS = 64;
    private static final int SMALL_READS = 1000;

    static LongStream seeds() {
        return LongStream.range(0, 10);
    }

    /** The order of waiting work. */
    private interface Queue {
        void add(Tenant tenant, Piece piece, long nowNanos);

        @Nullable
        Piece next(long nowNanos);
    }

    private record Piece(boolean small, long bytes, long submittedNanos) {}

    private record Event(long atNanos, Runnable run) {}

    private static final class Fair implements Queue {
        private final FairScheduler<Piece> scheduler = new FairScheduler<>(ScheduleLimits.uncapped(10_000, 10_000));

        @Override
        public void add(Tenant tenant, Piece piece, long nowNanos) {
            try {
                scheduler.submit(tenant, piece, piece.bytes(), OptionalLong.empty(), nowNanos);
            } catch (CloudMwException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public @Nullable Piece next(long nowNanos) {
            Optional<ScheduledWork<Piece>> turn = scheduler.next(nowNanos);
            return turn.isEmpty() ? null : turn.get().work();
        }
    }

    private static final class FirstComeFirstServed implements Queue {
        private final Deque<Piece> pieces = new ArrayDeque<>();

        @Override
        public void add(Tenant tenant, Piece piece, long nowNanos) {
            pieces.add(piece);
        }

        @Override
        public @Nullable Piece next(long nowNanos) {
            return pieces.poll();
        }
    }

    /** Both clients on one helper. */
    private static final class Helper {
        private final Queue queue;
        private final int lanes;
        private final SplittableRandom random;
        private final Tenant small;
        private final PriorityQueue<Event> events = new PriorityQueue<>(Comparator.comparingLong(Event::atNanos));
        private final List<Long> latencies = new ArrayList<>();
        private long now;
        private int busy;

        Helper(Queue queue, int lanes, Priority small, long seed) {
            this.queue = queue;
            this.lanes = lanes;
            this.random = new SplittableRandom(seed);
            this.small = new Tenant("small", "v", small);
        }

        /** The time of the 99th of 100 small reads. */
        long p99(boolean neighbour, long greedyBytes, long smallBytes) {
            if (neighbour) {
                for (int i = 0; i < STREAMS * 8; i++) { // a window of blocks for each stream
                    submit(new Tenant("greedy", "v", Priority.BATCH), new Piece(false, greedyBytes, 0));
                }
            }
            think(smallBytes);
            while (latencies.size() < SMALL_READS) {
                Event next = events.remove();
                now = next.atNanos();
                next.run().run();
            }
            Collections.sort(latencies);
            return latencies.get(SMALL_READS * 99 / 100);
        }

        private void think(long bytes) {
            long pause = (long) (-Math.log(1 - random.nextDouble()) * 50 * MILLIS);
            events.add(new Event(now + pause, () -> submit(small, new Piece(true, bytes, now))));
        }

        private void submit(Tenant tenant, Piece piece) {
            queue.add(tenant, piece, now);
            serve();
        }

        private void serve() {
            while (busy < lanes) {
                Piece piece = queue.next(now);
                if (piece == null) {
                    return;
                }
                busy++;
                events.add(new Event(now + serviceNanos(piece), () -> done(piece)));
            }
        }

        /**
         * A single lane is a device of 500 MB/s. Several lanes are a store: a first byte after about 30 ms, sometimes
         * 200 ms, then 90 MB/s.
         */
        private long serviceNanos(Piece piece) {
            if (lanes == 1) {
                return piece.bytes() * 2;
            }
            double gauss = 0;
            for (int i = 0; i < 12; i++) {
                gauss += random.nextDouble();
            }
            return (long) (30 * MILLIS * Math.exp(0.815 * (gauss - 6))) + piece.bytes() * 1000 / 90;
        }

        private void done(Piece piece) {
            busy--;
            if (piece.small()) {
                latencies.add(now - piece.submittedNanos());
                think(piece.bytes());
                serve();
            } else {
                submit(new Tenant("greedy", "v", Priority.BATCH), piece);
            }
        }
    }

    private static double slowdown(java.util.function.Supplier<Queue> queue, int lanes, Priority small, long seed) {
        long greedyBytes = lanes == 1 ? MIB : 8 * MIB;
        long smallBytes = lanes == 1 ? MIB : 256 * KIB;
        long alone = new Helper(queue.get(), lanes, small, seed).p99(false, greedyBytes, smallBytes);
        long beside = new Helper(queue.get(), lanes, small, seed).p99(true, greedyBytes, smallBytes);
        return (double) beside / alone;
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void theSmallReadersP99AtMostDoublesInTheSameClass(long seed) {
        assertThat(slowdown(Fair::new, 64, Priority.BATCH, seed)).isLessThanOrEqualTo(2);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void theSmallReadersP99AtMostDoublesWhenItIsMoreUrgent(long seed) {
        assertThat(slowdown(Fair::new, 64, Priority.INTERACTIVE, seed)).isLessThanOrEqualTo(2);
    }

    /** Running work is not interrupted: it may take as long as the small read itself. */
    @ParameterizedTest
    @MethodSource("seeds")
    void theSmallReadersP99AtMostDoublesOnASerialDevice(long seed) {
        assertThat(slowdown(Fair::new, 1, Priority.INTERACTIVE, seed)).isLessThanOrEqualTo(2);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void theSmallReadersP99IsFarLongerInASingleQueue(long seed) {
        assertThat(slowdown(FirstComeFirstServed::new, 64, Priority.BATCH, seed))
                .isGreaterThan(4);
        assertThat(slowdown(FirstComeFirstServed::new, 1, Priority.BATCH, seed)).isGreaterThan(100);
    }
}
