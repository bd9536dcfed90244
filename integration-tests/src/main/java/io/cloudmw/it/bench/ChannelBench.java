package io.cloudmw.it.bench;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.CloudMwOptions;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.PutOptions;
import io.cloudmw.client.channel.ChannelOptions;
import io.cloudmw.client.channel.FileChannels;
import io.cloudmw.client.file.RemoteFile;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.lab.fleet.GeneratedFile;
import io.cloudmw.lab.fleet.LocalFleet;
import io.cloudmw.lab.fleet.ServerProcess;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.ToDoubleFunction;

/**
 * A benchmark of streams, channels and the file system against the asynchronous API, interleaved in one run. The
 * sequential part reads a whole file from disk stores and drops the bytes. The random part reads 4 KiB at random places
 * of a file that a switch has in memory. Prints Markdown tables.
 *
 * <p>Arguments: {@code <launcher> <work directory> <size in MiB> <runs> <warm-ups> <random reads>}. The client is this
 * process. Processor times are the kernel's, of the client and of the helpers.
 */
public final class ChannelBench {
    private static final int SMALL_BYTES = 4 << 10;
    private static final int BUFFER_BYTES = 1 << 20;
    private static final int SWITCHED_LEAF_BYTES = 16 << 10;
    private static final long SWITCHED_BYTES = 64L << 20;

    /** The switch has twice the file's size for cached bytes. */
    private static final String MEMORY = "-XX:MaxDirectMemorySize=" + 4 * SWITCHED_BYTES;

    private final CloudMw client;
    private final FileChannels channels;
    private final String coordinator;
    private final List<ServerProcess> helpers;

    private ChannelBench(CloudMw client, FileChannels channels, String coordinator, List<ServerProcess> helpers) {
        this.client = client;
        this.channels = channels;
        this.coordinator = coordinator;
        this.helpers = helpers;
    }

    /** A way to read the whole file. */
    private interface Reader {
        void read(FilePath file) throws Exception;
    }

    private record Sample(double serverCpu, double clientCpu, double seconds) {}

    private record Row(String name, Reader reader, List<Sample> samples) {
        double median(ToDoubleFunction<Sample> of) {
            double[] sorted = samples.stream().mapToDouble(of).sorted().toArray();
            return sorted[sorted.length / 2];
        }
    }

