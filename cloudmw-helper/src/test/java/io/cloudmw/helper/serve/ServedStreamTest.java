package io.cloudmw.helper.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.helper.testing.FakeBulkStream;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ServedStreamTest {
    private final FakeBulkStream stream = new FakeBulkStream();
    private final List<String> did = new ArrayList<>();
    private final ServedStream served = new ServedStream("chunk=x", stream, Runnable::run, () -> did.add("finished")) {
        @Override
        void free() {
            did.add("free");
            throw new IllegalStateException("on purpose");
        }

        @Override
        public void data(ByteBuf payload, int crc32c) {}

        @Override
        public void ended(byte[] trailer) {}

        @Override
        public void granted() {}
    };

    @Test
    void throwingStepResetsTheStreamAndFreesItOnce() {
        served.post(
                () -> {
                    throw new IllegalStateException("on purpose");
                },
                () -> did.add("afterwards"));
        served.post(() -> did.add("a step too late"), () -> did.add("its end"));
        served.failed(new CloudMwException(ErrorCode.CANCELLED, "too late"));
        assertThat(stream.resets).containsExactly(ErrorCode.INTERNAL);
        assertThat(did).containsExactly("afterwards", "free", "finished", "its end");
    }

    @Test
    void outOfMemoryInAStepFailsAsOverloaded() {
        served.post(() -> {
            throw new OutOfMemoryError("on purpose");
        });
        assertThat(stream.resets).containsExactly(ErrorCode.OVERLOADED);
        assertThat(did).containsExactly("free", "finished");
    }

    @Test
    void cloudMwFailureKeepsItsCode() {
        served.post(() -> {
            throw new CloudMwException(ErrorCode.STORE_FULL, "full");
        });
        assertThat(stream.resets).containsExactly(ErrorCode.STORE_FULL);
        assertThat(did).containsExactly("free", "finished");
    }

    @Test
    void handedOverResourcesAreNotFreed() {
        served.post(served::handOver);
        served.failed(new CloudMwException(ErrorCode.CANCELLED, "gone"));
        assertThat(did).isEmpty();
        served.finished();
        assertThat(did).containsExactly("finished");
    }
}
