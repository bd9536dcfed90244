package io.cloudmw.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.CloudMwOptions;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.PutOptions;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.trace.Traces;
import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.channels.Channels;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The spans of reads in a client, in helpers and in a switch that share an exporter. */
final class TracesTest {
    private static final FilePath FILE = FilePath.parse("data:/file");
    private static final FilePath SWITCHED = FilePath.parse("switched:/file");
    private static final InMemorySpanExporter EXPORTER = InMemorySpanExporter.create();
    private static final OpenTelemetrySdk SDK = sdk();

    @RegisterExtension
    final CloudMwCluster cluster = CloudMwCluster.builder()
            .helpers(2)
            .helperSetting("helper.switch.volumes", "switched")
            .build();

    private final byte[] content = new byte[6 << 20];
    private CloudMw client;

    private static OpenTelemetrySdk sdk() {
        GlobalOpenTelemetry.resetForTest();
        return OpenTelemetrySdk.builder()
                .setTracerProvider(SdkTracerProvider.builder()
                        .addSpanProcessor(SimpleSpanProcessor.create(EXPORTER))
                        .build())
                .buildAndRegisterGlobal();
    }

    @BeforeEach
    void putTheFiles(CloudMw untraced) {
        new Random(1).nextBytes(content);
        for (FilePath file : List.of(FILE, SWITCHED)) {
            VolumeName unused = cluster.volume(file.volume().value());
            untraced.files()
                    .put(new ByteArrayInputStream(content), file, PutOptions.defaults())
                    .join();
        }
        EXPORTER.reset();
        client = CloudMw.connect(CloudMwOptions.of(cluster.coordinatorAddress()).withOpenTelemetry(SDK));
    }

    @AfterEach
    void closeTheClient() {
        client.close();
    }

    @AfterAll
    static void closeTheSdk() {
        SDK.close();
        GlobalOpenTelemetry.resetForTest();
    }

