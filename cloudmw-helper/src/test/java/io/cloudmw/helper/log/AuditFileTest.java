package io.cloudmw.helper.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.cloudmw.coordinator.rpc.audit.AuditTrail;
import io.cloudmw.coordinator.rpc.audit.Caller;
import io.cloudmw.core.audit.AuditFileOptions;
import io.cloudmw.core.audit.AuditedPeer;
import io.cloudmw.core.audit.RefusalTrail;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.grant.Right;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.tls.ProcessIdentity;
import io.cloudmw.core.tls.ProcessRole;
import io.cloudmw.proto.v1.CallId;
import io.cloudmw.proto.v1.PlanReadRequest;
import io.cloudmw.proto.v1.RemoveRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class AuditFileTest {
    private static final VolumeName DATA = new VolumeName("data");
    private static final ProcessIdentity APP = new ProcessIdentity("prod", ProcessRole.CLIENT, "app");

    private static final Caller CALLER = new Caller(Optional.of(APP), Optional.empty(), "tester");

    @TempDir
    private Path directory;

    @Test
    void firstAccessOfASubjectToAPathIsOneJsonLine() throws Exception {
        Path file = directory.resolve("new").resolve("audit.jsonl");
        AuditTrail trail = new AuditTrail(Ticker.system());
        RemoveRequest remove = RemoveRequest.newBuilder()
                .setCall(CallId.newBuilder().setId("01234567-89ab-4def-8123-456789abcdef"))
                .build();
        AuditFile open = AuditFile.open(new AuditFileOptions(file, 1 << 20, 3));
        try {
            trail.accessed("PlanRead", CALLER, PlanReadRequest.getDefaultInstance(), Right.READ, DATA, "/a\nb");
            trail.accessed("PlanRead", CALLER, PlanReadRequest.getDefaultInstance(), Right.READ, DATA, "/a\nb");
            trail.accessed("Remove", CALLER, remove, Right.WRITE, DATA, "/a\nb");
        } finally {
            open.close();
        }
        assertThat(file).isEmptyFile();
        Path calls = file.resolveSibling("calls-audit.jsonl");
        List<String> lines = Files.readAllLines(calls);
        assertThat(lines).hasSize(2);
        JsonNode first = new ObjectMapper().readTree(lines.get(0));
        assertThat(first.path("event").asText()).isEqualTo("access");
        assertThat(first.path("subject").asText()).isEqualTo("app");
        assertThat(first.path("volume").asText()).isEqualTo("data");
        assertThat(first.path("path").asText()).isEqualTo("/a?b");
        assertThat(first.path("right").asText()).isEqualTo("read");
        assertThat(first.has("time")).isTrue();
        assertThat(first.has("request")).isFalse();
        assertThat(new ObjectMapper().readTree(lines.get(1)).path("request").asText())
                .isEqualTo("01234567-89ab-4def-8123-456789abcdef");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(calls)))
                .isEqualTo("rw-------");
    }

    @Test
    void helperHasAFileOfRefusalsAloneInADirectoryOfItsOwner() throws Exception {
        Path file = directory.resolve("spool-audit").resolve("calls-audit.jsonl");
        RefusalTrail trail = new RefusalTrail(Ticker.system());
        AuditFile open = AuditFile.openCalls(new AuditFileOptions(file, 1 << 20, 3));
        try {
            trail.refused(
                    "OpenRead",
                    new AuditedPeer(Optional.of(APP), Optional.empty(), ""),
                    "id",
                    "chunk=c",
                    new CloudMwException(ErrorCode.UNAUTHENTICATED, "token: of another client"));
        } finally {
            open.close();
        }
        JsonNode event = new ObjectMapper().readTree(Files.readAllLines(file).get(0));
        assertThat(event.path("event").asText()).isEqualTo("refusal");
        assertThat(event.path("subject").asText()).isEqualTo("app");
        assertThat(event.path("why").asText()).isEqualTo("token: of another client");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file.getParent())))
                .isEqualTo("rwx------");
        try (var files = Files.list(file.getParent())) {
            assertThat(files).hasSize(1);
        }
    }

    @Test
    void fullFileIsFollowedByANewOneAndOldOnesAreDeleted() throws Exception {
        Path file = directory.resolve("audit.jsonl");
        AuditTrail trail = new AuditTrail(Ticker.system());
        for (int round = 0; round < 8; round++) {
            AuditFile open = AuditFile.open(new AuditFileOptions(file, 2000, 2));
            try {
                for (int i = 0; i < 50; i++) {
                    trail.accessed(
                            "PlanRead",
                            CALLER,
                            PlanReadRequest.getDefaultInstance(),
                            Right.READ,
                            DATA,
                            "/" + round + "/" + i);
                }
            } finally {
                open.close();
            }
        }
        try (var files = Files.list(directory)) {
            assertThat(files.map(path -> path.getFileName().toString()).toList())
                    .containsExactlyInAnyOrder(
                            "audit.jsonl", "calls-audit.jsonl", "calls-audit.jsonl.1", "calls-audit.jsonl.2");
        }
        assertThat(PosixFilePermissions.toString(
                        Files.getPosixFilePermissions(directory.resolve("calls-audit.jsonl.1"))))
                .isEqualTo("rw-------");
    }

    @Test
    void fileThatCannotBeWrittenIsRefused() throws Exception {
        Path file = Files.createDirectory(directory.resolve("audit.jsonl"));
        CloudMwException refusal = catchThrowableOfType(
                CloudMwException.class, () -> AuditFile.open(new AuditFileOptions(file, 1 << 20, 3)));
        assertThat(refusal.code()).isEqualTo(ErrorCode.LOCAL_IO);
        assertThat(refusal).hasMessageContaining(file.toString());
    }
}
