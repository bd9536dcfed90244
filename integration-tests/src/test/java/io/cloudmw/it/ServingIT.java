package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of processes started from a copy of the project, whose jars are rebuilt while they run; also of readiness, logs
 * and shutdown.
 */
final class ServingIT {
    private static final Duration LONGEST = Duration.ofMinutes(3);
    private static final int TERMINATED = 143;
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path directory;

    private Path installed;
    private Path helperJar;
    private final List<Process> processes = new ArrayList<>();

    @BeforeEach
    void install() throws IOException {
        installed = directory.resolve("place");
        Files.createDirectories(installed.resolve("lib"));
        Files.copy(CommandLine.LAUNCHER, installed.resolve("cloudmw"));
        Files.copy(built("cloudmw-client/cli", "cloudmw-cli"), installed.resolve("lib/cloudmw-cli-0-all.jar"));
        helperJar = Files.copy(
                built("cloudmw-helper", "cloudmw-helper"), installed.resolve("lib/cloudmw-helper-0-all.jar"));
    }

    @AfterEach
    void end() {
        processes.forEach(Process::destroyForcibly);
    }

    private static Path built(String module, String artifact) throws IOException {
        try (var jars = Files.newDirectoryStream(Path.of("..", module, "target"), artifact + "-*-all.jar")) {
            return jars.iterator().next();
        }
    }

    /** A server process that has printed its address. */
    private record Served(Process process, JsonNode ready, Path log) {
        String http() {
            return "http://" + ready.path("http").asText();
        }
    }

    private Served serve(String name, List<String> command) throws IOException {
        return serve(name, command, Map.of());
    }

    private Served serve(String name, List<String> command, Map<String, String> environment) throws IOException {
        Path log = directory.resolve(name + ".log");
        Path out = directory.resolve(name + ".out");
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .redirectOutput(out.toFile());
        builder.environment().put("CLOUDMW_JAVA_OPTS", Fleet.SHORT_LIVED);
        builder.environment().put("CLOUDMW_PROCESS_WARM_UP_TIME", "0s");
        // An archive in the making would hold the jar's copy, and time.
        builder.environment().put("CLOUDMW_NO_CDS", "1");
        builder.environment().putAll(environment);
        Process process = builder.start();
        processes.add(process);
        await().atMost(LONGEST)
                .until(() -> !process.isAlive() || Files.readString(out).endsWith("\n"));
        assertThat(process.isAlive()).as(() -> read(log)).isTrue();
        return new Served(process, JSON.readTree(Files.readString(out)), log);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }

    private List<String> coordinator(String listen) {
        return List.of(
                "coordinator",
                "--json",
                "--listen",
                listen,
                "--http",
                "127.0.0.1:0",
                "--data-dir",
                directory.resolve("coordinator").toString(),
                "--secret-file",
                directory.resolve("secret").toString());
    }

    private List<String> helper(String coordinator) {
        return List.of(
                "helper",
                "--json",
                "--id",
                "h1",
                "--coordinator",
                coordinator,
                "--http",
                "127.0.0.1:0",
                "--disk",
                "d1=" + directory.resolve("d1"),
                "-D",
                "helper.spool.dir=" + directory.resolve("spool"),
                "-D",
                "helper.disk.d1.reserve=0B",
                "--secret-file",
                directory.resolve("secret").toString());
    }

    private List<String> launched(List<String> arguments) {
        return Stream.concat(Stream.of(installed.resolve("cloudmw").toString()), arguments.stream())
                .toList();
    }

    private List<String> plain(List<String> arguments) {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return Stream.concat(
                        Stream.of(java, "-Xmx128m", "-XX:MaxDirectMemorySize=128m", "-jar", helperJar.toString()),
                        arguments.stream())
                .toList();
    }

    private static void terminated(Served served) throws InterruptedException {
        served.process().destroy();
        assertThat(served.process().waitFor(LONGEST.toSeconds(), TimeUnit.SECONDS))
                .as(() -> read(served.log()))
                .isTrue();
        assertThat(served.process().exitValue()).as(() -> read(served.log())).isEqualTo(TERMINATED);
    }

    /** Overwrites a jar in place, like a build: the same file is first shorter, then has other bytes. */
    private static void overwrite(Path jar) throws IOException {
        byte[] nonsense = new byte[1 << 20];
        try (RandomAccessFile file = new RandomAccessFile(jar.toFile(), "rw")) {
            file.setLength(0);
            file.write(nonsense);
        }
    }

