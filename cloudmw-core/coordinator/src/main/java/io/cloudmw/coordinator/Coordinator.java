package io.cloudmw.coordinator;

import io.cloudmw.coordinator.admission.BucketIdentities;
import io.cloudmw.coordinator.backup.VolumeExport;
import io.cloudmw.coordinator.catalog.AppliedCalls;
import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.fleet.BucketAccess;
import io.cloudmw.coordinator.fleet.BucketMeans;
import io.cloudmw.coordinator.fleet.FleetExchange;
import io.cloudmw.coordinator.fleet.HelperRegistry;
import io.cloudmw.coordinator.fleet.Monitoring;
import io.cloudmw.coordinator.fleet.StoreView;
import io.cloudmw.coordinator.fleet.WatchedFleet;
import io.cloudmw.coordinator.lease.BackgroundJobs;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.coordinator.names.VolumeSnapshots;
import io.cloudmw.coordinator.peer.PeerRegistry;
import io.cloudmw.coordinator.peer.Peers;
import io.cloudmw.coordinator.read.Reads;
import io.cloudmw.coordinator.read.ReplicaReports;
import io.cloudmw.coordinator.upkeep.Drains;
import io.cloudmw.coordinator.upkeep.Upkeep;
import io.cloudmw.coordinator.upload.Edits;
import io.cloudmw.coordinator.upload.Uploads;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.monitor.FleetSpeeds;
import io.cloudmw.core.reach.BucketWatch;
import io.cloudmw.core.security.TransferTokens;
import io.cloudmw.core.signing.ReadSigner;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.time.WallClock;
import java.time.Duration;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * What a cluster's coordinator does, by subject. Safe for any thread; every call blocks on the catalog, which stays the
 * caller's to close.
 */
public final class Coordinator {
    /** A background job whose coordinator died goes on elsewhere after this. */
    private static final Duration JOB_TERM = Duration.ofSeconds(30);

    /** What a coordinator told last is dropped after so many lives of a helper's lease. */
    private static final int SILENT_TTLS = 10;

    private final BucketIdentities identities;
    private final Administration administration;
    private final Uploads uploads;
    private final Edits edits;
    private final VolumeSnapshots snapshots;
    private final Reads reads;
    private final ReplicaReports replicas;
    private final Monitoring monitoring;
    private final Upkeep upkeep;
    private final VolumeExport exports;
    private final Peers peers;
    private final BucketWatch buckets;
    private final CoordinatorOptions options;
    private final Catalog catalog;
    private final HelperRegistry helpers;
    private final WallClock clock;
    private final BackgroundJobs jobs;
    private final Optional<FleetExchange> exchange;

    /**
     * Asks the catalog for nothing yet: what is to be done now and then, {@link #exchangeSightings} and
     * {@link #retireAbandoned}, is to be called at once and again. Before the first exchange it is as just after the start.
     *
     * @param name this coordinator's among those that share the catalog: see {@link BackgroundJobs}
     * @param ticker measures leases and ages speeds
     * @param clock stamps versions and tokens
     */
    public Coordinator(
            String name,
            Catalog catalog,
            TransferTokens tokens,
            BucketMeans means,
            CoordinatorOptions options,
            Ticker ticker,
            WallClock clock) {
        HelperRegistry helpers = new HelperRegistry(options.helperTtl(), ticker, clock);
        BucketAccess direct = means.own();
        this.identities = new BucketIdentities(catalog, direct.markers(), clock);
        this.buckets = new BucketWatch(
                "coordinator", catalog::stores, direct, options.storeCheck(), ticker, new SplittableRandom());
        StoreView stores = new StoreView(catalog, helpers, new Drains(catalog, clock), buckets, identities);
        this.options = options;
        this.administration = new Administration(catalog, helpers, stores, direct, identities, clock);
        this.uploads = new Uploads(catalog, helpers, stores, tokens, clock, options.tokenTtl());
        this.edits = new Edits(catalog);
        this.snapshots = new VolumeSnapshots(catalog, clock);
        FleetSpeeds speeds = new FleetSpeeds(ticker, FleetSpeeds.DEFAULT_REPORTS);
        this.monitoring = new Monitoring(helpers, stores, speeds);
        ReadSigner signer = new ReadSigner(direct, means.helpers(), stores.signing(), Ticker.system());
        this.reads = new Reads(
                catalog, helpers, stores, tokens, signer, clock, options.tokenTtl(), speeds, monitoring::transfers);
        this.replicas = new ReplicaReports(catalog, clock);
        this.upkeep = new Upkeep(
                name,
                catalog,
                new WatchedFleet(helpers, stores),
                tokens,
                options.tokenTtl(),
                options.upkeep(),
                ticker,
                clock);
        this.exports = new VolumeExport(catalog);
        this.peers = new Peers(
                new PeerRegistry(options.helperTtl(), ticker), catalog, tokens, clock, options.heartbeatInterval());
        this.catalog = catalog;
        this.helpers = helpers;
        this.clock = clock;
        this.jobs = new BackgroundJobs(catalog.leases(), name, JOB_TERM, clock);
        Duration silent = options.helperTtl().multipliedBy(SILENT_TTLS);
        this.exchange = catalog.fleet().map(board -> new FleetExchange(name, board, helpers, silent, ticker));
        if (exchange.isPresent()) {
            helpers.listened(); // to nobody yet: from now on it counts how long
        }
    }

