package io.cloudmw.coordinator.server;

import io.cloudmw.coordinator.Coordinator;
import io.cloudmw.coordinator.StoreChecks;
import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.MeteredCatalog;
import io.cloudmw.coordinator.fleet.BucketAccess;
import io.cloudmw.coordinator.fleet.SigningSources;
import io.cloudmw.coordinator.grant.Authorizer;
import io.cloudmw.coordinator.grant.KnownSubjects;
import io.cloudmw.coordinator.grant.SubjectRecords;
import io.cloudmw.coordinator.grant.Subjects;
import io.cloudmw.coordinator.identity.CoordinatorCertificates;
import io.cloudmw.coordinator.page.PageContent;
import io.cloudmw.coordinator.page.PageLogins;
import io.cloudmw.coordinator.peer.PeerFinder;
import io.cloudmw.coordinator.rpc.AccessService;
import io.cloudmw.coordinator.rpc.BackupService;
import io.cloudmw.coordinator.rpc.CallMetrics;
import io.cloudmw.coordinator.rpc.ConnectionEnds;
import io.cloudmw.coordinator.rpc.CoordinatorService;
import io.cloudmw.coordinator.rpc.EditingService;
import io.cloudmw.coordinator.rpc.EntriesService;
import io.cloudmw.coordinator.rpc.GrantsService;
import io.cloudmw.coordinator.rpc.IdentitiesService;
import io.cloudmw.coordinator.rpc.LocksService;
import io.cloudmw.coordinator.rpc.PeersService;
import io.cloudmw.coordinator.rpc.RecordingService;
import io.cloudmw.coordinator.rpc.RequestBudget;
import io.cloudmw.coordinator.rpc.RevocationsService;
import io.cloudmw.coordinator.rpc.SmallFilesService;
import io.cloudmw.coordinator.rpc.SnapshotsService;
import io.cloudmw.coordinator.rpc.UpkeepService;
import io.cloudmw.coordinator.rpc.WatchService;
import io.cloudmw.coordinator.rpc.audit.AuditLog;
import io.cloudmw.coordinator.rpc.audit.AuditTrail;
import io.cloudmw.coordinator.rpc.authorization.CallAuthorization;
import io.cloudmw.coordinator.rpc.authorization.CallerAccess;
import io.cloudmw.coordinator.rpc.helper.HelperChannels;
import io.cloudmw.coordinator.rpc.helper.HelperProbes;
import io.cloudmw.coordinator.rpc.helper.HelperUrlSigning;
import io.cloudmw.coordinator.upkeep.Upkeep;
import io.cloudmw.coordinator.watch.ChangeFeed;
import io.cloudmw.core.address.HostKind;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.metrics.CoordinatorMetrics;
import io.cloudmw.core.metrics.PeerMetrics;
import io.cloudmw.core.metrics.TlsMetrics;
import io.cloudmw.core.reach.NotifyingProbe;
import io.cloudmw.core.rpc.CallerIdentity;
import io.cloudmw.core.rpc.Membership;
import io.cloudmw.core.rpc.RpcChannels;
import io.cloudmw.core.rpc.RpcServers;
import io.cloudmw.core.rpc.StrangerCallLimits;
import io.cloudmw.core.rpc.UnaryCalls;
import io.cloudmw.core.security.ClusterSecret;
import io.cloudmw.core.security.MemberProofs;
import io.cloudmw.core.security.RevokedHolders;
import io.cloudmw.core.security.TokenHolder;
import io.cloudmw.core.security.TransferTokens;
import io.cloudmw.core.status.UpkeepStatus;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.core.time.AwakeTicker;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.tls.ProcessIdentity;
import io.cloudmw.core.tls.TlsCredentials;
import io.grpc.Codec;
import io.grpc.DecompressorRegistry;
import io.grpc.Server;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running coordinator: its catalog, its secret and its gRPC server. Safe for any thread. Everything it acknowledged
 * is in the catalog, so it may be killed at any time; closing it only spares callers a broken connection.
 */
public final class CoordinatorServer implements AutoCloseable {
    /** The largest message. A commit names every owed copy, with some 60 bytes each. */
    static final int MAX_MESSAGE_BYTES = 16 << 20;

    /** The interval between checks of bucket markers. */
    private static final int BUCKETS_SECONDS = 60;

    /** The name of a coordinator without others: after a restart it continues its own background jobs at once. */
    private static final String ALONE = "coordinator";

