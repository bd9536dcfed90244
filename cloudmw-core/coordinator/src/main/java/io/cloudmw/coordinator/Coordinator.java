package io.cloudmw.coordinator;

import io.cloudmw.coordinator.admission.BucketIdentities;
import io.cloudmw.coordinator.backup.VolumeExport;
import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.change.AppliedCalls;
import io.cloudmw.coordinator.fleet.BucketAccess;
import io.cloudmw.coordinator.fleet.FleetExchange;
import io.cloudmw.coordinator.fleet.FleetMonitoring;
import io.cloudmw.coordinator.fleet.HelperRegistry;
import io.cloudmw.coordinator.fleet.RegistryFleet;
import io.cloudmw.coordinator.fleet.SigningSources;
import io.cloudmw.coordinator.fleet.StoreView;
import io.cloudmw.coordinator.lease.BackgroundJobs;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.coordinator.lock.LockRecords;
import io.cloudmw.coordinator.names.FileNames;
import io.cloudmw.coordinator.names.VolumeSnapshots;
import io.cloudmw.coordinator.peer.PeerFinder;
import io.cloudmw.coordinator.peer.PeerRegistry;
import io.cloudmw.coordinator.read.BadReplicaReports;
import io.cloudmw.coordinator.read.FileReads;
import io.cloudmw.coordinator.read.RecordedReads;
import io.cloudmw.coordinator.upkeep.Upkeep;
import io.cloudmw.coordinator.upkeep.stores.DrainedStores;
import io.cloudmw.coordinator.upload.Edits;
import io.cloudmw.coordinator.upload.SmallFileCommits;
import io.cloudmw.coordinator.upload.Uploads;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.monitor.FleetSpeeds;
import io.cloudmw.core.reach.BucketWatch;
import io.cloudmw.core.security.FixedLifeTokens;
import io.cloudmw.core.security.TransferTokens;
import io.cloudmw.core.signing.UrlSigner;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.time.WallClock;
import java.time.Duration;
import java.util.Optional;
import java.util.SplittableRandom;

/** The coordinator's services, by subject. Safe for any thread; calls block on the catalog, which the caller closes. */
public final class Coordinator {
    /** The term of a background job's lease: after a coordinator's failure, another one takes over within it. */
    private static final Duration JOB_TERM = Duration.ofSeconds(30);

    /** The silence, in lives of a helper's lease, after which a coordinator's reports are dropped. */
    private static final int SILENT_TTLS = 10;

    private final BucketIdentities identities;
    private final Administration administration;
    private final Uploads uploads;
    private final SmallFileCommits smallFiles;
    private final Edits edits;
    private final VolumeSnapshots snapshots;
    private final FileReads reads;
    private final RecordedReads recordedReads;
    private final FileNames names;
    private final BadReplicaReports replicas;
    private final FleetMonitoring monitoring;
    private final Upkeep upkeep;
    private final VolumeExport exports;
    private final PeerFinder peers;
    private final BucketWatch buckets;
    private final CoordinatorOptions options;
    private final Catalog catalog;
    private final HelperRegistry helpers;
    private final WallClock clock;
    private final BackgroundJobs jobs;
    private final Optional<FleetExchange> exchange;

    /**
     * Creates a coordinator without a call of the catalog. The periodic methods {@link #exchangeSightings} and
     * {@link #retireAbandoned} must be called at once and again. Before the first exchange the coordinator counts as
     * just started.
     *
     * @param name the name of this coordinator, unique among those of the catalog: see {@link BackgroundJobs}
     * @param ticker measures leases and the age of speeds
     * @param clock stamps versions and tokens
     */
    public Coordinator(
            String name,
            Catalog catalog,
            TransferTokens tokens,
            SigningSources signing,
            CoordinatorOptions options,
            Ticker ticker,
            WallClock clock) {
        HelperRegistry helpers = new HelperRegistry(options.helperTtl(), ticker, clock);
        BucketAccess direct = signing.own();
        this.identities = new BucketIdentities(catalog, direct.markers(), clock);
        this.buckets = new BucketWatch(
                "coordinator", catalog::stores, direct, options.storeCheck(), ticker, new SplittableRandom());
        StoreView stores = new StoreView(catalog, helpers, new DrainedStores(catalog, clock), buckets, identities);
        this.options = options;
        this.administration = new Administration(catalog, helpers, stores, direct, identities, clock);
        this.uploads = new Uploads(catalog, helpers, stores, tokens, clock, options.tokenTtl());
        this.smallFiles = new SmallFileCommits(catalog, clock);
        this.edits = new Edits(catalog);
        this.snapshots = new VolumeSnapshots(catalog, clock);
        FleetSpeeds speeds = new FleetSpeeds(ticker, FleetSpeeds.DEFAULT_REPORTS);
        this.monitoring = new FleetMonitoring(helpers, stores, speeds);
        UrlSigner signer = new UrlSigner(direct, signing.helpers(), stores.signing(), Ticker.system());
        FixedLifeTokens issuer = new FixedLifeTokens(tokens, options.tokenTtl(), clock);
        this.reads = new FileReads(catalog, helpers, stores, issuer, signer, speeds, monitoring::transfers);
        this.recordedReads = new RecordedReads(options.recordedReads(), ticker, clock);
        this.names = new FileNames(catalog, clock);
        this.replicas = new BadReplicaReports(catalog, clock);
        this.upkeep =
                new Upkeep(name, catalog, new RegistryFleet(helpers, stores), issuer, options.upkeep(), ticker, clock);
        this.exports = new VolumeExport(catalog);
        this.peers = new PeerFinder(
                new PeerRegistry(options.helperTtl(), ticker), catalog, tokens, clock, options.heartbeatInterval());
        this.catalog = catalog;
        this.helpers = helpers;
        this.clock = clock;
        this.jobs = new BackgroundJobs(catalog.leases(), name, JOB_TERM, clock);
        Duration silent = options.helperTtl().multipliedBy(SILENT_TTLS);
        this.exchange = catalog.fleet().map(board -> new FleetExchange(name, board, helpers, silent, ticker));
        if (exchange.isPresent()) {
            helpers.listened(); // there are no other coordinators to hear: the time counts from now on
        }
    }

