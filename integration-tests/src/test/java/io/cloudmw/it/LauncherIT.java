package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of the launcher with a class-data archive, or from JDK 24 on an AOT cache, that fits, does not fit, is
 * truncated, or cannot be made. Standard output must only have the command's output. Runs on the JDK of the tests.
 */
final class LauncherIT {
    private static final Duration MAKING = Duration.ofMinutes(5);

    /** The ending of the archive's file. */
    private static final String ARCHIVE = Runtime.version().feature() < 24 ? ".jsa" : ".aot";

    @TempDir
    private Path directory;

    private Path installed;
    private Path jar;
    /** A pattern for the complete output of {@code --version}. */
    private Pattern version;

    @BeforeEach
    void install() throws IOException {
        installed = directory.resolve("place");
        Files.createDirectories(installed.resolve("lib"));
        Files.copy(CommandLine.LAUNCHER, installed.resolve("cloudmw"));
        Path built = built();
        String release = built.getFileName().toString().replaceAll("^cloudmw-cli-|-all[.]jar$", "");
        // In an additional work tree of a repository, .git is a file.
        String commit = Files.exists(Path.of("../.git")) ? "[0-9a-f]{7,40}( and changes)?, [0-9T:Z-]+" : "unknown";
        version = Pattern.compile("cloudmw " + Pattern.quote(release) + " \\(commit " + commit + "\\)\n");
        jar = Files.copy(built, installed.resolve("lib/cloudmw-cli-0-all.jar"));
    }

    private static Path built() throws IOException {
        return built("cloudmw-client/cli", "cloudmw-cli");
    }

    private static Path built(String module, String artifact) throws IOException {
        Path target = Path.of("..", module, "target");
        try (var jars = Files.newDirectoryStream(target, artifact + "-*-all.jar")) {
            return jars.iterator().next();
        }
    }

    private CommandLine.Result version(Map<String, String> environment) {
        return new CommandLine("127.0.0.1:1", installed.resolve("cloudmw"))
                .with(environment)
                .run("--version")
                .orThrow();
    }

    private void assertClean(Map<String, String> environment) {
        assertThat(version(environment).out()).matches(version);
    }

    /** Returns the file with this ending next to the newest copy of the jar. */
    private Path made(String ending) throws IOException {
        Path copies = installed.resolve(".run");
        if (Files.notExists(copies)) {
            return jar.resolveSibling("none" + ending);
        }
        try (Stream<Path> all = Files.walk(copies)) {
            return all.filter(path -> path.getFileName().toString().endsWith(ending))
                    .max(Comparator.comparingLong(path -> path.toFile().lastModified()))
                    .orElse(jar.resolveSibling("none" + ending));
        }
    }

    private boolean isUsed() {
        return version(Map.of("CLOUDMW_JAVA_OPTS", "-Xlog:class+load"))
                .out()
                .contains("io.cloudmw.cli.Main source: shared objects file");
    }

    private void awaitArchive() {
        await().atMost(MAKING)
                .until(() -> Files.exists(made(ARCHIVE + ".for")) && Files.notExists(made(ARCHIVE + ".lock")));
    }

