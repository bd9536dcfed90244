package io.cloudmw.core.bulk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.ErrorCode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random lengths, frame sizes and grants on many streams at once, with resets from either side by any thread. A stream
 * receives a prefix of the sent bytes, in order, and all of them when neither side reset it.
 */
class InterleavingPropertyTest {
    private static final int STREAMS = 60;
    private static final byte[] NOTHING = {};

    /** A listener that grants at random and may reset its stream. */
    private static final class Capricious extends RecordingListener {
        private final int resetAfter;

        @GuardedBy("this")
        private final SplittableRandom random;

        @GuardedBy("this")
        private final ByteArrayOutputStream arrived = new ByteArrayOutputStream();

        @GuardedBy("this")
        private @Nullable BulkStream stream;

        @GuardedBy("this")
        private int outstanding;

        private volatile boolean gaveUp;

        Capricious(SplittableRandom random, int length) {
            this.random = random;
            this.resetAfter = random.nextInt(4) == 0 ? random.nextInt(length + 1) : Integer.MAX_VALUE;
        }

        synchronized void start(BulkStream opened) {
            stream = opened;
            grantMore(opened);
        }

        @GuardedBy("this")
        private void grantMore(BulkStream to) {
            while (outstanding < 1 << 17) {
                int bytes = 1 + random.nextInt(100_000);
                outstanding += bytes;
                to.grant(bytes);
            }
        }

        @Override
        public synchronized void data(ByteBuf payload, int crc32c) {
            byte[] bytes = new byte[payload.readableBytes()];
            payload.readBytes(bytes).release();
            arrived.writeBytes(bytes);
            outstanding -= bytes.length;
            BulkStream from = stream;
            if (from == null || gaveUp) {
                throw new IllegalStateException("data after the reset");
            }
            if (arrived.size() >= resetAfter) {
                giveUp(from);
            } else {
                grantMore(from);
            }
        }

        synchronized void giveUp(BulkStream from) {
            gaveUp = true;
            from.reset(ErrorCode.CANCELLED, "enough");
            from.grant(1);
        }

        synchronized byte[] arrived() {
            return arrived.toByteArray();
        }
    }

    private static byte[] content(int number) {
        return Payloads.random(number, 1 + new SplittableRandom(number).nextInt(600_000));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void everyByteArrivesInOrderAndOnce(long seed) throws Exception {
        SplittableRandom random = new SplittableRandom(seed);
        Map<Integer, BulkStream> serving = new ConcurrentHashMap<>();
        BulkHandler serves = (stream, request) -> {
            serving.put((int) request[0], stream);
            int frameBytes = 1 << (9 + new SplittableRandom(request[0] + seed).nextInt(8));
            return new Sending(UnpooledByteBufAllocator.DEFAULT, content(request[0]), frameBytes).over(stream);
        };
        BulkOptions options = BulkOptions.defaults().withMaxFrameBytes(1 << 16).withOutbound(50_000, 1 << 16, 1 << 20);
        try (Loopback net = new Loopback(options, serves)) {
            BulkConnection connection = net.connect();
            List<Capricious> receivers = new ArrayList<>();
            for (int number = 0; number < STREAMS; number++) {
                Capricious receiver = new Capricious(random.split(), content(number).length);
                receivers.add(receiver);
                BulkStream stream = connection.open(new byte[] {(byte) number}, receiver);
                receiver.start(stream);
                if (random.nextBoolean()) {
                    stream.end(NOTHING);
                }
                if (random.nextInt(8) == 0) {
                    receiver.giveUp(stream);
                }
                BulkStream victim = serving.get(random.nextInt(number + 1));
                if (victim != null && random.nextInt(8) == 0) {
                    victim.reset(ErrorCode.STORE_UNAVAILABLE, "gone");
                }
            }
            for (int number = 0; number < STREAMS; number++) {
                verify(receivers.get(number), content(number), "stream " + number + ", seed " + seed);
            }
            assertThat(net.violations()).isZero();
            assertThat(connection.isClosed()).isFalse();
        }
    }

    private static void verify(Capricious receiver, byte[] sent, String name) {
        await().atMost(30, TimeUnit.SECONDS)
                .pollDelay(0, TimeUnit.MILLISECONDS)
                .pollInterval(5, TimeUnit.MILLISECONDS)
                .until(() -> receiver.gaveUp || receiver.ended.isDone() || receiver.failed.isDone());
        byte[] arrived = receiver.arrived();
        assertThat(arrived).as(name).isEqualTo(Arrays.copyOf(sent, arrived.length));
        if (receiver.ended.isDone()) {
            assertThat(arrived).as(name).hasSameSizeAs(sent);
        }
        if (receiver.failed.isDone()) {
            assertThat(receiver.failed.join().code()).as(name).isEqualTo(ErrorCode.STORE_UNAVAILABLE);
        }
    }
}
