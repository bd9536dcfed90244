package io.cloudmw.core.emulation;

import io.cloudmw.core.config.Durations;
import java.time.Duration;

/**
 * The law of a store's responses: a pure function of time, of the number of the request and of a seed. Immutable;
 * equal laws draw equally.
 */
public interface StoreLaw {
    /** The forms of laws, for messages. */
    String FORMS = "20MiB/s, 10..40MiB/s,redraw=2s,seed=7, paper-table2,seed=7 or s3-tail,seed=7,slow-after=60s";

    /** The speed in force {@code sinceStartNanos} after the store's start; at least 1. */
    long bytesPerSecondAt(long sinceStartNanos);

    /** The timing of the store's {@code request}-th request, made {@code sinceStartNanos} after its start. */
    default ResponseTiming answer(long request, long sinceStartNanos) {
        return ResponseTiming.PROMPT;
    }

    /** Returns whether the speed is that of the store, shared by all responses; otherwise each response has it. */
    boolean shared();

    /** The same law with draws of its own. */
    StoreLaw withSeed(long seed);

    /** The same law on a clock that runs {@code timeScale} times as fast: shorter delays, higher speeds. */
    default StoreLaw faster(double timeScale) {
        return timeScale == 1 ? this : new FasterLaw(this, timeScale);
    }

    /** This law, with {@code factor} times later first bytes and lower speeds from {@code after} on. */
    default StoreLaw slowed(Duration after, double factor) {
        return new SlowedLaw(this, after, factor);
    }

    /**
     * Reads the text of a law: one of {@link #FORMS}. Any of them may end in {@code ,time-scale=8}, and in {@code
     * ,slow-after=60s}: from then on ten times slower.
     *
     * @throws IllegalArgumentException when it is not of that form
     */
    static StoreLaw parse(String text) {
        LawParser written = LawParser.of(text);
        String seed = written.take("seed");
        String slowAfter = written.take("slow-after");
        String timeScale = written.take("time-scale");
        StoreLaw law = written.law();
        if (seed != null) {
            law = law.withSeed(LawParser.number(text, seed, Long::valueOf));
        }
        if (slowAfter != null) {
            law = law.slowed(Durations.parse(slowAfter), SlowedLaw.FACTOR);
        }
        return timeScale == null ? law : law.faster(LawParser.number(text, timeScale, Double::valueOf));
    }
}