    private void read(FilePath file, GetOptions options) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        client.files().read(file, Channels.newChannel(bytes), options).join();
        assertThat(bytes.toByteArray()).isEqualTo(content);
    }

    private static List<SpanData> spans(String name) {
        return EXPORTER.getFinishedSpanItems().stream()
                .filter(span -> span.getName().equals(name))
                .toList();
    }

    private static SpanData onlyRead() {
        Awaitility.await().until(() -> spans(Traces.READ).size() == 1);
        return spans(Traces.READ).get(0);
    }

    private static Map<String, SpanData> byId(String name) {
        return spans(name).stream().collect(Collectors.toMap(SpanData::getSpanId, Function.identity()));
    }

    @Test
    void readHasChunksWithAttemptsWithFetchesInHelpers() {
        read(FILE, GetOptions.defaults());

        SpanData read = onlyRead();
        assertThat(read.getParentSpanContext().isValid()).isFalse();
        assertThat(read.getAttributes().get(Traces.VOLUME)).isEqualTo("data");
        assertThat(read.getAttributes().get(Traces.PATH)).isEqualTo("/file");
        assertThat(read.getAttributes().get(Traces.BYTES)).isEqualTo(content.length);
        Map<String, SpanData> chunks = byId(Traces.CHUNK);
        assertThat(chunks.values())
                .isNotEmpty()
                .allSatisfy(chunk -> assertThat(chunk.getParentSpanId()).isEqualTo(read.getSpanId()));
        Map<String, SpanData> attempts = byId(Traces.ATTEMPT);
        assertThat(attempts.values()).allSatisfy(attempt -> {
            assertThat(chunks).containsKey(attempt.getParentSpanId());
            assertThat(attempt.getAttributes().get(Traces.MODE)).isEqualTo("cooperative");
            assertThat(attempt.getAttributes().get(Traces.RACER)).startsWith("helper-");
            assertThat(attempt.getAttributes().get(Traces.STORE)).isNotEmpty();
        });
        List<SpanData> winners = attempts.values().stream()
                .filter(attempt -> Boolean.TRUE.equals(attempt.getAttributes().get(Traces.WINNER)))
                .toList();
        assertThat(winners).isNotEmpty();
        assertThat(spans(Traces.FETCH)).isNotEmpty().allSatisfy(fetch -> {
            assertThat(attempts).containsKey(fetch.getParentSpanId());
            assertThat(fetch.getTraceId()).isEqualTo(read.getTraceId());
            assertThat(fetch.getAttributes().get(Traces.HELPER)).startsWith("helper-");
        });
        assertThat(spans(Traces.FETCH)).extracting(SpanData::getParentSpanId).containsAll(byIds(winners));
    }

    private static List<String> byIds(List<SpanData> spans) {
        return spans.stream().map(SpanData::getSpanId).toList();
    }

    /** Half of the chunks are read from the slow disk first: the hedge wins, and the first attempt is cancelled. */
    @Test
    void cancelledAttemptIsLinkedToTheHedgeThatWon() {
        cluster.store(1).slow(1 << 20, Duration.ofSeconds(3));
        read(FILE, GetOptions.defaults().withMode(Mode.HEDGED));

        SpanData span = onlyRead();
        List<SpanData> hedges = spans(Traces.ATTEMPT).stream()
                .filter(attempt -> Boolean.TRUE.equals(attempt.getAttributes().get(Traces.HEDGE)))
                .toList();
        assertThat(hedges).isNotEmpty();
        Map<String, SpanData> attempts = byId(Traces.ATTEMPT);
        List<SpanData> linked = attempts.values().stream()
                .filter(attempt -> !attempt.getLinks().isEmpty())
                .toList();
        assertThat(linked).isNotEmpty().allSatisfy(attempt -> {
            assertThat(attempt.getAttributes().get(Traces.WINNER)).isFalse();
            SpanData winner = Objects.requireNonNull(
                    attempts.get(attempt.getLinks().get(0).getSpanContext().getSpanId()));
            assertThat(winner.getAttributes().get(Traces.WINNER)).isTrue();
        });
        assertThat(span.getAttributes().get(Traces.WASTED))
                .isEqualTo(attempts.values().stream()
                        .mapToLong(attempt -> attempt.getAttributes().get(Traces.WASTED))
                        .sum());
    }

    @Test
    void switchFetchesBelowTheAttemptOfTheClient() {
        read(SWITCHED, GetOptions.defaults());

        SpanData read = onlyRead();
        Map<String, SpanData> attempts = byId(Traces.ATTEMPT);
        assertThat(spans(Traces.FETCH)).isNotEmpty().allSatisfy(fetch -> {
            assertThat(fetch.getTraceId()).isEqualTo(read.getTraceId());
            assertThat(attempts).containsKey(fetch.getParentSpanId());
        });
    }

    @Test
    void parentOfAReadIsTheCallersSpan() {
        Span application = SDK.getTracer("test").spanBuilder("application").startSpan();
        try (Scope scope = application.makeCurrent()) {
            assertThat(scope).isNotNull();
            read(FILE, GetOptions.defaults());
        }
        application.end();
        assertThat(onlyRead().getParentSpanId())
                .isEqualTo(application.getSpanContext().getSpanId());
    }

    @Test
    void failedReadHasItsError() {
        assertThat(client.files()
                        .read(
                                FilePath.parse("data:/none"),
                                Channels.newChannel(new ByteArrayOutputStream()),
                                GetOptions.defaults())
                        .handle((receipt, failure) -> failure)
                        .join())
                .isNotNull();
        SpanData read = onlyRead();
        assertThat(read.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(read.getAttributes().get(Traces.ERROR)).isEqualTo("NOT_FOUND");
    }

    @Test
    void readsOfAClientWithoutTelemetryMakeNoSpans(CloudMw untraced) {
        untraced.files()
                .read(FILE, Channels.newChannel(new ByteArrayOutputStream()), GetOptions.defaults())
                .join();
        assertThat(EXPORTER.getFinishedSpanItems()).isEmpty();
    }
}