    @Test
    void aBuildThatOverwritesTheJarDoesNotDisturbRunningProcesses() throws IOException, InterruptedException {
        Map<String, String> json = Map.of("CLOUDMW_LOG_FORMAT", "json");
        Served coordinator = serve("coordinator", launched(coordinator("127.0.0.1:0")), json);
        String address = coordinator.ready().path("address").asText();
        Served helper = serve("helper", launched(helper(address)), json);
        overwrite(helperJar);

        CommandLine client = new CommandLine(address, installed.resolve("cloudmw"));
        client.run("volume", "create", "v", "--replicas", "1", "--store", "d1").orThrow();
        Path source = Files.write(directory.resolve("source"), new byte[3 << 20]);
        client.run("put", source.toString(), "v:/f").orThrow();
        client.run("get", "v:/f", directory.resolve("back").toString()).orThrow();
        assertThat(Files.mismatch(source, directory.resolve("back"))).isEqualTo(-1);

        supportBundle(client, coordinator, helper);

        terminated(helper);
        terminated(coordinator);
        assertThat(read(helper.log())).doesNotContain("NoClassDefFoundError", "ERROR");
        assertThat(read(coordinator.log())).doesNotContain("NoClassDefFoundError", "ERROR");
        assertThat(logged(coordinator)).anySatisfy(line -> {
            assertThat(line.path("message").asText()).startsWith("CreateVolume by ");
            assertThat(line.path("subject").asText()).contains("127.0.0.1:");
            assertThat(line.path("process").asText()).isEqualTo("coordinator");
        });
        assertThat(logged(helper)).anySatisfy(line -> {
            assertThat(line.path("message").asText()).startsWith("helper h1 is registered");
            assertThat(line.path("helper").asText()).isEqualTo("h1");
            assertThat(line.path("process").asText()).isEqualTo("helper");
            assertThat(line.path("id").asText()).isEqualTo("h1");
        });
    }

    /** Collects a bundle and reads all of it: the cluster's secret is in no part. */
    private void supportBundle(CommandLine client, Served coordinator, Served helper) throws IOException {
        Path settings = Files.writeString(
                directory.resolve("helper.properties"), "helper.id=h1\nsome.password=planted-by-the-test\n");
        Path bundle = directory.resolve("bundle.zip");
        JsonNode answer = client.run(
                        "support-bundle",
                        "--json",
                        "--output",
                        bundle.toString(),
                        "--http",
                        coordinator.ready().path("http").asText(),
                        "--http",
                        helper.ready().path("http").asText(),
                        "--log",
                        helper.log().toString(),
                        "--config-file",
                        settings.toString(),
                        "--config-file",
                        directory.resolve("secret").toString())
                .orThrow()
                .json();
        Map<String, String> parts = new TreeMap<>();
        try (ZipFile zip = new ZipFile(bundle.toFile())) {
            for (ZipEntry entry : zip.stream().toList()) {
                parts.put(
                        entry.getName(), new String(zip.getInputStream(entry).readAllBytes(), StandardCharsets.UTF_8));
            }
        }
        assertThat(answer.path("parts")).hasSize(parts.size());
        String secret = Files.readString(directory.resolve("secret")).strip();
        assertThat(parts.values()).noneMatch(text -> text.contains(secret) || text.contains("planted-by-the-test"));
        assertThat(parts.get("configuration" + settings)).contains("helper.id=h1", "some.password=<redacted>");
        assertThat(parts.get("cluster/helpers.json")).contains("\"h1\"");
        assertThat(parts.get("cluster/volumes.json")).contains("\"v\"");
        assertThat(parts.get("logs" + helper.log())).contains("helper h1 is registered");
        assertThat(parts.keySet())
                .filteredOn(name -> name.endsWith("/metrics.txt"))
                .hasSize(2);
        assertThat(parts.keySet())
                .filteredOn(name -> name.startsWith("threads/"))
                .hasSizeGreaterThanOrEqualTo(2);
        assertThat(parts.values()).anyMatch(text -> text.contains("cloudmw-bulk") && text.contains("Full thread dump"));

        Path alone = directory.resolve("alone.zip");
        CommandLine nobody = new CommandLine("127.0.0.1:1", installed.resolve("cloudmw"));
        JsonNode without = nobody.run("support-bundle", "--json", "--output", alone.toString())
                .orThrow()
                .json();
        assertThat(without.path("missing").path("cluster/status.json").asText()).contains("127.0.0.1:1");
        assertThat(alone).exists();
    }

    /** The lines of a log, each of which is a JSON object. */
    private static List<JsonNode> logged(Served served) throws IOException {
        List<JsonNode> lines = new ArrayList<>();
        for (String line : Files.readAllLines(served.log())) {
            lines.add(JSON.readTree(line));
        }
        return lines;
    }

    @Test
    void aCopyIsRemovedByTheFirstStartThatFindsItUnused() throws IOException, InterruptedException {
        Served coordinator = serve("coordinator", launched(coordinator("127.0.0.1:0")));
        assertThat(copies()).hasSize(1);
        List<Path> first = copies();
        Files.delete(helperJar);
        Files.copy(built("cloudmw-helper", "cloudmw-helper"), helperJar);
        Files.setLastModifiedTime(helperJar, java.nio.file.attribute.FileTime.fromMillis(1_600_000_000_000L));
        CommandLine launcher =
                new CommandLine("127.0.0.1:1", installed.resolve("cloudmw")).with(Map.of("CLOUDMW_NO_CDS", "1"));
        launcher.run("helper", "--version").orThrow();
        assertThat(copies()).hasSize(2).containsAll(first);

        terminated(coordinator);
        launcher.run("helper", "--version").orThrow();
        assertThat(copies()).hasSize(1);
        assertThat(copies()).doesNotContainAnyElementsOf(first);
    }