    /**
     * Gives up the uploads that nobody has touched for long: what they stored is garbage from now on.
     *
     * @return how many; 0 when another coordinator does it
     */
    public int retireAbandoned() throws CloudMwException {
        return jobs.run("abandoned-uploads", options.abandonedCheck(), right -> {
                    long now = clock.millis();
                    return catalog.retireAbandoned(
                            right, now - options.abandonedAfter().toMillis(), now);
                })
                .orElse(0);
    }

    /**
     * Drops what no snapshot sees any more; versions that nothing else names are garbage from now on.
     *
     * @return how many pages it looked at; 0 when another coordinator does it
     */
    public int pruneSnapshots() throws CloudMwException {
        return jobs.run("snapshots", options.snapshotCheck(), snapshots::prune).orElse(0);
    }

    /**
     * Forgets the calls that are too old to be tried again.
     *
     * @return how many; 0 when another coordinator does it
     */
    public int pruneCalls() throws CloudMwException {
        return jobs.run("applied-calls", options.abandonedCheck(), this::forgetCalls)
                .orElse(0);
    }

    private int forgetCalls(BackgroundJobs.Right right) throws CloudMwException {
        int pruned = 0;
        int last;
        do {
            Lease unused = right.lease(); // renewed, or the job is another's
            last = catalog.appliedCalls().prune(clock.millis() - AppliedCalls.KEPT.toMillis());
            pruned += last;
        } while (last > 0);
        return pruned;
    }

    /** Looks at the markers of all buckets; to be called every minute or so. */
    public void lookAtBuckets() throws CloudMwException {
        identities.look();
    }

    /** Whether other coordinators may share the catalog: then {@link #exchangeSightings} is to be called, again and again. */
    public boolean isShared() {
        return exchange.isPresent();
    }

    /**
     * Tells the other coordinators which helpers are heard here, and listens to them; to be called every
     * {@link CoordinatorOptions#exchangeInterval}, never twice at the same time.
     */
    public void exchangeSightings() throws CloudMwException {
        if (exchange.isPresent()) {
            exchange.get().run();
        }
    }

    /** Tells the other coordinators nothing more; {@link #exchangeSightings} is called no more. */
    public void endExchange() throws CloudMwException {
        if (exchange.isPresent()) {
            exchange.get().close();
        }
    }

    /** What is done by one of several coordinators. */
    public BackgroundJobs jobs() {
        return jobs;
    }

    public Administration administration() {
        return administration;
    }

    public Uploads uploads() {
        return uploads;
    }

    public Edits edits() {
        return edits;
    }

    public VolumeSnapshots snapshots() {
        return snapshots;
    }

    public Reads reads() {
        return reads;
    }

    public ReplicaReports replicas() {
        return replicas;
    }

    public Monitoring monitoring() {
        return monitoring;
    }

    /** How many helpers have a lease, as far as is known here. */
    public int liveHelpers() {
        return helpers.live().size();
    }

    public Upkeep upkeep() {
        return upkeep;
    }

    /** What volumes consist of. */
    public VolumeExport exports() {
        return exports;
    }

    /** This coordinator's own watch over buckets; to be started, and closed. */
    public BucketWatch buckets() {
        return buckets;
    }

    /** Clients that serve each other. */
    public Peers peers() {
        return peers;
    }

    public CoordinatorOptions options() {
        return options;
    }
}
