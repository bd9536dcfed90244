package io.cloudmw.client.read.direct;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.race.AttemptId;
import io.cloudmw.core.race.Block;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class OrderedReportsTest {
    private final List<String> heard = new ArrayList<>();
    private final OrderedReports reports = new OrderedReports(new Unused(), new Listener());

    @Test
    void progressAfterTheEndIsNotReported() {
        reports.began();
        reports.progressed();
        reports.finished();
        reports.progressed();
        assertThat(heard).containsExactly("began", "progressed", "finished");
    }

    @Test
    void theFirstEndCounts() {
        reports.failed(new CloudMwException(ErrorCode.CANCELLED, "cancelled"));
        reports.began();
        reports.finished();
        reports.failed(new CloudMwException(ErrorCode.STORE_UNAVAILABLE, "late"));
        assertThat(heard).containsExactly("failed CANCELLED");
    }

    private final class Listener implements LocalAttempt.Listener {
        @Override
        public void began(LocalAttempt attempt) {
            heard.add("began");
        }

        @Override
        public void progressed(LocalAttempt attempt) {
            heard.add("progressed");
        }

        @Override
        public void finished(LocalAttempt attempt) {
            heard.add("finished");
        }

        @Override
        public void failed(LocalAttempt attempt, CloudMwException cause) {
            heard.add("failed " + cause.code());
        }
    }

    private static final class Unused implements LocalAttempt {
        @Override
        public AttemptId id() {
            throw new AssertionError("not asked for");
        }

        @Override
        public Block block() {
            throw new AssertionError("not asked for");
        }

        @Override
        public Chunk chunk() {
            throw new AssertionError("not asked for");
        }

        @Override
        public StoreId store() {
            throw new AssertionError("not asked for");
        }

        @Override
        public long bytes() {
            return 0;
        }

        @Override
        public void run() {}

        @Override
        public void cancel() {}

        @Override
        public void close() {}
    }
}
