package io.cloudmw.core.cost.plan;

import io.cloudmw.core.status.fleet.ExpectedSpeed;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * The sampled speeds of attempts, for each block and replica, in many equally likely runs side by side. They are drawn
 * by Latin hypercube: each quantity takes each of its quantiles exactly once over the runs, so that few runs have true
 * quantiles.
 */
final class AttemptSamples {
    private final List<SpeedCurve> curves;
    private final double[] scores;
    private final Random random;
    private final List<BlockSamples> draws = new ArrayList<>();
    private BlockSamples now = new BlockSamples(0, 0);

    /** The samples of one block: seconds to the first byte and bytes a second after it, by replica and run. */
    private static final class BlockSamples {
        final double[][] firstByte;
        final double[][] rate;

        BlockSamples(int replicas, int runs) {
            firstByte = new double[replicas][runs];
            rate = new double[replicas][runs];
        }
    }

    AttemptSamples(List<ExpectedSpeed> replicas, int runs, long seed) {
        curves = replicas.stream().map(SpeedCurve::new).toList();
        random = new Random(seed);
        scores = new double[runs];
        for (int run = 0; run < runs; run++) {
            scores[run] = NormalDistribution.inverse((run + 0.5) / runs);
        }
    }

    /** Selects a block: one drawn already, or the next. */
    void draw(int block) {
        if (block == draws.size()) {
            draws.add(draw());
        }
        now = draws.get(block);
    }

    private BlockSamples draw() {
        BlockSamples draw = new BlockSamples(curves.size(), scores.length);
        for (int replica = 0; replica < curves.size(); replica++) {
            SpeedCurve curve = curves.get(replica);
            shuffle();
            for (int run = 0; run < scores.length; run++) {
                draw.firstByte[replica][run] = curve.firstByteSeconds(scores[run]);
            }
            shuffle();
            for (int run = 0; run < scores.length; run++) {
                draw.rate[replica][run] = curve.bytesPerSecond(scores[run]);
            }
        }
        return draw;
    }

    private void shuffle() {
        for (int i = scores.length - 1; i > 0; i--) {
            int j = random.nextInt(i + 1);
            double score = scores[i];
            scores[i] = scores[j];
            scores[j] = score;
        }
    }

    /** Seconds to the first byte. */
    double firstByte(int replica, int run) {
        return now.firstByte[replica][run];
    }

    /** Bytes a second after it. */
    double rate(int replica, int run) {
        return now.rate[replica][run];
    }

    /** Seconds until {@code bytes} have arrived. */
    double seconds(int replica, int run, double bytes) {
        return now.firstByte[replica][run] + bytes / now.rate[replica][run];
    }

    /** The part of {@code bytes} that has arrived after so many seconds. */
    double fetched(int replica, int run, double seconds, double bytes) {
        return Math.max(0, Math.min(bytes, (seconds - now.firstByte[replica][run]) * now.rate[replica][run]));
    }
}
