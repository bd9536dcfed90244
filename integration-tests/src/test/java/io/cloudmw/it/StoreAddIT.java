package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.testing.store.RawHttpServer;
import io.cloudmw.lab.fleet.LocalFleet;
import io.cloudmw.lab.s3.BucketServer;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the command {@code store add}: its check of the store, and its message when no check is possible. */
final class StoreAddIT {
    @TempDir
    private Path directory;

    private BucketServer server;
    private LocalFleet fleet;

    @BeforeEach
    void start() throws IOException {
        server = new BucketServer(directory.resolve("server"), InetAddress.getLoopbackAddress());
        server.admit("key-a");
        Files.createDirectory(directory.resolve("server").resolve("bucket"));
        fleet = Fleet.withCredentials(
                directory.resolve("fleet"),
                Map.of(
                        "AWS_CONFIG_FILE",
                        directory.resolve("no-config").toString(),
                        "AWS_SHARED_CREDENTIALS_FILE",
                        profiles().toString()));
        fleet.startCoordinator(Map.of("coordinator.store-check", "1h"));
    }

    @AfterEach
    void stop() {
        fleet.close();
        server.close();
    }

    private Path profiles() {
        return directory.resolve("credentials");
    }

    private void writeProfile(String key) throws IOException {
        Files.writeString(profiles(), "[team]\naws_access_key_id = " + key + "\naws_secret_access_key = secret\n");
    }

    private CommandLine.Result add(String id, String endpoint, String... more) throws Exception {
        List<String> arguments =
                new ArrayList<>(List.of("store", "add", id, "s3://bucket", "--path-style", "--endpoint", endpoint));
        arguments.addAll(List.of(more));
        return run(arguments.toArray(String[]::new));
    }

    /** Repeats the command while the coordinator's check exceeds its limit of five seconds on a busy machine. */
    private CommandLine.Result addInTime(String... more) {
        return Awaitility.await()
                .atMost(Duration.ofMinutes(3))
                .until(() -> add("a", server.endpoint(), more), result -> !isLate(result));
    }

    private static boolean isLate(CommandLine.Result result) {
        return result.err().contains("no answer in time");
    }

    private CommandLine.Result checkInTime() {
        return Awaitility.await()
                .atMost(Duration.ofMinutes(3))
                .until(() -> run("store", "check", "a"), result -> !isLate(result));
    }

    private CommandLine.Result run(String... arguments) throws Exception {
        return new CommandLine(fleet.coordinatorAddress()).run(arguments);
    }

    @Test
    void addWithoutALiveHelperSaysThatTheCoordinatorAloneWasAsked() throws Exception {
        writeProfile("key-a");

        CommandLine.Result added = addInTime("--profile", "team");

        assertThat(added.exitCode()).as(added.toString()).isZero();
        assertThat(added.out())
                .contains(
                        "and can be used: coordinator (latency ", "no helper could be asked", "cloudmw store check a");
        assertThat(addInTime("--profile", "team").out()).contains("is known, as before");
    }

    @Test
    void profileThatIsWrittenAfterTheRefusalIsFound() throws Exception {
        CommandLine.Result refused = addInTime("--profile", "team");
        assertThat(refused.exitCode()).as(refused.toString()).isEqualTo(8);
        assertThat(refused.err()).contains("store a, seen from the coordinator", "profile team");

        writeProfile("key-a");

        assertThat(addInTime("--profile", "team").exitCode()).isZero();
    }

    @Test
    void silentServerIsRefusedAsUnreachable() throws Exception {
        writeProfile("key-a");
        try (RawHttpServer silent = new RawHttpServer(RawHttpServer.Exchange::stall)) {
            CommandLine.Result refused = add("a", silent.uri().toString(), "--profile", "team");

            assertThat(refused.exitCode()).as(refused.toString()).isEqualTo(5);
            assertThat(refused.err()).contains("store a, seen from the coordinator", "no answer in time");
            assertThat(run("store", "ls").out()).doesNotContain("s3://bucket");
        }
    }

    @Test
    void uncheckedStoreIsKnownAndItsCredentialsCanBeSetLater() throws Exception {
        writeProfile("key-a");

        CommandLine.Result added = add("a", server.endpoint(), "--profile", "nobody", "--no-check");
        assertThat(added.exitCode()).as(added.toString()).isZero();
        assertThat(added.out()).doesNotContain("can be used");
        assertThat(checkInTime().exitCode()).isEqualTo(8);

        assertThat(run("store", "set", "a", "--profile", "team").exitCode()).isZero();
        assertThat(checkInTime().exitCode()).isZero();
        CommandLine.Result refused = run("store", "set", "a", "--default-credentials");
        assertThat(refused.exitCode()).as("no keys: nothing is changed").isEqualTo(8);
        assertThat(checkInTime().exitCode()).isZero();
        assertThat(run("store", "set", "a", "--default-credentials", "--no-check")
                        .exitCode())
                .isZero();
        assertThat(checkInTime().exitCode())
                .as("the default profile has no keys")
                .isEqualTo(8);
    }
}