    private static final int MAX_CALLS_PER_CONNECTION = 256;
    private static final long GRACE_SECONDS = 5;
    private static final Logger LOG = LoggerFactory.getLogger(CoordinatorServer.class);

    /** The threads for registrations and heartbeats, which take no time unless the catalog stalls. */
    private static final int SIGN_THREADS = 4;

    /** The threads for enrolments, which anyone may ask for: they take none from other calls. */
    private static final int ENROLMENT_THREADS = 4;

    private static final int WAITING_ENROLMENTS = 60;

    /** The threads for store checks: half for requests from here, half for requests to helpers. */
    private static final int CHECK_THREADS = 16;

    private final HostPort listen;
    private final Catalog catalog;
    private final ServerThreads threads;
    private final FleetExchangeLoop exchange;
    private final CatalogProbe probe;
    /** Ends the calls that stream. */
    private final Runnable streams;
    /** Ends the requests to buckets. */
    private final Runnable access;

    private final Server server;
    private final PageContent page;
    private final PageLogins logins;

    private CoordinatorServer(
            HostPort listen,
            Catalog catalog,
            ServerThreads threads,
            FleetExchangeLoop exchange,
            Runnable streams,
            Runnable access,
            Answers answers) {
        this.listen = listen;
        this.catalog = catalog;
        this.threads = threads;
        this.exchange = exchange;
        this.streams = streams;
        this.probe = new CatalogProbe(catalog, Ticker.system());
        this.access = access;
        this.server = answers.server();
        this.page = answers.page();
        this.logins = answers.logins();
    }

    /**
     * The parts that answer questions.
     *
     * @param server the gRPC calls
     * @param page the web page
     * @param logins the logins at the web page
     */
    private record Answers(Server server, PageContent page, PageLogins logins) {}

    /**
     * The threads of a server.
     *
     * @param calls run the calls
     * @param signs run registrations and heartbeats
     * @param enrolments run enrolments
     * @param timers run the background work
     */
    private record ServerThreads(
            ExecutorService calls,
            ExecutorService signs,
            ExecutorService enrolments,
            List<ScheduledExecutorService> timers) {
        void shutdown() {
            timers.forEach(ScheduledExecutorService::shutdown);
            calls.shutdown();
            signs.shutdown();
            enrolments.shutdown();
        }
    }

    /** Starts a coordinator without direct reads, with this machine's clocks. */
    public static CoordinatorServer start(CoordinatorConfig config) throws CloudMwException {
        return start(config, BucketAccess.none(), new CompositeMeterRegistry());
    }

    /**
     * The secrets of a coordinator.
     *
     * @param secret the cluster's, which may be in the directory of the catalog
     */
    private record Secrets(ClusterSecret secret, CoordinatorCertificates certificates) {
        /** Reads them; on a failure, closes the catalog. */
        static Secrets read(CoordinatorConfig config, Catalog catalog) throws CloudMwException {
            boolean read = false;
            try {
                ClusterSecret secret = ClusterSecret.readOrCreate(config.secretFile());
                CoordinatorCertificates certificates = CoordinatorCertificates.open(
                        config.tls(), config.authority(), secret, catalog, config.listen());
                read = true;
                return new Secrets(secret, certificates);
            } finally {
                if (!read) {
                    catalog.close();
                }
            }
        }
    }