    private List<Path> copies() throws IOException {
        try (Stream<Path> all = Files.list(installed.resolve(".run"))) {
            return all.filter(path -> path.getFileName().toString().startsWith("cloudmw-helper-"))
                    .toList();
        }
    }

    /** The process starts without the launcher, and its jar is truncated while it runs. */
    @Test
    void sigtermEndsAProcessThatCanLoadNoMoreClasses() throws IOException, InterruptedException {
        Served coordinator = serve("coordinator", plain(coordinator("127.0.0.1:0")));
        Served helper =
                serve("helper", plain(helper(coordinator.ready().path("address").asText())));
        overwrite(helperJar);
        terminated(helper);
        terminated(coordinator);
    }

    @Test
    void helperUsesTheCoordinatorOfTheEnvironmentVariable() throws IOException, InterruptedException {
        Served coordinator = serve("coordinator", plain(coordinator("127.0.0.1:0")));
        List<String> arguments = new ArrayList<>(helper("unused"));
        int option = arguments.indexOf("--coordinator");
        arguments.subList(option, option + 2).clear();

        Served helper = serve(
                "helper",
                plain(arguments),
                Map.of(
                        "CLOUDMW_COORDINATOR",
                        coordinator.ready().path("address").asText()));

        assertThat(helper.ready().path("registered").asBoolean()).isTrue();
        terminated(helper);
        terminated(coordinator);
    }

    private static HttpResponse<String> ready(Served served) throws IOException, InterruptedException {
        return get(served.http() + "/readyz");
    }

    private static HttpResponse<String> get(String url) throws IOException, InterruptedException {
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString());
    }

    private static int health(Served served) throws IOException, InterruptedException {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(served.http() + "/healthz"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .statusCode();
    }

    @Test
    void aHelperWithoutACoordinatorLivesButIsNotReadyAndTheLogsSayWhatHappened()
            throws IOException, InterruptedException {
        Served coordinator = serve("coordinator", launched(coordinator("127.0.0.1:0")));
        String address = coordinator.ready().path("address").asText();
        Served helper = serve("helper", launched(helper(address)));
        assertThat(ready(coordinator).statusCode()).isEqualTo(200);
        assertThat(ready(helper).statusCode()).isEqualTo(200);

        terminated(coordinator);
        await().atMost(LONGEST).until(() -> ready(helper).statusCode() == 503);
        assertThat(ready(helper).body()).contains("the coordinator is lost", address);
        assertThat(health(helper)).isEqualTo(200);

        Served again = serve("coordinator-2", launched(coordinator(address)));
        await().atMost(LONGEST).until(() -> ready(helper).statusCode() == 200);
        new CommandLine(address, installed.resolve("cloudmw"))
                .run("volume", "create", "v", "--replicas", "1", "--store", "d1")
                .orThrow();
        terminated(helper);
        terminated(again);

        String iso =
                "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}(Z|[+-]\\d\\d:\\d\\d) (INFO|WARN|ERROR) +\\S+ .*";
        assertThat(read(again.log()).lines()).allMatch(line -> line.matches(iso));
        assertThat(read(again.log()))
                .containsSubsequence("coordinator started: cloudmw ", "address=" + address, "catalog=", "settings: ")
                .containsSubsequence("AuditLog CreateVolume by 127.0.0.1:", "name=v")
                .containsSubsequence("coordinator is stopping", "coordinator has stopped");
        assertThat(read(helper.log()))
                .containsSubsequence(
                        "helper h1 is registered with " + address,
                        "helper h1 lost the coordinator",
                        "helper h1 is registered again with " + address,
                        "helper is stopping",
                        "helper has stopped");
    }

    /** A socket that listens is closed again, for a port that is free. */
    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    @Test
    void processThatWarmsUpIsNotReadyAndLogsNothingOfIt() throws IOException, InterruptedException {
        Served coordinator = serve("coordinator", launched(coordinator("127.0.0.1:0")));
        String http = "127.0.0.1:" + freePort();
        List<String> command = new ArrayList<>(
                launched(helper(coordinator.ready().path("address").asText())));
        command.set(command.lastIndexOf("127.0.0.1:0"), http);
        Set<String> reasons = new ConcurrentSkipListSet<>();
        AtomicBoolean over = new AtomicBoolean();
        CompletableFuture<Void> asking = CompletableFuture.runAsync(() -> {
            while (!over.get()) {
                try {
                    reasons.add(get("http://" + http + "/readyz").body());
                } catch (IOException | InterruptedException e) {
                    Thread.onSpinWait(); // it does not listen yet
                }
            }
        });

        Served helper = serve("helper", command, Map.of("CLOUDMW_PROCESS_WARM_UP_TIME", "1m"));
        assertThat(ready(helper).statusCode()).isEqualTo(200);
        over.set(true);
        asking.join();

        assertThat(reasons).contains("warming up\n");
        assertThat(read(helper.log())).doesNotContain("warm-up:", "chunk=", "WARN");
        terminated(helper);
        terminated(coordinator);
    }
}
