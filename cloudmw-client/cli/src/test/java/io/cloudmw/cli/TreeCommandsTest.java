package io.cloudmw.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.cloudmw.client.rpc.FakeCoordinator;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
final class TreeCommandsTest {
    @TempDir
    private Path directory;

    private CommandFixture commands;
    private FakeCoordinator coordinator;
    private Path source;
    private Path copy;

    @BeforeEach
    void start() throws IOException {
        commands = new CommandFixture(64 << 10, 16 << 10, directory.resolve("nowhere"));
        coordinator = commands.coordinator();
        coordinator.page(2, "none");
        source = Files.createDirectory(directory.resolve("source"));
        copy = directory.resolve("copy");
        write("a", 10);
        write("b", 0);
        write("c", 1);
        write("sub/d", 200_000);
        write("sub/deep/er/e", 100);
    }

    @AfterEach
    void stop() {
        commands.close();
    }

    private Path write(String name, int length) throws IOException {
        Path file = source.resolve(name);
        Files.createDirectories(Objects.requireNonNull(file.getParent()));
        byte[] content = new byte[length];
        new Random(length + name.hashCode()).nextBytes(content);
        return Files.write(file, content);
    }

    private int run(String... args) {
        return commands.run(args);
    }

    private void counts(long copied, long unchanged, long deleted, long failed) throws IOException {
        JsonNode report = json();
        assertThat(report.get("copied").asLong()).as(commands.out()).isEqualTo(copied);
        assertThat(report.get("unchanged").asLong()).as(commands.out()).isEqualTo(unchanged);
        assertThat(report.get("deleted").asLong()).as(commands.out()).isEqualTo(deleted);
        assertThat(report.get("failed").asLong()).as(commands.out()).isEqualTo(failed);
    }

    private JsonNode json() throws IOException {
        return commands.json();
    }

    private void same(Path one, Path other) throws IOException {
        assertThat(other).hasSameBinaryContentAs(one);
        assertThat(Files.getLastModifiedTime(other)).isEqualTo(Files.getLastModifiedTime(one));
    }

    @Test
    void emptyDirectoriesAreCopiedAndRemovedToo() throws IOException {
        Path empty = Files.createDirectories(directory.resolve("empty-tree"));
        Files.createDirectories(empty.resolve("a/empty"));
        assertThat(run("put", "-r", empty.toString(), "vol:/t")).isZero();
        assertThat(run("mkdir", "vol:/t/a/empty")).as("it is there").isEqualTo(4);
        Files.delete(empty.resolve("a/empty"));
        Files.delete(empty.resolve("a"));
        assertThat(run("sync", "--delete", empty.toString(), "vol:/t")).isZero();
        assertThat(run("mkdir", "vol:/t/a")).as("it is gone").isZero();
        assertThat(run("rm", "-r", "vol:/t")).isZero();
        assertThat(run("mkdir", "vol:/t")).as("it is gone").isZero();
    }

    @Test
    void directoryRoundTripsWithItsTimes() throws Exception {
        Files.setLastModifiedTime(source.resolve("a"), FileTime.fromMillis(1_000_000_000_123L));
        Files.createSymbolicLink(source.resolve("link"), source.resolve("a"));
        assertThat(run("put", "-r", source.toString(), "vol:/to", "--json")).isZero();
        counts(5, 0, 0, 0);
        assertThat(json().get("skipped").asLong()).isEqualTo(1);
        assertThat(json().get("copied_bytes").asLong()).isEqualTo(200_111);
        assertThat(commands.err()).contains("skipped").contains("a symbolic link");
        assertThat(coordinator.files()).containsKey(FilePath.parse("vol:/to/sub/deep/er/e"));

        assertThat(run("get", "-r", "vol:/to", copy.toString(), "--json")).isZero();
        counts(5, 0, 0, 0);
        for (String name : new String[] {"a", "b", "c", "sub/d", "sub/deep/er/e"}) {
            same(source.resolve(name), copy.resolve(name));
        }
    }

