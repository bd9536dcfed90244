package io.cloudmw.helper.compete;

import io.cloudmw.core.bulk.BulkConnection;
import io.cloudmw.core.metrics.RaceMetrics;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.RacePolicy;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.helper.fetch.BlockFetcher;
import io.cloudmw.helper.fetch.ReplicaReporter;
import io.cloudmw.helper.fetch.StoreFetcher;
import io.cloudmw.helper.fetch.StoreResolver;
import io.cloudmw.helper.fetch.Upstream;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;

/**
 * The services of the helper process that its transfers use. Safe for any thread.
 *
 * @param reporter hears of faulty replicas
 */
public record HelperServices(
        BlockFetchers fetchers,
        Links links,
        ReplicaReporter reporter,
        RaceMetrics meters,
        Timing timing,
        RacePolicy policy,
        Limits limits) {
    /**
     * The fetchers of transfers.
     *
     * @param raced fetches raced blocks
     * @param shared fetches blocks that several readers may want
     * @param checker reads replicas again whose bytes a destination doubts
     */
    public record BlockFetchers(BlockFetcher raced, BlockFetcher shared, StoreFetcher checker) {}

    /** The ways from a transfer to stores, switches, its destination and its rivals. */
    public record Links(Stores stores, Trees trees, Sessions sessions, RelayOffers offers, RivalConnector rivals) {}

    /**
     * The threads and clocks of transfers.
     *
     * @param threads run transfers, which never block them
     * @param timer wakes transfers
     */
    public record Timing(Executor threads, ScheduledExecutorService timer, Ticker ticker) {}

    /** The lookup of the stores that a transfer names. */
    @FunctionalInterface
    public interface Stores {
        StoreResolver resolver(TransferSpec spec);
    }

    /** The lookup of the switches above this helper in the trees of a transfer's blocks. */
    @FunctionalInterface
    public interface Trees {
        Upstream upstream(TransferSpec spec);
    }

    /** The lookup of bulk connections that clients have made. */
    @FunctionalInterface
    public interface Sessions {
        Optional<BulkConnection> find(String sessionId);
    }

    /** The encoder of the first message of a relay. */
    @FunctionalInterface
    public interface RelayOffers {
        byte[] encode(String transfer, BlockId block, RacerId racer, StoreId store);
    }

    /**
     * The limits on what one client and one rival may ask of this helper.
     *
     * @param transfers concurrent transfers
     * @param clientTransfers concurrent transfers of one client
     * @param blocks issued to one transfer and not yet delivered or withdrawn
     * @param parkedJoins rivals that wait for their transfer to begin here
     * @param joinNanos time in which a rival must join a transfer that has begun, and for which it may wait for one
     *     that has not
     * @param progressNanos time between two progress reports of an attempt; the reports are its sign of life
     * @param waitNanos time for which an attempt waits for a thread, and a fetched block for a stream to the
     *     destination, before it fails with {@code OVERLOADED}
     */
    public record Limits(
            int transfers,
            int clientTransfers,
            int blocks,
            int parkedJoins,
            long joinNanos,
            long progressNanos,
            long waitNanos) {
        public Limits {
            if (transfers < 1 || clientTransfers < 1 || blocks < 1 || parkedJoins < 1) {
                throw new IllegalArgumentException("limits: " + transfers + ", " + clientTransfers + ", " + blocks
                        + ", " + parkedJoins + " (expected: >= 1)");
            }
        }
    }

    Ticker ticker() {
        return timing.ticker();
    }
}
