package io.cloudmw.coordinator.rpc.authorization;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Message;
import io.cloudmw.coordinator.rpc.authorization.CallNeed.HelperItself;
import io.cloudmw.coordinator.rpc.authorization.CallNeed.InVolume;
import io.cloudmw.coordinator.rpc.authorization.CallNeed.ToPath;
import io.cloudmw.coordinator.server.CoordinatorConfig;
import io.cloudmw.coordinator.server.CoordinatorServer;
import io.cloudmw.core.config.Settings;
import io.cloudmw.core.grant.Right;
import io.cloudmw.proto.v1.CommitFilesRequest;
import io.cloudmw.proto.v1.CommitPutRequest;
import io.cloudmw.proto.v1.CommittedFile;
import io.cloudmw.proto.v1.CoordinatorGrpc;
import io.cloudmw.proto.v1.FileVersion;
import io.cloudmw.proto.v1.HeartbeatRequest;
import io.cloudmw.proto.v1.RenameRequest;
import io.cloudmw.proto.v1.SmallFilesGrpc;
import io.cloudmw.proto.v1.VersionPart;
import io.grpc.MethodDescriptor;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CallRulesTest {
    private static List<CallNeed> needs(MethodDescriptor<?, ?> method, Message request) {
        return CallRules.of(method.getFullMethodName(), request).orElseThrow();
    }

    @Test
    void everyMethodOfTheCoordinatorHasARuleAndNoOtherHas(@TempDir Path directory) throws Exception {
        Settings settings = Settings.of(Map.of(
                "tls.insecure",
                "true",
                "coordinator.listen",
                "127.0.0.1:0",
                "coordinator.data-dir",
                directory.resolve("data").toString(),
                "cluster.secret-file",
                directory.resolve("secret").toString()));
        try (CoordinatorServer server = CoordinatorServer.start(CoordinatorConfig.read(settings))) {
            assertThat(CallRules.known()).containsExactlyInAnyOrderElementsOf(server.methods());
        }
    }

    @Test
    void renameReadsWhatItMoves() {
        RenameRequest request = RenameRequest.newBuilder()
                .setVolume("v")
                .setFromPath("/a")
                .setToPath("/b")
                .build();
        assertThat(needs(CoordinatorGrpc.getRenameMethod(), request))
                .containsExactly(
                        new ToPath(Right.READ, "v", "/a"),
                        new ToPath(Right.WRITE, "v", "/a"),
                        new ToPath(Right.WRITE, "v", "/b"));
    }

    @Test
    void commitReadsTheFilesWhoseChunksItShares() {
        CommitPutRequest request = CommitPutRequest.newBuilder()
                .setVersion(FileVersion.newBuilder().setVolume("v").setPath("/mine"))
                .addParts(VersionPart.newBuilder().setPath("/other"))
                .build();
        assertThat(needs(CoordinatorGrpc.getCommitPutMethod(), request))
                .containsExactly(new ToPath(Right.WRITE, "v", "/mine"), new ToPath(Right.READ, "v", "/other"));
    }

    @Test
    void commitOfSmallFilesWritesEachOfThem() {
        CommitFilesRequest request = CommitFilesRequest.newBuilder()
                .setVolume("v")
                .addFiles(CommittedFile.newBuilder()
                        .setVersion(FileVersion.newBuilder().setPath("/a")))
                .addFiles(CommittedFile.newBuilder()
                        .setVersion(FileVersion.newBuilder().setPath("/b")))
                .build();
        assertThat(needs(SmallFilesGrpc.getCommitFilesMethod(), request))
                .containsExactly(
                        new InVolume(Right.WRITE, "v"),
                        new ToPath(Right.WRITE, "v", "/a"),
                        new ToPath(Right.WRITE, "v", "/b"));
    }

    @Test
    void helperReportsAboutItselfAlone() {
        HeartbeatRequest request =
                HeartbeatRequest.newBuilder().setHelperId("h1").build();
        assertThat(needs(CoordinatorGrpc.getHeartbeatMethod(), request)).containsExactly(new HelperItself("h1"));
    }
}
