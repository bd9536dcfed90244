package io.cloudmw.it.localstack;

import io.cloudmw.core.testing.TestPorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A LocalStack as a child process that listens on the loopback only, with its own directory. */
final class HostLocalStack extends LocalStack {
    private static final long STOP_SECONDS = 30;

    private final Process process;
    private final URI endpoint;
    private final Thread reaper;

    private HostLocalStack(Process process, int port) {
        this.process = process;
        this.endpoint = URI.create("http://127.0.0.1:" + port);
        // A shutdown hook ends the process when the build is interrupted.
        this.reaper = new Thread(this::kill, "localstack-reaper");
        Runtime.getRuntime().addShutdownHook(reaper);
    }

    static HostLocalStack start(PythonEnvironment python) {
        try {
            Path directory = Files.createTempDirectory(
                    Files.createDirectories(Path.of("target", "localstack").toAbsolutePath()), "run-");
            Path log = directory.resolve("localstack.log");
            int port = TestPorts.free();
            Process process = launch(python, directory, log, port);
            HostLocalStack started = new HostLocalStack(process, port);
            try {
                LocalStackStarter.awaitReady(started, process::isAlive);
            } catch (RuntimeException e) {
                throw new IllegalStateException("LocalStack did not start: see " + log, e);
            }
            LocalStackStarter.say("ready at " + started.endpoint + ", log in " + log);
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public URI endpoint() {
        return endpoint;
    }

    @Override
    public void kill() {
        List<ProcessHandle> children = process.descendants().toList();
        process.destroyForcibly();
        children.forEach(ProcessHandle::destroyForcibly);
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
        kill();
        try {
            Runtime.getRuntime().removeShutdownHook(reaper);
        } catch (IllegalStateException e) {
            // The JVM is shutting down, and the hook already runs.
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static Process launch(PythonEnvironment python, Path directory, Path log, int port) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(python.python().toString(), "-m", "localstack.runtime.main");
        Map<String, String> environment = builder.environment();
        environment.clear();
        environment.put("PATH", python.python().getParent() + ":/usr/bin:/bin");
        for (String name : List.of("home", "tmp", "fs")) {
            Files.createDirectories(directory.resolve(name));
        }
        environment.put("HOME", directory.resolve("home").toString());
        environment.put("TMPDIR", directory.resolve("tmp").toString());
        environment.put("FILESYSTEM_ROOT", directory.resolve("fs").toString());
        // When the tests run in a container, LocalStack would assume that the container is its own.
        environment.put("OVERRIDE_IN_DOCKER", "0");
        environment.put("GATEWAY_LISTEN", "127.0.0.1:" + port);
        // The default server would bind every interface.
        environment.put("GATEWAY_SERVER", "hypercorn");
        environment.put("SERVICES", "s3,sts,kms");
        environment.put("S3_SKIP_KMS_KEY_VALIDATION", "0");
        environment.put("DISABLE_EVENTS", "1");
        environment.put("SKIP_SSL_CERT_DOWNLOAD", "1");
        environment.put("DNS_ADDRESS", "0");
        environment.put("LS_LOG", "warn");
        return builder.directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
    }
}
