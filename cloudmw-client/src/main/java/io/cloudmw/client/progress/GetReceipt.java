package io.cloudmw.client.progress;

import io.cloudmw.core.model.file.FileVersion;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The receipt of a get: its results and its cost.
 *
 * @param version the version that was read
 * @param bytes handed on, verified
 * @param chunks touched
 * @param usefulBytes fetched from stores and handed on
 * @param resumedBytes bytes that an earlier, interrupted get had left, verified and not fetched again
 * @param peerBytes bytes from other clients' caches, verified and handed on; no store was read for them
 * @param wastedBytes fetched from stores and dropped, as far as the racers could report it
 * @param attempts started
 * @param cancelled attempts stopped because another racer won
 * @param wins in the order of delivery; the first {@value #MAX_ROWS}
 * @param winners blocks that each racer won, by name; complete
 * @param shares bytes that each racer brought from each store; complete
 * @param rows every attempt as last reported; the first {@value #MAX_ROWS}
 * @param faults replicas found missing or corrupt
 * @param extras extra attempts
 * @param cost requests to stores, and their price
 * @param sla the report on the deadline, if there was one
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
    /** The limit on rows, so that the receipt of a huge file fits in a small heap; sums are always complete. */
    public static final int MAX_ROWS = 4096;

    public GetReceipt {
        wins = List.copyOf(wins);
        winners = Collections.unmodifiableMap(new TreeMap<>(winners));
        shares = List.copyOf(shares);
        rows = List.copyOf(rows);
        faults = List.copyOf(faults);
    }

    /** The bytes that came from stores without a helper. */
    public long directBytes() {
        return shares.stream()
                .filter(share -> share.racer().equals(Attempt.LOCAL))
                .mapToLong(ReadShare::bytes)
                .sum();
    }

    /** The number of wins that {@code wins} leaves out. */
    public long winsLeftOut() {
        return winners.values().stream().mapToLong(Long::longValue).sum() - wins.size();
    }
}
