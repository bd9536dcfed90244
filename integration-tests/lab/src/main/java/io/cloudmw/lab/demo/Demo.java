package io.cloudmw.lab.demo;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.PutOptions;
import io.cloudmw.client.progress.Attempt;
import io.cloudmw.client.progress.AttemptState;
import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.core.config.Sizes;
import io.cloudmw.core.emulation.StoreLaw;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.time.Sleeper;
import io.cloudmw.lab.fleet.CloseStack;
import io.cloudmw.lab.fleet.GeneratedFile;
import io.cloudmw.lab.fleet.LiveOutput;
import io.cloudmw.lab.fleet.LocalFleet;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;

/**
 * A comparison of three ways to read one file. Starts a coordinator and k helpers as processes and puts a file as n chunks
 * with k replicas. Reads the file several times from one store alone, by {@code rounds} and by {@code cooperative}, in
 * turn. In the last read a helper is killed.
 */
public final class Demo {
    private static final int CHUNKS = 3;
    static final int REPLICAS = 3;
    private static final long POLL_NANOS = 1_000_000;
    private static final long DISK_RESERVE = 1L << 30;
    private static final int MOST_RUNS = 100;
    private static final String SINGLE = "single";
    private static final VolumeName RACED = new VolumeName("demo");
    private static final VolumeName ALONE = new VolumeName("alone");

    /**
     * The demo's options.
     *
     * @param runs reads of each kind
     * @param kill whether to kill a helper in the last read
     * @param throttle the speed of each store, as {@code helper.disk.<id>.throttle} takes it; {@code none}: unlimited
     * @param buckets buckets instead of disks
     * @param keep whether the objects in the buckets stay
     */
    public record Settings(
            Optional<Path> file,
            long sizeBytes,
            int runs,
            boolean kill,
            String throttle,
            Optional<DemoBuckets.Place> buckets,
            boolean keep,
            long seed,
            Path launcher,
            LiveOutput output) {
        /** @throws IllegalArgumentException when an option is out of its range */
        public Settings {
            if (runs < 1 || runs > MOST_RUNS) {
                throw new IllegalArgumentException("--runs: " + runs + " (expected: 1.." + MOST_RUNS + ")");
            }
            file.ifPresent(Settings::checkFile);
            if (!throttle.equals("none")) {
                StoreLaw.parse(throttle + ",seed=" + seed);
            }
        }

        private static void checkFile(Path file) {
            if (!Files.isRegularFile(file) || !Files.isReadable(file)) {
                throw new IllegalArgumentException("--file: " + file + " (expected: a file that can be read)");
            }
        }

        private String throttle(int store) {
            return throttle.equals("none") ? "" : throttle + ",seed=" + (seed + store);
        }

        private long size() throws IOException {
            return file.isPresent() ? Files.size(file.get()) : sizeBytes;
        }
    }

    private final Settings settings;
    private final Path directory;
    private final PrintWriter out;
    private final CloseStack closing;

    /**
     * Creates a demo.
     *
     * @param directory for all files of the demo; exists
     * @param out gets the progress and the live view, for people
     * @param closing ends all processes of the demo; closed by the caller
     */
    public Demo(Settings settings, Path directory, PrintWriter out, CloseStack closing) {
        this.settings = settings;
        this.directory = directory;
        this.out = out;
        this.closing = closing;
    }

    /** Runs the whole demo. Call once. */
    public DemoReport run() throws Exception {
        requireSpace();
        Optional<DemoBuckets> buckets = buckets();
        Path source = source();
        LocalFleet fleet = closing.open(() -> new LocalFleet(directory, settings.launcher(), Map.of()));
        startFleet(fleet);
        CloudMw client = closing.last(CloudMw.connect(fleet.clientOptions()));
        createVolumes(client, stores(client, buckets));
        return compare(fleet, client, source);
    }

