package io.cloudmw.core.cost;

import io.cloudmw.core.model.Mode;
import io.cloudmw.core.monitor.ExpectedSpeed;
import io.cloudmw.core.race.Governor;
import io.cloudmw.core.race.ModePolicy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Predicts what a read takes, mode by mode: γ and, with a {@link Bill}, δ of the paper. Deterministic.
 *
 * <p>The model: how blocks are cut, how many are under way and when one is late is said by the {@link ModePolicy} that
 * would carry out the read. A read is a row of blocks (whole chunks, or pieces where the mode cuts them), each with a
 * time to first byte and a throughput drawn anew from its store's quantiles. {@code single} reads one after the other
 * from the best store; {@code rounds} takes the fastest of all replicas for each; {@code chunked} and {@code kn} give the
 * next one to the first free stream, or group of streams. {@code hedged} and {@code cooperative} do so too, and make up
 * for an attempt that falls behind its store's usual pace at another store: with the whole block, or with what is
 * missing of it. In {@code cooperative} streams that are done share what is left, for one more first byte. The slowest
 * stream ends the read; nothing is faster than the destination. [1] CloudMW §4.1 (γ ≤ Σ g/(n·Hs), the bound of phase
 * 1), §4.2.
 *
 * <p><b>Differs:</b> distributions instead of bounds; phase 2 is overlapped, so that it shows only as the destination's
 * limit. Failures, and stores that share a bottleneck, are not in the model.
 */
public final class TransferModel {
    /** More blocks than these are not drawn one by one: the time of these is stretched. */
    private static final int MAX_BLOCKS = 64;

    private static final int DRAWS = 8192;
    private static final int MIN_RUNS = 128;
    private static final int MAX_RUNS = 2048;

    private final Way way;
    private final ModePolicy policy;
    private final List<ExpectedSpeed> replicas;
    private final int blocks;
    private final double stretch;
    private final double blockBytes;
    private final double lastBytes;
    private final int runs;
    private final double[][] lanes;
    private final Attempts attempts;
    private double requests;
    private double second;
    private double fetched;

    private TransferModel(ReadShape shape, Way way) {
        this.way = way;
        policy = way.policy(false, shape.replicas().size());
        long unit = unit(shape, policy);
        long count = blocks(shape, way);
        blocks = (int) Math.min(count, MAX_BLOCKS);
        stretch = (double) count / blocks;
        blockBytes = (double) unit;
        lastBytes = (double) (stretch > 1 ? unit : shape.bytes() - (count - 1) * unit);
        runs = Math.max(MIN_RUNS, Math.min(MAX_RUNS, DRAWS / blocks));
        replicas = shape.replicas().stream()
                .sorted(Comparator.comparingLong(speed -> speed.expectedNanos(unit)))
                .toList();
        lanes = new double[Math.min(blocks, laneCount())][runs];
        attempts = new Attempts(replicas, runs, 1);
    }

    private static long unit(ReadShape shape, ModePolicy policy) {
        return Math.min(policy.blocks().blockBytes(), shape.chunkBytes());
    }

    /** How many blocks the read is cut into. */
    static long blocks(ReadShape shape, Way way) {
        long unit = unit(shape, way.policy(false, shape.replicas().size()));
        return Math.max(1, (shape.bytes() + unit - 1) / unit);
    }

    private int laneCount() {
        return policy.lineup().isRace()
                ? policy.lineup().lanes()
                : Math.min(policy.lineup().racers(), way.streams());
    }

    /** What reading {@code shape} this way takes. */
    public static Prediction predict(ReadShape shape, Way way) {
        if (shape.bytes() == 0) {
            return new Prediction(way, new double[1], 0, 0, 0);
        }
        return new TransferModel(shape, way).run(shape);
    }

    /** Every mode's usual way, in the order of the modes. */
    public static List<Prediction> predictAll(ReadShape shape, int helpers) {
        List<Prediction> all = new ArrayList<>();
        for (Mode mode : Mode.values()) {
            all.add(predict(shape, Way.usual(mode, helpers, shape.replicas().size())));
        }
        return all;
    }