    /**
     * Abandons uploads without progress for a long time; their chunks become garbage.
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
     * Drops entries that no snapshot sees any more; versions without another name become garbage.
     *
     * @return how many pages it processed; 0 when another coordinator does it
     */
    public int pruneSnapshots() throws CloudMwException {
        return jobs.run("snapshots", options.snapshotCheck(), snapshots::prune).orElse(0);
    }

    /**
     * Drops answers of calls that are too old to be retried.
     *
     * @return how many; 0 when another coordinator does it
     */
    public int pruneCalls() throws CloudMwException {
        return jobs.run("applied-calls", options.abandonedCheck(), this::forgetCalls)
                .orElse(0);
    }

    private int forgetCalls(BackgroundJobs.HeldLease right) throws CloudMwException {
        int pruned = 0;
        int last;
        do {
            Lease unused = right.lease(); // renews the lease, or fails because another coordinator has the job
            last = catalog.appliedCalls().prune(clock.millis() - AppliedCalls.KEPT.toMillis());
            pruned += last;
        } while (last > 0);
        return pruned;
    }

    /** Checks the markers of all buckets; called every minute or so. */
    public void lookAtBuckets() throws CloudMwException {
        identities.look();
    }

    /**
     * Returns whether other coordinators may share the catalog, so that {@link #exchangeSightings} must be called
     * periodically.
     */
    public boolean isShared() {
        return exchange.isPresent();
    }

    /**
     * Reports to the other coordinators which helpers are heard here, and reads their reports. Called every
     * {@link CoordinatorOptions#exchangeInterval}, never twice at the same time.
     */
    public void exchangeSightings() throws CloudMwException {
        if (exchange.isPresent()) {
            exchange.get().run();
        }
    }

    /** Withdraws this coordinator's reports; {@link #exchangeSightings} is not called afterwards. */
    public void endExchange() throws CloudMwException {
        if (exchange.isPresent()) {
            exchange.get().close();
        }
    }

    /** Returns the background jobs, each of which one coordinator does at a time. */
    public BackgroundJobs jobs() {
        return jobs;
    }

    public Administration administration() {
        return administration;
    }

    public Uploads uploads() {
        return uploads;
    }

    /** Returns the commits of many small files. */
    public SmallFileCommits smallFiles() {
        return smallFiles;
    }

    public Edits edits() {
        return edits;
    }

    public VolumeSnapshots snapshots() {
        return snapshots;
    }

    public FileReads reads() {
        return reads;
    }

    /** Returns the records of a sample of reads. */
    public RecordedReads recordedReads() {
        return recordedReads;
    }

    public FileNames names() {
        return names;
    }

    /** Returns the locks on files. */
    public LockRecords locks() {
        return catalog.locks();
    }

    public BadReplicaReports replicas() {
        return replicas;
    }

    public FleetMonitoring monitoring() {
        return monitoring;
    }

    /** Returns how many helpers have a lease, as far as is known here. */
    public int liveHelpers() {
        return helpers.live().size();
    }

    public Upkeep upkeep() {
        return upkeep;
    }

    /** Returns the exports of volumes. */
    public VolumeExport exports() {
        return exports;
    }

    /** Returns this coordinator's own watch over buckets, which the caller starts and closes. */
    public BucketWatch buckets() {
        return buckets;
    }

    /** Returns the search for clients that serve others. */
    public PeerFinder peers() {
        return peers;
    }

    public CoordinatorOptions options() {
        return options;
    }
}
