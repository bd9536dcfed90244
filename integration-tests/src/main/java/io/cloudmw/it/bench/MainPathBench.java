package io.cloudmw.it.bench;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.PutOptions;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.lab.fleet.LocalFleet;
import io.cloudmw.lab.fleet.ServerProcess;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.regex.Pattern;

/**
 * A benchmark of a file read against nginx and curl on the same machine, interleaved in the same run. One client reads
 * a file from disk stores over the loopback, to a new file and to /dev/null. Prints a Markdown table of medians.
 *
 * <p>Arguments: {@code <launcher> <work directory> <size in MiB> <runs> [ways [warm-ups]]}, where {@code ways}, a
 * regular expression, selects the ways to read. The client is this process: run it with {@code -Xmx64m}. CPU times are
 * the kernel's, of the client and of the helpers.
 *
 * <p>On a virtual machine the memory of a new file may first have to come from the host, which costs several times the
 * write. So before each read a file of its size is written and deleted, to have enough free memory.
 */
public final class MainPathBench {
    /**
     * The number of unmeasured reads of each way, after which the JIT compilers are mostly done. The cost of the first
     * is printed, too.
     */
    private static final int USUAL_WARM_UPS = 4;

    private static final String PEER = "nginx + curl";

    private static final VolumeName VOLUME = new VolumeName("bench");

    private final Path launcher;
    private final Path directory;
    private final long bytes;
    private final int runs;
    private final int warmUps;
    private final Pattern ways;

    private MainPathBench(Path launcher, Path directory, long bytes, int runs, int warmUps, Pattern ways) {
        this.launcher = launcher;
        this.directory = directory;
        this.bytes = bytes;
        this.runs = runs;
        this.warmUps = warmUps;
        this.ways = ways;
    }

    /** The cost of one read of the file. */
    private record Sample(double serverCpu, double clientCpu, double seconds) {
        double cpu() {
            return serverCpu + clientCpu;
        }
    }

    private interface Way {
        Sample run() throws Exception;
    }

    private record Row(String name, Way way, List<Sample> warmUps, List<Sample> samples) {
        Row(String name, Way way) {
            this(name, way, new ArrayList<>(), new ArrayList<>());
        }

        boolean toFile() {
            return name.endsWith("to a file");
        }