    @Test
    void nothingIsWrittenThroughALinkInTheWay() throws Exception {
        assertThat(run("put", "-r", source.toString(), "vol:/to")).isZero();
        Path outside = Files.createDirectories(directory.resolve("outside"));
        Path victim = Files.writeString(outside.resolve("victim"), "kept");
        Files.createDirectories(copy);
        Files.createSymbolicLink(copy.resolve("sub"), outside);
        Files.createSymbolicLink(copy.resolve("a"), victim);
        Files.createSymbolicLink(copy.resolve("b"), outside.resolve("new"));

        assertThat(run("get", "-r", "vol:/to", copy.toString(), "--json")).isNotZero();

        counts(1, 0, 0, 3);
        assertThat(victim).hasContent("kept");
        try (var files = Files.list(outside)) {
            assertThat(files).containsExactly(victim);
        }
    }

    @Test
    void missingDirectoryIsReportedOnce() {
        String file = source.resolve("a").toString();
        assertThat(run("put", file, "vol:/f")).isZero();
        assertThat(run("warm", "-r", "vol:/f")).isEqualTo(3);
        saidOnce("no directory /f");
        assertThat(run("get", "-r", "vol:/f", copy.toString())).isEqualTo(3);
        saidOnce("no directory /f");
        assertThat(run("put", "-r", file, "vol:/to")).isEqualTo(7);
        saidOnce("not a directory");
        assertThat(run("rm", "-r", "vol:/none")).isEqualTo(3);
        saidOnce("no directory /none");
    }

    private void saidOnce(String what) {
        assertThat(commands.err().lines().toList()).singleElement().asString().contains(what);
    }

    @Test
    void existingCopyIsNotMadeAgain() throws Exception {
        assertThat(run("put", "-r", source.toString(), "vol:/", "--json")).isZero();
        assertThat(run("put", "-r", source.toString(), "vol:/", "--json")).isZero();
        counts(0, 5, 0, 0);
        write("a", 11);
        assertThat(run("put", "-r", source.toString(), "vol:/", "--json")).isZero();
        counts(1, 4, 0, 0);
        assertThat(run("put", "-r", "--no-resume", source.toString(), "vol:/", "--json"))
                .isZero();
        counts(5, 0, 0, 0);
        assertThat(run("get", "-r", "vol:/", copy.toString())).isZero();
        assertThat(run("get", "-r", "vol:/", copy.toString(), "--json")).isZero();
        counts(0, 5, 0, 0);
        // Another client puts a version with another time, so the time recorded for the old version does not apply.
        assertThat(run("put", source.resolve("b").toString(), "vol:/c")).isZero();
        assertThat(run("put", "-r", source.toString(), "vol:/", "--json")).isZero();
        counts(1, 4, 0, 0);
    }

    @Test
    void syncMakesDirectoriesEqualInEitherDirection() throws Exception {
        assertThat(run("sync", source.toString(), "vol:/to")).isZero();
        Files.delete(source.resolve("sub/deep/er/e"));
        write("new", 5);
        write("a", 12);

        assertThat(run("sync", "--dry-run", "--delete", source.toString(), "vol:/to"))
                .isZero();
        assertThat(commands.out())
                .contains("new (not there)")
                .contains("a (another size)")
                .contains("vol:/to/sub/deep/er/e")
                .contains("2 copied")
                .contains("1 deleted");
        assertThat(run("sync", "--dry-run", "--delete", source.toString(), "vol:/to", "--json"))
                .isZero();
        counts(2, 3, 1, 0);
        assertThat(json().get("actions")).hasSize(3);
        assertThat(coordinator.files()).hasSize(5);

        assertThat(run("sync", source.toString(), "vol:/to", "--json")).isZero();
        counts(2, 3, 0, 0);
        assertThat(run("sync", "--delete", source.toString(), "vol:/to", "--json"))
                .isZero();
        counts(0, 5, 1, 0);
        assertThat(coordinator.files()).hasSize(5);

        assertThat(run("sync", "vol:/to", copy.toString())).isZero();
        Files.createDirectories(copy.resolve("x/y"));
        Files.write(copy.resolve("x/y/more"), new byte[1]);
        assertThat(run("sync", "--delete", "--dry-run", "vol:/to", copy.toString(), "--json"))
                .isZero();
        counts(0, 5, 1, 0);
        assertThat(copy.resolve("x/y/more")).exists();
        assertThat(run("sync", "--delete", "vol:/to", copy.toString(), "--json"))
                .isZero();
        counts(0, 5, 1, 0);
        assertThat(copy.resolve("x")).doesNotExist();
        same(source.resolve("sub/d"), copy.resolve("sub/d"));
    }

