package io.cloudmw.it.bench;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.CloudMwOptions;
import io.cloudmw.core.emulation.StoreLaw;
import io.cloudmw.core.emulation.StorePace;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.lab.fleet.LocalFleet;
import io.cloudmw.lab.s3.ShapedStore;
import io.cloudmw.lab.s3.ShapingProxy;
import io.cloudmw.lab.s3.Traffic;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A benchmark of Parquet through Hadoop: CloudMW against S3A, in turn, behind one shaping proxy. A reader process has
 * both file systems. S3A reads from the first store; the volume has three replicas in three. In a run, the stores have
 * the same law and seed for all systems. Prints Markdown tables.
 *
 * <p>Arguments: {@code <launcher> <work directory> <S3 endpoint> <class path of the reader, in a file> <rows> <runs>
 * <warm-ups> <law> [small files]}. The environment has the endpoint's keys. A row has 20 columns of 8 bytes.
 */
public final class HadoopBench {
    private static final String REGION = "us-east-1";
    private static final List<String> SYSTEMS = List.of("classic", "analytics", "cloudmw");
    private static final int STORES = 3;
    private static final int COLUMNS = 20;
    private static final int SCANNED = 3;
    private static final int READERS = 8;

    private final List<ShapedStore> stores;
    private final StoreLaw law;
    private final TableProcess reader;
    private final String bucket;
    private final String coordinator;

    private HadoopBench(
            List<ShapedStore> stores, StoreLaw law, TableProcess reader, String bucket, String coordinator) {
        this.stores = stores;
        this.law = law;
        this.reader = reader;
        this.bucket = bucket;
        this.coordinator = coordinator;
    }

    /** The process that reads and writes tables. */
    private static final class TableProcess implements AutoCloseable {
        private final Process process;
        private final PrintWriter orders;
        private final BufferedReader answers;

