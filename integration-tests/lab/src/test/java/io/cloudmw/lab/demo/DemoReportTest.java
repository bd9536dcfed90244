package io.cloudmw.lab.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.cloudmw.client.progress.Attempt;
import io.cloudmw.client.progress.AttemptState;
import io.cloudmw.client.progress.Extras;
import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.client.progress.TransferCost;
import io.cloudmw.client.progress.Win;
import io.cloudmw.core.cost.Bill;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.testing.Versions;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

final class DemoReportTest {
    private static final int BYTES = 1 << 20;

    private static Attempt attempt(String racer, AttemptState state, long bytes) {
        return new Attempt(0, 0, racer, new StoreId("disk-" + racer), 0, state, bytes, Optional.empty());
    }

    private static GetReceipt receipt(long wastedBytes, Duration elapsed) {
        Bill free = new Bill(
                BigDecimal.ZERO, BigDecimal.ZERO, BigDecimal.ZERO, BigDecimal.ZERO, "USD", "AWS 2026", List.of());
        return new GetReceipt(
                Versions.of("v:/f", 1),
                BYTES,
                1,
                BYTES,
                0,
                0,
                wastedBytes,
                3,
                1,
                List.of(new Win(0, 0, "h1", new StoreId("disk-h1"), BYTES)),
                Map.of("h1", 1L),
                List.of(),
                List.of(
                        attempt("h1", AttemptState.FINISHED, BYTES),
                        attempt("h2", AttemptState.FINISHED, BYTES),
                        attempt("h3", AttemptState.CANCELLED, BYTES / 2)),
                List.of(),
                elapsed,
                Extras.NONE,
                new TransferCost(Map.of(), free),
                Optional.empty());
    }

    private static DemoReport report(Optional<DemoReport.Kill> kill) {
        GetReceipt last = receipt(BYTES / 4, Duration.ofMillis(1500));
        return new DemoReport(
                new DemoReport.LastRead(last, 3, "cooperative", "00", true, kill),
                List.of(
                        ReadTimes.of(
                                "single",
                                List.of(receipt(0, Duration.ofSeconds(4)), receipt(0, Duration.ofSeconds(8)))),
                        ReadTimes.of("rounds", List.of(receipt(BYTES, Duration.ofSeconds(3)))),
                        ReadTimes.of("cooperative", List.of(receipt(0, Duration.ofSeconds(1)), last))));
    }

    private static String printed(DemoReport report) {
        StringWriter text = new StringWriter();
        report.print(new PrintWriter(text));
        return text.toString();
    }

    @Test
    void attemptThatFinishedAfterTheWinnerIsAmongTheOthers() {
        assertThat(printed(report(Optional.empty())))
                .contains(
                        "h1                             3         h2 finished too late, with 1.0 MiB; h3 cancelled after 512.0 KiB");
    }

    @Test
    void tableHasMedianSlowestBytesAndBarOfEachKind() {
        assertThat(printed(report(Optional.empty())))
                .contains(
                        "single         4.00 s    8.00 s        1.00  " + "#".repeat(20) + "-".repeat(20) + "\n",
                        "rounds         3.00 s    3.00 s        2.00  " + "#".repeat(15) + "\n",
                        "cooperative    1.00 s    1.50 s        1.13  " + "#".repeat(5) + "-".repeat(3) + "\n",
                        "cooperative read the file 4.0 times as fast as one store alone, for 1.13 times its bytes.\n");
    }

    @Test
    void singleReadsAreNamedSingle() {
        GetReceipt receipt = receipt(0, Duration.ofSeconds(2));
        DemoReport report = new DemoReport(
                new DemoReport.LastRead(receipt, 3, "cooperative", "00", true, Optional.empty()),
                List.of(
                        ReadTimes.of("single", List.of(receipt(0, Duration.ofSeconds(4)))),
                        ReadTimes.of("cooperative", List.of(receipt))));
        assertThat(printed(report))
                .contains(
                        "2.0 times as fast as one store alone in a single read of each (--runs makes more), for 1.00");
    }

    @Test
    void killedHelperIsNamedInTheDetailsAndInTheResult() {
        assertThat(printed(report(Optional.of(new DemoReport.Kill("h3", BYTES)))))
                .contains(
                        "helper h3 was killed (SIGKILL) when 1.0 MiB had been delivered",
                        "times its bytes, although a helper was killed.");
    }

    @Test
    void jsonHasTheLastReadAndAllKinds() {
        Map<String, Object> json = report(Optional.empty()).json();
        assertThat(json)
                .contains(
                        entry("bytes", (long) BYTES),
                        entry("mode", "cooperative"),
                        entry("seconds", 1.5),
                        entry("single_store_seconds", 4.0),
                        entry("wasted_bytes", (long) BYTES / 4),
                        entry("killed_helper", null));
        assertThat(json.get("runs"))
                .asInstanceOf(InstanceOfAssertFactories.LIST)
                .containsExactly(
                        Map.of("mode", "single", "median_seconds", 4.0, "slowest_seconds", 8.0, "bytes_ratio", 1.0),
                        Map.of("mode", "rounds", "median_seconds", 3.0, "slowest_seconds", 3.0, "bytes_ratio", 2.0),
                        Map.of(
                                "mode",
                                "cooperative",
                                "median_seconds",
                                1.0,
                                "slowest_seconds",
                                1.5,
                                "bytes_ratio",
                                1.125));
    }
}