    @Test
    void checksumFindsChangesThatTimesHide() throws Exception {
        assertThat(run("sync", source.toString(), "vol:/to")).isZero();
        Path file = source.resolve("sub/d");
        FileTime time = Files.getLastModifiedTime(file);
        Files.setLastModifiedTime(file, FileTime.fromMillis(5));
        assertThat(run("sync", "--dry-run", source.toString(), "vol:/to", "--json"))
                .isZero();
        counts(1, 4, 0, 0);
        assertThat(run("sync", "--checksum", source.toString(), "vol:/to", "--json"))
                .isZero();
        counts(0, 5, 0, 0);
        byte[] bytes = Files.readAllBytes(file);
        bytes[150_000] ^= 1;
        Files.write(file, bytes);
        Files.setLastModifiedTime(file, time);
        assertThat(run("sync", "--dry-run", source.toString(), "vol:/to", "--json"))
                .isZero();
        counts(0, 5, 0, 0);
        assertThat(run("sync", "--checksum", source.toString(), "vol:/to", "--json"))
                .isZero();
        counts(1, 4, 0, 0);
    }

    @Test
    void failedFileStopsNoOtherAndPreventsDeletions() throws Exception {
        assertThat(run("sync", source.toString(), "vol:/to")).isZero();
        Files.delete(source.resolve("a"));
        write("bad\u0001name", 5);
        write("good", 5);
        assertThat(run("sync", "--delete", source.toString(), "vol:/to", "--json"))
                .isEqualTo(2);
        counts(1, 4, 0, 1);
        assertThat(json().get("errors").get(0).get("code").asText()).isEqualTo("INVALID_ARGUMENT");
        assertThat(commands.err()).contains("control character");
        assertThat(coordinator.files()).hasSize(6);

        Files.createDirectories(copy.resolve("a"));
        Files.createSymbolicLink(copy.resolve("sub"), source);
        assertThat(run("get", "-r", "vol:/to", copy.toString(), "--json")).isEqualTo(7);
        counts(3, 0, 0, 2);
        assertThat(source.resolve("deep")).doesNotExist();
    }

    @Test
    void unlistableDirectoryStopsNoOtherAndPreventsDeletions() throws Exception {
        write("zz", 3);
        assertThat(run("sync", source.toString(), "vol:/to")).isZero();
        Files.createDirectories(copy.resolve("sub/deep"));
        Path kept = Files.write(copy.resolve("sub/deep/kept"), new byte[1]);
        Path other = Files.write(copy.resolve("other"), new byte[1]);
        coordinator.page(1, "d");
        assertThat(run("sync", "--delete", "vol:/to", copy.toString(), "--json"))
                .isEqualTo(4);
        counts(5, 0, 0, 1);
        assertThat(json().get("errors").get(0).get("file").asText()).isEqualTo("vol:/to/sub");
        same(source.resolve("zz"), copy.resolve("zz"));
        assertThat(kept).exists();
        assertThat(other).exists();
    }

    @Test
    void contentOfAnUnlistableDirectoryIsNotDeleted() throws Exception {
        write("sub/extra", 3);
        write("zz", 3);
        assertThat(run("sync", source.toString(), "vol:/to")).isZero();
        Files.delete(source.resolve("sub/extra"));
        Files.delete(source.resolve("zz"));
        coordinator.page(1, "d");
        assertThat(run("sync", "--delete", source.toString(), "vol:/to", "--json"))
                .isEqualTo(4);
        counts(0, 5, 1, 1);
        assertThat(coordinator.files())
                .containsKey(FilePath.parse("vol:/to/sub/extra"))
                .doesNotContainKey(FilePath.parse("vol:/to/zz"));
    }

