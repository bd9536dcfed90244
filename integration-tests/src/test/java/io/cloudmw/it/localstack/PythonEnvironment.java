package io.cloudmw.it.localstack;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A virtual Python environment with LocalStack, made once per set of constraints and then kept. The place is {@code
 * target/}, or {@code cloudmw.it.cache}, which survives {@code clean}.
 */
final class PythonEnvironment {
    private static final Path CONSTRAINTS = Path.of("src", "test", "localstack", "constraints.txt");
    private static final String UV = "uv==0.13.8";
    private static final Object ONE_AT_A_TIME = new Object();

    private final Path directory;

    private PythonEnvironment(Path directory) {
        this.directory = directory;
    }

    /** An exception for a missing prerequisite, which the message names. */
    static final class MissingException extends RuntimeException {
        private static final long serialVersionUID = 1;

        MissingException(String message) {
            super(message);
        }
    }

    Path python() {
        return directory.resolve("bin").resolve("python");
    }

    /**
     * Returns the environment; if necessary, makes it first, which takes about a minute.
     *
     * @throws MissingException when there is no Python 3.13, or LocalStack cannot be installed
     */
    static PythonEnvironment provision() {
        try {
            Path constraints = CONSTRAINTS.toAbsolutePath();
            Path cache = Path.of(LocalStackStarter.setting("cloudmw.it.cache").orElse("target/localstack"))
                    .toAbsolutePath();
            Files.createDirectories(cache);
            String name = "venv-" + digest(LocalStackStarter.VERSION + Files.readString(constraints));
            synchronized (ONE_AT_A_TIME) {
                try (FileChannel lock = FileChannel.open(
                                cache.resolve(name + ".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                        FileLock held = lock.lock()) {
                    PythonEnvironment environment = new PythonEnvironment(cache.resolve(name));
                    if (held.isValid() && !Files.exists(environment.complete())) {
                        environment.make(constraints);
                    }
                    return environment;
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the file that marks a complete installation; an interrupted build leaves no mark. */
    private Path complete() {
        return directory.resolve("complete");
    }

    private void make(Path constraints) throws IOException {
        String base = findPython()
                .orElseThrow(() -> new MissingException("no python3.13 on PATH, under pyenv or uv; name one with"
                        + " -Dcloudmw.it.python=/path/to/python3.13"));
        LocalStackStarter.say("installing LocalStack " + LocalStackStarter.VERSION + " with " + base + " into "
                + directory + " (once, about a minute)");
        deleteTree(directory);
        Files.createDirectories(directory.getParent());
        Path log = Path.of(directory + ".log");
        Files.deleteIfExists(log);
        if (run(log, base, "-m", "venv", directory.toString()) != 0) {
            throw new MissingException(base + " cannot make a virtual environment: see " + log);
        }
        String requirement = "localstack-core[runtime]==" + LocalStackStarter.VERSION;
        // uv takes seconds where pip takes minutes. But only pip honours this machine's settings, so pip is the
        // fallback.
        boolean installed = run(log, python().toString(), "-m", "pip", "install", "--no-input", UV) == 0
                && run(
                                log,
                                uv(),
                                "pip",
                                "install",
                                "--python",
                                python().toString(),
                                requirement,
                                "-c",
                                constraints.toString())
                        == 0;
        if (!installed) {
            LocalStackStarter.say("uv could not; trying pip");
            installed = run(
                            log,
                            python().toString(),
                            "-m",
                            "pip",
                            "install",
                            "--no-input",
                            "--progress-bar",
                            "off",
                            requirement,
                            "-c",
                            constraints.toString())
                    == 0;
        }
        if (!installed) {
            throw new MissingException(
                    "pip with " + base + " could not install " + requirement + " from the package index: see " + log);
        }
        Files.writeString(complete(), requirement + "\n");
    }

    private String uv() {
        return directory.resolve("bin").resolve("uv").toString();
    }

    private static Optional<String> findPython() throws IOException {
        List<String> candidates = new ArrayList<>();
        LocalStackStarter.setting("cloudmw.it.python").ifPresent(candidates::add);
        candidates.add("python3.13");
        candidates.add("python3");
        String pyenv = System.getenv("PYENV_ROOT");
        candidates.addAll(versions(
                pyenv == null ? Path.of(System.getProperty("user.home"), ".pyenv") : Path.of(pyenv), "versions"));
        candidates.addAll(versions(Path.of(System.getProperty("user.home"), ".local", "share", "uv"), "python"));
        for (String candidate : candidates) {
            if (isPython313(candidate)) {
                return Optional.of(candidate);
            }
        }
        return Optional.empty();
    }

    private static List<String> versions(Path root, String directory) throws IOException {
        Path versions = root.resolve(directory);
        if (!Files.isDirectory(versions)) {
            return List.of();
        }
        try (Stream<Path> found = Files.list(versions)) {
            return found.filter(version -> version.getFileName().toString().contains("3.13"))
                    .map(version -> version.resolve("bin/python3.13").toString())
                    .sorted(Comparator.reverseOrder())
                    .toList();
        }
    }

    private static boolean isPython313(String candidate) {
        try {
            Process process = new ProcessBuilder(
                            candidate, "-c", "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])")
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String answer = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
            return process.waitFor(10, TimeUnit.SECONDS) && process.exitValue() == 0 && answer.equals("3.13");
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Runs a command with its output in {@code log}, and prints some of it, so that the build visibly progresses. */
    private static int run(Path log, String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        int lines = 0;
        try (BufferedReader output = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                Files.writeString(log, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
                if (++lines % 10 == 0) {
                    LocalStackStarter.say(line.length() > 100 ? line.substring(0, 100) + "..." : line);
                }
            }
            return process.waitFor();
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private static String digest(String text) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
            return HexFormat.of().formatHex(hash).substring(0, 16);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void deleteTree(Path root) throws IOException {
        if (!Files.exists(root)) {
            return;
        }
        try (Stream<Path> paths = Files.walk(root)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
