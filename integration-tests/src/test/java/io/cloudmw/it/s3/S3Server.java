package io.cloudmw.it.s3;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/** An S3 server as a child process: path style, one pair of keys, one region. */
public final class S3Server implements AutoCloseable {
    public static final String ACCESS_KEY_ID = "tester";
    public static final String SECRET_ACCESS_KEY = "tester-secret";
    public static final String REGION = "us-east-1";

    private static final Duration READY_WITHIN = Duration.ofMinutes(3);
    private static final long STOP_SECONDS = 10;

    private final Process process;
    private final URI endpoint;
    private final Path log;
    private final Thread reaper;

    private S3Server(Process process, int port, Path log) {
        this.process = process;
        this.log = log;
        this.endpoint = URI.create("http://127.0.0.1:" + port);
        // A shutdown hook ends the process when the build is interrupted.
        this.reaper = new Thread(process::destroyForcibly, "s3-server-reaper");
        Runtime.getRuntime().addShutdownHook(reaper);
    }

    /**
     * Starts a server and waits until it lists buckets.
     *
     * @param name of the server's log
     * @param command with its arguments
     */
    static S3Server start(String name, int port, List<String> command, Map<String, String> environment) {
        return start(name, port, command, environment, S3Server::awaitReady);
    }

    static S3Server start(
            String name,
            int port,
            List<String> command,
            Map<String, String> environment,
            Consumer<S3Server> awaitReady) {
        try {
            Path log = Files.createDirectories(Path.of("target", "s3-servers").toAbsolutePath())
                    .resolve(name + "-" + port + ".log");
            ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
            builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .environment()
                    .putAll(environment);
            S3Server started = new S3Server(builder.start(), port, log);
            try {
                awaitReady.accept(started);
            } catch (ConditionTimeoutException | IllegalStateException e) {
                started.close();
                throw new IllegalStateException(name + " did not start: see " + log, e);
            }
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts a server in a JVM, with the libraries that the module of this name has fetched. */
    static S3Server startJava(String name, int port, List<String> options, List<String> mainAndArguments) {
        Path libraries = Path.of(name, "target", "jars").toAbsolutePath();
        if (!Files.isDirectory(libraries)) {
            throw new IllegalStateException(libraries + " is missing: build with -am, so that it is fetched");
        }
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        command.addAll(options);
        command.addAll(List.of("-cp", libraries + "/*"));
        command.addAll(mainAndArguments);
        return start(name, port, command, Map.of());
    }

    /** Returns {@code http://127.0.0.1:port}. */
    public URI endpoint() {
        return endpoint;
    }

    /** Returns the server's output so far; some servers print a line for each request. */
    public List<String> printed() throws IOException {
        return Files.readAllLines(log);
    }

    /** Returns the environment variables with which a process has access. */
    public Map<String, String> environment() {
        return Map.of(
                "AWS_ACCESS_KEY_ID", ACCESS_KEY_ID,
                "AWS_SECRET_ACCESS_KEY", SECRET_ACCESS_KEY,
                "AWS_EC2_METADATA_DISABLED", "true");
    }

    /** Returns a client to prepare and inspect buckets; the caller closes it. */
    public S3Client s3() {
        return S3Client.builder()
                .endpointOverride(endpoint)
                .forcePathStyle(true)
                .region(Region.of(REGION))
                .credentialsProvider(
                        StaticCredentialsProvider.create(AwsBasicCredentials.create(ACCESS_KEY_ID, SECRET_ACCESS_KEY)))
                .build();
    }

    public void createBucket(String bucket) {
        try (S3Client s3 = s3()) {
            s3.createBucket(request -> request.bucket(bucket));
        }
    }

    @Override
    public void close() {
        process.destroy();
        boolean interrupted = false;
        try {
            process.waitFor(STOP_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            interrupted = true;
        }
        process.destroyForcibly();
        try {
            Runtime.getRuntime().removeShutdownHook(reaper);
        } catch (IllegalStateException e) {
            // The JVM is shutting down, and the hook already runs.
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits until the server accepts connections, whatever keys it requires. */
    void awaitListening() {
        Awaitility.await("a listener at " + endpoint).atMost(READY_WITHIN).until(() -> {
            try (Socket socket = new Socket(endpoint.getHost(), endpoint.getPort())) {
                return socket.isConnected();
            } catch (IOException e) {
                return false;
            }
        });
    }

    private void awaitReady() {
        try (S3Client s3 = s3()) {
            Awaitility.await("buckets can be listed at " + endpoint)
                    .atMost(READY_WITHIN)
                    .pollInterval(Duration.ofMillis(100))
                    .until(() -> {
                        if (!process.isAlive()) {
                            throw new IllegalStateException("it ended before it was ready");
                        }
                        return lists(s3);
                    });
        }
    }

    private static boolean lists(S3Client s3) {
        try {
            s3.listBuckets();
            return true;
        } catch (SdkException e) {
            return false;
        }
    }
}