    /** Checks the buckets before anything is generated or started. */
    private Optional<DemoBuckets> buckets() throws Exception {
        if (settings.buckets().isEmpty()) {
            return Optional.empty();
        }
        DemoBuckets.Place place = settings.buckets().get();
        DemoBuckets buckets = closing.open(() -> DemoBuckets.prepare(place, settings.launcher(), out));
        if (settings.keep()) {
            buckets.keep();
        }
        return Optional.of(buckets);
    }

    /** Checks the space for two copies that are read back, the generated source and the replicas on disks. */
    private void requireSpace() throws IOException {
        boolean disks = settings.buckets().isEmpty();
        int times = 2 + (settings.file().isPresent() ? 0 : 1) + (disks ? REPLICAS + 1 : 0);
        long reserve = disks ? DISK_RESERVE : 0;
        long free = Files.getFileStore(directory).getUsableSpace();
        if (settings.size() > (free - reserve) / times) {
            throw new CloudMwException(
                    ErrorCode.LOCAL_IO,
                    "not enough space in " + directory.getParent() + ": " + times + " times "
                            + Sizes.format(settings.size()) + " and a reserve of " + Sizes.format(reserve)
                            + " are needed, " + Sizes.format(free >> 20 << 20) + " are free");
        }
    }

    private Path source() throws IOException {
        if (settings.file().isPresent()) {
            return settings.file().get();
        }
        Path generated = directory.resolve("input");
        say("generating " + settings.sizeBytes() + " bytes (seed " + settings.seed() + ")");
        try {
            GeneratedFile.generate(generated, settings.sizeBytes(), settings.seed());
        } catch (IOException e) {
            throw new CloudMwException(ErrorCode.LOCAL_IO, "cannot write " + generated + ": " + e.getMessage(), e);
        }
        return generated;
    }

    private void startFleet(LocalFleet fleet) throws IOException {
        say("starting a coordinator and " + REPLICAS + " helpers");
        fleet.startCoordinator(Map.of());
        for (int i = 1; i <= REPLICAS; i++) {
            fleet.startHelper("helper-" + i, helperSettings(fleet, i));
        }
    }

    private Map<String, String> helperSettings(LocalFleet fleet, int i) {
        Map<String, String> own = new HashMap<>();
        String throttle = settings.throttle(i);
        if (settings.buckets().isEmpty()) {
            own.putAll(fleet.disk("disk-" + i));
            own.put("helper.disk.disk-" + i + ".reserve", Sizes.format(DISK_RESERVE));
            own.put("helper.disk.disk-" + i + ".throttle", throttle);
        } else {
            own.put("helper.s3.throttle", throttle);
        }
        return own;
    }

    private static List<StoreId> stores(CloudMw client, Optional<DemoBuckets> buckets)
            throws InterruptedException, ExecutionException {
        if (buckets.isPresent()) {
            List<Store> stores = buckets.get().stores();
            for (Store store : stores) {
                client.stores().add(store, false).get();
            }
            return stores.stream().map(Store::id).toList();
        }
        return IntStream.rangeClosed(1, REPLICAS)
                .mapToObj(i -> new StoreId("disk-" + i))
                .toList();
    }

    private void createVolumes(CloudMw client, List<StoreId> stores) throws InterruptedException, ExecutionException {
        client.volumes()
                .create(new Volume(
                        RACED, new Chunking.ByCount(CHUNKS), REPLICAS, stores, REPLICAS, Mode.COOPERATIVE, false, 0))
                .get();
        client.volumes()
                .create(new Volume(ALONE, new Chunking.ByCount(1), 1, stores.subList(0, 1), 1, Mode.SINGLE, false, 0))
                .get();
    }