    private static void cut(Path file, long length) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(length);
        }
    }

    /** The build fails at once, after some output that Maven always prints. */
    @Test
    void failedBuildShowsItsProgressAndItsError() throws IOException {
        Files.delete(jar);
        Path maven = Files.writeString(installed.resolve("mvnw"), """
                #!/bin/sh
                echo 'WARNING: A terminally deprecated method in sun.misc.Unsafe has been called' >&2
                echo '[INFO] Building CloudMW core 0.1.0-SNAPSHOT                          [3/5]'
                echo '[INFO] --- compiler:3:compile (default-compile) @ cloudmw-core ---'
                echo '[ERROR] it does not compile'
                exit 1
                """, StandardCharsets.UTF_8);
        assertThat(maven.toFile().setExecutable(true)).isTrue();

        CommandLine.Result result = new CommandLine("127.0.0.1:1", installed.resolve("cloudmw")).run("--version");

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.out()).isEmpty();
        assertThat(result.err())
                .contains("cloudmw: building CloudMW core 0.1.0-SNAPSHOT ", "[3/5]", "[ERROR] it does not compile")
                .contains("cloudmw: the build failed")
                .doesNotContain("WARNING", "compiler:3");
    }

    @Test
    void coordinatorsAndHelpersStartFromAnArchiveToo() throws IOException {
        Files.delete(jar);
        Files.copy(built("cloudmw-helper", "cloudmw-helper"), installed.resolve("lib/cloudmw-helper-0-all.jar"));
        CommandLine launcher = new CommandLine("127.0.0.1:1", installed.resolve("cloudmw"));
        assertThat(launcher.run("coordinator", "--version").orThrow().out()).matches(version);
        awaitArchive();
        assertThat(launcher.with(Map.of("CLOUDMW_JAVA_OPTS", "-Xlog:class+load"))
                        .run("helper", "--version")
                        .orThrow()
                        .out())
                .contains("io.cloudmw.helper.cli.ServerMain source: shared objects file");
    }

    /** The archive is trained by transfers: the classes of gets are in it, not only those of the start. */
    @Test
    void archiveHasTheClassesOfTransfers() throws IOException {
        Files.copy(built("cloudmw-helper", "cloudmw-helper"), installed.resolve("lib/cloudmw-helper-0-all.jar"));
        assertClean(Map.of());
        awaitArchive();
        String loaded = new CommandLine("127.0.0.1:1", installed.resolve("cloudmw"))
                .with(Map.of("CLOUDMW_JAVA_OPTS", "-Xlog:class+load"))
                .start("warm-up", "--mib", "1")
                .orThrow()
                .out();
        assertThat(loaded).contains("io.cloudmw.client.read.");
        assertThat(loaded.lines()
                        .filter(line -> line.contains(" io.cloudmw.client.read."))
                        .filter(line -> !line.contains("source: shared objects file")))
                .isEmpty();
    }

    @Test
    void packageKeepsArchivesInItsDirectoryAndMakesNoCopies() throws IOException {
        Path cache = Files.createDirectory(installed.resolve("cache"));
        assertClean(Map.of());
        Path archive = cache.resolve("cloudmw-cli-0-all-java" + System.getProperty("java.version") + ARCHIVE);
        await().atMost(MAKING)
                .until(() -> Files.exists(Path.of(archive + ".for")) && Files.notExists(Path.of(archive + ".lock")));
        assertThat(isUsed()).isTrue();
        assertThat(installed.resolve(".run")).doesNotExist();
        assertThat(installed.resolve("lib")).isDirectoryNotContaining("glob:**" + ARCHIVE + "*");
    }

    /** Makes a JDK like the one of the tests that fails when it must list its loaded classes. */
    private Path failingJdk(Path tries) throws IOException {
        Path home = directory.resolve("jdk");
        Files.createDirectories(home.resolve("bin"));
        Files.copy(Path.of(System.getProperty("java.home"), "release"), home.resolve("release"));
        Path java = Files.writeString(
                home.resolve("bin/java"),
                """
                #!/bin/sh
                case "$*" in
                  *DumpLoadedClassList* | *AOTMode=record*)
                    echo tried >>'%s'
                    echo 'no room for it' >&2
                    exit 1
                    ;;
                esac
                exec '%s/bin/java' "$@"
                """.formatted(tries, System.getProperty("java.home")),
                StandardCharsets.UTF_8);
        assertThat(java.toFile().setExecutable(true)).isTrue();
        return home;
    }

    /** Waits for the record that no archive could be made for the current jar. */
    private void awaitFailure() throws IOException {
        String time = String.valueOf(Files.getLastModifiedTime(jar).toMillis() / 1000);
        await().atMost(MAKING)
                .ignoreExceptions()
                .until(() -> Files.readString(made(ARCHIVE + ".failed")).contains("," + time + " ")
                        && Files.notExists(made(ARCHIVE + ".lock")));
    }

    @Test
    void anArchiveThatCannotBeMadeIsTriedOnceForAJar() throws IOException {
        Path tries = directory.resolve("tries");
        Map<String, String> failing = Map.of("JAVA_HOME", failingJdk(tries).toString());
        assertClean(failing);
        awaitFailure();
        assertThat(made(ARCHIVE + ".failed")).content().contains("no room for it");
        assertClean(failing);
        CommandLine launcher = new CommandLine("127.0.0.1:1", installed.resolve("cloudmw")).with(failing);
        assertThat(launcher.run("ls", "--help").orThrow().err()).doesNotContain("class-data archive");
        assertThat(launcher.run("ls", "--help", "-v").orThrow().err())
                .contains("cloudmw: no class-data archive: making it failed for this jar (")
                .contains(".jsa.failed: why)");
        assertThat(tries).hasContent("tried");

        Files.setLastModifiedTime(
                jar, FileTime.from(Files.getLastModifiedTime(jar).toInstant().minusSeconds(60)));
        assertClean(failing);
        awaitFailure();
        assertThat(tries).hasContent("tried\ntried");
    }

    @Test
    void standardOutputIsCleanInEveryStateOfTheArchive() throws IOException {
        assertClean(Map.of());
        awaitArchive();
        assertClean(Map.of());
        assertThat(isUsed()).isTrue();
        // The JVM refuses the archive, starts without it, and says nothing.
        CommandLine.Result refused = version(Map.of("CLOUDMW_JAVA_OPTS", "-XX:-UseCompressedOops"));
        assertThat(refused.out()).matches(version);
        assertThat(refused.err()).isEmpty();
        assertClean(Map.of("JAVA_TOOL_OPTIONS", "-XX:-UseCompressedOops"));

        FileTime time = Files.getLastModifiedTime(jar);
        Files.setLastModifiedTime(jar, FileTime.from(time.toInstant().minusSeconds(60)));
        assertClean(Map.of());
        // The process that makes this archive removes those for other timestamps at its end.
        await().atMost(MAKING).until(() -> isUsed() && Files.notExists(made(ARCHIVE + ".lock")));
        Files.setLastModifiedTime(jar, time);
        // The unused copy for this timestamp is replaced by a new one.
        await().atMost(MAKING).until(this::isUsed);
        Path archive = made(ARCHIVE);
        Path lock = archive.resolveSibling(archive.getFileName() + ".lock");
        await().atMost(MAKING).until(() -> Files.notExists(lock));
        Files.createDirectory(lock);

        cut(archive, Files.size(archive) / 2);
        assertClean(Map.of());
        cut(archive, 0);
        assertClean(Map.of());
        assertThat(isUsed()).isFalse();

        Files.setLastModifiedTime(lock, FileTime.from(Instant.now().minus(Duration.ofHours(1))));
        assertClean(Map.of());
        await().atMost(MAKING).until(() -> Files.notExists(lock) && isUsed());
    }
}