        double median(java.util.function.ToDoubleFunction<Sample> of) {
            double[] sorted = samples.stream().mapToDouble(of).sorted().toArray();
            return sorted[sorted.length / 2];
        }
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments.length < 4 || arguments.length > 6) {
            System.err.println(
                    "usage: MainPathBench <launcher> <work directory> <size in MiB> <runs> [ways [warm-ups]]");
            System.exit(2);
        }
        Path directory = Files.createDirectories(Path.of(arguments[1])).toAbsolutePath();
        new MainPathBench(
                        Path.of(arguments[0]).toAbsolutePath(),
                        directory,
                        Long.parseLong(arguments[2]) << 20,
                        Integer.parseInt(arguments[3]),
                        arguments.length > 5 ? Integer.parseInt(arguments[5]) : USUAL_WARM_UPS,
                        Pattern.compile(arguments.length > 4 ? arguments[4] : ""))
                .run();
        System.exit(0);
    }

    private void run() throws Exception {
        Path documents = Files.createDirectories(directory.resolve("documents"));
        Path source = documents.resolve("file");
        generate(source);
        String memory = "-XX:MaxDirectMemorySize=" + (cacheBytes() + (256L << 20));
        try (Nginx nginx = new Nginx(directory, documents, 19080);
                LocalFleet fleet =
                        new LocalFleet(directory.resolve("fleet"), launcher, Map.of("CLOUDMW_JAVA_OPTS", memory))) {
            List<ServerProcess> helpers = startFleet(fleet);
            try (CloudMw client = CloudMw.connect(fleet.clientOptions())) {
                FilePath one = put(client, source, "one", List.of("disk-1"));
                FilePath three = put(client, source, "three", List.of("disk-1", "disk-2", "disk-3"));
                FilePath inMemory = put(client, source, "memory", List.of("disk-1"));
                FilePath onDisk = put(client, source, "disk", List.of("disk-1"));
                Path target = directory.resolve("target");
                List<Row> all = List.of(
                        new Row(PEER + ", to a file", () -> curl(nginx, target)),
                        new Row(PEER + ", to /dev/null", () -> curl(nginx, Path.of("/dev/null"))),
                        cloudmw("k = 1, single, to a file", helpers, () -> get(client, one, Mode.SINGLE, target)),
                        cloudmw("k = 1, single, to /dev/null", helpers, () -> read(client, one, Mode.SINGLE)),
                        cloudmw("k = 1, rounds, to a file", helpers, () -> get(client, one, Mode.ROUNDS, target)),
                        cloudmw("k = 1, rounds, to /dev/null", helpers, () -> read(client, one, Mode.ROUNDS)),
                        cloudmw(
                                "k = 3, cooperative, to a file",
                                helpers,
                                () -> get(client, three, Mode.COOPERATIVE, target)),
                        cloudmw(
                                "k = 3, cooperative, to /dev/null",
                                helpers,
                                () -> read(client, three, Mode.COOPERATIVE)),
                        cloudmw("k = 3, rounds, to a file", helpers, () -> get(client, three, Mode.ROUNDS, target)),
                        cloudmw("k = 3, rounds, to /dev/null", helpers, () -> read(client, three, Mode.ROUNDS)),
                        cloudmw("switch, hot in memory, to /dev/null", helpers, () -> read(client, inMemory)),
                        cloudmw("switch, hot on its disk, to /dev/null", helpers, () -> read(client, onDisk)));
                List<Row> rows = all.stream()
                        .filter(row -> ways.matcher(row.name()).find())
                        .toList();
                measure(rows, target);
                print(rows, helpers);
            }
        }
    }

    private void generate(Path file) throws IOException {
        SplittableRandom random = new SplittableRandom(1);
        byte[] piece = new byte[1 << 20];
        try (OutputStream out = Files.newOutputStream(file)) {
            for (long left = bytes; left > 0; left -= piece.length) {
                random.nextBytes(piece);
                out.write(piece);
            }
        }
    }

    /** Returns the cache size of the switch that keeps the file in memory. A quarter of it is for bytes in flight. */
    private long cacheBytes() {
        return bytes / 2 * 3 + (32L << 20);
    }

    private List<ServerProcess> startFleet(LocalFleet fleet) throws IOException {
        fleet.startCoordinator(Map.of());
        List<ServerProcess> helpers = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            helpers.add(fleet.startHelper("helper-" + i, fleet.disk("disk-" + i)));
        }
        helpers.add(fleet.startHelper(
                "switch-memory",
                Map.of("helper.switch.volumes", VOLUME + "-memory", "helper.cache.memory", "" + cacheBytes())));
        helpers.add(fleet.startHelper(
                "switch-disk",
                Map.of(
                        "helper.switch.volumes",
                        VOLUME + "-disk",
                        "helper.cache.disk.dir",
                        directory.resolve("cache").toString())));
        return helpers;
    }

    private static FilePath put(CloudMw client, Path source, String name, List<String> stores) {
        VolumeName volume = new VolumeName(VOLUME + "-" + name);
        client.volumes()
                .create(new Volume(
                        volume,
                        new Chunking.BySize(64L << 20),
                        stores.size(),
                        stores.stream().map(StoreId::new).toList(),
                        stores.size(),
                        Mode.ROUNDS,
                        false,
                        0))
                .join();
        FilePath file = new FilePath(volume, "/file");
        client.files().put(source, file, PutOptions.defaults()).join();
        return file;
    }

    private static Sample curl(Nginx nginx, Path target) throws Exception {
        double before = nginx.cpuSeconds();
        double[] curl = nginx.curl("file", target);
        return new Sample(nginx.cpuSeconds() - before, curl[0], curl[1]);
    }

    private static Row cloudmw(String name, List<ServerProcess> helpers, Runnable job) {
        return new Row("CloudMW " + name, () -> measured(helpers, job));
    }

    private static Sample measured(List<ServerProcess> helpers, Runnable job) throws Exception {
        double server = helperCpu(helpers);
        double client = ProcessUsage.cpuSeconds(ProcessHandle.current().pid());
        long start = System.nanoTime();
        job.run();
        double seconds = (System.nanoTime() - start) / 1e9;
        return new Sample(
                helperCpu(helpers) - server,
                ProcessUsage.cpuSeconds(ProcessHandle.current().pid()) - client,
                seconds);
    }

    private static double helperCpu(List<ServerProcess> helpers) throws IOException {
        double sum = 0;
        for (ServerProcess helper : helpers) {
            sum += ProcessUsage.cpuSeconds(helper.pid());
        }
        return sum;
    }

    /** Reads into a file without forcing it to disk, like curl. */
    private static void get(CloudMw client, FilePath file, Mode mode, Path target) {
        client.files()
                .get(file, target, GetOptions.defaults().withMode(mode).withDurable(false))
                .join();
    }

    /** Reads through the volume's switch, which has the file cached after the first read. */
    private static void read(CloudMw client, FilePath file) {
        read(client, file, GetOptions.defaults());
    }

    private static void read(CloudMw client, FilePath file, Mode mode) {
        read(client, file, GetOptions.defaults().withMode(mode));
    }

    private static void read(CloudMw client, FilePath file, GetOptions options) {
        try (FileChannel nowhere = FileChannel.open(Path.of("/dev/null"), StandardOpenOption.WRITE)) {
            client.files().read(file, nowhere, options).join();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void measure(List<Row> rows, Path target) throws Exception {
        for (int run = -warmUps; run < runs; run++) {
            for (Row row : rows) {
                Files.deleteIfExists(target);
                if (row.toFile()) {
                    claimMemory(target);
                }
                Sample sample = row.way().run();
                (run < 0 ? row.warmUps() : row.samples()).add(sample);
                System.err.printf(Locale.ROOT, "run %d: %s: %s%n", run, row.name(), sample);
            }
        }
    }

    private void claimMemory(Path target) throws IOException {
        ByteBuffer piece = ByteBuffer.allocateDirect(1 << 18);
        try (FileChannel file = FileChannel.open(target, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            for (long at = 0; at < bytes; at += piece.capacity()) {
                file.write(piece.clear());
            }
        }
        Files.delete(target);
    }

    /** Returns the result of nginx and curl with the same target; the row itself where they did not run. */
    private static Row peer(Row row, List<Row> rows) {
        return rows.stream()
                .filter(other -> other.name().startsWith(PEER) && other.toFile() == row.toFile())
                .findFirst()
                .orElse(row);
    }

    private void print(List<Row> rows, List<ServerProcess> helpers) throws IOException {
        double gib = bytes / (double) (1L << 30);
        System.out.printf(
                Locale.ROOT,
                "JDK %s, %d MiB, medians of %d runs after %d warm-ups, load average %s%n%n",
                Runtime.version(),
                bytes >> 20,
                runs,
                warmUps,
                Files.readString(Path.of("/proc/loadavg")).strip());
        System.out.println(
                "| | server CPU-s/GiB | client CPU-s/GiB | sum | above nginx | GiB/s | of nginx's | sum of the first |");
        System.out.println("|---|---|---|---|---|---|---|---|");
        for (Row row : rows) {
            Row peer = peer(row, rows);
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %.2f | %.2f | %.2f | %+.2f | %.2f | %.0f%% | %.2f |%n",
                    row.name(),
                    row.median(Sample::serverCpu) / gib,
                    row.median(Sample::clientCpu) / gib,
                    row.median(Sample::cpu) / gib,
                    (row.median(Sample::cpu) - peer.median(Sample::cpu)) / gib,
                    gib / row.median(Sample::seconds),
                    100 * peer.median(Sample::seconds) / row.median(Sample::seconds),
                    row.warmUps().get(0).cpu() / gib);
        }
        double[] helperMib = new double[helpers.size()];
        for (int i = 0; i < helperMib.length; i++) {
            helperMib[i] = ProcessUsage.peakResidentBytes(helpers.get(i).pid()) >> 20;
        }
        System.out.printf(
                Locale.ROOT,
                "%nPeak resident MiB: client %d, helpers %s%n",
                ProcessUsage.peakResidentBytes(ProcessHandle.current().pid()) >> 20,
                Arrays.toString(helperMib));
    }
}
