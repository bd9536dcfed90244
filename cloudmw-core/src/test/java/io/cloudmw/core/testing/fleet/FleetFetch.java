package io.cloudmw.core.testing.fleet;

import io.cloudmw.core.race.AttemptId;
import io.cloudmw.core.race.Block;
import org.jspecify.annotations.Nullable;

/** An attempt at a helper, with the bytes it has. */
final class FleetFetch {
    final AttemptId attempt;
    final Block block;
    final int store;
    final StoreModel.Reading reading;
    final long startedAtNanos;
    long firstByteAtNanos;
    long fetchedBytes;
    /** The wanted bytes of the block. */
    long lengthBytes;

    boolean over;
    boolean offers;

    @Nullable
    FleetRelay relay;

    FleetFetch(AttemptId attempt, Block block, int store, StoreModel.Reading reading, long startedAtNanos) {
        this.attempt = attempt;
        this.block = block;
        this.store = store;
        this.reading = reading;
        this.startedAtNanos = startedAtNanos;
        this.lengthBytes = block.range().length();
    }

    boolean isWhole() {
        return fetchedBytes >= lengthBytes;
    }
}
