package io.cloudmw.core.cost.plan;

import io.cloudmw.core.cost.Prediction;
import io.cloudmw.core.cost.ReadStrategy;
import io.cloudmw.core.hedge.RedundancyBudget;
import io.cloudmw.core.hedge.StealSize;
import io.cloudmw.core.mode.ModePolicy;
import io.cloudmw.core.status.fleet.ExpectedSpeed;
import java.util.List;

/** The simulation of one read strategy in all runs side by side, as {@link TransferModel} describes. Used once. */
final class SimulatedRead {
    /** A stream of one run, and the last block it reads. Seconds are those of the run. */
    private static final class Stream {
        /** The time at which it has read all its blocks. */
        double ends;
        /** The time since which that block's bytes arrive. */
        double flowsSince;

        double bytesPerSecond;
        int replica;
        /** The seconds to its first byte; 0: it has read nothing. */
        double firstByte;
        /** Its bytes a second, the wait for the first included. */
        double throughput;
    }

    private final ReadStrategy strategy;
    private final ModePolicy policy;
    private final SampledBlocks row;
    private final List<ExpectedSpeed> replicas;
    private final AttemptSamples attempts;
    private final int runs;
    private final int splits;
    /** The streams by run. */
    private final Stream[][] streams;

    private double requests;
    private double second;
    private double fetched;

    /**
     * @param spare the most ends of blocks that idle streams may take, where the mode lets them
     */
    SimulatedRead(ReadStrategy strategy, ModePolicy policy, SampledBlocks row, int spare) {
        this.strategy = strategy;
        this.policy = policy;
        this.row = row;
        splits = policy.extras().steals() ? spare : 0;
        replicas = row.replicas();
        attempts = row.attempts();
        runs = row.runs();
        streams = new Stream[runs][Math.min(row.drawn() + splits, streamCount())];
        for (Stream[] ofRun : streams) {
            for (int stream = 0; stream < ofRun.length; stream++) {
                ofRun[stream] = new Stream();
                ofRun[stream].replica = stream % replicas.size();
            }
        }
    }

    private int streamCount() {
        return policy.lineup().isRace()
                ? policy.lineup().lanes()
                : Math.min(policy.lineup().racers(), strategy.streams());
    }

    Prediction run(ReadShape shape) {
        for (int block = 0; block < row.drawn(); block++) {
            attempts.draw(block);
            double bytes = row.bytes(block);
            for (int run = 0; run < runs; run++) {
                read(firstFree(run), run, bytes);
            }
        }
        requests *= row.stretch();
        second *= row.stretch();
        fetched *= row.stretchOfBytes();
        // The blocks that are not sampled come before, without a pause: only the end is uneven.
        double[] before = new double[runs];
        for (int run = 0; run < runs; run++) {
            before[run] = (row.stretchOfBytes() - 1) * meanEnd(run);
        }
        double least = (double) shape.bytes() / shape.destinationBytesPerSecond();
        splitEnds(before, least);
        double[] seconds = new double[runs];
        for (int run = 0; run < runs; run++) {
            seconds[run] = Math.max(least, before[run] + last(run).ends);
        }
        return new Prediction(strategy, seconds, requests / runs, second / runs, fetched / runs);
    }

    private Stream firstFree(int run) {
        Stream free = streams[run][0];
        for (Stream stream : streams[run]) {
            free = stream.ends < free.ends ? stream : free;
        }
        return free;
    }

    private Stream last(int run) {
        Stream last = streams[run][0];
        for (Stream stream : streams[run]) {
            last = stream.ends > last.ends ? stream : last;
        }
        return last;
    }

    private double meanEnd(int run) {
        double sum = 0;
        for (Stream stream : streams[run]) {
            sum += stream.ends;
        }
        return sum / streams[run].length;
    }

    // ---- blocks

