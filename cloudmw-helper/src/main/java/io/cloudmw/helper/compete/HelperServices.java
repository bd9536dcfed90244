package io.cloudmw.helper.compete;

import io.cloudmw.core.bulk.BulkConnection;
import io.cloudmw.core.metrics.RaceMetrics;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.RacePolicy;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.helper.fetch.BlockFetcher;
import io.cloudmw.helper.fetch.StoreFetcher;
import io.cloudmw.helper.fetch.StoreResolver;
import io.cloudmw.helper.fetch.Upstream;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;

/**
 * The services of the helper process that its transfers use. Safe for any thread.
 *
 * @param own fetches raced blocks
 * @param shared fetches blocks that several readers may ask for
 * @param fetcher reads replicas again that were doubted
 * @param threads run transfers, which never block them
 * @param timer wakes transfers
 */
public record HelperServices(
        BlockFetcher own,
        BlockFetcher shared,
        StoreFetcher fetcher,
        Stores stores,
        Trees trees,
        Sessions sessions,
        RelayOffers offers,
        RivalConnector rivals,
        ReplicaFaults faults,
        RaceMetrics meters,
        Executor threads,
        ScheduledExecutorService timer,
        Ticker ticker,
        RacePolicy policy,
        Limits limits) {

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
     * @param transfers at once
     * @param clientTransfers of one client at once
     * @param blocks issued to one transfer and not yet delivered or withdrawn
     * @param parkedJoins rivals waiting for their transfer to begin here
     * @param joinNanos how long a rival may take to join a transfer that has begun, and may wait for one that has not
     * @param progressNanos time between two progress reports of an attempt; they are its sign of life
     * @param waitNanos how long an attempt waits for a thread, and a fetched block for a stream to the destination, before it
     *     fails with {@code OVERLOADED}
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
}
