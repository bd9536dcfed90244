package io.cloudmw.core.testing.fleet;

import io.cloudmw.core.hedge.IssueCounts;
import io.cloudmw.core.hedge.RedundancyBudget;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.RedundancyLimits;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** Transfers in a simulated fleet, and their figures. The same arguments always give the same figures. */
public final class FleetWorkload {
    /** The figures of one mode. */
    public static final class Figures {
        private final Mode mode;
        private final List<Double> seconds = new ArrayList<>();
        private long bytes;
        private long fetchedBytes;
        private int requests;
        private int useful;
        private int extras;
        private int splits;

        Figures(Mode mode) {
            this.mode = mode;
        }

        void add(FleetTransfer.Result result) {
            seconds.add(result.nanos() / 1e9);
            bytes += result.bytes();
            fetchedBytes += result.fetchedBytes();
            requests += result.requests();
            IssueCounts tally = result.tally();
            int more = tally.hedges() + tally.handOvers() + tally.steals() + tally.duplicates();
            more += result.takenBack() - result.unmade();
            extras += more;
            splits += tally.steals();
            useful += result.requests() - more;
        }

        public int transfers() {
            return seconds.size();
        }

        public double seconds(double quantile) {
            List<Double> sorted = seconds.stream().sorted().toList();
            return sorted.get(Math.max(0, (int) Math.ceil(quantile * sorted.size()) - 1));
        }

        public double bytesRatio() {
            return (double) fetchedBytes / bytes;
        }

        /** Requests per request that was needed. */
        public double requestsRatio() {
            return (double) requests / useful;
        }

        /** The mean requests of one transfer. */
        public double requests() {
            return (double) requests / transfers();
        }

        public int extras() {
            return extras;
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "%-12s %6d transfers  p50 %8.3f s  p99 %8.3f s  p99.9 %8.3f s  bytes %.4f  wasted %8.1f MB"
                            + "  requests %.4f  extras %d, %d of them splits",
                    mode.label(),
                    transfers(),
                    seconds(0.5),
                    seconds(0.99),
                    seconds(0.999),
                    bytesRatio(),
                    (fetchedBytes - bytes) / 1e6,
                    requestsRatio(),
                    extras,
                    splits);
        }
    }

    private static final long GB = 1_000_000_000;
    private static final long READ_EVERY_NANOS = 200_000_000;
    private static final long ALONE_EVERY_NANOS = 60_000_000_000L;

    private FleetWorkload() {}

    /** The paper's experiment: 1 GB in three chunks of three replicas, three helpers, {@code runs} times. */
    public static Figures paper(Mode mode, int runs, long seed) {
        Figures figures = new Figures(mode);
        List<Integer> three = List.of(0, 1, 2);
        List<Long> chunks = List.of(GB / 3, GB / 3, GB - 2 * (GB / 3));
        for (int run = 0; run < runs; run++) {
            SimulatedFleet fleet = new SimulatedFleet(FleetSettings.paper(), seed + run);
            FleetTransfer.Spec spec = new FleetTransfer.Spec(mode, false, chunks, three, List.of(three, three, three));
            new FleetTransfer(fleet, spec, new RedundancyBudget(RedundancyLimits.DEFAULT), figures::add).start();
            run(fleet);
        }
        return figures;
    }

    /** Reads of 64 KiB to 8 MiB of one client, five a second. */
    public static Figures reads(Mode mode, FleetSettings settings, int reads, long seed) {
        return reads(mode, settings, 0, reads, seed);
    }

    /** The same, counting only reads from {@code from} on. */
    public static Figures reads(Mode mode, FleetSettings settings, int from, int reads, long seed) {
        Figures figures = new Figures(mode);
        SimulatedFleet fleet = new SimulatedFleet(settings, seed);
        SplittableRandom random = new SplittableRandom(seed ^ 0xbeef);
        RedundancyBudget governor = new RedundancyBudget(RedundancyLimits.DEFAULT);
        List<Integer> three = List.of(0, 1, 2);
        for (int read = 0; read < reads; read++) {
            long bytes = (64L << 10) << random.nextInt(8);
            FleetTransfer.Spec spec = new FleetTransfer.Spec(mode, false, List.of(bytes), three, List.of(three));
            Consumer<FleetTransfer.Result> counted = read < from ? result -> {} : figures::add;
            fleet.clock.after(read * READ_EVERY_NANOS, () -> new FleetTransfer(fleet, spec, governor, counted).start());
        }
        run(fleet);
        return figures;
    }

    /** Reads of one file one after the other, each by a client with its whole budget. */
    public static Figures alone(Mode mode, FleetSettings settings, List<Long> chunkBytes, int reads, long seed) {
        Figures figures = new Figures(mode);
        SimulatedFleet fleet = new SimulatedFleet(settings, seed);
        List<Integer> three = List.of(0, 1, 2);
        FleetTransfer.Spec spec =
                new FleetTransfer.Spec(mode, false, chunkBytes, three, Collections.nCopies(chunkBytes.size(), three));
        for (int read = 0; read < reads; read++) {
            fleet.clock.after(
                    read * ALONE_EVERY_NANOS,
                    () -> new FleetTransfer(fleet, spec, new RedundancyBudget(RedundancyLimits.DEFAULT), figures::add)
                            .start());
        }
        run(fleet);
        return figures;
    }

    /** Files of 4 to 64 MiB, every tenth as a stream, by clients all over a fleet in a storm. */
    public static Figures storm(Mode mode, int helpers, int stores, int transfers, long seed) {
        Figures figures = new Figures(mode);
        SimulatedFleet fleet = new SimulatedFleet(FleetSettings.storm(helpers, stores), seed);
        SplittableRandom random = new SplittableRandom(seed ^ 0xf1ee7);
        for (int i = 0; i < transfers; i++) {
            FleetTransfer.Spec spec = spec(mode, helpers, stores, i % 10 == 0, random);
            RedundancyBudget governor = new RedundancyBudget(RedundancyLimits.DEFAULT);
            fleet.clock.after(
                    random.nextLong(60_000_000_000L),
                    () -> new FleetTransfer(fleet, spec, governor, figures::add).start());
        }
        try {
            run(fleet);
        } catch (AssertionError e) {
            throw new AssertionError(mode + ", seed " + seed + ": " + e.getMessage(), e);
        }
        if (figures.transfers() != transfers) {
            throw new AssertionError("invariant 3 violated: " + figures.transfers() + " of " + transfers + " ended");
        }
        return figures;
    }

    private static FleetTransfer.Spec spec(
            Mode mode, int helpers, int stores, boolean inOrder, SplittableRandom random) {
        int chunkCount = random.nextInt(1, 5);
        List<Long> chunks = IntStream.range(0, chunkCount)
                .mapToObj(chunk -> random.nextLong(4L << 20, 16L << 20))
                .toList();
        List<List<Integer>> replicas = IntStream.range(0, chunkCount)
                .mapToObj(chunk -> distinct(3, stores, random))
                .toList();
        return new FleetTransfer.Spec(mode, inOrder, chunks, distinct(random.nextInt(3, 7), helpers, random), replicas);
    }

    private static List<Integer> distinct(int count, int bound, SplittableRandom random) {
        return random.ints(0, bound).distinct().limit(count).boxed().toList();
    }

    private static void run(SimulatedFleet fleet) {
        boolean more = true;
        while (more) {
            more = fleet.clock.step();
        }
    }
}