    @Test
    void partialDownloadsAndSpecialFilesAreIgnored() throws Exception {
        write(".cloudmw-left.part", 3);
        assertThat(run("sync", "--delete", source.toString(), "vol:/to", "--json"))
                .isZero();
        counts(5, 0, 0, 0);
        assertThat(json().get("skipped").asLong()).isEqualTo(1);

        Files.delete(source.resolve("a"));
        Files.createSymbolicLink(source.resolve("a"), source.resolve("b"));
        assertThat(run("sync", "--delete", source.toString(), "vol:/to", "--json"))
                .isZero();
        counts(0, 4, 0, 0);
        assertThat(coordinator.files()).hasSize(5);
    }

    @Test
    void nameThatIsNoTextFailsAloneAndPreventsDeletions() throws Exception {
        assertThat(run("sync", source.toString(), "vol:/to")).isZero();
        Files.delete(source.resolve("a"));
        int made = new ProcessBuilder("sh", "-c", "printf x > \"$(printf 'caf\\351')\"")
                .directory(source.toFile())
                .start()
                .waitFor();
        assertThat(made).isZero();
        assertThat(run("sync", "--delete", source.toString(), "vol:/to", "--json"))
                .isEqualTo(2);
        counts(0, 4, 0, 1);
        assertThat(coordinator.files()).hasSize(5);
    }

    @Test
    void nameWithAControlCharacterFailsAlone() throws Exception {
        Files.writeString(source.resolve("two\nlines"), "x");
        assertThat(run("put", "-r", source.toString(), "vol:/to", "--json")).isEqualTo(2);
        counts(5, 0, 0, 1);
        assertThat(json().get("errors").get(0).get("file").asText()).endsWith("/two%0Alines");
        assertThat(commands.err())
                .contains("cloudmw: " + source + "/two%0Alines: its name contains a control character (expected: none, "
                        + "or --names=escape)\n");
        assertThat(coordinator.files()).hasSize(5);
    }

