package io.cloudmw.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.error.ErrorCode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of error messages: each repeats the words typed, and says what to type instead. */
@Timeout(60)
final class MessagesTest {
    private static final int CHUNK = 64 << 10;

    @TempDir
    private Path directory;

    private CommandFixture commands;

    @BeforeEach
    void start() throws IOException {
        commands = new CommandFixture(CHUNK, CHUNK, directory.resolve("nowhere"));
    }

    @AfterEach
    void stop() {
        commands.close();
    }

    private void fails(int exit, String said, String... args) {
        assertThat(commands.run(args)).as(String.join(" ", args)).isEqualTo(exit);
        assertThat(commands.err()).contains(said);
    }

    private void put(String file, String text) {
        assertThat(commands.run(text.getBytes(StandardCharsets.UTF_8), false, "put", "-", file))
                .isZero();
    }

    @Test
    void wrongVersionLawAndPathAreRepeatedAsTyped() throws IOException {
        put("vol:/a", "12345");
        Path file = Files.writeString(directory.resolve("f"), "x");
        String version = "'--if-version': \"zzz\" (expected: 32 of 0-9, a-f)";
        fails(2, version, "put", file.toString(), "vol:/a", "--if-version", "zzz");
        fails(2, version, "truncate", "vol:/a", "--size", "1", "--if-version", "zzz");
        fails(2, "'--version-id': \"zzz\" (expected: 32", "get", "vol:/a", "--version-id", "zzz");
        fails(
                2,
                "cloudmw: path: \"/a%01b\" contains a control character (expected: none)",
                "put",
                file.toString(),
                "vol:/a\u0001b");
    }

    @Test
    void helpOfASubcommandIsItsOwn() throws IOException {
        assertThat(commands.run("help", "store", "add")).isZero();
        String help = commands.out();
        assertThat(help).startsWith("Usage: cloudmw store add ");
        assertThat(commands.run("store", "add", "--help")).isZero();
        assertThat(commands.out()).isEqualTo(help);
        assertThat(commands.run("help")).isZero();
        assertThat(commands.out()).startsWith("Usage: cloudmw ").contains("Serving:");
    }

    @Test
    void helpOfAnUnknownCommandSuggestsTheNearestOne() throws IOException {
        fails(2, "cloudmw: unknown command 'nosuch'\ncloudmw: see cloudmw --help", "help", "nosuch");
        fails(2, "cloudmw: unknown command 'voluem'; did you mean 'volume'?", "help", "voluem");
        fails(
                2,
                "cloudmw: unknown command 'creat'; did you mean 'create'?\ncloudmw: see cloudmw volume --help",
                "help",
                "volume",
                "creat");
        fails(2, "cloudmw: unexpected argument 'x'", "help", "put", "x");
    }

    @Test
    void wrongOptionIsRepeatedAsTyped() throws IOException {
        put("vol:/a", "12345");
        fails(2, "'--offset': \"-1\" (expected: like 64MiB)", "write", "x", "vol:/a", "--offset=-1");
        fails(2, "'--size': \"much\" (expected: like 64MiB)", "truncate", "vol:/a", "--size", "much");
        fails(2, "'--deadline': \"soon\" (expected: like 200ms", "get", "vol:/a", "--deadline", "soon");
        fails(2, "cloudmw: --size: 6MiB (expected: <= the file's 5 bytes)", "truncate", "vol:/a", "--size", "6MiB");
        fails(2, "cloudmw: --timeout: 0s (expected: 1ms..1d)", "stat", "vol:/a", "--timeout", "0");
        fails(2, "cloudmw: --interval: 1ms (expected: >= 100ms)", "top", "--interval", "1ms");
        fails(
                2,
                "cloudmw: --write-quorum: 3 (expected: ",
                "volume",
                "create",
                "v",
                "--replicas",
                "1",
                "--write-quorum",
                "3");
        fails(2, "'--listen': \"nohost\" (expected: host:port)", "peer", "vol:/a", "--listen", "nohost");
        assertThat(commands.run("truncate", "vol:/a", "--size", "6MiB", "--json"))
                .isEqualTo(2);
        assertThat(commands.json().get("error").get("message").asText()).startsWith("--size: 6MiB ");
    }

