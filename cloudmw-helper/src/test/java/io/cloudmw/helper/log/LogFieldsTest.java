package io.cloudmw.helper.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.status.Status;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.cloudmw.coordinator.rpc.audit.Caller;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.chunk.ReplicaState;
import java.io.ByteArrayOutputStream;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LogFieldsTest {
    private static final ChunkId CHUNK = new ChunkId(new VersionId("0".repeat(32)), 7);
    private static final String FORGED = "x\r\n2026-01-01T00:00:00.000Z INFO  AuditLog\u0085\u2028\u001b[31m\"}";

    /** Returns what the configuration of the servers prints in this format. */
    private static List<String> printed(String format, Consumer<Logger> logging) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        LoggerContext context = new LoggerContext();
        context.putProperty(LogFormat.VARIABLE, format);
        JoranConfigurator configurator = new JoranConfigurator();
        configurator.setContext(context);
        context.setMDCAdapter(new LogbackMDCAdapter());
        context.start();
        configurator.doConfigure(Path.of("src/main/resources/logback.xml").toFile());
        // Logback prints these on standard output, which belongs to the "ready" line.
        assertThat(context.getStatusManager().getCopyOfStatusList())
                .noneMatch(status -> status.getLevel() >= Status.WARN);
        Logger log = context.getLogger("io.cloudmw.Test");
        ((OutputStreamAppender<ILoggingEvent>)
                        context.getLogger(Logger.ROOT_LOGGER_NAME).getAppender(format))
                .setOutputStream(bytes);
        logging.accept(log);
        context.stop();
        return bytes.toString(StandardCharsets.UTF_8).lines().toList();
    }

    private static JsonNode json(String line) {
        try {
            return new ObjectMapper().readTree(line);
        } catch (java.io.IOException e) {
            throw new AssertionError(line, e);
        }
    }

    @Test
    void fieldsAreTheIdsAmongTheValues() {
        assertThat(LogFields.of(new Object[] {
                    "text",
                    new HelperId("h1"),
                    new ReplicaReport(CHUNK, new StoreId("d1"), ReplicaState.CORRUPT),
                    FilePath.parse("v:/a b"),
                    new CloudMwException(ErrorCode.NOT_FOUND, "no"),
                    new Caller(Optional.empty(), Optional.empty(), "tester"),
                    3,
                    null
                }))
                .isEqualTo(Map.of(
                        LogFields.HELPER, "h1",
                        LogFields.CHUNK, CHUNK.toString(),
                        LogFields.STORE, "d1",
                        LogFields.VOLUME, "v",
                        LogFields.PATH, "/a b",
                        LogFields.CODE, "NOT_FOUND",
                        LogFields.SUBJECT, new Caller(Optional.empty(), Optional.empty(), "tester").toString()));
        assertThat(LogFields.of(null)).isEmpty();
        assertThat(LogFields.of(new Object[] {new StoreId("first"), new StoreId("second")}))
                .isEqualTo(Map.of(LogFields.STORE, "first"));
    }

    @Test
    void jsonLineHasMessageAndFields() throws Exception {
        List<String> lines =
                printed("json", log -> log.warn("store={} of {} failed", new StoreId("d1"), new VolumeName("v")));
        JsonNode line = json(String.join("", lines));
        assertThat(lines).hasSize(1);
        assertThat(line.path("time").asText()).matches("\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z");
        assertThat(line.path("level").asText()).isEqualTo("WARN");
        assertThat(line.path("logger").asText()).isEqualTo("io.cloudmw.Test");
        assertThat(line.path("message").asText()).isEqualTo("store=d1 of v failed");
        assertThat(line.path("store").asText()).isEqualTo("d1");
        assertThat(line.path("volume").asText()).isEqualTo("v");
    }

    @ParameterizedTest
    @ValueSource(strings = {"text", "json"})
    void textsOfOthersBeginNoLine(String format) throws Exception {
        List<String> lines = printed(format, log -> log.warn("failed: {}", FORGED));
        assertThat(lines).hasSize(1);
        assertThat(lines.get(0)).doesNotContain("\u001b").contains("failed: x");
        if (format.equals("json")) {
            assertThat(json(lines.get(0)).path("message").asText()).isEqualTo("failed: " + FORGED);
        }
    }

    @Test
    void linesOfAStackTraceAreIndentedInTextAndAFieldInJson() throws Exception {
        RuntimeException defect = new IllegalStateException("first\u001b[31m\n2026-01-01T00:00:00.000Z INFO  forged");
        List<String> text = printed("text", log -> log.error("failed by a defect", defect));
        assertThat(String.join("", text)).doesNotContain("\u001b");
        assertThat(text.subList(1, text.size())).hasSizeGreaterThan(2).allMatch(line -> line.startsWith("  "));

        List<String> lines = printed("json", log -> log.error("failed by a defect", defect));
        assertThat(lines).hasSize(1);
        assertThat(json(lines.get(0)).path("stack").asText()).contains("IllegalStateException", "\n\tat ");
    }

    @Test
    void unknownFormatIsRefused() throws Exception {
        LogFormat.require(Map.of());
        LogFormat.require(Map.of(LogFormat.VARIABLE, "json"));
        assertThatThrownBy(() -> LogFormat.require(Map.of(LogFormat.VARIABLE, "xml\n")))
                .isInstanceOf(CloudMwException.class)
                .hasMessage("CLOUDMW_LOG_FORMAT: \"xml?\" (expected: one of [json, text])");
    }

    @Test
    void theDocumentListsEveryFieldAndNoOther() throws Exception {
        Set<String> names = new TreeSet<>();
        for (Field field : LogFields.class.getDeclaredFields()) {
            if (java.lang.reflect.Modifier.isPublic(field.getModifiers())) {
                names.add((String) field.get(null));
            }
        }
        String page = Files.readString(Path.of("../docs/configuration.md"));
        int from = page.indexOf("| field |");
        Matcher rows =
                Pattern.compile("(?m)^\\| `([a-z]+)` \\|").matcher(page.substring(from, page.indexOf("\n\n", from)));
        Set<String> documented = new TreeSet<>();
        while (rows.find()) {
            documented.add(rows.group(1));
        }
        assertThat(documented).isEqualTo(names);
    }
}