    @Test
    void escapedNamesComeBackByteForByte() throws Exception {
        for (String name : List.of("two%0Alines", "caf%E9", "100%25", "caf\u00e9", "sub%7F/%1B[2J")) {
            Path file =
                    Path.of(URI.create(source.toUri() + name.replace("[", "%5B").replace("\u00e9", "%C3%A9")));
            Files.createDirectories(Objects.requireNonNull(file.getParent()));
            Files.writeString(file, name);
        }
        assertThat(run("put", "-r", "--names=escape", source.toString(), "vol:/to"))
                .as(commands.err())
                .isZero();
        assertThat(coordinator.files())
                .containsKeys(FilePath.parse("vol:/to/two%0Alines"), FilePath.parse("vol:/to/sub%7F/%1B[2J"));
        assertThat(run("sync", "--names=escape", source.toString(), "vol:/to", "--json"))
                .isZero();
        counts(0, 10, 0, 0);
        assertThat(run("get", "-r", "--names=escape", "vol:/to", copy.toString()))
                .as(commands.err())
                .isZero();
        try (var files = Files.walk(source)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                same(file, copy.resolve(source.relativize(file)));
            }
        }
        assertThat(run("sync", "--names=escape", "--delete", source.toString(), "vol:/to", "--json"))
                .isZero();
        counts(0, 10, 0, 0);
    }

    @Test
    void nameThatTheFileSystemRefusesFailsAlone() throws Exception {
        String tooLong = "n".repeat(256);
        for (String name : List.of(tooLong, "100%", "fine")) {
            assertThat(run("put", source.resolve("a").toString(), "vol:/from/" + name))
                    .isZero();
        }
        assertThat(run("get", "-r", "vol:/from", copy.toString(), "--json")).isEqualTo(7);
        counts(2, 0, 0, 1);
        assertThat(json().get("errors").get(0).get("file").asText()).isEqualTo("vol:/from/" + tooLong);
        assertThat(run(
                        "get",
                        "-r",
                        "--names=escape",
                        "vol:/from",
                        directory.resolve("other").toString(),
                        "--json"))
                .isPositive();
        counts(1, 0, 0, 2);
        assertThat(commands.err()).contains("vol:/from/100%: its name was not written by --names=escape");
    }

    @Test
    void nameTooLongAfterEscapingFailsAlone() throws Exception {
        Path deep = source;
        for (int i = 0; i < 2; i++) {
            deep = Files.createDirectory(deep.resolve("\u0001".repeat(200)));
        }
        Files.writeString(deep.resolve("x"), "x");
        assertThat(run("put", "-r", "--names=escape", source.toString(), "vol:/to", "--json"))
                .isEqualTo(2);
        counts(5, 0, 0, 1);
        assertThat(commands.err()).contains(" bytes (expected: <= 1024)");
    }

    @Test
    void usageErrorsAreReportedBeforeAnyFileIsTouched() throws Exception {
        assertThat(run("sync", source.toString(), copy.toString())).isEqualTo(2);
        assertThat(run("sync", "vol:/a", "vol:/b")).isEqualTo(2);
        assertThat(run("put", "-r", "--if-absent", source.toString(), "vol:/to"))
                .isEqualTo(2);
        assertThat(run("put", "-r", "--receipt", source.toString(), "vol:/to")).isEqualTo(2);
        assertThat(commands.err()).contains("--receipt: not with --recursive");
        assertThat(run("get", "-r", "--receipt", "vol:/to", copy.toString())).isEqualTo(2);
        assertThat(run("put", "-r", "--parallel", "65", source.toString(), "vol:/to"))
                .isEqualTo(2);
        assertThat(run("put", "-r", "--names=url", source.toString(), "vol:/to"))
                .isEqualTo(2);
        assertThat(run("put", "--names=escape", source.resolve("a").toString(), "vol:/to"))
                .isEqualTo(2);
        assertThat(run("put", "-r", directory.resolve("none").toString(), "vol:/to"))
                .isEqualTo(7);
        assertThat(run("sync", "--delete", "vol:/none", source.toString())).isEqualTo(3);
        assertThat(source.resolve("a")).exists();
        assertThat(run("put", "-r", source.resolve("a").toString(), "vol:/to")).isEqualTo(7);
    }

    private void removed(long deleted, long failed) throws IOException {
        assertThat(json().get("deleted").asLong()).as(commands.out()).isEqualTo(deleted);
        assertThat(json().get("failed").asLong()).as(commands.out()).isEqualTo(failed);
    }

    @Test
    void aDirectoryIsRemovedWithAllThatIsInIt() throws Exception {
        assertThat(run("put", "-r", source.toString(), "vol:/to")).isZero();
        assertThat(run("put", source.resolve("a").toString(), "vol:/top")).isZero();

        assertThat(run("rm", "-r", "--dry-run", "vol:/to")).isZero();
        assertThat(commands.out()).contains("vol:/to/sub/deep/er/e").contains("would be: 5 deleted, 0 failed");
        assertThat(run("rm", "-r", "--dry-run", "vol:/to", "--json")).isZero();
        removed(5, 0);
        assertThat(json().get("actions")).hasSize(5);
        assertThat(coordinator.files()).hasSize(6);

        assertThat(run("rm", "-r", "vol:/to/sub/", "--json")).isZero();
        removed(2, 0);
        assertThat(run("rm", "-r", "vol:/to/sub")).isEqualTo(3);
        assertThat(run("rm", "-r", "vol:/to/a", "--json")).as("a file").isZero();
        removed(1, 0);
        assertThat(coordinator.files())
                .containsOnlyKeys(FilePath.parse("vol:/to/b"), FilePath.parse("vol:/to/c"), FilePath.parse("vol:/top"));
        assertThat(run("rm", "-r", "vol:/")).isZero();
        assertThat(commands.out()).contains("done: 3 deleted, 0 failed");
        assertThat(coordinator.files()).isEmpty();
    }

    @Test
    void fileRemovedMeanwhileIsNoFailureAndAFailureStopsNoOther() throws Exception {
        assertThat(run("put", "-r", source.toString(), "vol:/to")).isZero();
        coordinator.refuse("Remove", ErrorCode.NOT_FOUND, 1);
        assertThat(run("rm", "-r", "vol:/to", "--json")).isZero();
        removed(4, 0);

        assertThat(run("put", "-r", source.toString(), "vol:/to")).isZero();
        coordinator.refuse("Remove", ErrorCode.INVALID_ARGUMENT, 1);
        assertThat(run("rm", "-r", "vol:/to", "--json")).isEqualTo(2);
        removed(4, 1);
        assertThat(json().get("errors").get(0).get("code").asText()).isEqualTo("INVALID_ARGUMENT");
        assertThat(run("rm", "-r", "vol:/to", "--json")).as("goes on").isZero();
        removed(1, 0);
    }

    @Test
    void removalWithoutAFullPathIsRefused() {
        assertThat(run("rm", "-r", "vol")).isEqualTo(2);
        assertThat(commands.err()).contains("all of a volume: volume:/");
        assertThat(run("rm", "-r", "vol:")).isEqualTo(2);
        assertThat(run("rm", "--dry-run", "vol:/to")).isEqualTo(2);
        assertThat(run("rm", "-r", "vol:/none")).isEqualTo(3);
    }

    @Test
    void aDirectoryOfASnapshotIsCopiedAsItWas() throws Exception {
        assertThat(run("put", "-r", source.toString(), "vol:/to")).isZero();
        coordinator.snapshots().take("one");
        assertThat(run("rm", "vol:/to/a")).isZero();
        assertThat(run("put", source.resolve("c").toString(), "vol:/to/b")).isZero();

        assertThat(run("get", "-r", "vol@one:/to", copy.toString(), "--json")).isZero();
        counts(5, 0, 0, 0);
        for (String name : new String[] {"a", "b", "c", "sub/d", "sub/deep/er/e"}) {
            assertThat(copy.resolve(name)).hasSameBinaryContentAs(source.resolve(name));
        }
        assertThat(run("sync", "vol@one:/to/sub", copy.resolve("sub").toString(), "--json"))
                .isZero();
        counts(0, 2, 0, 0);
        assertThat(run("sync", "vol@none:/to", copy.toString())).isEqualTo(3);

        assertThat(run("stat", "vol@one:/to/a", "--json")).isZero();
        assertThat(json().get("snapshot").asText()).isEqualTo("one");
        assertThat(run("stat", "vol@one:/to/a")).isZero();
        assertThat(commands.out()).containsPattern("snapshot +one\n");
        assertThat(run("stat", "vol:/to/c")).isZero();
        assertThat(commands.out()).doesNotContain("snapshot");
        assertThat(run("attr", "vol@one:/to/a", "--json")).isZero();
    }

    @Test
    void aSnapshotCannotBeChanged() {
        String file = source.resolve("a").toString();
        for (String[] command : new String[][] {
            {"put", file, "vol@one:/x"},
            {"put", "-r", source.toString(), "vol@one:/x"},
            {"sync", source.toString(), "vol@one:/x"},
            {"append", file, "vol@one:/x"},
            {"write", file, "vol@one:/x"},
            {"truncate", "vol@one:/x", "--size", "1"},
            {"rm", "vol@one:/x"},
            {"rm", "-r", "vol@one:/x"},
            {"mv", "vol@one:/x", "vol:/y"},
            {"mv", "vol:/y", "vol@one:/x"},
            {"attr", "vol@one:/x", "a=b"},
            {"watch", "vol@one:/x"}
        }) {
            assertThat(run(command)).as(command[0]).isEqualTo(2);
            assertThat(commands.err()).contains("vol@one:/x: a snapshot cannot be changed");
        }
    }
}