    @Test
    void unreadableLocalFileIsNoUsageError() throws IOException {
        put("vol:/a", "1");
        String none = directory.resolve("none").toString();
        fails(7, "settings file " + none + ": cannot be read: no such file", "stat", "vol:/a", "--config", none);
        fails(7, "price table " + none + ": cannot be read: no such file", "get", "vol:/a", "--prices", none);
        fails(7, "price table " + none + ": cannot be read: no such file", "cost", "--prices", none);
        Path config = Files.writeString(directory.resolve("config"), "client.coordinator-timeout = 0s\n");
        fails(
                2,
                "client.coordinator-timeout: \"0s\" (expected: a duration like 2s, 1ms..1d)",
                "stat",
                "vol:/a",
                "--config",
                config.toString());
    }

    @Test
    void commandForAFileNamesTheOptionForDirectories() throws IOException {
        put("vol:/d/a", "1");
        commands.coordinator().snapshots().take("one");
        Path local = Files.createDirectory(directory.resolve("local"));
        fails(7, local + ": is a directory (put -r: all files in it)", "put", local.toString(), "vol:/x");
        fails(3, "vol:/d: is a directory (get -r: all files in it)", "get", "vol:/d", local.toString());
        fails(3, "vol@one:/d: is a directory (get -r: all files in it)", "get", "vol@one:/d", local.toString());
        fails(3, "vol:/d: is a directory (rm -r: all files in it)", "rm", "vol:/d");
        fails(3, "vol:/none: no such file", "rm", "vol:/none");
        assertThat(commands.err()).doesNotContain("directory");
    }

    @Test
    void existingNameIsReportedAsExisting() {
        put("vol:/a", "1");
        fails(4, " (expected: absent): it exists already", "put", "--if-absent", "-", "vol:/a");
        assertThat(commands.err()).doesNotContain("somebody else");
    }

    @Test
    void misspeltWordIsNamedWithTheNearestOne() throws IOException {
        fails(
                2,
                "cloudmw: unknown command 'vlume'; did you mean 'volume'?\ncloudmw: see cloudmw --help\n",
                "vlume",
                "ls");
        fails(2, "cloudmw: unknown command 'gte'; did you mean 'get'?\n", "gte", "vol:/a", "--no-such");
        fails(2, "cloudmw: unknown command 'hleper'; did you mean 'helper'?\n", "hleper");
        fails(2, "cloudmw: unknown command 'creat'; did you mean 'create'?\n", "volume", "creat", "v");
        fails(2, "cloudmw: unknown command 'quxquux'\n", "quxquux");
        fails(2, "cloudmw: unknown option '--recieved'\n", "stat", "vol:/a", "--recieved=x");
        fails(2, "cloudmw: unknown option '--recipt'; did you mean '--receipt'?\n", "get", "vol:/a", "--recipt");
        fails(2, "cloudmw: unexpected argument 'more'\n", "stat", "vol:/a", "more");
        assertThat(commands.run("vlume", "ls", "--json")).isEqualTo(2);
        assertThat(commands.json().get("error").get("message").asText())
                .isEqualTo("unknown command 'vlume'; did you mean 'volume'?");
    }

    /** The message appears after two seconds, on a terminal or not, but not with {@code --quiet}. */
    @Test
    void waitingPutReportsItsReason() {
        String said = "put vol:/a waits: PlaceChunks: refused";
        assertThat(commands.run(refusedMeanwhile(), false, "put", "-", "vol:/a", "--json"))
                .isZero();
        assertThat(commands.err()).containsOnlyOnce(said);
        assertThat(commands.run(refusedMeanwhile(), true, "put", "-", "vol:/a")).isZero();
        assertThat(commands.err().lines().filter(line -> line.endsWith(said))).hasSize(1);
        assertThat(commands.err()).contains("waits for 2 s");
        assertThat(commands.run(refusedMeanwhile(), true, "put", "-", "vol:/a", "-q"))
                .isZero();
        assertThat(commands.err()).isEmpty();
    }

    /** Returns a stream of one chunk more than a single call places; placing the last chunk fails for a while. */
    private InputStream refusedMeanwhile() {
        return new ByteArrayInputStream(new byte[65 * CHUNK]) {
            @Override
            public synchronized int read(byte[] target, int offset, int length) {
                if (pos == 0) {
                    commands.coordinator().refuse("PlaceChunks", ErrorCode.QUORUM_NOT_MET, 8);
                }
                return super.read(target, offset, length);
            }
        };
    }

    @Test
    void aDeviceThatCannotBeWrittenIsNamed() {
        put("vol:/a", "1");
        fails(7, "/dev/full: cannot write to it: No space left on device", "get", "vol:/a", "/dev/full");
    }
}