        TableProcess(String classPath, String endpoint, Path log) throws IOException {
            process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xmx1g",
                            "-cp",
                            classPath,
                            "io.cloudmw.bench.hadoop.TableReader",
                            endpoint)
                    .redirectError(log.toFile())
                    .start();
            orders = new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8);
            answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        }

        double seconds(String order) throws IOException {
            orders.println(order);
            String answer = answers.readLine();
            if (answer == null) {
                throw new IOException("the reader ended at: " + order);
            }
            return Double.parseDouble(answer);
        }

        double cpuSeconds() throws IOException {
            return ProcessUsage.cpuSeconds(process.pid());
        }

        @Override
        public void close() {
            process.destroyForcibly();
        }
    }

    private record Sample(double seconds, double cpuSeconds, long storeBytes) {}

    public static void main(String[] arguments) throws Exception {
        if (arguments.length < 8 || arguments.length > 9) {
            System.err.println("usage: HadoopBench <launcher> <work directory> <S3 endpoint> <class path file> <rows>"
                    + " <runs> <warm-ups> <law> [small files]");
            System.exit(2);
        }
        Path directory = Files.createDirectories(Path.of(arguments[1])).toAbsolutePath();
        try (ShapingProxy proxy = new ShapingProxy(arguments[2]);
                LocalFleet fleet = new LocalFleet(
                        directory.resolve("fleet"), Path.of(arguments[0]).toAbsolutePath(), Map.of())) {
            List<ShapedStore> stores = new ArrayList<>();
            for (int i = 0; i < STORES; i++) {
                stores.add(proxy.listen());
            }
            String bucket = "tables-" + ProcessHandle.current().pid();
            fleet.startCoordinator(Map.of());
            for (int i = 1; i <= STORES; i++) {
                fleet.startHelper("helper-" + i, Map.of());
            }
            fleet.startHelper("switch", Map.of("helper.switch.volumes", "shared"));
            createVolumes(fleet.coordinatorAddress(), stores, bucket);
            try (TableProcess reader = new TableProcess(
                    Files.readString(Path.of(arguments[3])).strip(),
                    stores.get(0).endpoint(),
                    directory.resolve("reader.log"))) {
                HadoopBench bench = new HadoopBench(
                        stores, StoreLaw.parse(arguments[7]), reader, bucket, fleet.coordinatorAddress());
                bench.run(
                        Long.parseLong(arguments[4]),
                        Integer.parseInt(arguments[5]),
                        Integer.parseInt(arguments[6]),
                        arguments.length > 8 ? Integer.parseInt(arguments[8]) : 1000);
            }
        }
        System.exit(0);
    }

    private static void createVolumes(String coordinator, List<ShapedStore> stores, String bucket) {
        try (CloudMw client = CloudMw.connect(CloudMwOptions.of(coordinator))) {
            List<StoreId> ids = new ArrayList<>();
            for (int i = 0; i < stores.size(); i++) {
                StoreId id = new StoreId("store-" + (i + 1));
                Store.S3 place = new Store.S3(
                        bucket + "-" + (i + 1), REGION, stores.get(i).endpoint(), true, "");
                client.stores().add(new Store(id, id.value(), place), true).join();
                ids.add(id);
            }
            for (String name : List.of("plain", "shared")) {
                client.volumes()
                        .create(new Volume(
                                new VolumeName(name),
                                new Chunking.BySize(64L << 20),
                                STORES,
                                ids,
                                STORES,
                                Mode.COOPERATIVE,
                                false,
                                0))
                        .join();
            }
        }
    }

    private String uri(String system, String volume, String path) {
        return system.equals("cloudmw")
                ? "cloudmw://" + coordinator + "/" + volume + path
                : "s3a://" + bucket + "-1/s3a" + path;
    }

    private void run(long rows, int runs, int warmUps, int small) throws IOException {
        for (String system : List.of("classic", "cloudmw")) {
            reader.seconds("table " + system + " " + uri(system, "plain", "/table") + " " + COLUMNS + " " + rows);
        }
        reader.seconds("table cloudmw " + uri("cloudmw", "shared", "/table") + " " + COLUMNS + " " + rows);
        System.out.printf(
                Locale.ROOT,
                "JDK %s, %d MiB, %d runs after %d warm-ups, law %s, load average %s%n",
                Runtime.version(),
                (rows * COLUMNS * Long.BYTES) >> 20,
                runs,
                warmUps,
                law,
                Files.readString(Path.of("/proc/loadavg")).strip());
        print("scan of 3 of 20 columns, cold", measure("plain", 1, runs, warmUps));
        print("the same by 8 readers; CloudMW through one hot switch", measure("shared", READERS, runs, warmUps));
        metadata(small);
    }

    private Map<String, List<Sample>> measure(String volume, int readers, int runs, int warmUps) throws IOException {
        Map<String, List<Sample>> samples = new LinkedHashMap<>();
        for (int run = -warmUps; run < runs; run++) {
            for (String system : SYSTEMS) {
                begin(run);
                double cpu = reader.cpuSeconds();
                double seconds = reader.seconds(
                        "scan " + system + " " + uri(system, volume, "/table") + " " + SCANNED + " " + readers);
                Sample sample = new Sample(seconds, reader.cpuSeconds() - cpu, end().bytes());
                System.err.printf(Locale.ROOT, "run %d: %s %s: %s%n", run, volume, system, sample);
                if (run >= 0) {
                    samples.computeIfAbsent(system, any -> new ArrayList<>()).add(sample);
                }
            }
        }
        return samples;
    }

    private void begin(int run) {
        for (int i = 0; i < stores.size(); i++) {
            stores.get(i).begin(List.of(new StorePace(law.withSeed(run * 1_009L + i), Ticker.system())));
        }
    }

    private Traffic end() {
        return stores.stream().map(ShapedStore::end).reduce(Traffic.NOTHING, Traffic::plus);
    }

    private void print(String title, Map<String, List<Sample>> samples) {
        System.out.printf(
                "%n| %s | p50 s | p99 s | reader's CPU s | MiB from stores |%n|---|---|---|---|---|%n", title);
        samples.forEach((system, of) -> System.out.printf(
                Locale.ROOT,
                "| %s | %.3f | %.3f | %.2f | %.0f |%n",
                system.equals("cloudmw") ? "CloudMW" : "S3A, " + system,
                quantile(of, 0.5),
                quantile(of, 0.99),
                of.stream().mapToDouble(Sample::cpuSeconds).sorted().toArray()[of.size() / 2],
                of.stream().mapToLong(Sample::storeBytes).sorted().toArray()[of.size() / 2] / (double) (1 << 20)));
    }

    private static double quantile(List<Sample> samples, double share) {
        double[] sorted = samples.stream().mapToDouble(Sample::seconds).sorted().toArray();
        return sorted[(int) Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
    }

    private void metadata(int small) throws IOException {
        Map<String, String> rows = new LinkedHashMap<>();
        for (String system : List.of("classic", "cloudmw")) {
            reader.seconds("small " + system + " " + uri(system, "plain", "/small") + " " + small);
            begin(0);
            double footers = reader.seconds(
                    "footers " + system + " " + uri(system, "plain", "/small") + " " + Math.min(small, 1000));
            Traffic unused = end();
            double rename = reader.seconds(
                    "rename " + system + " " + uri(system, "plain", "/small") + " " + uri(system, "plain", "/moved"));
            rows.put(system, String.format(Locale.ROOT, "| %s | %.2f | %.4f |", system, footers, rename));
        }
        System.out.printf(
                "%n| | %d footers, s | rename of a directory of %d files, s |%n|---|---|---|%n",
                Math.min(small, 1000), small);
        rows.values().forEach(System.out::println);
    }
}
