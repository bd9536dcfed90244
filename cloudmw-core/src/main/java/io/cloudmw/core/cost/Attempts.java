package io.cloudmw.core.cost;

import io.cloudmw.core.monitor.ExpectedSpeed;
import java.util.List;
import java.util.Random;

/**
 * What attempts at one block would do at each replica, in many equally likely runs side by side. Drawn by Latin
 * hypercube: each quantity takes each of its quantiles exactly once over the runs, so that few runs have true quantiles.
 */
final class Attempts {
    private final List<SpeedCurve> curves;
    private final double[] scores;
    private final Random random;
    private final double[][] firstByte;
    private final double[][] rate;

    Attempts(List<ExpectedSpeed> replicas, int runs, long seed) {
        curves = replicas.stream().map(SpeedCurve::new).toList();
        random = new Random(seed);
        scores = new double[runs];
        for (int run = 0; run < runs; run++) {
            scores[run] = Normal.inverse((run + 0.5) / runs);
        }
        firstByte = new double[curves.size()][runs];
        rate = new double[curves.size()][runs];
    }

    /** The next block. */
    void draw() {
        for (int replica = 0; replica < curves.size(); replica++) {
            SpeedCurve curve = curves.get(replica);
            shuffle();
            for (int run = 0; run < scores.length; run++) {
                firstByte[replica][run] = curve.firstByteSeconds(scores[run]);
            }
            shuffle();
            for (int run = 0; run < scores.length; run++) {
                rate[replica][run] = curve.bytesPerSecond(scores[run]);
            }
        }
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
        return firstByte[replica][run];
    }

    /** Bytes a second after it. */
    double rate(int replica, int run) {
        return rate[replica][run];
    }

    /** Seconds until {@code bytes} are there. */
    double seconds(int replica, int run, double bytes) {
        return firstByte[replica][run] + bytes / rate[replica][run];
    }

    /** Bytes of {@code bytes} that are there after so many seconds. */
    double fetched(int replica, int run, double seconds, double bytes) {
        return Math.max(0, Math.min(bytes, (seconds - firstByte[replica][run]) * rate[replica][run]));
    }
}
