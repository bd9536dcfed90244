package io.cloudmw.client.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.client.progress.Attempt;
import io.cloudmw.client.progress.AttemptState;
import io.cloudmw.client.progress.Win;
import io.cloudmw.core.model.StoreId;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class DemoReportTest {
    private static Attempt attempt(String racer, AttemptState state, long bytes) {
        return new Attempt(0, 0, racer, new StoreId("disk-" + racer), 0, state, bytes, Optional.empty());
    }

    @Test
    void whoFinishedAfterTheWinnerIsAmongTheOthers() {
        DemoReport report = new DemoReport(
                1 << 20,
                1,
                3,
                "rounds",
                true,
                "00",
                1,
                2,
                1 << 20,
                3 << 19,
                3,
                1,
                Map.of("h1", 1L),
                Optional.empty(),
                List.of(new Win(0, 0, "h1", new StoreId("disk-h1"), 1 << 20)),
                List.of(
                        attempt("h1", AttemptState.FINISHED, 1 << 20),
                        attempt("h2", AttemptState.FINISHED, 1 << 20),
                        attempt("h3", AttemptState.CANCELLED, 1 << 19)));
        StringWriter text = new StringWriter();
        report.print(new PrintWriter(text));

        assertThat(text.toString())
                .contains(
                        "h1 (disk-h1)           3         h2 finished too late, with 1.0 MiB; h3 cancelled after 512.0 KiB");
    }
}
