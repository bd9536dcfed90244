package io.cloudmw.lab.race;

import io.cloudmw.lab.s3.Traffic;
import java.util.List;

/** The stores and files of a benchmark, and the contenders that read them. Closing is safe from any thread. */
public interface Testbed extends AutoCloseable {
    /** Returns the contenders in the order of the report. */
    List<Contender> contenders();

    /** Returns the files, one for each size of the settings. */
    List<LabFile> files();

    /**
     * Begins a run: sets the stores' speeds to those of {@code run} for {@code contender} and resets the traffic
     * counters. The same run has the same speeds for every contender.
     */
    void begin(int run, Contender contender);

    /** Begins an unslowed run and resets the traffic counters. */
    void beginUnshaped();

    /** Ends the run and returns its traffic. */
    Traffic end();

    /** Deletes all that this has made. Idempotent. */
    @Override
    void close();
}
