package io.cloudmw.it.dynamodb;

import io.cloudmw.coordinator.catalog.dynamodb.DynamoDbCatalog;
import io.cloudmw.coordinator.catalog.dynamodb.table.DynamoDbClients;
import io.cloudmw.coordinator.catalog.dynamodb.table.DynamoDbSettings;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.testing.TestPorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/** A DynamoDB Local process with all data in memory, separate because its libraries conflict with others. */
public final class DynamoDbLocal implements AutoCloseable {
    /** Where the build puts it. */
    private static final Path LIBRARIES =
            Path.of("dynamodb-local", "target", "jars").toAbsolutePath();

    private static final long START_SECONDS = 120;

    private final Process process;
    private final int port;
    private final Thread reaper;

    private DynamoDbLocal(Process process, int port) {
        this.process = process;
        this.port = port;
        // A shutdown hook ends the process when the build is interrupted.
        this.reaper = new Thread(process::destroyForcibly, "dynamodb-reaper");
        Runtime.getRuntime().addShutdownHook(reaper);
    }

    static DynamoDbLocal start() {
        try {
            if (!Files.isDirectory(LIBRARIES)) {
                throw new IllegalStateException(LIBRARIES + " is missing: build with -am, so that it is fetched");
            }
            int port = TestPorts.free();
            Path log = Files.createTempFile(LIBRARIES.getParent(), "dynamodb-", ".log");
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xmx256m",
                            "-XX:TieredStopAtLevel=1",
                            "-XX:+UseSerialGC",
                            "-Djava.library.path=" + LIBRARIES,
                            "-cp",
                            LIBRARIES + "/*",
                            "com.amazonaws.services.dynamodbv2.local.main.ServerRunner",
                            "-inMemory",
                            "-disableTelemetry",
                            "-port",
                            Integer.toString(port))
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            DynamoDbLocal started = new DynamoDbLocal(process, port);
            Awaitility.await("DynamoDB Local, see " + log)
                    .atMost(START_SECONDS, TimeUnit.SECONDS)
                    .failFast("it ended, see " + log, () -> !process.isAlive())
                    .until(started::listens);
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean listens() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    public URI endpoint() {
        return URI.create("http://127.0.0.1:" + port);
    }

    /** Returns an unused name for a table. */
    public static String newTable() {
        return "catalog-" + UUID.randomUUID();
    }

    /** Opens a catalog; creates its table if necessary. */
    public DynamoDbCatalog open(String table) throws CloudMwException {
        return open(table, endpoint());
    }

    /** Opens a catalog as {@link #open(String)}, through another endpoint to this engine. */
    static DynamoDbCatalog open(String table, URI endpoint) throws CloudMwException {
        return DynamoDbCatalog.open(
                new DynamoDbSettings(table, Optional.of("eu-west-1"), Optional.of(endpoint), true), "test", "test");
    }

    /** Opens a client for items that no catalog of this release writes. */
    static DynamoDbClient client(URI endpoint) throws CloudMwException {
        return DynamoDbClients.open(
                new DynamoDbSettings("any", Optional.of("eu-west-1"), Optional.of(endpoint), false),
                StaticCredentialsProvider.create(AwsBasicCredentials.create("test", "test")));
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            Runtime.getRuntime().removeShutdownHook(reaper);
        } catch (IllegalStateException e) {
            // The JVM is shutting down, and the hook already runs.
        }
    }
}
