package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.it.localstack.LocalStack;
import io.cloudmw.it.localstack.LocalStackExtension;
import io.cloudmw.it.localstack.RecordingProxy;
import io.cloudmw.lab.fleet.LocalFleet;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A store whose role a coordinator and a helper assume, at the STS of LocalStack. */
@ExtendWith(LocalStackExtension.class)
final class AssumedRoleIT {
    private static final String REGION = "us-east-1";
    private static final String ROLE = "arn:aws:iam::000000000000:role/cloudmw-reader";
    private static final String EXTERNAL_ID = "tenant-4711";

    /** The exit code of a command whose cluster or store did not answer. */
    private static final int UNREACHABLE = 5;

    @TempDir
    private Path directory;

    private LocalFleet fleet(RecordingProxy sts, LocalStack localStack) throws IOException {
        Map<String, String> environment = new HashMap<>(localStack.environment());
        environment.put("CLOUDMW_JAVA_OPTS", Fleet.SHORT_LIVED);
        environment.put("AWS_ENDPOINT_URL_STS", sts.endpoint().toString());
        environment.put("AWS_CONFIG_FILE", directory.resolve("no-config").toString());
        return new LocalFleet(directory.resolve("fleet"), CommandLine.LAUNCHER, environment);
    }

    private static CommandLine.Result addStore(CommandLine cli, String id, RecordingProxy s3, String bucket) {
        return cli.run(
                "store",
                "add",
                id,
                "s3://" + bucket,
                "--endpoint",
                s3.endpoint().toString(),
                "--path-style",
                "--region",
                REGION,
                "--role-arn",
                ROLE,
                "--external-id",
                EXTERNAL_ID);
    }

    @Test
    void aFileIsPutAndReadWithTheKeysOfARole(LocalStack localStack) throws Exception {
        localStack.createBucket("assumed", REGION);
        try (RecordingProxy sts = new RecordingProxy(localStack.endpoint());
                RecordingProxy s3 = new RecordingProxy(localStack.endpoint());
                LocalFleet fleet = fleet(sts, localStack)) {
            fleet.startCoordinator(Map.of());
            fleet.startHelper("helper-1", Map.of());
            CommandLine cli = new CommandLine(fleet.coordinatorAddress());
            // The first call of a role takes LocalStack long on a busy machine.
            CommandLine.Result added = Awaitility.await()
                    .atMost(Duration.ofMinutes(3))
                    .until(() -> addStore(cli, "assumed", s3, "assumed"), result -> result.exitCode() != UNREACHABLE);
            assertThat(added.exitCode()).as(added.toString()).isZero();
            byte[] bytes = new byte[3 << 20];
            new SplittableRandom(1).nextBytes(bytes);
            Path source = Files.write(directory.resolve("source"), bytes);
            Path back = directory.resolve("back");
            cli.run("volume", "create", "v", "--store", "assumed", "--replicas", "1")
                    .orThrow();

            cli.run("put", source.toString(), "v:/f").orThrow();
            cli.run("get", "v:/f", back.toString()).orThrow();

            assertThat(back).hasBinaryContent(bytes);
            assertThat(sts.requests())
                    .as("the coordinator and the helper each assume the role")
                    .hasSizeGreaterThanOrEqualTo(2)
                    .allSatisfy(request -> assertThat(List.of(request.body().split("&")))
                            .contains(
                                    "Action=AssumeRole",
                                    "RoleArn=" + URLEncoder.encode(ROLE, StandardCharsets.UTF_8),
                                    "ExternalId=" + EXTERNAL_ID));
            assertThat(s3.requests())
                    .anySatisfy(request -> assertThat(request.method()).isEqualTo("PUT"))
                    .anySatisfy(request -> assertThat(request.headers()).containsKey("Range"))
                    .allSatisfy(request -> assertThat(request.headers())
                            .as("signed with the session of a role: " + request.uri())
                            .containsKey("X-amz-security-token"));
            assertThat(cli.run("store", "ls", "--json").orThrow().out())
                    .contains(ROLE)
                    .doesNotContain(EXTERNAL_ID);
        }
    }

    @Test
    void aRoleThatCannotBeAssumedIsNamed(LocalStack localStack) throws Exception {
        localStack.createBucket("refused", REGION);
        try (RecordingProxy sts = new RecordingProxy(localStack.endpoint());
                RecordingProxy s3 = new RecordingProxy(localStack.endpoint());
                LocalFleet fleet = fleet(sts, localStack)) {
            sts.refuse();
            fleet.startCoordinator(Map.of());
            fleet.startHelper("helper-1", Map.of());
            CommandLine.Result added = addStore(new CommandLine(fleet.coordinatorAddress()), "refused", s3, "refused");
            assertThat(added.exitCode()).as(added.toString()).isEqualTo(8);
            assertThat(added.err())
                    .contains("role " + ROLE, "could not be assumed")
                    .doesNotContain(EXTERNAL_ID);
            assertThat(s3.requests()).isEmpty();
        }
    }
}
