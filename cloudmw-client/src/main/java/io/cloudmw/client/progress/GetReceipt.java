package io.cloudmw.client.progress;

import io.cloudmw.core.model.FileVersion;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What a get did and what it cost.
 *
 * @param version what was read
 * @param bytes handed on, verified
 * @param chunks touched
 * @param usefulBytes fetched from stores and handed on
 * @param resumedBytes what an earlier, interrupted get had left, verified and not fetched again
 * @param peerBytes that other clients had, verified and handed on; no store was asked for them
 * @param wastedBytes fetched from stores and dropped, as far as the racers could report it
 * @param attempts started
 * @param cancelled attempts stopped because another racer won
 * @param wins in the order of delivery; the first {@value #MAX_ROWS}
 * @param winners how many blocks each racer won, by name; all of them are counted
 * @param shares what each racer brought from each store; all of it is counted
 * @param rows every attempt as last heard of; the first {@value #MAX_ROWS}
 * @param faults replicas found missing or corrupt
 * @param extras second attempts
 * @param cost what was asked of stores, and its price
 * @param sla what became of the promise, if there was one
 */
public record GetReceipt(
        FileVersion version,
        long bytes,
        long chunks,
        long usefulBytes,
        long resumedBytes,
        long peerBytes,
        long wastedBytes,
        long attempts,
        long cancelled,
        List<Win> wins,
        Map<String, Long> winners,
        List<ReadShare> shares,
        List<Attempt> rows,
        List<ReplicaFault> faults,
        Duration elapsed,
        Extras extras,
        TransferCost cost,
        Optional<SlaReport> sla) {
    /** Rows kept, so that a receipt of a huge file fits in a small heap; sums always count everything. */
    public static final int MAX_ROWS = 4096;

    public GetReceipt {
        wins = List.copyOf(wins);
        winners = Collections.unmodifiableMap(new TreeMap<>(winners));
        shares = List.copyOf(shares);
        rows = List.copyOf(rows);
        faults = List.copyOf(faults);
    }

    /** How many more wins there were than {@code wins} has. */
    public long winsLeftOut() {
        return winners.values().stream().mapToLong(Long::longValue).sum() - wins.size();
    }
}