    /**
     * Starts a coordinator, which serves when this returns. Background work runs from now on.
     *
     * @param direct presigns URLs; closed by the caller
     * @param meters receives the metrics; closed by the caller
     * @throws CloudMwException {@code LOCAL_IO} when the address cannot be bound or the files cannot be opened;
     *     {@code ALREADY_EXISTS} when another coordinator uses the catalog's file; {@code INVALID_ARGUMENT} when the
     *     secret is too short; the errors of opening the catalog's table. Nothing is left open then
     */
    public static CoordinatorServer start(CoordinatorConfig config, BucketAccess direct, MeterRegistry meters)
            throws CloudMwException {
        CoordinatorMetrics metrics = new CoordinatorMetrics(meters);
        Catalog catalog = MeteredCatalog.of(config.catalog().open(), metrics, Ticker.system());
        Secrets secrets = Secrets.read(config, catalog);
        ClusterSecret secret = secrets.secret();
        CoordinatorCertificates certificates = secrets.certificates();
        ExecutorService calls = Threads.blocking("coordinator", config.callThreads(), config.callQueue());
        ExecutorService signs = Threads.blocking("coordinator-signs", SIGN_THREADS, config.callQueue());
        ExecutorService enrolments = Threads.blocking("coordinator-enrolment", ENROLMENT_THREADS, WAITING_ENROLMENTS);
        ExecutorService checking = Threads.blocking("coordinator-checks", CHECK_THREADS, config.callQueue());
        HelperChannels controls =
                new HelperChannels(new RpcChannels(certificates.tls()), new MemberProofs(secret, WallClock.system()));
        ScheduledExecutorService abandoned = Threads.timer("coordinator-abandoned");
        ScheduledExecutorService upkeep = Threads.timer("coordinator-upkeep");
        ScheduledExecutorService buckets = Threads.timer("coordinator-buckets");
        ScheduledExecutorService subjectTimer = Threads.timer("coordinator-subjects");
        FleetExchangeLoop exchange = new FleetExchangeLoop();
        RevokedHolders revoked = new RevokedHolders();
        TransferTokens tokens = new TransferTokens(
                secret, config.tls().tokenKeyLife(), WallClock.system(), CoordinatorServer::callingProcess);
        ChangeFeed feed = new ChangeFeed(catalog, config.watch(), WallClock.system());
        boolean started = false;
        try {
            Coordinator coordinator = new Coordinator(
                    name(config, catalog),
                    catalog,
                    certificates.tls().isPresent() ? tokens.boundAndNot(revoked) : tokens,
                    new SigningSources(direct, new HelperUrlSigning(controls)),
                    config.options(),
                    leaseTicker(catalog, config.options().helperTtl(), upkeep),
                    WallClock.system());
            long checkNanos = config.options().abandonedCheck().toNanos();
            var unused = abandoned.scheduleWithFixedDelay(
                    () -> retireAbandoned(coordinator::retireAbandoned), 0, checkNanos, TimeUnit.NANOSECONDS);
            long pruneNanos = config.options().snapshotCheck().toNanos();
            var unusedPrune = abandoned.scheduleWithFixedDelay(
                    () -> prune("what no snapshot sees", coordinator::pruneSnapshots),
                    pruneNanos,
                    pruneNanos,
                    TimeUnit.NANOSECONDS);
            var unusedCalls = abandoned.scheduleWithFixedDelay(
                    () -> prune("calls that are too old", coordinator::pruneCalls),
                    checkNanos,
                    checkNanos,
                    TimeUnit.NANOSECONDS);
            var unusedLook = buckets.scheduleWithFixedDelay(
                    () -> lookAtBuckets(coordinator), 0, BUCKETS_SECONDS, TimeUnit.SECONDS);
            exchange.start(coordinator);
            long tickNanos = coordinator.upkeep().pause().toNanos();
            var unusedTick = upkeep.scheduleWithFixedDelay(
                    () -> tick(coordinator.upkeep()), tickNanos, tickNanos, TimeUnit.NANOSECONDS);
            metrics.watch(coordinator::liveHelpers, progress(coordinator.upkeep()));
            PeerMetrics.watch(
                    meters,
                    coordinator.peers(),
                    new PeerMetrics.Coordinator<>(PeerFinder::serving, PeerFinder::wanted, PeerFinder::found));
            certificates
                    .tls()
                    .ifPresent(credentials -> TlsMetrics.watch(
                            meters,
                            credentials::certificateEndMillis,
                            credentials::authorityEndMillis,
                            WallClock.system()));
            Access access = subjects(catalog, certificates, feed, revoked, subjectTimer);
            var unusedLosses = abandoned.scheduleWithFixedDelay(
                    () -> prune(
                            "old losses of rights",
                            () -> coordinator
                                    .jobs()
                                    .run(
                                            "subjects",
                                            config.options().abandonedCheck(),
                                            right -> access.subjects().prune())
                                    .orElse(0)),
                    checkNanos,
                    checkNanos,
                    TimeUnit.NANOSECONDS);
            Services services = new Services(
                    coordinator,
                    calls,
                    signs,
                    enrolments,
                    access,
                    new CallMetrics(metrics, Ticker.system()),
                    new StoreChecks(
                            coordinator.administration(),
                            new NotifyingProbe(direct, coordinator.buckets()),
                            new HelperProbes(controls),
                            checking));
            Server server = bind(config, secrets, services);
            coordinator.buckets().start();
            started = true;
            return new CoordinatorServer(
                    config.listen(),
                    catalog,
                    new ServerThreads(calls, signs, enrolments, List.of(abandoned, upkeep, buckets, subjectTimer)),
                    exchange,
                    () -> {
                        feed.close();
                        access.revocations().close();
                    },
                    () -> {
                        end(upkeep, coordinator.upkeep());
                        coordinator.buckets().close();
                        certificates.close();
                        controls.close();
                        checking.shutdownNow();
                    },
                    new Answers(
                            server,
                            new PageContent(coordinator, Ticker.system(), WallClock.system()),
                            new PageLogins(
                                    certificates.tls().isPresent(),
                                    certificates.enrolment(),
                                    services.access().authorizer(),
                                    Ticker.system())));
        } finally {
            if (!started) {
                certificates.close();
                controls.close();
                checking.shutdownNow();
                exchange.close();
                feed.close();
                abandoned.shutdownNow();
                buckets.shutdownNow();
                subjectTimer.shutdownNow();
                upkeep.shutdownNow();
                calls.shutdownNow();
                signs.shutdownNow();
                enrolments.shutdownNow();
                catalog.close();
            }
        }
    }

