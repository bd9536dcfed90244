package io.cloudmw.it.s3;

import io.cloudmw.core.testing.TestPorts;
import io.cloudmw.core.testing.TestPrograms;
import io.cloudmw.it.localstack.LocalStack;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A starter of versitygw, a server that answers before it has the body of a put. {@code go install} builds each version
 * once, under {@code target/}, or where {@code cloudmw.it.cache} says. Without Go the tests are skipped with a message,
 * unless {@code CLOUDMW_REQUIRE_VERSITYGW=1}.
 */
public final class Versitygw {
    private static final String VERSION = "v1.8.0";
    private static final String MODULE = "github.com/versity/versitygw/cmd/versitygw@" + VERSION;
    private static final String REQUIRED = "cloudmw.require.versitygw";
    private static final int BUILD_MINUTES = 15;
    private static final Object ONE_AT_A_TIME = new Object();

    private Versitygw() {}

    /** Starts a server with the tests' keys on a free port. */
    public static S3Server start(Path directory) {
        return start(directory, TestPorts.free(), S3Server.SECRET_ACCESS_KEY, S3Server.REGION);
    }

    /**
     * Starts a server on a port, with a secret key and in a region, which may differ from those of {@link S3Server}.
     */
    public static S3Server start(Path directory, int port, String secretAccessKey, String region) {
        Path binary = binary();
        try {
            Path root = Files.createDirectories(directory.resolve("versitygw"));
            return S3Server.start(
                    "versitygw",
                    port,
                    List.of(
                            binary.toString(),
                            "--port",
                            "127.0.0.1:" + port,
                            "--region",
                            region,
                            "posix",
                            root.toString()),
                    Map.of("ROOT_ACCESS_KEY", S3Server.ACCESS_KEY_ID, "ROOT_SECRET_KEY", secretAccessKey),
                    S3Server::awaitListening);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path binary() {
        return provision(TestPrograms.require(
                "go",
                "[versitygw] not tested: no go on PATH or in /usr/local/go/bin (https://go.dev/dl)",
                "CLOUDMW_REQUIRE_VERSITYGW",
                LocalStack.setting(REQUIRED).isPresent(),
                "/usr/local/go/bin"));
    }

    private static Path provision(Path go) {
        try {
            Path cache = Path.of(LocalStack.setting("cloudmw.it.cache").orElse("target/s3-servers"))
                    .toAbsolutePath();
            Files.createDirectories(cache);
            String name = "versitygw-" + VERSION;
            Path binary = cache.resolve(name);
            synchronized (ONE_AT_A_TIME) {
                try (FileChannel lock = FileChannel.open(
                                cache.resolve(name + ".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                        FileLock held = lock.lock()) {
                    if (held.isValid() && !Files.isExecutable(binary)) {
                        build(go, cache.resolve(name + ".build"), binary);
                    }
                    return binary;
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void build(Path go, Path into, Path binary) throws IOException {
        System.out.println("[versitygw] building " + MODULE + " into " + binary + " (once)");
        Path log = Path.of(into + ".log");
        ProcessBuilder builder = new ProcessBuilder(go.toString(), "install", MODULE).redirectErrorStream(true);
        builder.redirectOutput(log.toFile()).environment().put("GOBIN", into.toString());
        Process process = builder.start();
        try {
            if (!process.waitFor(BUILD_MINUTES, TimeUnit.MINUTES)) {
                process.destroyForcibly();
            }
            if (process.waitFor() != 0) {
                throw new IllegalStateException("versitygw cannot be built: see " + log);
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        Files.move(into.resolve("versitygw"), binary, StandardCopyOption.ATOMIC_MOVE);
    }
}
