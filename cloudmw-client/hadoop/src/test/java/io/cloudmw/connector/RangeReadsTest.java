package io.cloudmw.connector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.model.ByteRange;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

final class RangeReadsTest {
    private final Deque<Call> calls = new ArrayDeque<>();
    private final List<ByteBuffer> released = new ArrayList<>();
    private int allocated;

    /** A read that has started. */
    private record Call(ByteBuffer target, long position, CompletableFuture<Integer> result) {
        /** Gives each byte the low bits of its position. */
        private void answer() {
            int count = target.remaining();
            for (long at = position; target.hasRemaining(); at++) {
                target.put((byte) at);
            }
            result.complete(count);
        }
    }

    private final BufferSource buffers = new BufferSource(
            length -> {
                allocated++;
                return ByteBuffer.allocate(length + 3);
            },
            released::add);

    private static List<RequestedRange> ranges(int number, int step, int length) {
        List<RequestedRange> ranges = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            ranges.add(new RequestedRange(new ByteRange((long) i * step, length), new CompletableFuture<>()));
        }
        return ranges;
    }

    private void start(List<RequestedRange> ranges, RangeLimits limits) {
        RangeReads.Reader reader = (target, position) -> {
            Call call = new Call(target, position, new CompletableFuture<>());
            calls.add(call);
            return call.result();
        };
        new RangeReads(reader, RangeGroup.combine(ranges, limits), buffers, limits.parallel()).start();
    }

    private static void assertContent(RequestedRange range) {
        ByteBuffer bytes = range.bytes().join();
        assertThat(bytes.remaining()).isEqualTo(range.length());
        for (long at = range.range().offset(); bytes.hasRemaining(); at++) {
            assertThat(bytes.get()).isEqualTo((byte) at);
        }
    }

    @Test
    void thousandsOfRangesHaveSoManyReadsAndBuffersAtOnceAsTheLimitSays() {
        List<RequestedRange> ranges = ranges(5000, 1000, 10);
        start(ranges, new RangeLimits(0, 1, 3));
        int done = 0;
        while (!calls.isEmpty()) {
            assertThat(calls.size()).isLessThanOrEqualTo(3);
            assertThat(allocated).isEqualTo(done + calls.size());
            calls.remove().answer();
            done++;
        }
        assertThat(done).isEqualTo(5000);
        ranges.forEach(RangeReadsTest::assertContent);
    }

    @Test
    void readsThatAreDoneAtOnceNeedNoDeepStack() {
        List<RequestedRange> ranges = ranges(100_000, 10, 1);
        RangeLimits limits = new RangeLimits(0, 1, 2);
        RangeReads.Reader reader = (target, position) -> {
            Call call = new Call(target, position, new CompletableFuture<>());
            call.answer();
            return call.result();
        };
        new RangeReads(reader, RangeGroup.combine(ranges, limits), buffers, limits.parallel()).start();
        assertThat(ranges).allMatch(each -> each.bytes().isDone());
    }

    @Test
    void combinedRangesGetBuffersOfTheirOwn() {
        List<RequestedRange> ranges = ranges(10, 20, 15);
        start(ranges, new RangeLimits(5, 1000, 8));
        assertThat(calls).hasSize(1);
        assertThat(allocated).isEqualTo(0);
        calls.remove().answer();
        assertThat(allocated).isEqualTo(10);
        ranges.forEach(RangeReadsTest::assertContent);
    }

    @Test
    void failedReadFailsItsRangesAloneAndGivesItsBufferBack() {
        List<RequestedRange> ranges = ranges(3, 100, 10);
        start(ranges, new RangeLimits(0, 1, 1));
        calls.remove().answer();
        calls.remove().result().completeExceptionally(new IOException("broken"));
        calls.remove().answer();
        assertContent(ranges.get(0));
        assertThatThrownBy(() -> ranges.get(1).bytes().get())
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(IOException.class);
        assertContent(ranges.get(2));
        assertThat(released).hasSize(1);
    }

    @Test
    void shorterFileFailsTheRange() {
        List<RequestedRange> ranges = ranges(1, 100, 10);
        start(ranges, new RangeLimits(0, 1, 1));
        calls.remove().result().complete(4);
        assertThatThrownBy(() -> ranges.get(0).bytes().get())
                .hasCauseInstanceOf(EOFException.class)
                .hasMessageContaining("[0, 10): the file gave 4 bytes");
    }

    @Test
    void allocationThatFailsFailsItsRangeAlone() {
        List<RequestedRange> ranges = ranges(2, 20, 15);
        RangeReads.Reader reader = (target, position) -> {
            Call call = new Call(target, position, new CompletableFuture<>());
            call.answer();
            return call.result();
        };
        BufferSource failing = new BufferSource(
                length -> {
                    if (allocated++ == 0) {
                        throw new IllegalStateException("no memory");
                    }
                    return ByteBuffer.allocate(length);
                },
                released::add);
        new RangeReads(reader, RangeGroup.combine(ranges, new RangeLimits(0, 1, 1)), failing, 1).start();
        assertThatThrownBy(() -> ranges.get(0).bytes().get()).hasCauseInstanceOf(IllegalStateException.class);
        assertContent(ranges.get(1));
    }
}