    /** The process whose call this thread serves; empty: it serves none, or in plain text. */
    private static Optional<TokenHolder> callingProcess() {
        return CallerIdentity.current()
                .map(caller ->
                        new TokenHolder(caller.holder(), WallClock.system().millis(), CallAuthorization.revision()));
    }

    private static CoordinatorMetrics.Progress progress(Upkeep upkeep) {
        return new CoordinatorMetrics.Progress(
                () -> upkeep.progress().isPresent() ? 1 : 0,
                () -> of(upkeep, UpkeepStatus::waitingTasks),
                () -> of(upkeep, UpkeepStatus::givenTasks),
                () -> of(upkeep, status -> status.repair().underReplicatedChunks()),
                () -> of(upkeep, status -> status.repair().copied()),
                () -> of(upkeep, status -> status.collect().current().deleted().bytes()),
                () -> of(
                        upkeep, status -> status.collect().current().compacted().copies()),
                () -> of(
                        upkeep, status -> status.collect().current().compacted().bytes()));
    }

    private static long of(Upkeep upkeep, ToLongFunction<UpkeepStatus> figure) {
        return upkeep.progress().map(figure::applyAsLong).orElse(0L);
    }

    /**
     * Returns a name that is unique among the processes that could share the catalog, and tells users where this one
     * runs.
     */
    private static String name(CoordinatorConfig config, Catalog catalog) {
        return catalog.fleet().isEmpty() ? ALONE : place(config.listen()) + "-" + UUID.randomUUID();
    }

    /** Returns the address for the name; a coordinator that listens on all addresses uses the machine's name. */
    private static String place(HostPort listen) {
        InetSocketAddress address = new InetSocketAddress(listen.host(), listen.port());
        try {
            return !address.isUnresolved() && address.getAddress().isAnyLocalAddress()
                    ? InetAddress.getLocalHost().getHostName() + ":" + listen.port()
                    : listen.toString();
        } catch (UnknownHostException e) {
            return listen.toString();
        }
    }

    /**
     * Returns the clock of leases. A single coordinator that was suspended for longer than a lease does not count
     * helpers as dead afterwards. Where there are several, others heard the helpers meanwhile: its reports must not
     * seem newer than they are, and it first reads theirs.
     */
    private static Ticker leaseTicker(Catalog catalog, Duration lease, ScheduledExecutorService timer) {
        if (catalog.fleet().isPresent()) {
            return Ticker.system();
        }
        AwakeTicker ticker = new AwakeTicker(Ticker.system(), lease.dividedBy(2));
        long readNanos = lease.dividedBy(8).toNanos();
        var unused = timer.scheduleWithFixedDelay(ticker::nanos, readNanos, readNanos, TimeUnit.NANOSECONDS);
        return ticker;
    }

    /** Runs the job and logs its failure; an exception would end the schedule. */
    static void retireAbandoned(Callable<Integer> retiring) {
        try {
            int retired = retiring.call();
            if (retired > 0) {
                LOG.info("coordinator abandoned {} uploads without progress", retired);
            }
        } catch (Exception | Error e) {
            LOG.warn("coordinator: uploads without progress could not be abandoned; retrying later", e);
        }
    }

