package io.cloudmw.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.cloudmw.cli.command.CommandContext;
import io.cloudmw.cli.command.ExitCode;
import io.cloudmw.client.Pipes;
import io.cloudmw.client.rpc.FakeCoordinator;
import io.cloudmw.client.rpc.FakeHelper;
import io.cloudmw.core.cost.PriceTable;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.Change;
import io.cloudmw.core.model.file.Rename;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.ReadTarget;
import io.cloudmw.core.monitor.Speed;
import io.cloudmw.core.status.fleet.ExpectedSpeed;
import io.cloudmw.core.status.fleet.FleetView;
import io.cloudmw.core.status.fleet.HedgeCounts;
import io.cloudmw.core.status.fleet.HelperActivity;
import io.cloudmw.core.status.fleet.SizeClass;
import io.cloudmw.core.status.fleet.SpeedKey;
import io.cloudmw.core.status.fleet.SpeedSummary;
import io.cloudmw.core.status.fleet.SwitchActivity;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MainTest {
    @TempDir
    private Path directory;

    private FakeCoordinator coordinator;
    private FakeHelper helper;
    private String out = "";
    private byte[] outBytes = new byte[0];
    private String err = "";

    @BeforeEach
    void start() throws IOException {
        coordinator = new FakeCoordinator(1 << 20, 64 << 10);
        helper = new FakeHelper("h", FakeHelper.Script.SERVE, new ConcurrentHashMap<>());
        coordinator.add(helper.address());
        coordinator.add(
                new Store(new StoreId("s"), "d", new Store.Disk(new HelperId("h"), directory.resolve("nowhere"))));
    }

    @AfterEach
    void stop() {
        helper.close();
        coordinator.close();
    }

    private int run(String... args) {
        return run(new byte[0], args);
    }

    private int run(byte[] in, String... args) {
        ByteArrayOutputStream outStream = new ByteArrayOutputStream();
        int exit = run(in, outStream, false, args);
        outBytes = outStream.toByteArray();
        out = outStream.toString(StandardCharsets.UTF_8);
        return exit;
    }

    private int run(byte[] in, OutputStream to, boolean terminal, String... args) {
        ByteArrayOutputStream errStream = new ByteArrayOutputStream();
        int exit = run(in, to, errStream, terminal, args);
        err = errStream.toString(StandardCharsets.UTF_8);
        return exit;
    }

    private int run(byte[] in, OutputStream to, OutputStream errors, boolean terminal, String... args) {
        CommandContext context = new CommandContext(
                new ByteArrayInputStream(in),
                to,
                new PrintStream(errors, true, StandardCharsets.UTF_8),
                Map.of(
                        "CLOUDMW_COORDINATOR",
                        coordinator.address(),
                        "CLOUDMW_LAUNCHER",
                        directory.resolve("no-launcher").toString()),
                terminal);
        return Main.run(context, args);
    }

    private JsonNode json() throws IOException {
        return new ObjectMapper()
                .readTree(out.lines().reduce((before, last) -> last).orElse(""));
    }

    @Test
    void fileRoundTrips() throws IOException {
        byte[] content = new byte[3_000_000];
        Arrays.fill(content, (byte) 7);
        Path source = Files.write(directory.resolve("in"), content);
        assertThat(run("put", source.toString(), "vol:/a", "--json")).isZero();
        assertThat(json().get("size_bytes").asLong()).isEqualTo(content.length);
        Path target = directory.resolve("out");
        assertThat(run("get", "vol:/a", target.toString(), "--json")).isZero();
        assertThat(json().get("winners").get("h").asInt()).isEqualTo(3);
        assertThat(target).hasBinaryContent(content);
        assertThat(run("get", "vol:/a", directory.toString())).isZero();
        assertThat(directory.resolve("a")).hasBinaryContent(content);
        assertThat(run("stat", "vol:/a")).isZero();
        assertThat(out)
                .containsPattern("\\nchunk_size_bytes +1048576\n")
                .containsPattern("\\nleaf_size_bytes +65536\n");
        assertThat(out).contains("3000000").matches("(?s).*committed_at +[0-9]{4}-.*Z\n.*");
        assertThat(run("stat", "vol:/a", "--json")).isZero();
        assertThat(json().has("committed_at_millis")).isTrue();
        assertThat(err).isEmpty();
    }

    @Test
    void statDescribesADirectory() throws IOException {
        assertThat(run("mkdir", "vol:/d")).isZero();
        assertThat(run("stat", "vol:/d/", "--json")).isZero();
        assertThat(json().get("directory").asText()).isEqualTo("vol:/d");
        assertThat(json().get("stays").asBoolean()).isTrue();
        assertThat(run("stat", "vol:/")).isZero();
        assertThat(out).containsPattern("directory +vol:/\n");
        assertThat(run("stat", "vol:/none")).isEqualTo(3);
    }

    @Test
    void aFileGetsAnotherPath() throws IOException {
        byte[] content = "hello, chunks".getBytes(StandardCharsets.UTF_8);
        assertThat(run(content, "put", "-", "vol:/a")).isZero();
        assertThat(run("mv", "vol:/a", "vol:/b/c", "--json")).isZero();
        assertThat(json().get("from").asText()).isEqualTo("vol:/a");
        assertThat(json().get("to").asText()).isEqualTo("vol:/b/c");
        assertThat(json().get("directory").asBoolean()).isFalse();
        assertThat(json().get("size_bytes").asLong()).isEqualTo(content.length);
        assertThat(run("cat", "vol:/b/c")).isZero();
        assertThat(outBytes).isEqualTo(content);
        assertThat(run("mv", "vol:/a", "vol:/c")).isEqualTo(3);
        assertThat(run(content, "put", "-", "vol:/a")).isZero();
        assertThat(run("mv", "--no-replace", "vol:/a", "vol:/b/c")).isEqualTo(4);
        assertThat(run("mv", "vol:/a", "vol:/b/c")).isZero();
        assertThat(run("mv", "vol:/b/c", "other:/c")).isEqualTo(2);
        assertThat(err).contains("within one volume");
    }

    @Test
    void directoryIsCreatedAndRemovedWhileItIsEmpty() throws IOException {
        assertThat(run("mkdir", "vol:/d", "--json")).isZero();
        assertThat(json().get("created").asText()).isEqualTo("vol:/d");
        assertThat(run("mkdir", "vol:/d")).isEqualTo(4);
        assertThat(run("mkdir", "-p", "vol:/d")).isZero();
        assertThat(run(new byte[10], "put", "-", "vol:/d/a")).isZero();
        assertThat(run("rmdir", "vol:/d")).isEqualTo(4);
        assertThat(err).contains("not empty");
        assertThat(run("rm", "vol:/d/a")).isZero();
        assertThat(run("rmdir", "vol:/d", "--json")).isZero();
        assertThat(json().get("removed").asText()).isEqualTo("vol:/d");
        assertThat(run("rmdir", "vol:/d")).isEqualTo(3);
    }

    @Test
    void fileIsCopiedWithinItsVolume() throws IOException {
        byte[] content = "hello, chunks".getBytes(StandardCharsets.UTF_8);
        assertThat(run(content, "put", "-", "vol:/a")).isZero();
        assertThat(run("cp", "vol:/a", "vol:/b/c", "--json")).isZero();
        assertThat(json().get("from").asText()).isEqualTo("vol:/a");
        assertThat(json().get("to").asText()).isEqualTo("vol:/b/c");
        assertThat(json().get("size_bytes").asLong()).isEqualTo(content.length);
        assertThat(run("cat", "vol:/b/c")).isZero();
        assertThat(outBytes).isEqualTo(content);
        assertThat(run("cp", "--no-replace", "vol:/a", "vol:/b/c")).isEqualTo(4);
        assertThat(run("cp", "vol:/a", "vol:/b/c")).isZero();
        assertThat(run("cp", "vol:/none", "vol:/c")).isEqualTo(3);
        assertThat(run("cp", "vol:/a", "other:/c")).isEqualTo(2);
        assertThat(err).contains("within one volume");
    }

    @Test
    void putHonoursItsConditionOnThePath() throws IOException {
        byte[] content = "hello, chunks".getBytes(StandardCharsets.UTF_8);
        assertThat(run(content, "put", "--if-absent", "-", "vol:/a", "--json")).isZero();
        String version = json().get("version").asText();
        assertThat(run(content, "put", "--if-absent", "-", "vol:/a")).isEqualTo(4);
        assertThat(err).contains("is version " + version + " (expected: absent)");
        assertThat(run(content, "put", "--if-version", version, "-", "vol:/a")).isZero();
        assertThat(run(content, "put", "--if-version", version, "-", "vol:/a")).isEqualTo(4);
        assertThat(run(content, "put", "--if-version", "new", "-", "vol:/a")).isEqualTo(2);
        assertThat(run(content, "put", "--if-version", version, "--if-absent", "-", "vol:/a"))
                .isEqualTo(2);
    }

    @Test
    void aListingIsPrintedPageByPage() throws IOException {
        byte[] content = "hello, chunks".getBytes(StandardCharsets.UTF_8);
        assertThat(run("ls", "vol", "--json")).isZero();
        assertThat(json().get("entries")).isEmpty();
        for (String name : List.of("a", "b", "c", "d", "e")) {
            assertThat(run(content, "put", "-", "vol:/" + name)).isZero();
        }
        coordinator.page(2, "none");
        assertThat(run("ls", "vol:/", "--json")).isZero();
        assertThat(out.lines()).hasSize(1);
        assertThat(json().findValuesAsText("name")).containsExactly("a", "b", "c", "d", "e");
        assertThat(run("ls", "vol:/")).isZero();
        assertThat(out.lines()).hasSize(5);
        coordinator.page(2, "d");
        assertThat(run("ls", "vol:/", "--json")).isEqualTo(4);
        assertThat(out.lines()).hasSize(2).last().asString().startsWith("{\"error\":");
    }

    @Test
    void attributesOfAFileAreShown() throws IOException {
        assertThat(run(new byte[3], "put", "-", "vol:/a")).isZero();
        assertThat(run("attr", "vol:/a", "owner=me", "note=a = b", "--json")).isZero();
        assertThat(json().get("attributes").get("note").asText()).isEqualTo("a = b");
        assertThat(run("attr", "vol:/a", "owner=you", "--remove", "note", "--remove", "none"))
                .isZero();
        assertThat(out.lines()).containsExactly("owner=you");
        assertThat(run("attr", "vol:/a")).isZero();
        assertThat(out.lines()).containsExactly("owner=you");
        assertThat(run("stat", "vol:/a")).isZero();
        assertThat(out).containsPattern("attribute owner +you").containsPattern("created_at +[0-9]{4}-");
        assertThat(run("stat", "vol:/a", "--json")).isZero();
        assertThat(json().get("attributes").get("owner").asText()).isEqualTo("you");
        assertThat(json().has("created_at_millis")).isTrue();
        assertThat(run("attr", "vol:/a", "owner")).isEqualTo(2);
        assertThat(run("attr", "vol:/a", "=x")).isEqualTo(2);
        assertThat(run("attr", "vol:/a", "x=1", "--remove", "x")).isEqualTo(2);
        assertThat(run("attr", "vol:/none", "x=1")).isEqualTo(3);
    }

    @Test
    void standardInputAndOutputAreFilesToo() {
        byte[] content = "hello, chunks".getBytes(StandardCharsets.UTF_8);
        assertThat(run(content, "put", "-", "vol:/b")).isZero();
        assertThat(run("cat", "vol:/b")).isZero();
        assertThat(outBytes).isEqualTo(content);
        assertThat(run("get", "vol:/b", "-")).isZero();
        assertThat(outBytes).isEqualTo(content);
        assertThat(run("cat", "vol:/b", "--offset", "7", "--length", "3")).isZero();
        assertThat(out).isEqualTo("chu");
    }

    @Test
    void deviceIsNeitherReplacedNorMeasured() throws Exception {
        byte[] content = new byte[200_000];
        assertThat(run(content, "put", "-", "vol:/a")).isZero();
        assertThat(run("get", "vol:/a", "/dev/null")).isZero();
        assertThat(Files.isRegularFile(Path.of("/dev/null"))).isFalse();
        assertThat(run("put", "/dev/null", "vol:/b", "--json")).isZero();
        assertThat(json().get("size_bytes").asLong()).isZero();
    }

    @Test
    void pipeTransfersBytesInOrder() throws Exception {
        byte[] content = new byte[200_000];
        Arrays.fill(content, (byte) 5);
        Path pipe = Pipes.make(directory.resolve("pipe"));
        for (String command : List.of("put", "append")) {
            CompletableFuture<Void> written = CompletableFuture.runAsync(() -> write(pipe, content));
            assertThat(run(command, pipe.toString(), "vol:/p", "--json")).isZero();
            written.join();
        }
        assertThat(json().get("size_bytes").asLong()).isEqualTo(2L * content.length);
        CompletableFuture<byte[]> read = CompletableFuture.supplyAsync(() -> read(pipe));
        assertThat(run("get", "vol:/p", pipe.toString(), "--resume")).isZero();
        assertThat(read.join()).hasSize(2 * content.length).containsOnly(5);
        try (var left = Files.list(directory)) {
            assertThat(left).containsExactly(pipe);
        }
    }

    private static void write(Path file, byte[] content) {
        try {
            Files.write(file, content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] read(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void standardInputThatBreaksIsOneClearErrorAndNothingIsAppended() {
        InputStream broken = new InputStream() {
            @Override
            public int read() throws IOException {
                throw new IOException("the line is cut");
            }

            @Override
            public int read(byte[] into, int offset, int length) throws IOException {
                return read();
            }
        };
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        CommandContext context = new CommandContext(
                broken,
                new ByteArrayOutputStream(),
                new PrintStream(errors, true, StandardCharsets.UTF_8),
                Map.of("CLOUDMW_COORDINATOR", coordinator.address()),
                false);
        assertThat(Main.run(context, "append", "-", "vol:/p")).isEqualTo(7);
        assertThat(errors.toString(StandardCharsets.UTF_8))
                .contains("cloudmw: standard input: cannot read it: the line is cut");
        assertThat(coordinator.files()).isEmpty();
    }

    @Test
    void anOffsetBeyondTheEndIsAMistake() {
        assertThat(run(new byte[10], "put", "-", "vol:/a")).isZero();
        assertThat(run("cat", "--offset", "10", "vol:/a")).isZero();
        assertThat(outBytes).isEmpty();
        assertThat(run("cat", "--offset", "11", "vol:/a")).isEqualTo(2);
        assertThat(err).contains("--offset: 11").contains("10 bytes");
    }

    @Test
    void theObjectStandsOnItsOwnLineAfterTheBytesOfAFile() throws IOException {
        byte[] content = "hello, chunks".getBytes(StandardCharsets.UTF_8);
        assertThat(run(content, "put", "-", "vol:/b")).isZero();
        assertThat(run("get", "vol:/b", "-", "--json")).isZero();
        assertThat(out).startsWith("hello, chunks\n{");
        assertThat(json().get("bytes").asInt()).isEqualTo(content.length);
        assertThat(run("cat", "vol:/b", "--offset", "7", "--json")).isZero();
        assertThat(out).startsWith("chunks\n{");
        assertThat(run("cat", "vol:/b", "--length", "0", "--json")).isZero();
        assertThat(out).startsWith("{");
        assertThat(run("cat", "vol:/none", "--json")).isEqualTo(3);
        assertThat(out).startsWith("{");
    }

    @Test
    void readerThatStopsIsNoError() {
        byte[] content = new byte[3_000_000];
        OutputStream stopped = new OutputStream() {
            @Override
            public void write(int value) throws IOException {
                throw new IOException("Broken pipe");
            }
        };
        assertThat(run(content, "put", "-", "vol:/b")).isZero();
        assertThat(run(new byte[0], stopped, false, "cat", "vol:/b")).isEqualTo(141);
        assertThat(err).isEmpty();
        assertThat(run(new byte[0], stopped, false, "stat", "vol:/b")).isEqualTo(141);
        assertThat(err).isEmpty();
    }

    @Test
    void watchPrintsOneLineForEachChange() throws IOException {
        VersionId version = VersionId.random();
        FilePath a = FilePath.parse("vol:/dir/a");
        coordinator.feed().add(Change.put(a, version, 7));
        coordinator
                .feed()
                .add(Change.renamed(new Rename(a, FilePath.parse("vol:/dir/b"), true), Optional.of(version), 8));
        assertThat(run("watch", "vol:/dir", "--from", "0", "--count", "2", "--json"))
                .isZero();
        assertThat(out.lines())
                .containsExactly(
                        "{\"position\":0,\"kind\":\"watching\",\"path\":\"vol:/dir\"}",
                        "{\"position\":1,\"kind\":\"put\",\"path\":\"vol:/dir/a\",\"version\":\"" + version
                                + "\",\"at_millis\":7}",
                        "{\"position\":2,\"kind\":\"renamed\",\"path\":\"vol:/dir/b\",\"from\":\"vol:/dir/a\",\"version\":\""
                                + version + "\",\"at_millis\":8}");
        assertThat(coordinator.feed().requests().get(0).getPath()).isEqualTo("/dir");
        assertThat(run("watch", "vol", "--from", "1", "--count", "1")).isZero();
        assertThat(out.strip()).isEqualTo("2  renamed        vol:/dir/a -> vol:/dir/b");
        assertThat(err).isEqualTo("cloudmw: watching vol:/ from position 1\n");
        await().until(() -> coordinator.feed().watching() == 0);
    }

    @Test
    void aWatchEndsWhenItsTimeIsOver() {
        assertThat(run("watch", "vol", "--for", "10ms")).isZero();
        assertThat(run("watch", "vol", "--for", "10ms", "--count", "1")).isEqualTo(5);
        assertThat(err).contains("fewer than 1 changes within 10ms");
        assertThat(run("watch", "vol", "--count", "0")).isEqualTo(2);
        assertThat(run("watch", "vol", "--from", "-1")).isEqualTo(2);
        assertThat(run("watch", "vol", "--for", "soon")).isEqualTo(2);
        coordinator.feed().add(Change.volumeDeleted(9));
        assertThat(run("watch", "vol", "--from", "0")).isZero();
        assertThat(out.strip()).isEqualTo("1  volume_deleted vol:/");
    }

    @Test
    void outputThatCannotBeWrittenIsAFailure() {
        OutputStream full = new OutputStream() {
            @Override
            public void write(int value) throws IOException {
                throw new IOException("No space left on device");
            }
        };
        assertThat(run(new byte[3_000_000], "put", "-", "vol:/b")).isZero();
        assertThat(run(new byte[0], full, false, "cat", "vol:/b")).isEqualTo(7);
        assertThat(err).isEqualTo("cloudmw: standard output: cannot write to it: No space left on device\n");
        assertThat(run(new byte[0], full, false, "stat", "vol:/b")).isEqualTo(7);
        assertThat(err).isEqualTo("cloudmw: standard output: cannot write to it: No space left on device\n");
    }

    @Test
    void onATerminalProgressIsOneLineThatIsPaintedAgain() {
        ByteArrayOutputStream painted = new ByteArrayOutputStream();
        byte[] content = new byte[3_000_000];
        assertThat(run(content, new ByteArrayOutputStream(), painted, true, "put", "-", "vol:/b"))
                .isZero();
        String lines = painted.toString(StandardCharsets.UTF_8);
        assertThat(lines).startsWith("\rput vol:/b: ").endsWith("\n").containsOnlyOnce("\n");
        assertThat(lines.substring(lines.lastIndexOf('\r'))).contains("put vol:/b: 2.9 MiB of 2.9 MiB (100%)");
    }

    @Test
    void receiptHasTheTimeAndTheResultOfTheDeadline() throws IOException {
        Path source = Files.write(directory.resolve("in"), new byte[3_000_000]);
        assertThat(run("put", source.toString(), "vol:/r", "--receipt", "--json"))
                .isZero();
        assertThat(json().get("cost").get("stores").get("s").get("writes").asInt())
                .isEqualTo(3);
        assertThat(json().get("cost").get("requests").asInt()).isEqualTo(3);
        assertThat(out).contains("\"price_egress\":0").doesNotContainPattern("[0-9]E-?[0-9]");
        assertThat(err).contains("store s: 3 writes, 2.9 MiB (100.0 %)", "price: 0 USD", "a month");

        Path prices = Files.writeString(
                directory.resolve("prices"), "version = 1\ncurrency = USD\nhelper/*.per-hour = 1000000\n");
        assertThat(run("put", source.toString(), "vol:/h", "--prices", prices.toString(), "--json"))
                .isZero();
        assertThat(json().get("cost").get("price_helpers").asDouble()).isPositive();

        String target = directory.resolve("out").toString();
        assertThat(run("get", "vol:/r", target, "--receipt", "--deadline", "1h", "--json"))
                .isZero();
        JsonNode sla = json().get("sla");
        assertThat(sla.get("met").asBoolean()).isTrue();
        assertThat(sla.get("deadline_seconds").asDouble()).isEqualTo(3600);
        assertThat(json().get("wins")).hasSize(3);
        assertThat(json().get("truncated").asBoolean()).isFalse();
        assertThat(json().get("wins").get(0).get("store").asText()).isEqualTo("s");
        assertThat(json().get("cost").get("stores").get("s").get("read_bytes").asLong())
                .isEqualTo(3_000_000);
        assertThat(json().get("extras").get("hedges").asInt()).isZero();
        assertThat(err)
                .contains("target: p99 under 3600.000 s met", "2.9 MiB useful")
                .contains("store s: 3 blocks, 2.9 MiB (100.0 %), 3 requests, 0 B wasted")
                .doesNotContain("chunk 0: ");
        JsonNode totals = json().get("totals");
        assertThat(totals.get("stores").get("s").get("blocks").asInt()).isEqualTo(3);
        assertThat(totals.get("helpers").elements().next().get("bytes").asLong())
                .isEqualTo(3_000_000);
        assertThat(run("get", "vol:/r", target, "--receipt=blocks")).isZero();
        assertThat(err).contains("chunk 0: ", "chunk 2: ").doesNotContain("store s: ");
        assertThat(run("get", "--receipt", "vol:/r", target))
                .as("what follows after a space is a file: %s", err)
                .isZero();
        assertThat(run("get", "vol:/r", target, "--receipt=lines")).isEqualTo(2);
        assertThat(err).contains("--receipt: \"lines\" (expected: totals, blocks)");

        coordinator.target(ReadTarget.parse("p99 of 64MiB under 1ms"));
        assertThat(run("cat", "vol:/r", "--receipt")).isZero();
        assertThat(err).contains("target: p99 under 0.001 s missed: took ", "slowest was a block of chunk ");
        assertThat(outBytes).hasSize(3_000_000);
        assertThat(run("get", "vol:/r", target, "--deadline", "0s")).isEqualTo(2);
        assertThat(run("get", "vol:/r", target, "--priority", "repair")).isEqualTo(2);
        assertThat(run("get", "vol:/r", target, "--priority", "Interactive")).isZero();
    }

    @Test
    void planEstimatesTheReadInEachMode() throws IOException {
        Path source = Files.write(directory.resolve("in"), new byte[3_000_000]);
        assertThat(run("put", source.toString(), "vol:/p")).isZero();
        assertThat(run("plan", "vol:/p")).isZero();
        assertThat(out)
                .contains(
                        "vol:/p: 2.9 MiB in 3 chunks", "1 helper; no store's speed is known yet: times are assumptions")
                .contains("single", "rounds", "cooperative", "prices: AWS");
        assertThat(run("plan", "vol:/p", "--mode", "single", "--deadline", "1h", "--link", "1MiB", "--json"))
                .isZero();
        JsonNode offer = json().get("offers").get(0);
        assertThat(json().get("offers")).hasSize(1);
        assertThat(offer.get("requests").asDouble()).isEqualTo(3);
        assertThat(offer.get("p50_seconds").asDouble()).isGreaterThan(2.8);
        assertThat(json().get("sla").get("expected_met").asBoolean()).isTrue();
        assertThat(run("plan", "vol:/p", "--mode", "swift")).isEqualTo(2);
        assertThat(err).contains("cooperative");
        assertThat(run("plan", "vol:/p", "--link", "0")).isEqualTo(2);

        Path prices = Files.writeString(directory.resolve("prices"), "version = 1\n");
        assertThat(run("plan", "vol:/p", "--prices", prices.toString())).isEqualTo(2);
        assertThat(err).contains("currency is missing");
        assertThat(run("plan", "vol:/p", "--reader-region", "Mars!")).isEqualTo(2);
    }

    @Test
    void planUsesTheConfiguredLinkUnlessOverridden() throws IOException {
        Path source = Files.write(directory.resolve("in"), new byte[3 << 20]);
        assertThat(run("put", source.toString(), "vol:/p")).isZero();
        String config = Files.writeString(directory.resolve("config"), "client.link=1MiB\n")
                .toString();
        assertThat(run("plan", "vol:/p")).isZero();
        assertThat(out).contains("--link or client.link says it");
        assertThat(run("plan", "vol:/p", "--config", config)).isZero();
        assertThat(out).doesNotContain("client.link");
        for (String[] link : new String[][] {{}, {"--link", "2MiB"}}) {
            List<String> arguments = new ArrayList<>(List.of("plan", "vol:/p", "--config", config, "--json"));
            arguments.addAll(List.of(link));
            assertThat(run(arguments.toArray(String[]::new))).isZero();
            for (JsonNode offer : json().get("offers")) {
                assertThat(offer.get("p50_seconds").asDouble()).as("%s", offer).isEqualTo(link.length == 0 ? 3 : 1.5);
            }
        }
    }

    @Test
    void planGivesTheReasonAgainstFasterModes() throws IOException {
        Path source = Files.write(directory.resolve("in"), new byte[3_000_000]);
        assertThat(run("put", source.toString(), "vol:/p")).isZero();
        assertThat(run("plan", "vol:/p", "--deadline", "1ms")).isZero();
        assertThat(out).contains("not kept; some of its stores' speeds are not known, so that no way can be chosen");
        assertThat(run("plan", "vol:/p", "--deadline", "1ms", "--mode", "single"))
                .isZero();
        assertThat(out).contains("by single with 1 stream, expected ", "not kept; the way was the caller's choice");

        for (String id : List.of("t", "u")) {
            coordinator.add(
                    new Store(new StoreId(id), id, new Store.Disk(new HelperId("h"), directory.resolve("nowhere"))));
        }
        coordinator.speeds(new ExpectedSpeed(40_000_000, 150_000_000, 400_000_000, 50 << 20, 15 << 20, 0, 1, 99));
        assertThat(run("plan", "vol:/p", "--deadline", "1ms")).isZero();
        assertThat(out)
                .containsPattern("; speeds of [1-3] stores? are known")
                .containsPattern("not kept; faster, but left out: .*kn, [0-9.]+ s");
        assertThat(run("plan", "vol:/p", "--deadline", "1ms", "--json")).isZero();
        assertThat(json().get("sla").get("chosen").asBoolean()).isTrue();
        assertThat(json().get("sla").get("faster_modes"))
                .extracting(JsonNode::asText)
                .contains("kn");
        assertThat(run("plan", "vol:/p", "--deadline", "1h")).isZero();
        assertThat(out).contains(": kept");
    }

    @Test
    void planEstimatesTheCostOfAWrite() throws IOException {
        coordinator.add(new Store(new StoreId("b"), "d", new Store.S3("bucket", "us-east-1", "", false, "")));
        assertThat(run("volume", "create", "data", "--chunks", "3", "--replicas", "2", "--store", "s,b"))
                .isZero();
        assertThat(run("plan", "--put", "3MiB", "data")).isZero();
        assertThat(out)
                .contains("data: 3.0 MiB in 3 chunks, copies of each: 2", "store b: 3 writes, 3.0 MiB", "keeping it: ");
        assertThat(run("plan", "--put", "3MiB", "data", "--json")).isZero();
        JsonNode cost = json().get("cost");
        assertThat(cost.get("requests").asInt()).isEqualTo(6);
        assertThat(cost.get("stores").get("s").get("written_bytes").asLong()).isEqualTo(3 << 20);
        assertThat(cost.get("price").asDouble()).isPositive();
        assertThat(cost.get("price_storage_per_month").asDouble()).isPositive();

        assertThat(run("volume", "create", "thin", "--chunks", "3", "--replicas", "1", "--store", "s,b"))
                .isZero();
        assertThat(run("plan", "--put", "3MiB", "thin", "--json")).isZero();
        assertThat(json().get("cost").get("stores").get("s").get("writes").asInt())
                .isEqualTo(2);
        assertThat(json().get("cost")
                        .get("stores")
                        .get("b")
                        .get("written_bytes")
                        .asInt())
                .isEqualTo(1 << 20);
        assertThat(run("plan", "--put", "1", "thin")).isZero();
        assertThat(out).contains("thin: 1 B in 1 chunk, ", ": 1 write, 1 B");
        assertThat(run("plan", "--put", "0", "thin")).isZero();
        assertThat(out).contains("thin: 0 B in 0 chunks");
        assertThat(run("plan", "--put", "5000000TiB", "thin")).isEqualTo(2);
        assertThat(err).contains("size: 5497558138880000000 makes ", " chunks (expected: <= 4294967296)");
        assertThat(run("plan", "--put", "1MiB", "nowhere")).isEqualTo(3);
        assertThat(run("plan", "--put", "1MiB", "data", "--mode", "single")).isEqualTo(2);
        assertThat(err).contains("--put: not with --mode");
    }

    @Test
    void topShowsTheFleetOnceOrAgainAndAgain() throws IOException {
        ExpectedSpeed known = new ExpectedSpeed(12_000_000, 34_500_000, 90_000_000, 50 << 20, 1 << 20, 0.01, 1.5, 99);
        SpeedSummary busy = new SpeedSummary(known, 7, 3 << 20, 50 << 20, Map.of(ErrorCode.STORE_UNAVAILABLE, 1.0));
        SpeedSummary idle = Speed.UNKNOWN.summary();
        coordinator.fleet(new FleetView(
                List.of(
                        new FleetView.OfStore(new StoreId("east"), true, busy),
                        new FleetView.OfStore(new StoreId("west"), false, idle)),
                List.of(new FleetView.OfHelper(
                        new HelperId("h"),
                        true,
                        10,
                        new HelperActivity(2, 9, 5, 3, 1, 1 << 20, 2 << 20, new HedgeCounts(7, 6, 4)),
                        busy)),
                List.of(new FleetView.OfPair(
                        new HelperId("h"), new SpeedKey(new StoreId("east"), SizeClass.TINY), busy)),
                3));

        assertThat(run("top", "--once")).isZero();
        assertThat(out.lines().toList())
                .hasSize(8)
                .endsWith("hedges and hand-overs: 7 issued, 6 won, 4 suppressed")
                .satisfies(lines ->
                        assertThat(lines.get(1)).matches("east +up +7.0 +3.0 +50.0 +12.0 +34.5 +90.0 +1.5x +1.0%"))
                .satisfies(lines -> assertThat(lines.get(2)).matches("west +down +0.0 +0.0 +- +- +- +- +- +-"))
                .satisfies(lines -> assertThat(lines.get(5)).matches("h +up .* 2 +9 +5 +3 +1 +1.0 MiB +2.0 MiB"));

        assertThat(run("top", "--once", "--by-size")).isZero();
        assertThat(out.lines().toList())
                .hasSize(12)
                .endsWith("3 more, read less")
                .satisfies(lines -> assertThat(lines.get(10))
                        .matches("h +east +tiny +7.0 +3.0 +50.0 +12.0 +34.5 +90.0 +1.5x +1.0%"));

        assertThat(run("top", "--count", "3", "--interval", "100ms", "--json")).isZero();
        assertThat(out.lines()).hasSize(3);
        JsonNode east = json().get("stores").get(0);
        assertThat(east.get("first_byte_p95_seconds").asDouble()).isEqualTo(0.0345);
        assertThat(east.get("errors").get("STORE_UNAVAILABLE").asDouble()).isEqualTo(1);
        assertThat(json().get("stores").get(1).has("first_byte_p95_seconds")).isFalse();
        assertThat(json().get("hedges").get("suppressed").asLong()).isEqualTo(4);
        JsonNode pair = json().get("pairs").get(0);
        assertThat(List.of(pair.get("helper"), pair.get("store"), pair.get("size")))
                .extracting(JsonNode::asText)
                .containsExactly("h", "east", "tiny");
        assertThat(pair.get("stream_bytes_per_second").asLong()).isEqualTo(50 << 20);
        assertThat(json().get("pairs_left_out").asInt()).isEqualTo(3);
        assertThat(json().get("helpers").get(0).get("wasted_bytes").asLong()).isEqualTo(2 << 20);

        assertThat(json().get("helpers").get(0).has("switch")).isFalse();

        assertThat(run("top", "--interval", "1ms")).isEqualTo(2);
        assertThat(run("top", "--count", "0")).isEqualTo(2);
    }

    @Test
    void topAndStatusShowCachedAndServedBytesOfSwitches() throws IOException {
        SwitchActivity switching = new SwitchActivity(3 << 20, 70, 20, 10, 5 << 20, 1 << 20, 2 << 20, 4 << 20, 1, 2);
        HelperActivity activity = new HelperActivity(0, 0, 0, 0, 0, 0, 0, HedgeCounts.NONE, Optional.of(switching));
        SpeedSummary idle = Speed.UNKNOWN.summary();
        coordinator.fleet(new FleetView(
                List.of(),
                List.of(
                        new FleetView.OfHelper(new HelperId("s"), true, 10, activity, idle),
                        new FleetView.OfHelper(new HelperId("dead"), false, 60_000, activity, idle),
                        new FleetView.OfHelper(new HelperId("plain"), true, 10, HelperActivity.NONE, idle)),
                List.of(),
                0));

        assertThat(run("top", "--once")).isZero();
        assertThat(out.lines().filter(line -> line.startsWith("s ")))
                .last()
                .asString()
                .matches("s +up +3.0 MiB +5.0 MiB +90.0% +1.0 MiB +2.0 MiB +4.0 MiB +1 +2");
        assertThat(out.lines().filter(line -> line.startsWith("dead")))
                .hasSize(2) // among the helpers and among the switches
                .allMatch(line -> line.matches("dead +gone .*"));
        assertThat(out.lines().filter(line -> line.startsWith("plain"))).hasSize(1);

        assertThat(run("top", "--once", "--json")).isZero();
        JsonNode told = json().get("helpers").get(0).get("switch");
        assertThat(told.get("kept_bytes").asLong()).isEqualTo(3 << 20);
        assertThat(told.get("hit_ratio").asDouble()).isEqualTo(0.9);
        assertThat(told.get("above_bytes").asLong()).isEqualTo(2 << 20);
        assertThat(told.get("below").asInt()).isEqualTo(2);
        assertThat(json().get("helpers").get(2).has("switch")).isFalse();

        assertThat(run("status")).isZero();
        assertThat(out.lines().filter(line -> line.startsWith("store")))
                .allMatch(line -> line.matches("store east +up"));
        assertThat(out.lines().filter(line -> line.startsWith("s ")))
                .singleElement()
                .asString()
                .matches("s +up +3.0 MiB +5.0 MiB +90.0% .*");
        assertThat(run("status", "--json")).isZero();
        assertThat(json().get("switches")).hasSize(2);
        assertThat(json().get("switches").get(1).get("id").asText()).isEqualTo("dead");
        assertThat(json().get("switches").get(1).get("alive").asBoolean()).isFalse();
        assertThat(json().get("switches").get(0).get("kept_bytes").asLong()).isEqualTo(3 << 20);
        assertThat(json().get("stores").get(0).get("id").asText()).isEqualTo("east");
    }

    @Test
    void repeatedStoreOptionsDoNotTakeTheVolumeName() throws IOException {
        assertThat(run("volume", "create", "--replicas", "1", "--store", "d1", "--store", "d2", "data", "--json"))
                .isZero();
        assertThat(json().get("name").asText()).isEqualTo("data");
        assertThat(json().get("stores")).extracting(JsonNode::asText).containsExactly("d1", "d2");
        assertThat(run("volume", "create", "--replicas", "1", "--store", "d1,d2", "data", "--json"))
                .isZero();
        assertThat(json().get("stores")).extracting(JsonNode::asText).containsExactly("d1", "d2");
    }

    @Test
    void aVolumeIsListedWithWhetherItsClientsServeEachOther() throws IOException {
        assertThat(run("volume", "create", "own", "--replicas", "1", "--json")).isZero();
        assertThat(json().get("peers").asBoolean()).isFalse();
        assertThat(run("volume", "create", "near", "--replicas", "1", "--peers", "--json"))
                .isZero();
        assertThat(json().get("peers").asBoolean()).isTrue();
        assertThat(run("volume", "ls")).isZero();
        assertThat(out.lines().filter(line -> line.endsWith(" peers")).toList())
                .singleElement()
                .asString()
                .startsWith("near");
    }

    @Test
    void peerNeedsAListenAddressAndAVolumeThatAllowsPeers() throws IOException {
        assertThat(run("volume", "create", "near", "--replicas", "1", "--peers"))
                .isZero();
        assertThat(run("peer", "near:/f")).isEqualTo(2);
        assertThat(err).contains("--listen: missing");
        assertThat(run("peer", "near:/f", "--listen", "127.0.0.1:0", "--advertise-host", "0.0.0.0"))
                .isEqualTo(2);
        assertThat(err).contains("advertise-host: 0.0.0.0 (expected: an address");
        String config = Files.writeString(directory.resolve("config"), "client.peer.uploads=0\n")
                .toString();
        assertThat(run("ls", "near", "--config", config)).isEqualTo(2);
        assertThat(err).contains("client.peer.uploads", "1..1024");
        assertThat(run("peer", "near:/f", "--listen", "127.0.0.1:0", "--directory", config))
                .isEqualTo(7);
        assertThat(err).contains("cannot be used to keep chunks");
        assertThat(run("volume", "create", "own", "--replicas", "1")).isZero();
        assertThat(run("peer", "own:/f", "--listen", "127.0.0.1:0")).isEqualTo(2);
        assertThat(err).contains("own", "--peers");
    }

    @Test
    void aVolumeIsListedWithHowItsFilesAreCut() {
        assertThat(run("volume", "create", "large", "--replicas", "1")).isZero();
        assertThat(run("volume", "create", "small", "--replicas", "1", "--chunks", "7", "--leaf-size", "16KiB"))
                .isZero();
        assertThat(run("volume", "ls")).isZero();
        assertThat(out)
                .containsPattern("(?m)^large +chunk-size=64MiB leaf-size=256KiB replicas=1 ")
                .containsPattern("(?m)^small +chunks=7 leaf-size=16KiB replicas=1 ");
    }

    @Test
    void aVolumeIsListedWithItsTarget() {
        String target = "p99 of 64MiB under 900ms";
        assertThat(run("volume", "create", "plain", "--replicas", "1")).isZero();
        assertThat(run("volume", "create", "quick", "--replicas", "1", "--target", target))
                .isZero();
        assertThat(run("volume", "ls")).isZero();
        assertThat(out.lines().filter(line -> line.startsWith("quick")).toList())
                .singleElement()
                .asString()
                .endsWith(" target=\"" + target + "\"");
        assertThat(out.lines().filter(line -> line.startsWith("plain")).toList())
                .singleElement()
                .asString()
                .doesNotContain("target");
    }

    @Test
    void costShowsThePriceTableAndThePricesOfStores() throws IOException {
        assertThat(run("cost", "-c", "127.0.0.1:1")).isZero();
        assertThat(out).contains(PriceTable.builtIn().version()).contains("aws/us-east-1 ", "disk/* ");
        assertThat(run("cost", "--stores", "--reader-region", "us-east-1", "--json"))
                .isZero();
        assertThat(json().get("price_version").asText())
                .isEqualTo(PriceTable.builtIn().version());
        assertThat(json().get("built_in").asBoolean()).isTrue();
        assertThat(json().get("places")).hasSizeGreaterThan(5);
        assertThat(json().get("stores").get(0).get("place").asText()).isEqualTo("disk/*");
        assertThat(json().get("stores").get(0).get("egress_per_gb").asInt()).isZero();
        Path own = Files.writeString(directory.resolve("own"), "version = mine\ncurrency = EUR\n");
        assertThat(run("cost", "--stores", "--prices", own.toString())).isZero();
        assertThat(out).contains("prices: mine\n").contains("store s: not in the table, counts as free");
    }

    @Test
    void unknownReaderRegionIsRefused() {
        assertThat(run("cost", "--reader-region", "mars")).isEqualTo(2);
        assertThat(err)
                .contains("--reader-region: \"mars\" (expected: one of ap-northeast-1, ")
                .contains("us-west-2, or another one of AWS, like eu-north-1)");
        assertThat(run("cost", "--reader-region", "eu-north-1")).isZero();
        assertThat(run("cost", "--reader-region", "internet")).isZero();
    }

    @Test
    void zeroDeadlineIsRefusedAsTyped() {
        for (String command : List.of("cat", "plan")) {
            assertThat(run(command, "vol:/x", "--deadline", "0s")).isEqualTo(2);
            assertThat(err).isEqualTo("cloudmw: --deadline: 0s (expected: more, like 200ms or 2s)\n");
        }
    }

    @Test
    void wrongArgumentsAreUsageErrors() {
        assertThat(run()).isEqualTo(2);
        assertThat(run("fly")).isEqualTo(2);
        assertThat(run("get", "no-colon")).isEqualTo(2);
        assertThat(run("put", "-", "vol:/")).isEqualTo(2);
        assertThat(err).isEqualTo("cloudmw: path: \"/\" is a directory (expected: a file's path, like /a/b)\n");
        assertThat(run("put", "-", "vol:a")).isEqualTo(2);
        assertThat(err).contains("path: \"a\" (expected: absolute, like /a/b)");
        assertThat(run("volume", "create", "v", "--chunks", "0")).isEqualTo(2);
        assertThat(err).startsWith("cloudmw: ").contains("chunks: 0").doesNotContain("\tat ");
    }

    @Test
    void failuresAreOneLineAndTheirExitCode() throws IOException {
        assertThat(run("get", "vol:/none", "--json")).isEqualTo(3);
        assertThat(json().get("error").get("code").asText()).isEqualTo("NOT_FOUND");
        assertThat(err.lines()).hasSize(1);
        assertThat(run("put", directory.resolve("none").toString(), "vol:/x")).isEqualTo(7);
        assertThat(run("stat", "vol:/x", "--coordinator", "127.0.0.1:1", "--timeout", "1"))
                .isEqualTo(5);
        assertThat(err)
                .contains(" s: connection refused (is it running?", "-c HOST:PORT")
                .containsOnlyOnce("127.0.0.1:1");
        assertThat(run("stat", "vol:/x", "--coordinator", "127.0.0.1:1", "--timeout", "1", "--verbose"))
                .isEqualTo(5);
        assertThat(err).contains("\tat ");
    }

    @Test
    void absentCoordinatorIsRetriedUntilTheTimeout() {
        assertThat(run("stat", "vol:/x", "--coordinator", "127.0.0.1:1", "--timeout", "2"))
                .isEqualTo(5);
        Matcher waited = Pattern.compile("could not be reached for ([0-9.]+) s: connection refused")
                .matcher(err);
        assertThat(waited.find()).as(err).isTrue();
        assertThat(Double.parseDouble(waited.group(1))).isGreaterThanOrEqualTo(1.9);
    }

    @Test
    void answerOfACoordinatorHasNoHintToStartOne() throws IOException {
        coordinator.refuse("BeginPut", ErrorCode.COORDINATOR_UNAVAILABLE, Integer.MAX_VALUE);
        Path file = Files.write(directory.resolve("file"), new byte[1]);
        assertThat(run("put", file.toString(), "vol:/x", "--timeout", "1")).isEqualTo(5);
        assertThat(err).contains("was not ready for ").contains("-c HOST:PORT").doesNotContain("is it running?");
    }

    @Test
    void waitForACoordinatorIsReported() {
        assertThat(run("stat", "vol:/x", "-c", "127.0.0.1:1", "--timeout", "4")).isEqualTo(5);
        assertThat(err.lines()).hasSize(2);
        assertThat(err)
                .startsWith("cloudmw: waiting for coordinator 127.0.0.1:1 (connection refused), for at most 4 s\n");
        assertThat(run("stat", "vol:/x", "-c", "127.0.0.1:1", "--timeout", "4", "--quiet"))
                .isEqualTo(5);
        assertThat(err.lines()).hasSize(1);
    }

    @Test
    void foreignServerIsDistinguishedFromAnAbsentCoordinator() throws Exception {
        assertThat(run("stat", "vol:/x", "-c", helper.address().control())).isEqualTo(5);
        assertThat(err)
                .isEqualTo("cloudmw: coordinator " + helper.address().control()
                        + ": the server there is not a coordinator of this release (another one: -c HOST:PORT)\n");
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread answering = new Thread(() -> answerAsAnother(other));
            answering.start();
            assertThat(run("stat", "vol:/x", "-c", "127.0.0.1:" + other.getLocalPort()))
                    .isEqualTo(5);
            answering.join();
        }
        assertThat(err.lines()).hasSize(1);
        assertThat(err).contains("not a coordinator of this release").doesNotContain("Hex", "http2");
    }

    private static void answerAsAnother(ServerSocket listening) {
        try (Socket accepted = listening.accept()) {
            accepted.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            // The server reads the request to its end, because closing a socket with unread bytes resets the
            // connection.
            accepted.shutdownOutput();
            accepted.getInputStream().transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The client must suppress the log of gRPC, which has a stack trace for each failed name resolution. */
    @Test
    void unresolvableHostIsOneLineWithoutALog() {
        List<LogRecord> logged = new CopyOnWriteArrayList<>();
        Handler log = new Handler() {
            @Override
            public void publish(LogRecord record) {
                logged.add(record);
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger grpc = Logger.getLogger("io.grpc");
        grpc.addHandler(log);
        try {
            assertThat(run("ls", "vol:/", "-c", "no-such-host.invalid:7400", "--timeout", "1"))
                    .isEqualTo(5);
        } finally {
            grpc.removeHandler(log);
        }
        assertThat(err.lines()).hasSize(1);
        assertThat(err).contains("no-such-host.invalid:7400").doesNotContain("Exception");
        assertThat(logged).isEmpty();
    }

    @Test
    void unknownSettingsAreRefused() throws IOException {
        assertThat(run("drain")).isEqualTo(2);
        assertThat(run("undrain")).isEqualTo(2);

        Path config = Files.writeString(directory.resolve("config"), "client.coordinater=x:1\n");
        assertThat(run("stat", "vol:/x", "--config", config.toString())).isEqualTo(2);
        assertThat(err).contains("unknown setting client.coordinater (did you mean client.coordinator?)");
        Files.writeString(config, "client.redundancy=lots\n");
        assertThat(run("stat", "vol:/x", "--config", config.toString())).isEqualTo(2);
        assertThat(err).contains("client.redundancy: \"lots\" (expected: 0%..100%, like 5%)");
        for (String link : List.of("fast", "0")) {
            Files.writeString(config, "client.link=" + link + "\n");
            assertThat(run("stat", "vol:/x", "--config", config.toString())).isEqualTo(2);
            assertThat(err).contains("client.link: \"" + link + "\" (expected: like 100MiB)");
        }
    }

    @Test
    void helpNamesEveryCommandAndThoseThatStartProcesses() {
        assertThat(run("--help")).isZero();
        assertThat(out)
                .contains(
                        "put", "get", "cat", "ls", "stat", "rm", "mv", "cp", "mkdir", "rmdir", "attr", "volume",
                        "store", "helpers", "top", "plan", "cost", "watch", "peer")
                .contains("coordinator", "helper", "standalone")
                .doesNotContain("warm-up");
        assertThat(run("volume", "create", "--help")).isZero();
        assertThat(out).contains("--chunk-size", "--write-quorum", "--rotate", "--peers");
    }

    @Test
    void theDocumentListsEveryExitCode() throws IOException {
        List<String> expected = new ArrayList<>();
        for (ExitCode exit : ExitCode.values()) {
            List<String> codes = Arrays.stream(ErrorCode.values())
                    .filter(code -> ExitCode.of(code) == exit)
                    .map(code -> "`" + code + "`")
                    .sorted()
                    .toList();
            expected.add(
                    ("| " + exit.value() + " | " + exit.meaning() + " | " + String.join(", ", codes)).strip() + " |");
        }
        String document =
                Files.readString(Path.of("..", "..", "docs", "cli.md")).replace("|  |", "| |");
        assertThat(document.lines()
                        .filter(line -> line.matches("\\| [0-9]+ \\|.*"))
                        .map(MainTest::squeezed))
                .containsExactlyElementsOf(
                        expected.stream().map(MainTest::squeezed).toList());
    }

    private static String squeezed(String row) {
        return row.replaceAll("[ |]+", " ").strip();
    }
}