    /** Lets the stream read one more block, and counts its cost. */
    private void read(Stream stream, int run, double bytes) {
        switch (strategy.mode()) {
            case SINGLE -> stream.ends += plain(0, run, bytes);
            case CHUNKED -> stream.ends += plain(stream.replica, run, bytes);
            case ROUNDS, KN -> stream.ends += race(run, bytes);
            case HEDGED -> stream.ends += hedged(stream.replica, run, bytes);
            case COOPERATIVE -> watched(stream, stream.replica, run, bytes);
        }
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

    private double hedged(int replica, int run, double bytes) {
        double alone = plain(replica, run, bytes);
        double late = late(replica, run);
        if (replicas.size() == 1 || late >= alone) {
            return alone;
        }
        int other = another(replica);
        requests++;
        second++;
        double end = Math.min(alone, late + attempts.seconds(other, run, bytes));
        fetched += attempts.fetched(replica, run, end, bytes) - bytes;
        fetched += attempts.fetched(other, run, end - late, bytes);
        return end;
    }

    /** Lets the stream read from this replica, and the rest from another when the first is late. */
    private void watched(Stream stream, int replica, int run, double bytes) {
        double starts = stream.ends;
        double alone = plain(replica, run, bytes);
        double late = late(replica, run);
        if (replicas.size() == 1 || late >= alone) {
            flows(stream, starts, replica, run, bytes);
            return;
        }
        requests++;
        second++;
        double missing = bytes - attempts.fetched(replica, run, late, bytes);
        flows(stream, starts + late, another(replica), run, missing);
    }

    private void flows(Stream stream, double starts, int replica, int run, double bytes) {
        stream.flowsSince = starts + attempts.firstByte(replica, run);
        stream.bytesPerSecond = attempts.rate(replica, run);
        stream.replica = replica;
        stream.ends = stream.flowsSince + bytes / stream.bytesPerSecond;
        stream.firstByte = attempts.firstByte(replica, run);
        stream.throughput = bytes / (stream.ends - starts);
    }

    private int another(int replica) {
        return (replica + 1) % replicas.size();
    }

    /** The time at which an attempt falls behind its store's usual speed; infinite: never. */
    private double late(int replica, int run) {
        double delay = delaySeconds(replicas.get(replica));
        double firstByte = attempts.firstByte(replica, run);
        if (firstByte > delay) {
            return delay;
        }
        double rate = attempts.rate(replica, run);
        double slow = replicas.get(replica).slowBytesPerSecond() / RedundancyBudget.LEAST_PATIENT;
        // Where rate * (t - firstByte) falls below slow * (t - delay).
        return rate < slow ? (slow * delay - rate * firstByte) / (slow - rate) : Double.MAX_VALUE;
    }

    /** The hedge delay, as the race has it while its budget is full; a delay that was chosen is kept exactly. */
    private double delaySeconds(ExpectedSpeed speed) {
        return policy.extras().delayNanos(speed.lateFirstByteNanos() * RedundancyBudget.LEAST_PATIENT) / 1e9;
    }

    // ---- ends of blocks

    /** Lets the stream that is free first take part of the block that ends last, as long as the budget allows. */
    private void splitEnds(double[] before, double least) {
        boolean again = true;
        for (int split = 0; split < splits && again; split++) {
            attempts.draw(row.drawn() + split);
            again = false;
            for (int run = 0; run < runs; run++) {
                Stream victim = last(run);
                // While the destination is busy with bytes that have arrived, an earlier end gains nothing.
                again |= before[run] + victim.ends > least && split(firstFree(run), victim, run);
            }
        }
    }

    /**
     * Splits a block, if it is worth it by the speed the thief has seen at its store, or else by the store's usual
     * speed.
     */
    private boolean split(Stream thief, Stream victim, int run) {
        double floor = policy.extras().floorNanos() / 1e9;
        // The speed of a block is known only after some of its bytes have arrived.
        double at = Math.max(thief.ends, victim.flowsSince + floor);
        double left = victim.ends - at;
        boolean seen = thief.firstByte > 0 && thief.replica != victim.replica;
        int other = victim.replica == 0 && replicas.size() > 1 ? 1 : 0;
        int replica = seen ? thief.replica : other;
        ExpectedSpeed usual = replicas.get(replica);
        double firstByte = seen ? thief.firstByte : usual.firstByteNanos() / 1e9;
        double bytesPerSecond = seen ? thief.throughput : (double) usual.bytesPerSecond();
        double taken = left <= 0
                ? 0
                : StealSize.bytes(
                        left * victim.bytesPerSecond, left * 1e9, firstByte * 1e9, bytesPerSecond / 1e9, floor * 1e9);
        if (taken > 0) {
            victim.ends -= taken / victim.bytesPerSecond;
            fetched -= taken;
            thief.ends = at;
            watched(thief, replica, run, taken);
        }
        return taken > 0;
    }
}