    private DemoReport compare(LocalFleet fleet, CloudMw client, Path source)
            throws IOException, InterruptedException, ExecutionException {
        FilePath raced = new FilePath(RACED, "/file");
        FilePath alone = new FilePath(ALONE, "/file");
        say("putting it as " + CHUNKS + " chunks with " + REPLICAS + " replicas each");
        client.files().put(source, raced, PutOptions.defaults()).get();
        client.files().put(source, alone, PutOptions.defaults()).get();

        say("reading it " + settings.runs() + " times from one store alone, by rounds and by cooperative");
        List<GetReceipt> singles = new ArrayList<>();
        List<GetReceipt> rounds = new ArrayList<>();
        List<GetReceipt> cooperative = new ArrayList<>();
        GetOptions options = GetOptions.defaults();
        for (int run = 1; run <= settings.runs(); run++) {
            singles.add(read(client, alone, options, SINGLE));
            rounds.add(read(client, raced, options.withMode(Mode.ROUNDS), Mode.ROUNDS.label()));
            if (run < settings.runs()) {
                cooperative.add(read(client, raced, options, Mode.COOPERATIVE.label()));
            }
        }
        Scoreboard scoreboard = new Scoreboard();
        Path target = directory.resolve("output");
        Optional<DemoReport.Kill> killed = Optional.empty();
        GetReceipt last;
        if (settings.kill()) {
            say("  cooperative, with one helper killed on the way");
        }
        try (LiveView view =
                new LiveView(scoreboard, out, settings.output(), (Files.size(source) + CHUNKS - 1) / CHUNKS)) {
            view.start();
            CompletableFuture<GetReceipt> get = client.files().get(raced, target, options.withListener(scoreboard));
            if (settings.kill()) {
                killed = killInTheMiddle(fleet, scoreboard, get);
            }
            last = get.get();
        }
        say(line(Mode.COOPERATIVE.label(), last));
        if (settings.kill() && killed.isEmpty()) {
            say("no helper was killed: the file was there before one could be");
        }
        cooperative.add(last);
        String expected = GeneratedFile.sha256(source);
        return new DemoReport(
                new DemoReport.LastRead(
                        last,
                        REPLICAS,
                        Mode.COOPERATIVE.label(),
                        expected,
                        expected.equals(GeneratedFile.sha256(target)),
                        killed),
                List.of(
                        ReadTimes.of(SINGLE, singles),
                        ReadTimes.of(Mode.ROUNDS.label(), rounds),
                        ReadTimes.of(Mode.COOPERATIVE.label(), cooperative)));
    }

    private GetReceipt read(CloudMw client, FilePath file, GetOptions options, String label)
            throws InterruptedException, ExecutionException {
        GetReceipt receipt =
                client.files().get(file, directory.resolve("copy"), options).get();
        say(line(label, receipt));
        return receipt;
    }

    private static String line(String label, GetReceipt receipt) {
        return String.format(
                Locale.ROOT, "  %-12s %5.2f s", label, receipt.elapsed().toNanos() / 1e9);
    }

    /** Kills the helper that is furthest ahead with the next chunk, once a third of the file is delivered. */
    private Optional<DemoReport.Kill> killInTheMiddle(LocalFleet fleet, Scoreboard scoreboard, CompletableFuture<?> get)
            throws InterruptedException {
        while (!get.isDone()) {
            long delivered = scoreboard.delivered();
            Optional<String> leader =
                    delivered > 0 && delivered >= scoreboard.total() / CHUNKS ? leader(scoreboard) : Optional.empty();
            if (leader.isPresent()) {
                fleet.process(leader.get()).kill();
                return Optional.of(new DemoReport.Kill(leader.get(), delivered));
            }
            Sleeper.system().sleep(POLL_NANOS);
        }
        return Optional.empty();
    }

    private static Optional<String> leader(Scoreboard scoreboard) {
        return scoreboard.attempts().stream()
                .filter(attempt -> attempt.state() == AttemptState.PROGRESSED)
                .filter(attempt -> attempt.bytes() > 0 && !attempt.racer().equals(Attempt.LOCAL))
                .max(Comparator.comparingLong(Attempt::chunkIndex).thenComparingLong(Attempt::bytes))
                .map(Attempt::racer);
    }

    private void say(String what) {
        out.println(what);
        out.flush();
    }
}
