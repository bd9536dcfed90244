package io.cloudmw.it.localstack;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.S3Client;

/** The choice of a LocalStack, in this order: a running one, Docker, this machine's Python. */
final class LocalStackStarter {
    static final String VERSION = "4.14.0";

    /**
     * The property {@code -D} with the endpoint of a running instance, or {@code CLOUDMW_IT_LOCALSTACK_ENDPOINT} in the
     * environment.
     */
    private static final String ENDPOINT = "cloudmw.it.localstack.endpoint";

    private static final Duration READY_WITHIN = Duration.ofSeconds(90);

    private LocalStackStarter() {}

    static LocalStack shared() {
        Optional<String> given = setting(ENDPOINT);
        if (given.isPresent()) {
            LocalStack running = new GivenLocalStack(URI.create(given.get()));
            awaitReady(running, () -> true);
            return running;
        }
        return startNew();
    }

    static LocalStack startNew() {
        String docker = "no Docker socket";
        if (dockerMayAnswer()) {
            try {
                return DockerLocalStack.start();
            } catch (RuntimeException e) {
                docker = "Docker: " + e.getMessage();
                say("cannot start in Docker (" + e.getMessage() + "); trying Python");
            }
        }
        try {
            return HostLocalStack.start(PythonEnvironment.provision());
        } catch (PythonEnvironment.MissingException e) {
            throw new IllegalStateException(
                    "The integration tests need LocalStack " + VERSION + ", and none can be started here. Either give a"
                            + " running one with -D" + ENDPOINT + "=http://127.0.0.1:4566, or start a Docker engine ("
                            + docker + "), or install Python 3.13 (" + e.getMessage() + ").",
                    e);
        }
    }

    /** Waits until buckets can be listed, since the health page reports success too early. */
    static void awaitReady(LocalStack started, Alive alive) {
        try (S3Client s3 = started.s3("us-east-1")) {
            Awaitility.await("LocalStack lists buckets at " + started.endpoint())
                    .atMost(READY_WITHIN)
                    .pollInterval(Duration.ofMillis(100))
                    .until(() -> {
                        if (!alive.isAlive()) {
                            throw new IllegalStateException("LocalStack ended before it was ready");
                        }
                        return lists(s3);
                    });
        } catch (ConditionTimeoutException | IllegalStateException e) {
            started.kill();
            throw e;
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

    /** Returns a system property, or else an environment variable: {@code a.b} as {@code A_B}. */
    static Optional<String> setting(String property) {
        String value = System.getProperty(property);
        if (value == null) {
            value = System.getenv(property.toUpperCase(java.util.Locale.ROOT).replace('.', '_'));
        }
        return Optional.ofNullable(value).filter(v -> !v.isBlank());
    }

    static void say(String line) {
        System.out.println("[localstack] " + line);
        System.out.flush();
    }

    /**
     * Returns whether Docker seems to be installed. Without Docker a trial by Testcontainers is slow and logs a lot.
     */
    private static boolean dockerMayAnswer() {
        return System.getenv("DOCKER_HOST") != null
                || Files.exists(Path.of("/var/run/docker.sock"))
                || Files.exists(Path.of(System.getProperty("user.home"), ".docker", "run", "docker.sock"))
                || Files.exists(Path.of(System.getProperty("user.home"), ".testcontainers.properties"));
    }

    /** A check that the process still runs. */
    @FunctionalInterface
    interface Alive {
        boolean isAlive();
    }

    /** A LocalStack that was running before the tests, so it is never stopped. */
    private static final class GivenLocalStack extends LocalStack {
        private final URI endpoint;

        GivenLocalStack(URI endpoint) {
            this.endpoint = endpoint;
        }

        @Override
        public URI endpoint() {
            return endpoint;
        }

        @Override
        public void kill() {}

        @Override
        public void close() {}
    }
}
