package io.cloudmw.core.cost;

import io.cloudmw.core.model.Mode;
import io.cloudmw.core.monitor.ExpectedSpeed;
import io.cloudmw.core.race.Governor;
import io.cloudmw.core.race.ModePolicy;
import java.util.List;

/** One way of reading, carried out in all runs side by side, as {@link TransferModel} describes. Used once. */
final class SimulatedRead {
    private final Way way;
    private final ModePolicy policy;
    private final BlockRow row;
    private final List<ExpectedSpeed> replicas;
    private final Attempts attempts;
    private final int runs;
    private final double[][] lanes;
    private double requests;
    private double second;
    private double fetched;

    SimulatedRead(Way way, ModePolicy policy, BlockRow row) {
        this.way = way;
        this.policy = policy;
        this.row = row;
        replicas = row.replicas();
        attempts = row.attempts();
        runs = row.runs();
        lanes = new double[Math.min(row.drawn(), laneCount())][runs];
    }

    private int laneCount() {
        return policy.lineup().isRace()
                ? policy.lineup().lanes()
                : Math.min(policy.lineup().racers(), way.streams());
    }

    Prediction run(ReadShape shape) {
        for (int block = 0; block < row.drawn(); block++) {
            attempts.draw(block);
            double bytes = row.bytes(block);
            for (int run = 0; run < runs; run++) {
                int lane = firstFree(run);
                lanes[lane][run] += block(lane, run, bytes);
            }
        }
        double stretch = row.stretch();
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
