package io.cloudmw.client.progress;

import io.cloudmw.core.model.StoreId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * The share of one racer and one store in a get.
 *
 * @param racer name of the helper; {@link Attempt#LOCAL} for the client's in-process racers
 * @param blocks won
 * @param bytes delivered, verified
 * @param keptBlocks those of the blocks that the racer, a switch, had cached: no store was read
 * @param keptBytes of those blocks
 * @param requests to the store
 * @param fetchedBytes fetched by the racer, used or not, as far as it could report them
 */
public record ReadShare(
        String racer,
        StoreId store,
        long blocks,
        long bytes,
        long keptBlocks,
        long keptBytes,
        long requests,
        long fetchedBytes) {
    /** An empty share. */
    public static ReadShare nothing(String racer, StoreId store) {
        return new ReadShare(racer, store, 0, 0, 0, 0, 0, 0);
    }

    /** Adds a block that was won. */
    public ReadShare won(long more) {
        return new ReadShare(racer, store, blocks + 1, bytes + more, keptBlocks, keptBytes, requests, fetchedBytes);
    }

    /** Adds a block that the racer had cached. */
    public ReadShare kept(long more) {
        return new ReadShare(racer, store, blocks, bytes, keptBlocks + 1, keptBytes + more, requests, fetchedBytes);
    }

    /** Adds requests to the store, and bytes fetched. */
    public ReadShare fetched(long asked, long more) {
        return new ReadShare(racer, store, blocks, bytes, keptBlocks, keptBytes, requests + asked, fetchedBytes + more);
    }

    /**
     * The sum of shares.
     *
     * @param blocks won
     * @param wastedBytes fetched and dropped
     */
    public record Total(long blocks, long bytes, long keptBlocks, long keptBytes, long requests, long wastedBytes) {
        private static final Total NONE = new Total(0, 0, 0, 0, 0, 0);

        private Total plus(ReadShare share) {
            return new Total(
                    blocks + share.blocks,
                    bytes + share.bytes,
                    keptBlocks + share.keptBlocks,
                    keptBytes + share.keptBytes,
                    requests + share.requests,
                    wastedBytes + Math.max(0, share.fetchedBytes - share.bytes));
        }

        /** The same sum without blocks that racers had cached. */
        private Total fromStore() {
            return new Total(blocks - keptBlocks, bytes - keptBytes, 0, 0, requests, wastedBytes);
        }

        private boolean isNothing() {
            return blocks == 0 && requests == 0 && wastedBytes == 0;
        }
    }

    /** Totals by racer. */
    public static Map<String, Total> byRacer(List<ReadShare> shares) {
        return totals(shares, ReadShare::racer);
    }

    /** Totals by store, without blocks that racers had cached. A store without requests is left out. */
    public static Map<String, Total> byStore(List<ReadShare> shares) {
        Map<String, Total> totals = totals(shares, share -> share.store().value());
        totals.replaceAll((store, total) -> total.fromStore());
        new ArrayList<>(totals.keySet())
                .forEach(store -> totals.computeIfPresent(store, (name, total) -> total.isNothing() ? null : total));
        return totals;
    }

    private static Map<String, Total> totals(List<ReadShare> shares, Function<ReadShare, String> key) {
        Map<String, Total> totals = new TreeMap<>();
        for (ReadShare share : shares) {
            totals.put(
                    key.apply(share),
                    totals.getOrDefault(key.apply(share), Total.NONE).plus(share));
        }
        return totals;
    }
}
