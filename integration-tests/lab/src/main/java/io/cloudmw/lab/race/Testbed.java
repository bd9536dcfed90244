package io.cloudmw.lab.race;

import io.cloudmw.lab.s3.Traffic;
import java.util.List;

/** The stores and files of a race, and the ways to read them. Closing is safe from any thread. */
public interface Testbed extends AutoCloseable {
    /** In the order they are reported. */
    List<Contender> contenders();

    /** As many as the settings have sizes. */
    List<LabFile> files();

    /**
     * From now on the stores answer as they do in {@code run}, to {@code contender}, and what crosses is counted from
     * zero. The same run has the same draws for every contender.
     */
    void begin(int run, Contender contender);

    /** From now on the stores answer as they can, and what crosses is counted from zero. */
    void beginUnshaped();

    /** What crossed since the beginning. */
    Traffic end();

    /** Leaves nothing behind. Idempotent. */
    @Override
    void close();
}
