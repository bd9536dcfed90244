package io.cloudmw.helper.compete;

import io.cloudmw.core.bulk.BulkConnection;
import io.cloudmw.core.metrics.RaceMetrics;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.RacePolicy;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.helper.fetch.Fetcher;
import io.cloudmw.helper.fetch.Fetching;
import io.cloudmw.helper.fetch.StoreResolver;
import io.cloudmw.helper.fetch.Upstream;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;

/**
 * What a transfer needs of the process around it. Safe for any thread.
 *
 * @param own gets what is raced for
 * @param shared gets what several may ask for
 * @param fetcher looks at replicas that were doubted
 * @param threads run transfers; never blocked by them
 * @param timer wakes them
 */
public record Surroundings(
        Fetching own,
        Fetching shared,
        Fetcher fetcher,
        Stores stores,
        Trees trees,
        Sessions sessions,
        RelayOffers offers,
        PeerConnector peers,
        ReplicaFaults faults,
        RaceMetrics meters,
        Executor threads,
        ScheduledExecutorService timer,
        Ticker ticker,
        RacePolicy policy,
        Limits limits) {

    /** Finds the stores a transfer names. */
    @FunctionalInterface
    public interface Stores {
        StoreResolver resolver(TransferSpec spec);
    }

    /** Finds the switches above this helper in the trees of a transfer's blocks. */
    @FunctionalInterface
    public interface Trees {
        Upstream upstream(TransferSpec spec);
    }

    /** Finds the bulk connections that clients have made. */
    @FunctionalInterface
    public interface Sessions {
        Optional<BulkConnection> find(String sessionId);
    }

    /** Writes the first message of a relay. */
    @FunctionalInterface
    public interface RelayOffers {
        byte[] encode(String transfer, BlockId block, RacerId racer, StoreId store);
    }

    /**
     * What one client and one peer may ask of this helper.
     *
     * @param transfers at once
     * @param clientTransfers those of one client
     * @param blocks issued to one transfer and not yet delivered or withdrawn
     * @param parkedJoins peers waiting for their transfer to begin here
     * @param peerNanos how long a peer may take to join a transfer that has begun, and to wait for one that has not
     * @param progressNanos time between two progress reports of an attempt; they are its sign of life
     * @param waitNanos how long an attempt waits for a thread, and what it fetched for a stream to the destination, before
     *     that fails with {@code OVERLOADED}
     */
    public record Limits(
            int transfers,
            int clientTransfers,
            int blocks,
            int parkedJoins,
            long peerNanos,
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
