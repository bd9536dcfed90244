package io.cloudmw.lab.race;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.emulation.StoreLaw;
import io.cloudmw.core.model.Mode;
import io.cloudmw.lab.s3.Traffic;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;

final class RaceReportTest {
    private static LabSettings settings(OptionalInt slowFrom, OptionalLong destination) {
        return new LabSettings(
                "s3-tail",
                Optional.of(StoreLaw.parse("s3-tail")),
                slowFrom,
                destination,
                2,
                7,
                List.of(Mode.ROUNDS),
                false,
                4,
                0,
                List.of(100L, 300L),
                Layout.made(2, 3, 3));
    }

    private static Sample sample(double seconds, long requests, long bytes) {
        return new Sample(seconds, 100, new Traffic(requests, bytes), 0.25);
    }

    private static RaceReport report() {
        RaceReport report = new RaceReport(settings(OptionalInt.of(2), OptionalLong.of(50)));
        for (int run = 0; run < 4; run++) {
            report.add("single", run, sample(run + 1, 1, 100));
            report.add("rounds", run, sample(2, run < 2 ? 2 : 4, 250));
        }
        report.addUnshaped("single", sample(0.5, 1, 100));
        report.addUnshaped("single", sample(0.4, 1, 100));
        return report;
    }

    @Test
    void ratiosAreOfWhatCrossed() {
        Map<String, Object> json = report().json();

        assertThat(String.valueOf(json.get("modes")))
                .contains("mode=single, runs=4, p50_seconds=2.0, p99_seconds=4.0, p999_seconds=4.0")
                .contains("bytes_ratio=1.0, requests_ratio=1.0")
                .contains("mode=rounds, runs=4, p50_seconds=2.0")
                .contains("bytes_ratio=2.5, requests_ratio=3.0");
        assertThat(json).containsEntry("seed", 7L).containsEntry("slow_from", 2);
        assertThat(String.valueOf(json.get("slow_modes"))).contains("runs=2").contains("requests_ratio=4.0");
        assertThat(json.get("unshaped_seconds")).isEqualTo(Map.of("single", 0.4));
    }

    @Test
    void theFloorIsTheDestinationsOrTheFastestUnshapedRead() {
        assertThat(report().floorSeconds()).isEqualTo(200 / 50.0);
        RaceReport uncapped = new RaceReport(settings(OptionalInt.empty(), OptionalLong.empty()));
        uncapped.addUnshaped("rounds", sample(0.7, 1, 100));
        uncapped.addUnshaped("single", sample(0.3, 1, 100));
        assertThat(uncapped.floorSeconds()).isEqualTo(0.3);
    }

    @Test
    void requestsWithoutModeSingleAreComparedWithOnePerChunk() {
        RaceReport report = new RaceReport(settings(OptionalInt.empty(), OptionalLong.of(50)));
        report.add("rounds", 0, sample(2, 3, 300));

        assertThat(String.valueOf(report.json().get("modes"))).contains("requests_ratio=1.5");
        assertThat(report.json()).doesNotContainKey("slow_modes");
    }

    @Test
    void peopleGetATable() {
        StringWriter text = new StringWriter();
        report().print(new PrintWriter(text));

        assertThat(text.toString())
                .contains("rounds")
                .contains("2.500x")
                .contains("3.000x")
                .contains("from run 2 on")
                .contains("floor 4.000 s; seed 7");
    }

    @Test
    void reportSaysWhenProcessorsWereTheLimit() {
        RaceReport report = report();
        StringWriter calm = new StringWriter();
        report.print(new PrintWriter(calm));
        assertThat(calm.toString()).doesNotContain("processors");

        report.add("kn", 0, new Sample(1, 100, new Traffic(1, 100), 0.97));
        StringWriter busy = new StringWriter();
        report.print(new PrintWriter(busy));
        assertThat(busy.toString()).contains("processors were busy during kn: ");
    }

    @Test
    void thePlotIsAnSvgWithACurveForEach() throws Exception {
        Document svg = javax.xml.parsers.DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new org.xml.sax.InputSource(new java.io.StringReader(report().plot())));

        assertThat(svg.getDocumentElement().getTagName()).isEqualTo("svg");
        assertThat(report().plot()).contains(">single<", ">rounds<", "100%");
    }

    @Test
    void aRunHasTheSameDrawsEveryTimeAndEachStoreItsOwn() {
        LabSettings settings = settings(OptionalInt.of(2), OptionalLong.empty());
        long first = settings.law(0, 0).orElseThrow().answer(3, 0).firstByteNanos();

        assertThat(settings.law(0, 0).orElseThrow().answer(3, 0).firstByteNanos())
                .isEqualTo(first);
        assertThat(settings.law(0, 1).orElseThrow().answer(3, 0).firstByteNanos())
                .isNotEqualTo(first);
        assertThat(settings.law(1, 0).orElseThrow().answer(3, 0).firstByteNanos())
                .isNotEqualTo(first);
        // The clock runs twice as fast, and the store is ten times as slow.
        assertThat(settings.law(1, 0).orElseThrow().bytesPerSecondAt(0)).isEqualTo(180_000_000);
        assertThat(settings.law(2, 0).orElseThrow().bytesPerSecondAt(0)).isEqualTo(18_000_000);
    }

    @Test
    void destinationTakesBytesAtItsSpeed() throws Exception {
        io.cloudmw.core.testing.FakeTicker time = new io.cloudmw.core.testing.FakeTicker();
        PacedTarget target = new PacedTarget(StoreLaw.parse("1MB/s"), time, time);
        for (int i = 0; i < 30; i++) {
            java.nio.ByteBuffer bytes = java.nio.ByteBuffer.allocate(100_000);
            target.write(i * 100_000L, bytes);
            assertThat(bytes.hasRemaining()).isFalse();
        }
        assertThat(Duration.ofNanos(time.nanos())).isBetween(Duration.ofMillis(2980), Duration.ofMillis(3001));
    }
}
