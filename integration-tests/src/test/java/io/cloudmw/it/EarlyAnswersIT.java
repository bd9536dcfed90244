package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.it.s3.S3Server;
import io.cloudmw.it.s3.Versitygw;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests on versitygw, which answers a put after the first bytes of its body and closes the connection. */
final class EarlyAnswersIT {
    private static final int CHUNK = 4 << 20;
    private static final int CHUNKS = 40;
    /** A journal size that is only reached after three chunks are stored. */
    private static final long STORED_SOME = 3_000;
    /**
     * The most puts that the server may see before the first refusal ends the command, with three chunks in flight.
     */
    private static final int MOST_PUTS = 8;

    /**
     * A Python program that restores the default effect of SIGINT and then runs a command. Background processes of a
     * script ignore SIGINT.
     */
    private static final String HEARING_CTRL_C = """
            import os, signal, sys
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.execv(sys.argv[1], sys.argv[1:])
            """;

    @TempDir
    private Path directory;

    private Optional<S3Server> server = Optional.empty();

    @BeforeEach
    void startServer() {
        server = Optional.of(Versitygw.start(directory));
    }

    @AfterEach
    void stopServer() {
        server.ifPresent(S3Server::close);
    }

    @Test
    void putEndedByCtrlCResumesWhenRepeated() throws Exception {
        try (Fleet fleet = fleet()) {
            FilePath file =
                    new FilePath(fleet.volume("v", new Chunking.BySize(CHUNK), 1, new StoreId("pictures")), "/f");
            Path source = fleet.file("source", (long) CHUNKS * CHUNK);
            Path journals = directory.resolve("state").resolve("cloudmw");
            Path journal = interrupt(fleet, source, file, journals);
            // Cuts the journal's last byte, as if the client had died earlier. So the bucket has a chunk that the
            // client does not know of.
            try (FileChannel written = FileChannel.open(journal, StandardOpenOption.WRITE)) {
                written.truncate(written.size() - 1);
            }

            JsonNode again = command(fleet)
                    .run("put", source.toString(), file.toString(), "--json")
                    .orThrow()
                    .json();

            assertThat(again.path("resumed_bytes").asLong()).isPositive();
            assertThat(requests(server.orElseThrow(), "412", "PUT"))
                    .as("a chunk that was there")
                    .isPositive();
            fleet.get(file, fleet.target("f"));
            assertThat(Files.mismatch(fleet.target("f"), source)).isEqualTo(-1);
        }
    }

    @Test
    void putWithAWrongSecretKeyFailsWithTheServersMessage() throws Exception {
        assertRefused(
                port -> Versitygw.start(directory, port, "another secret", S3Server.REGION),
                8,
                "STORE_DENIED",
                "403",
                "S3 answered 403 SignatureDoesNotMatch",
                "the secret key is not the access key's");
    }

    @Test
    void putWithAWrongRegionFailsAndNamesTheRightRegion() throws Exception {
        assertRefused(
                port -> Versitygw.start(directory, port, S3Server.SECRET_ACCESS_KEY, "eu-central-1"),
                8,
                "STORE_DENIED",
                "400",
                "S3 answered 400 AuthorizationHeaderMalformed",
                "the bucket is in region eu-central-1, the store says us-east-1");
    }

    @Test
    void putIntoAMissingBucketFailsAndNamesTheBucket() throws Exception {
        assertRefused(
                port -> Versitygw.start(
                        directory.resolve("elsewhere"), port, S3Server.SECRET_ACCESS_KEY, S3Server.REGION),
                5,
                "STORE_UNAVAILABLE",
                "404",
                "S3 answered 404 NoSuchBucket",
                "there is no such bucket");
    }

    private interface Replacement {
        S3Server at(int port);
    }

    /** Replaces the server by one that refuses. The put must fail with a one-line message after few requests. */
    private void assertRefused(
            Replacement replacement, int exit, String code, String status, String answer, String words)
            throws Exception {
        try (Fleet fleet = fleet()) {
            FilePath file =
                    new FilePath(fleet.volume("v", new Chunking.BySize(CHUNK), 1, new StoreId("pictures")), "/f");
            Path source = fleet.file("source", 3L * CHUNK);
            int port = server.orElseThrow().endpoint().getPort();
            server.orElseThrow().close();
            server = Optional.of(replacement.at(port));

            CommandLine.Result result = command(fleet).run("put", source.toString(), file.toString(), "--json");

            assertThat(result.exitCode()).as(result.toString()).isEqualTo(exit);
            assertThat(result.json().path("error").path("code").asText()).isEqualTo(code);
            List<String> said = result.err()
                    .lines()
                    .filter(line -> line.startsWith("cloudmw: "))
                    .toList();
            assertThat(said).as(result.err()).hasSize(1);
            assertThat(said.get(0)).contains("store=pictures bucket=pictures: ", answer, words);
            assertThat(requests(server.orElseThrow(), status, "PUT")).isBetween(1L, (long) MOST_PUTS);
        }
    }

    private Fleet fleet() throws IOException {
        S3Server running = server.orElseThrow();
        // No check may look at the bucket before the put, so that the put itself meets the refusal.
        Fleet fleet = new Fleet(directory, running.environment(), Map.of("coordinator.store-check", "1h"));
        fleet.startHelpers(1, 1, i -> Map.of("helper.store-check", "1h"));
        fleet.bucket("pictures", S3Server.REGION, running.endpoint().toString());
        return fleet;
    }

    /** Interrupts a put by SIGINT once some chunks are stored; returns the put's journal. */
    private Path interrupt(Fleet fleet, Path source, FilePath file, Path journals) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(
                        "python3",
                        "-c",
                        HEARING_CTRL_C,
                        CommandLine.LAUNCHER.toString(),
                        "put",
                        source.toString(),
                        file.toString())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("interrupted.log").toFile());
        builder.environment().put("CLOUDMW_COORDINATOR", fleet.coordinatorAddress());
        builder.environment().putAll(state());
        Process put = builder.start();
        await().pollInterval(Duration.ofMillis(5))
                .atMost(Duration.ofMinutes(3))
                .until(() -> !put.isAlive()
                        || journal(journals).filter(EarlyAnswersIT::isLong).isPresent());
        assertThat(new ProcessBuilder("kill", "-INT", Long.toString(put.pid()))
                        .start()
                        .waitFor())
                .isZero();
        assertThat(put.waitFor(3, TimeUnit.MINUTES)).isTrue();
        assertThat(put.exitValue()).as("interrupted, and not done before").isEqualTo(130);
        return journal(journals).orElseThrow();
    }

    private static boolean isLong(Path journal) {
        return journal.toFile().length() >= STORED_SOME;
    }

    private static Optional<Path> journal(Path journals) throws IOException {
        if (!Files.exists(journals)) {
            return Optional.empty();
        }
        try (var files = Files.list(journals)) {
            return files.filter(file -> file.toString().endsWith(".put")).findFirst();
        }
    }

    private Map<String, String> state() {
        return Map.of("XDG_STATE_HOME", directory.resolve("state").toString());
    }

    private CommandLine command(Fleet fleet) {
        return new CommandLine(fleet.coordinatorAddress()).with(state());
    }

    /** Counts the requests of a method that the server answered with a status, from its log lines. */
    private static long requests(S3Server server, String status, String method) throws IOException {
        return server.printed().stream()
                .filter(line -> line.contains("| vgw | " + status + " |") && line.contains("| " + method + " |"))
                .count();
    }
}
