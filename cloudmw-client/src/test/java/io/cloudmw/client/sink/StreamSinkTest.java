package io.cloudmw.client.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.Arrays;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Writes of ten bytes to a channel that takes three at a time, and fails after a set number. */
final class StreamSinkTest {
    private static final byte[] BYTES = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

    private final Taker taker = new Taker();
    private final StreamSink sink = new StreamSink(taker, new ByteRange(0, BYTES.length));

    @Test
    void channelThatTakesLittleAtATimeGetsEveryByte() throws Exception {
        sink.write(0, bytes(0, 10));
        sink.commit();
        assertThat(taker.took()).isEqualTo(BYTES);
    }

    @Test
    void repeatedLeafIsDropped() throws Exception {
        sink.write(0, bytes(0, 4));
        sink.write(0, bytes(0, 4));
        sink.write(2, bytes(2, 10));
        assertThat(taker.took()).isEqualTo(BYTES);
    }

    @Test
    void unwantedBytesAreNotWritten() throws Exception {
        StreamSink middle = new StreamSink(taker, new ByteRange(3, 4));
        middle.write(0, bytes(0, 5));
        middle.write(5, bytes(5, 10));
        assertThat(taker.took()).containsExactly(3, 4, 5, 6);
    }

    @Test
    void failedChannelGetsNothingMore() {
        taker.failAfter(6, new IOException("disk full"));
        failureOf(() -> sink.write(0, bytes(0, 10)));
        taker.recover();
        failureOf(() -> sink.write(0, bytes(0, 10)));
        assertThat(taker.took()).isEqualTo(Arrays.copyOf(BYTES, 6));
    }

    @Test
    void laterWritesAndCommitFailAsTheFirstFailedWrite() {
        taker.failAfter(6, new IOException("disk full"));
        CloudMwException first = failureOf(() -> sink.write(0, bytes(0, 10)));
        assertThat(first)
                .hasMessage("destination: cannot write to it: disk full")
                .hasRootCauseMessage("disk full");
        assertThat(first.code()).isEqualTo(ErrorCode.LOCAL_IO);
        taker.recover();
        assertSame(first, failureOf(() -> sink.write(0, bytes(0, 10))));
        assertSame(first, failureOf(() -> sink.write(6, bytes(6, 10))));
        assertSame(first, failureOf(sink::commit));
    }

    /** Even when nothing is left to write: a write that is reported as failed may have been complete. */
    @Test
    void channelThatFailsAfterTakingEverythingFailsTheCommit() {
        taker.failAfter(10, new IOException("late"));
        CloudMwException first = failureOf(() -> sink.write(0, bytes(0, 10)));
        assertSame(first, failureOf(() -> sink.write(0, bytes(0, 10))));
        assertThat(taker.took()).isEqualTo(BYTES);
    }

    @Test
    void destinationsOwnMessageIsKept() {
        CloudMwException own = new CloudMwException(ErrorCode.CONFLICT, "somebody else writes to it");
        taker.failAfter(3, own);
        assertThat(failureOf(() -> sink.write(0, bytes(0, 10)))).isSameAs(own);
        assertSame(own, failureOf(() -> sink.write(0, bytes(0, 10))));
    }

    @Test
    void channelMayThrowAnyThrowable() {
        taker.failAfter(3, new IllegalArgumentException("a defect"));
        CloudMwException first = failureOf(() -> sink.write(0, bytes(0, 10)));
        assertThat(first.code()).isEqualTo(ErrorCode.INTERNAL);
        assertThat(first).hasRootCauseMessage("a defect");
        assertSame(first, failureOf(() -> sink.write(0, bytes(0, 10))));
    }

    private static void assertSame(CloudMwException first, CloudMwException later) {
        assertThat(later).hasMessage(first.getMessage()).hasCause(first);
        assertThat(later.code()).isEqualTo(first.code());
        assertThat(later.verdict()).isEqualTo(first.verdict());
    }

    private static CloudMwException failureOf(ThrowingCallable call) {
        CloudMwException failure = catchThrowableOfType(CloudMwException.class, call);
        assertThat(failure).isNotNull();
        return failure;
    }

    private static ByteBuffer bytes(int from, int to) {
        return ByteBuffer.wrap(Arrays.copyOfRange(BYTES, from, to));
    }

    private static final class Taker implements WritableByteChannel {
        private static final int AT_ONCE = 3;
        private final ByteArrayOutputStream taken = new ByteArrayOutputStream();
        private int left = Integer.MAX_VALUE;
        private @Nullable Throwable failure;

        void failAfter(int bytes, Throwable with) {
            left = bytes;
            failure = with;
        }

        void recover() {
            left = Integer.MAX_VALUE;
            failure = null;
        }

        byte[] took() {
            return taken.toByteArray();
        }

        /** Fails in the call that takes the last byte allowed. */
        @Override
        public int write(ByteBuffer from) throws IOException {
            int count = Math.min(Math.min(AT_ONCE, left), from.remaining());
            left -= count;
            for (int taking = 0; taking < count; taking++) {
                taken.write(from.get());
            }
            if (left == 0) {
                throwFailure();
            }
            return count;
        }

        private void throwFailure() throws IOException {
            if (failure instanceof IOException io) {
                throw io;
            }
            if (failure instanceof RuntimeException defect) {
                throw defect;
            }
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }
}