    /** Runs the job and logs its failure; an exception would end the schedule. */
    private static void lookAtBuckets(Coordinator coordinator) {
        try {
            coordinator.lookAtBuckets();
        } catch (CloudMwException | RuntimeException | Error e) {
            LOG.warn("coordinator: the markers of buckets could not be checked; retrying later", e);
        }
    }

    /** Runs the job and logs its failure; an exception would end the schedule. */
    private static void prune(String what, Callable<Integer> pruning) {
        try {
            int unused = pruning.call();
        } catch (Exception | Error e) {
            LOG.warn("coordinator: {} could not be dropped; retrying later", what, e);
        }
    }

    /** Runs the job and logs its failure; an exception would end the schedule. */
    private static void tick(Upkeep upkeep) {
        try {
            upkeep.tick();
        } catch (CloudMwException | RuntimeException | Error e) {
            LOG.warn("coordinator: upkeep failed; retrying later", e);
        }
    }

    /** Lets a tick that runs end, for a few seconds. Then another coordinator does upkeep at once. */
    private static void end(ScheduledExecutorService ticks, Upkeep upkeep) {
        ticks.shutdown();
        try {
            if (ticks.awaitTermination(GRACE_SECONDS, TimeUnit.SECONDS)) {
                upkeep.close();
            }
        } catch (CloudMwException e) {
            LOG.warn("coordinator: the lease of upkeep was not given back; it ends by itself", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * The subjects of the cluster, and the check of their calls.
     *
     * @param watches end with the right to read
     */
    private record Access(
            Authorizer authorizer,
            Subjects subjects,
            CallerAccess callers,
            WatchService watches,
            RevocationsService revocations) {}

    private static Access subjects(
            Catalog catalog,
            CoordinatorCertificates certificates,
            ChangeFeed feed,
            RevokedHolders revoked,
            ScheduledExecutorService timer)
            throws CloudMwException {
        SubjectRecords records = catalog.subjects();
        Optional<TlsCredentials> tls = certificates.tls();
        KnownSubjects known = tls.isPresent()
                ? KnownSubjects.start(records, Ticker.system(), timer)
                : new KnownSubjects(records, Ticker.system());
        Authorizer authorizer = new Authorizer(known, WallClock.system());
        Subjects subjects = new Subjects(records, known, authorizer, WallClock.system());
        WatchService watches = new WatchService(feed, authorizer);
        RevocationsService revocations = new RevocationsService(
                known,
                tls.flatMap(TlsCredentials::identity).map(ProcessIdentity::cluster),
                revoked,
                WallClock.system());
        if (tls.isPresent()) {
            known.onChange(watches::checkRights);
            repeat(timer, watches::checkRights);
            repeat(timer, revocations::beat);
        }
        return new Access(authorizer, subjects, new CallerAccess(authorizer, subjects, catalog), watches, revocations);
    }

    /** Runs a task each second; an exception would end the schedule. */
    private static void repeat(ScheduledExecutorService timer, Runnable task) {
        Runnable guarded = () -> {
            try {
                task.run();
            } catch (RuntimeException | Error e) {
                LOG.warn("coordinator: streams to followers and watchers could not be served; retrying", e);
            }
        };
        var unused = timer.scheduleWithFixedDelay(guarded, 1, 1, TimeUnit.SECONDS);
    }

    /** The objects that answer calls. */
    private record Services(
            Coordinator coordinator,
            ExecutorService calls,
            ExecutorService signs,
            ExecutorService enrolments,
            Access access,
            CallMetrics meter,
            StoreChecks checks) {}

    private static Server bind(CoordinatorConfig config, Secrets secrets, Services services) throws CloudMwException {
        MemberProofs members = new MemberProofs(secrets.secret(), WallClock.system());
        AuditTrail trail = new AuditTrail(Ticker.system());
        HostPort listen = config.listen();
        Coordinator coordinator = services.coordinator();
        StrangerCallLimits strangers = new StrangerCallLimits(IdentitiesService.OPEN);
        RequestBudget requests = new RequestBudget(config.callBytes(), "coordinator.call-bytes", strangers::covers);
        UnaryCalls calls = new UnaryCalls(AuditLog.attempting(requests.holding(services.calls())));
        try {
            return RpcServers.atWithStrangers(
                            listen,
                            secrets.certificates().tls(),
                            MAX_CALLS_PER_CONNECTION,
                            List.of(
                                    requests,
                                    strangers,
                                    new CallerIdentity(IdentitiesService.OPEN),
                                    new CallAuthorization(services.access().authorizer(), trail),
                                    Membership.server(members, CoordinatorService.HELPERS_ONLY),
                                    Membership.telling(members, CoordinatorService.MORE_FOR_HELPERS),
                                    Membership.server(members, UpkeepService.HELPERS_ONLY),
                                    Membership.server(members, AccessService.HELPERS_ONLY)),
                            trail.refusals())
                    .addStreamTracerFactory(strangers)
                    .addStreamTracerFactory(requests)
                    .addTransportFilter(
                            new ConnectionEnds(coordinator.monitoring().connections()))
                    .intercept(services.meter())
                    .intercept(new AuditLog(Ticker.system(), trail))
                    .addService(new CoordinatorService(
                            coordinator,
                            services.checks()::require,
                            services.access().callers(),
                            HostKind.of(listen.host()) != HostKind.LOOPBACK,
                            calls,
                            new UnaryCalls(requests.holding(services.signs()))))
                    .addService(new IdentitiesService(
                            secrets.certificates().enrolment(), trail, new UnaryCalls(services.enrolments())))
                    .addService(
                            new GrantsService(services.access().subjects(), secrets.certificates()::authority, calls))
                    .addService(new AccessService(coordinator.administration(), services.checks(), calls))
                    .addService(new EditingService(coordinator, calls))
                    .addService(new SmallFilesService(coordinator, calls))
                    .addService(new EntriesService(coordinator.names(), calls))
                    .addService(new LocksService(coordinator.locks(), WallClock.system(), calls))
                    .addService(new SnapshotsService(coordinator.snapshots(), calls))
                    .addService(services.access().watches())
                    .addService(services.access().revocations())
                    .addService(new UpkeepService(coordinator.upkeep(), calls))
                    .addService(new PeersService(coordinator.peers(), calls))
                    .addService(new RecordingService(coordinator.recordedReads(), calls))
                    .addService(new BackupService(coordinator.exports(), calls))
                    // The budget counts arriving bytes: without compression, none grows on its way in.
                    .decompressorRegistry(DecompressorRegistry.emptyInstance().with(Codec.Identity.NONE, false))
                    .maxInboundMessageSize(MAX_MESSAGE_BYTES)
                    .build()
                    .start();
        } catch (IOException e) {
            throw new CloudMwException(
                    ErrorCode.LOCAL_IO, "coordinator: cannot listen on " + listen + ": " + Reasons.of(e), e);
        }
    }

    /** Returns the port on which the server listens. */
    public int port() {
        return server.getPort();
    }

    /** Returns whether the server accepts calls. */
    public boolean isServing() {
        return !server.isShutdown();
    }

    /** Returns why the server cannot serve now; empty: it can. Blocks for some seconds at most. */
    public Optional<String> unready() {
        return server.isShutdown() ? Optional.of("stopping") : probe.unready();
    }

    /** Returns the logins at the web page. */
    public PageLogins logins() {
        return logins;
    }

    /** Returns the content of the web page. */
    public PageContent page() {
        return page;
    }

    /** Returns the full names of all methods. */
    public List<String> methods() {
        return server.getServices().stream()
                .flatMap(service -> service.getMethods().stream())
                .map(method -> method.getMethodDescriptor().getFullMethodName())
                .toList();
    }

    /** Returns the server's address on this machine. */
    public HostPort address() {
        return new HostPort(listen.host(), port());
    }

    /** Waits until the server is closed. */
    public void awaitTermination() throws InterruptedException {
        server.awaitTermination();
    }

    /** Accepts no more calls, lets running ones finish for a few seconds, then closes the catalog. Idempotent. */
    @Override
    public void close() {
        server.shutdown();
        streams.run();
        try {
            if (!server.awaitTermination(GRACE_SECONDS, TimeUnit.SECONDS)) {
                server.shutdownNow();
                if (!server.awaitTermination(GRACE_SECONDS, TimeUnit.SECONDS)) {
                    LOG.warn("coordinator: calls still run after {} s", 2 * GRACE_SECONDS);
                }
            }
        } catch (InterruptedException e) {
            server.shutdownNow();
            Thread.currentThread().interrupt();
        } finally {
            access.run();
            exchange.close();
            probe.close();
            threads.shutdown();
            catalog.close();
        }
    }
}