    /** A way to read a few bytes at a place. */
    private interface SmallReader {
        void read(ByteBuffer target, long at) throws Exception;
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments.length != 6) {
            System.err.println(
                    "usage: ChannelBench <launcher> <work directory> <size in MiB> <runs> <warm-ups> <random reads>");
            System.exit(2);
        }
        Path directory = Files.createDirectories(Path.of(arguments[1])).toAbsolutePath();
        long bytes = Long.parseLong(arguments[2]) << 20;
        try (LocalFleet fleet = new LocalFleet(
                directory.resolve("fleet"),
                Path.of(arguments[0]).toAbsolutePath(),
                Map.of("CLOUDMW_JAVA_OPTS", MEMORY))) {
            fleet.startCoordinator(Map.of());
            List<ServerProcess> helpers = new ArrayList<>();
            for (int i = 1; i <= 3; i++) {
                helpers.add(fleet.startHelper("helper-" + i, fleet.disk("disk-" + i)));
            }
            helpers.add(fleet.startHelper(
                    "switch",
                    Map.of("helper.switch.volumes", "small", "helper.cache.memory", "" + 2 * SWITCHED_BYTES)));
            String coordinator = fleet.coordinatorAddress();
            try (CloudMw client = CloudMw.connect(CloudMwOptions.of(coordinator));
                    FileChannels channels = FileChannels.of(client, ChannelOptions.defaults())) {
                ChannelBench bench = new ChannelBench(client, channels, coordinator, helpers);
                bench.sequential(
                        bench.put("large", Chunking.DEFAULT_LEAF_BYTES, generated(directory.resolve("large"), bytes)),
                        bytes,
                        Integer.parseInt(arguments[3]),
                        Integer.parseInt(arguments[4]));
                bench.random(
                        bench.put("small", SWITCHED_LEAF_BYTES, generated(directory.resolve("small"), SWITCHED_BYTES)),
                        Integer.parseInt(arguments[5]));
            }
        }
        System.exit(0);
    }

    private static Path generated(Path file, long bytes) throws IOException {
        GeneratedFile.generate(file, bytes, 1);
        return file;
    }

    private FilePath put(String name, int leafBytes, Path source) {
        VolumeName volume = new VolumeName(name);
        client.volumes()
                .create(new Volume(
                        volume,
                        new Chunking.BySize(Math.min(64L << 20, Chunking.maxChunkBytes(leafBytes)), leafBytes),
                        2,
                        List.of(new StoreId("disk-1"), new StoreId("disk-2"), new StoreId("disk-3")),
                        2,
                        Mode.COOPERATIVE,
                        false,
                        0))
                .join();
        FilePath file = new FilePath(volume, "/file");
        client.files().put(source, file, PutOptions.defaults()).join();
        return file;
    }

    private void sequential(FilePath file, long bytes, int runs, int warmUps) throws Exception {
        List<Row> rows = List.of(
                row("`files().read`, as `cloudmw get`", this::readAll),
                row("`FileChannels.newInputStream`", this::readStream),
                row("`Files.copy` of a `cloudmw://` path", this::copy),
                row("`FileChannel.transferTo`", this::transfer));
        for (int run = -warmUps; run < runs; run++) {
            for (Row row : rows) {
                Sample sample = measured(row.reader(), file);
                if (run >= 0) {
                    row.samples().add(sample);
                }
                System.err.printf(Locale.ROOT, "run %d: %s: %s%n", run, row.name(), sample);
            }
        }
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
                "| | s | of `files().read` | server CPU-s/GiB | client CPU-s/GiB | sum, of `files().read` |");
        System.out.println("|---|---|---|---|---|---|");
        Row base = rows.get(0);
        ToDoubleFunction<Sample> cpu = sample -> sample.serverCpu() + sample.clientCpu();
        for (Row row : rows) {
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %.2f | %.2f | %.2f | %.2f | %.2f |%n",
                    row.name(),
                    row.median(Sample::seconds),
                    row.median(Sample::seconds) / base.median(Sample::seconds),
                    row.median(Sample::serverCpu) / gib,
                    row.median(Sample::clientCpu) / gib,
                    row.median(cpu) / base.median(cpu));
        }
    }

    private static Row row(String name, Reader reader) {
        return new Row(name, reader, new ArrayList<>());
    }

    private Sample measured(Reader reader, FilePath file) throws Exception {
        double server = helperCpu();
        double own = ProcessUsage.cpuSeconds(ProcessHandle.current().pid());
        long start = System.nanoTime();
        reader.read(file);
        double seconds = (System.nanoTime() - start) / 1e9;
        return new Sample(
                helperCpu() - server,
                ProcessUsage.cpuSeconds(ProcessHandle.current().pid()) - own,
                seconds);
    }

    private double helperCpu() throws IOException {
        double sum = 0;
        for (ServerProcess helper : helpers) {
            sum += ProcessUsage.cpuSeconds(helper.pid());
        }
        return sum;
    }

    private void readAll(FilePath file) throws IOException {
        try (var nowhere = Channels.newChannel(OutputStream.nullOutputStream())) {
            client.files().read(file, nowhere, GetOptions.defaults()).join();
        }
    }

    private void readStream(FilePath file) throws IOException {
        byte[] buffer = new byte[BUFFER_BYTES];
        try (InputStream stream = channels.newInputStream(file)) {
            while (stream.read(buffer) >= 0) {
                // The bytes are dropped.
            }
        }
    }

    private void copy(FilePath file) throws IOException {
        Path path = Path.of(URI.create("cloudmw://" + coordinator + "/" + file.volume() + file.path()));
        long unused = Files.copy(path, OutputStream.nullOutputStream());
    }

    private void transfer(FilePath file) throws IOException {
        try (FileChannel channel = channels.open(file, Set.of(StandardOpenOption.READ));
                var nowhere = Channels.newChannel(OutputStream.nullOutputStream())) {
            long unused = channel.transferTo(0, channel.size(), nowhere);
        }
    }

    private void random(FilePath file, int count) throws Exception {
        readAll(file); // fills the switch
        readAll(file);
        System.out.println();
        System.out.println("| 4 KiB at random places | p50 ms | p99 ms |");
        System.out.println("|---|---|---|");
        try (RemoteFile open = client.files().open(file).join();
                FileChannel channel = channels.open(file, Set.of(StandardOpenOption.READ))) {
            SmallReader asynchronous = (target, at) -> open.read(target, at).join();
            SmallReader positional = (target, at) -> {
                int unused = channel.read(target, at);
            };
            for (int round = 0; round < 2; round++) { // the first warms up
                double[] direct = nanos(asynchronous, count);
                double[] through = nanos(positional, count);
                if (round == 1) {
                    print("`RemoteFile.read`", direct);
                    print("`FileChannel.read`", through);
                }
            }
        }
    }

    private static double[] nanos(SmallReader reader, int count) throws Exception {
        SplittableRandom random = new SplittableRandom(1);
        ByteBuffer target = ByteBuffer.allocate(SMALL_BYTES);
        double[] nanos = new double[count];
        for (int i = 0; i < count; i++) {
            long at = random.nextLong(SWITCHED_BYTES / SMALL_BYTES) * SMALL_BYTES;
            long start = System.nanoTime();
            reader.read(target.clear(), at);
            nanos[i] = System.nanoTime() - start;
        }
        Arrays.sort(nanos);
        return nanos;
    }

    private static void print(String name, double[] sorted) {
        System.out.printf(
                Locale.ROOT,
                "| %s | %.3f | %.3f |%n",
                name,
                sorted[sorted.length / 2] / 1e6,
                sorted[(int) (sorted.length * 0.99)] / 1e6);
    }
}
