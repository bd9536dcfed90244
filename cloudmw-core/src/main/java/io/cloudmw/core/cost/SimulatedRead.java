package io.cloudmw.core.cost;

import io.cloudmw.core.hedge.RedundancyBudget;
import io.cloudmw.core.hedge.StealSize;
import io.cloudmw.core.mode.ModePolicy;
import io.cloudmw.core.monitor.ExpectedSpeed;
import java.util.List;

/** One way of reading, carried out in all runs side by side, as {@link TransferModel} describes. Used once. */
final class SimulatedRead {
    /** One of the streams of one run, and the last block it reads. Seconds are those of the run. */
    private static final class Stream {
        /** When it is through with all that it has. */
        double ends;
        /** Since when that block's bytes come. */
        double flowsSince;

        double bytesPerSecond;
        int replica;
        /** How long the first of them took; 0: it has read nothing. */
        double firstByte;
        /** How many came in a second, the wait for the first included. */
        double throughput;
    }

    private final ReadStrategy way;
    private final ModePolicy policy;
    private final SampledBlocks row;
    private final List<ExpectedSpeed> replicas;
    private final AttemptSamples attempts;
    private final int runs;
    private final int splits;
    /** By run. */
    private final Stream[][] streams;

    private double requests;
    private double second;
    private double fetched;

    /** @param spare how many ends of blocks streams with nothing else to do may take, where the mode lets them */
    SimulatedRead(ReadStrategy way, ModePolicy policy, SampledBlocks row, int spare) {
        this.way = way;
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
                : Math.min(policy.lineup().racers(), way.streams());
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
        // What is not drawn comes before, without a pause: only the end is uneven.
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
        return new Prediction(way, seconds, requests / runs, second / runs, fetched / runs);
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

    /** The stream reads one block more; counts what it costs. */
    private void read(Stream stream, int run, double bytes) {
        switch (way.mode()) {
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

    /** The stream reads it from this replica; what is missing when that is late, from another. */
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

    /** When an attempt falls behind its store's usual pace; infinite: never. */
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

    /** As the race has it while its budget is full; a delay that was chosen is kept exactly. */
    private double delaySeconds(ExpectedSpeed speed) {
        return policy.extras().delayNanos(speed.lateFirstByteNanos() * RedundancyBudget.LEAST_PATIENT) / 1e9;
    }

    // ---- ends of blocks

    /** As long as the budget has something to spare, the stream that is free first takes part of what ends last. */
    private void splitEnds(double[] before, double least) {
        boolean again = true;
        for (int split = 0; split < splits && again; split++) {
            attempts.draw(row.drawn() + split);
            again = false;
            for (int run = 0; run < runs; run++) {
                Stream victim = last(run);
                // While the destination is busy with what is there, sooner would not be better.
                again |= before[run] + victim.ends > least && split(firstFree(run), victim, run);
            }
        }
    }

    /** False when it is not worth it: as far as the thief has seen its store, and otherwise by what is usual there. */
    private boolean split(Stream thief, Stream victim, int run) {
        double floor = policy.extras().floorNanos() / 1e9;
        // How fast a block comes can be told only after some of it came.
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
