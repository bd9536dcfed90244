package io.cloudmw.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.PutOptions;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.config.HostPorts;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.rpc.EnrolmentCall;
import io.cloudmw.core.security.AccessToken;
import io.cloudmw.core.security.TokenFile;
import io.cloudmw.core.tls.TlsCredentials;
import io.cloudmw.lab.fleet.LocalFleet;
import io.cloudmw.lab.fleet.ServerProcess;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * A coordinator, a helper with a disk and a switch, each a process with a small heap and the paranoid detector of
 * leaks. It knows what each process had open before the attack.
 */
final class AttackedFleet implements AutoCloseable {
    private static final Path LAUNCHER =
            Path.of("..", "cloudmw").toAbsolutePath().normalize();
    private static final String OPTIONS =
            "-Xmx128m -XX:MaxDirectMemorySize=128m -Dio.netty.leakDetection.level=paranoid";
    private static final Duration RECOVERY = Duration.ofMinutes(2);
    private static final double MIB = 1 << 20;
    private static final int SPARE_FILES = 12;
    private static final List<String> HELPERS = List.of("helper-1", "helper-2");

    private final Path directory;
    private final LocalFleet processes;
    private final boolean tls;
    private final CloudMw client;
    private final Map<String, Integer> openFiles = new LinkedHashMap<>();

    AttackedFleet(Path directory, boolean tls) throws IOException {
        this.directory = directory;
        this.tls = tls;
        this.processes = new LocalFleet(
                directory,
                LAUNCHER,
                Map.of("CLOUDMW_JAVA_OPTS", OPTIONS, "CLOUDMW_TLS_INSECURE", Boolean.toString(!tls)));
        processes.startCoordinator(Map.of());
        Map<String, String> disk = new HashMap<>(processes.disk("disk-1"));
        disk.put("helper.http.listen", "127.0.0.1:0");
        processes.startHelper("helper-1", disk);
        processes.startHelper(
                "helper-2",
                Map.of(
                        "helper.http.listen", "127.0.0.1:0",
                        "helper.switch.volumes", "switched",
                        "helper.cache.memory", "32MiB"));
        client = CloudMw.connect(processes.clientOptions().withCoordinatorTimeout(Duration.ofSeconds(20)));
        await().atMost(RECOVERY).until(() -> client.cluster().helpers().join().size() == HELPERS.size());
    }

    Path secretFile() {
        return processes.secretFile();
    }

    CloudMw client() {
        return client;
    }

    String coordinatorAddress() {
        return processes.coordinatorAddress();
    }

    /** Returns the address of a helper's plane, {@code bulk} or {@code control}. */
    String helperAddress(int helper, String plane) {
        return processes.process("helper-" + helper).ready().path(plane).asText();
    }

    static InetSocketAddress socketAddress(String address) {
        HostPort parsed = HostPort.parse(address);
        return new InetSocketAddress(parsed.host(), parsed.port());
    }

    /** Returns certificates of a client that the administrator's token got; empty in plain text. */
    Optional<TlsCredentials> enrol() throws CloudMwException {
        return tls
                ? Optional.of(new TlsCredentials(EnrolmentCall.client(
                        HostPorts.parse(coordinatorAddress()), TokenFile.read(processes.tokenFile()), List.of())))
                : Optional.empty();
    }

    /** Returns certificates of a client that has no right; empty in plain text. */
    Optional<TlsCredentials> enrolWithoutRights() throws CloudMwException {
        if (!tls) {
            return Optional.empty();
        }
        AccessToken token = AccessToken.parse(
                client.subjects().createToken("nobody", Optional.empty()).join());
        return Optional.of(
                new TlsCredentials(EnrolmentCall.client(HostPorts.parse(coordinatorAddress()), token, List.of())));
    }

    /** Creates a volume, and in it a file {@code /f} of random bytes. */
    FilePath put(String volume, int size) throws IOException {
        client.volumes()
                .create(new Volume(
                        new VolumeName(volume),
                        new Chunking.BySize(1 << 20),
                        1,
                        List.of(new StoreId("disk-1")),
                        1,
                        Mode.DEFAULT,
                        false,
                        0))
                .join();
        FilePath file = new FilePath(new VolumeName(volume), "/f");
        client.files()
                .put(Files.write(directory.resolve(volume), content(size)), file, PutOptions.defaults())
                .join();
        return file;
    }

    /** Returns the chunks of a file's first segment. */
    List<Chunk> chunks(FilePath file) {
        return client.files()
                .locate(file, client.files().stat(file).join().version().id(), 0)
                .join();
    }

    static byte[] content(int size) {
        byte[] bytes = new byte[size];
        new SplittableRandom(size).nextBytes(bytes);
        return bytes;
    }

    /** Remembers what each process has open, as the state to return to. */
    void rememberOpenFiles() throws IOException {
        for (String name : names()) {
            openFiles.put(name, openFiles(name));
        }
    }

    private static List<String> names() {
        return Stream.concat(Stream.of("coordinator"), HELPERS.stream()).toList();
    }

    /** Returns how many files and sockets a process has open; 0 where the system does not tell. */
    private int openFiles(String name) throws IOException {
        Path open = Path.of("/proc", Long.toString(processes.process(name).pid()), "fd");
        if (!Files.isDirectory(open)) {
            return 0;
        }
        try (Stream<Path> files = Files.list(open)) {
            return (int) files.count();
        }
    }

    /** Checks that every process lives and holds no more than before, and that its log has no defect. */
    void assertUnharmed() throws IOException, InterruptedException {
        for (String name : names()) {
            ServerProcess process = processes.process(name);
            assertThat(process.isAlive()).as(name).isTrue();
            await().atMost(RECOVERY)
                    .untilAsserted(() -> assertThat(openFiles(name))
                            .as("open files of %s", name)
                            .isLessThanOrEqualTo(openFiles.getOrDefault(name, 0) + SPARE_FILES));
            collectGarbage(process);
        }
        for (String helper : HELPERS) {
            await().atMost(RECOVERY)
                    .untilAsserted(() -> assertThat(metric(helper, "cloudmw_bulk_memory_used_bytes"))
                            .as("memory of %s", helper)
                            .isLessThan(metric(helper, "cloudmw_cache_held_bytes") + 2 * MIB));
        }
        for (String name : names()) {
            assertThat(processes.log(name))
                    .content()
                    .doesNotContain("LEAK", "OutOfMemoryError", " ERROR ", "SEVERE")
                    .doesNotContain("handler failed", "listener failed", "closing peer", "unexpected");
        }
    }

    /** Collects garbage, so that buffers without an owner are reported by the next allocations. */
    private static void collectGarbage(ServerProcess process) throws IOException, InterruptedException {
        Path command = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        int exit = new ProcessBuilder(command.toString(), Long.toString(process.pid()), "GC.run")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
        assertThat(exit).as("jcmd %s", process.name()).isZero();
    }

    /** Returns the sum of a meter over all its tags; 0 when there is none. */
    double metric(String helper, String name) throws IOException, InterruptedException {
        String address = processes.process(helper).ready().path("http").asText();
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://" + address + "/metrics"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body()
                .lines()
                .filter(line -> line.matches(name + "[ {].*"))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    @Override
    public void close() {
        client.close();
        processes.close();
    }
}