    private Prediction run(ReadShape shape) {
        for (int block = 0; block < blocks; block++) {
            attempts.draw();
            double bytes = block == blocks - 1 ? lastBytes : blockBytes;
            for (int run = 0; run < runs; run++) {
                int lane = firstFree(run);
                lanes[lane][run] += block(lane, run, bytes);
            }
        }
        double least = (double) shape.bytes() / shape.destinationBytesPerSecond();
        double[] seconds = new double[runs];
        for (int run = 0; run < runs; run++) {
            seconds[run] = Math.max(least, stretch * end(run));
        }
        return new Prediction(
                way, seconds, stretch * requests / runs, stretch * second / runs, stretch * fetched / runs);
    }

    private int firstFree(int run) {
        int free = 0;
        for (int lane = 1; lane < lanes.length; lane++) {
            if (lanes[lane][run] < lanes[free][run]) {
                free = lane;
            }
        }
        return free;
    }

    private double end(int run) {
        double last = 0;
        double sum = 0;
        for (double[] lane : lanes) {
            last = Math.max(last, lane[run]);
            sum += lane[run];
        }
        if (way.mode() == Mode.COOPERATIVE && lanes.length > 1) {
            double shared = sum / lanes.length + replicas.get(0).firstByteNanos() / 1e9;
            if (shared < last) {
                requests += lanes.length - 1;
                return shared;
            }
        }
        return last;
    }

    /** Seconds one block takes; counts what it costs. */
    private double block(int lane, int run, double bytes) {
        return switch (way.mode()) {
            case SINGLE -> plain(0, run, bytes);
            case CHUNKED -> plain(lane % replicas.size(), run, bytes);
            case ROUNDS, KN -> race(run, bytes);
            case HEDGED, COOPERATIVE -> watched(lane % replicas.size(), run, bytes);
        };
    }

    private double plain(int replica, int run, double bytes) {
        requests++;
        fetched += bytes;
        return attempts.seconds(replica, run, bytes);
    }

    private double race(int run, double bytes) {
        double first = Double.MAX_VALUE;
        for (int replica = 0; replica < replicas.size(); replica++) {
            first = Math.min(first, attempts.seconds(replica, run, bytes));
        }
        for (int replica = 0; replica < replicas.size(); replica++) {
            requests++;
            fetched += attempts.fetched(replica, run, first, bytes);
        }
        return first;
    }

    private double watched(int replica, int run, double bytes) {
        double alone = plain(replica, run, bytes);
        double late = late(replica, run);
        if (replicas.size() == 1 || late >= alone) {
            return alone;
        }
        int other = (replica + 1) % replicas.size();
        requests++;
        second++;
        if (way.mode() == Mode.HEDGED) {
            double end = Math.min(alone, late + attempts.seconds(other, run, bytes));
            fetched += attempts.fetched(replica, run, end, bytes) - bytes;
            fetched += attempts.fetched(other, run, end - late, bytes);
            return end;
        }
        double missing = bytes - attempts.fetched(replica, run, late, bytes);
        return late + attempts.seconds(other, run, missing);
    }

    /** When an attempt falls behind its store's usual pace; infinite: never. */
    private double late(int replica, int run) {
        double delay = delaySeconds(replicas.get(replica));
        double firstByte = attempts.firstByte(replica, run);
        if (firstByte > delay) {
            return delay;
        }
        double rate = attempts.rate(replica, run);
        double slow = (double) replicas.get(replica).slowBytesPerSecond();
        // Where rate * (t - firstByte) falls below slow * (t - delay).
        return rate < slow ? (slow * delay - rate * firstByte) / (slow - rate) : Double.MAX_VALUE;
    }

    /** As the race has it while its budget is full; a delay that was chosen is kept exactly. */
    private double delaySeconds(ExpectedSpeed speed) {
        return policy.extras().delayNanos(speed.lateFirstByteNanos() * Governor.LEAST_PATIENT) / 1e9;
    }
}
