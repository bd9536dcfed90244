package io.cloudmw.helper;

import io.cloudmw.core.address.AddressPolicy;
import io.cloudmw.core.address.Network;
import io.cloudmw.core.bulk.BulkConnector;
import io.cloudmw.core.bulk.BulkOptions;
import io.cloudmw.core.bulk.BulkServer;
import io.cloudmw.core.bulk.BulkTransport;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.memory.ByteBudget;
import io.cloudmw.core.metrics.CacheMetrics;
import io.cloudmw.core.metrics.MonitorMetrics;
import io.cloudmw.core.metrics.RaceMetrics;
import io.cloudmw.core.metrics.ScheduleMetrics;
import io.cloudmw.core.metrics.SwitchMetrics;
import io.cloudmw.core.metrics.UpkeepMetrics;
import io.cloudmw.core.model.HelperAddress;
import io.cloudmw.core.model.Store;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.Urgency;
import io.cloudmw.core.model.Volume;
import io.cloudmw.core.model.VolumeSet;
import io.cloudmw.core.monitor.Hedges;
import io.cloudmw.core.monitor.HelperActivity;
import io.cloudmw.core.monitor.SpeedMonitor;
import io.cloudmw.core.monitor.SwitchActivity;
import io.cloudmw.core.reach.BucketProbe;
import io.cloudmw.core.reach.BucketWatch;
import io.cloudmw.core.reach.TellingProbe;
import io.cloudmw.core.schedule.Due;
import io.cloudmw.core.schedule.FairPool;
import io.cloudmw.core.schedule.ScheduleLimits;
import io.cloudmw.core.schedule.Tenant;
import io.cloudmw.core.security.ClusterSecret;
import io.cloudmw.core.security.MemberProofs;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferTokens;
import io.cloudmw.core.signing.ReadSigner;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.MonitoredChunkStore;
import io.cloudmw.core.store.StoreOpener;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.wire.BulkRequest;
import io.cloudmw.core.wire.Handshake;
import io.cloudmw.core.wire.Membership;
import io.cloudmw.helper.block.LeafAllocator;
import io.cloudmw.helper.block.Spool;
import io.cloudmw.helper.bucket.HelperBuckets;
import io.cloudmw.helper.bucket.KnownBuckets;
import io.cloudmw.helper.cache.DiskTier;
import io.cloudmw.helper.cache.LeafCache;
import io.cloudmw.helper.compete.HelperServices;
import io.cloudmw.helper.compete.HelperTransfers;
import io.cloudmw.helper.config.HelperConfig;
import io.cloudmw.helper.disk.DiskOpener;
import io.cloudmw.helper.disk.OwnDisk;
import io.cloudmw.helper.disk.OwnDisks;
import io.cloudmw.helper.fetch.BlockFetcher;
import io.cloudmw.helper.fetch.Reclaimer;
import io.cloudmw.helper.fetch.Requester;
import io.cloudmw.helper.fetch.StoreFetcher;
import io.cloudmw.helper.fetch.StoreResolver;
import io.cloudmw.helper.fetch.Upstream;
import io.cloudmw.helper.relay.DestinationSessions;
import io.cloudmw.helper.remote.HelperConnections;
import io.cloudmw.helper.remote.RemoteRights;
import io.cloudmw.helper.remote.StoreDirectory;
import io.cloudmw.helper.rpc.CompetitionService;
import io.cloudmw.helper.rpc.CoordinatorCalls;
import io.cloudmw.helper.rpc.ProbeService;
import io.cloudmw.helper.rpc.Registration;
import io.cloudmw.helper.rpc.ReplicaReportSender;
import io.cloudmw.helper.rpc.RivalChannels;
import io.cloudmw.helper.rpc.SigningService;
import io.cloudmw.helper.rpc.TransferService;
import io.cloudmw.helper.rpc.WarmingService;
import io.cloudmw.helper.rpc.WriteService;
import io.cloudmw.helper.serve.LateCopyBudget;
import io.cloudmw.helper.serve.ReadHandler;
import io.cloudmw.helper.serve.StoreLanes;
import io.cloudmw.helper.serve.WriteHandler;
import io.cloudmw.helper.sharing.SharedFetcher;
import io.cloudmw.helper.sharing.SharedReadHandler;
import io.cloudmw.helper.sharing.UpstreamSwitches;
import io.cloudmw.helper.sharing.WarmSessions;
import io.cloudmw.helper.upkeep.UpkeepWorker;
import io.grpc.BindableService;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A helper: its disks, its two planes, and its registration with the coordinator. Safe for any thread. Closing it
 * ends its transfers, then everything it opened, in bounded time.
 */
public final class HelperServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HelperServer.class);
    private static final int MAX_MESSAGE_BYTES = 1 << 20;
    private static final int PEERS = 256;
    private static final int PARKED_JOINS = 1024;
    private static final int REPORTS = 4096;
    private static final int SWITCH_THREADS = 8;
    private static final int PROBES = 8;
    private static final int SIGNING_THREADS = 2;
    private static final int SIGNINGS = 64;
    private static final Duration SWITCH_CONNECT = Duration.ofSeconds(2);
    private static final Duration SWITCH_SILENCE = Duration.ofSeconds(3);
    /** Long enough that those who ask for a dead peer do not wait for it one after the other; a peer that is back is soon asked. */
    private static final Duration PEER_AWAY = Duration.ofSeconds(3);

    private static final Duration PEER_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration PROGRESS_INTERVAL = Duration.ofMillis(100);
    private static final List<Duration> RETRY_DELAYS =
            List.of(Duration.ofMillis(200), Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ofSeconds(20));

    private final HelperConfig config;
    private final MemberProofs members;
    private final BucketProbe checks;
    private final ReadSigner.Own signer;
    private final Deque<Closing> closings = new ArrayDeque<>();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final HelperAddress address;
    private final OwnDisks disks;
    private final SpeedMonitor speeds;
    private final Registration registration;
    private final CompletableFuture<Void> registered;
    private final CompletableFuture<CloudMwException> refused;
    private Supplier<HelperActivity> activity = () -> HelperActivity.NONE;

    /** A thing to close, later ones first. */
    private interface Closing {
        void run() throws Exception;
    }

    /**
     * Starts a helper; it serves when this returns, and goes on trying to register in the background.
     *
     * @param others opens stores that are no disks; stays the caller's to close
     * @throws CloudMwException {@code LOCAL_IO} when an address cannot be bound or the spool cannot be made;
     *     {@code ALREADY_EXISTS} when another process has the spool; or what opening a disk failed with; nothing is left
     *     open then
     */
    public static HelperServer start(
            HelperConfig config,
            ClusterSecret secret,
            StoreOpener others,
            DiskOpener.Throttle throttle,
            MeterRegistry meters)
            throws CloudMwException {
        ReadSigner.Own nobody = (store, chunk, validity) -> Optional.empty();
        return new HelperServer(config, secret, others, BucketProbe.none(), nobody, throttle, meters);
    }

    /**
     * The same with buckets that are asked now and then whether this helper can use them.
     *
     * @param buckets stay the caller's to close
     */
    public static HelperServer start(
            HelperConfig config,
            ClusterSecret secret,
            HelperBuckets buckets,
            DiskOpener.Throttle throttle,
            MeterRegistry meters)
            throws CloudMwException {
        return new HelperServer(config, secret, buckets, buckets, buckets, throttle, meters);
    }

    private HelperServer(
            HelperConfig config,
            ClusterSecret secret,
            StoreOpener others,
            BucketProbe probe,
            ReadSigner.Own signer,
            DiskOpener.Throttle throttle,
            MeterRegistry meters)
            throws CloudMwException {
        this.config = config;
        this.members = new MemberProofs(secret, WallClock.system());
        this.signer = signer;
        this.speeds = new SpeedMonitor(Ticker.system(), SpeedMonitor.DEFAULT_KEYS, new MonitorMetrics(meters));
        boolean started = false;
        try {
            disks = opened(DiskOpener.open(config.id(), config.disks(), throttle, meters));
            CoordinatorCalls coordinator = opened(new CoordinatorCalls(config.coordinator(), members));
            BucketWatch buckets = opened(new BucketWatch(
                    "helper " + config.id(),
                    coordinator::buckets,
                    probe,
                    config.storeCheck(),
                    Ticker.system(),
                    new SplittableRandom()));
            buckets.start();
            checks = new TellingProbe(probe, buckets);
            address = serve(
                    new TransferTokens(secret, WallClock.system()),
                    coordinator,
                    new KnownBuckets(buckets, others),
                    meters);
            registration = opened(new Registration(
                    coordinator, address, disks.all(), buckets, speeds, activity, ThreadLocalRandom.current()));
            refused = registration.refused();
            registered = registration.start();
            started = true;
        } catch (IOException e) {
            throw e instanceof CloudMwException known
                    ? known
                    : new CloudMwException(ErrorCode.LOCAL_IO, "helper " + config.id() + ": " + Reasons.of(e), e);
        } finally {
            if (!started) {
                close();
            }
        }
    }

    private HelperAddress serve(
            TransferTokens tokens, CoordinatorCalls coordinator, StoreOpener others, MeterRegistry meters)
            throws IOException {
        HelperConfig.Limits limits = config.limits();
        ReplicaReportSender reports = opened(new ReplicaReportSender(coordinator, REPORTS));
        ScheduledExecutorService timer = pool(Threads.timer("timer"));
        BulkOptions wire =
                BulkOptions.defaults().withBusyPoll(config.switching().busyPoll());
        BulkTransport transport = opened(new BulkTransport("cloudmw-bulk", 2, wire, meters));
        HelperConnections peers =
                opened(connections(new BulkConnector(transport, config.id().value())));
        StoreDirectory stores = new StoreDirectory(config.id(), disks, peers, others, tokens);
        RaceMetrics races = new RaceMetrics(meters);
        Reclaimer reclaimer = new Reclaimer(limits.relayIdle().toNanos(), Ticker.system(), races::reclaimed);
        Spool spool = opened(in(
                "helper.spool.dir",
                limits.spoolDirectory(),
                path -> Spool.open(path, new ByteBudget(limits.spoolBytes(), reclaimer.relief()))));
        FairPool fetching = fairPool("fetch", limits.fetchThreads(), limits.schedule(), timer, meters);
        StoreFetcher fetcher = opened(new StoreFetcher(
                new StoreFetcher.Pools(
                        fetching,
                        fairPool("fetch-extra", limits.extraThreads(), uncapped(limits.schedule()), timer, meters)),
                new StoreFetcher.Limits(
                        limits.memoryBlockBytes(), limits.fetchWait().toNanos()),
                new ByteBudget(limits.memoryBytes(), reclaimer.relief()),
                spool,
                transport.allocator()));
        DestinationSessions sessions = new DestinationSessions();
        RivalChannels channels = opened(new RivalChannels(PEERS));
        SwitchMetrics switches = new SwitchMetrics(meters);
        Optional<SharedFetcher> keeping = keeping(
                fetcher,
                new LeafAllocator(
                        new ByteBudget(config.switching().memoryBytes(), reclaimer.relief()),
                        spool,
                        transport.allocator(),
                        limits.fetchWait().toNanos()),
                switches,
                meters);
        BlockFetcher shared = keeping.<BlockFetcher>map(kept -> kept).orElse(fetcher);
        UpstreamSwitches trees = trees(transport);
        HelperTransfers transfers = new HelperTransfers(new HelperServices(
                reclaimer.over(fetcher, transfer -> transfer),
                reclaimer.over(shared, transfer -> transfer),
                fetcher,
                spec -> measured(
                        stores.resolver(
                                spec.stores(),
                                spec.helpers(),
                                spec.token(),
                                spec.claims(),
                                new Due(spec.urgency(), Ticker.system())),
                        speeds),
                spec -> trees.upstream(
                        new UpstreamSwitches.Scope(spec.helpers(), spec.tree(), spec.stores()),
                        new RemoteRights(spec.token(), spec.claims(), tokens, new Due(spec.urgency(), Ticker.system())),
                        spec.tenant(),
                        Integer.MAX_VALUE),
                sessions::find,
                (transfer, block, racer, store) -> new BulkRequest.Relay(transfer, block, racer, store).encode(),
                channels,
                reports,
                races,
                pool(Threads.blocking("transfer", 4, limits.transfers() + 16)),
                timer,
                Ticker.system(),
                config.race(),
                new HelperServices.Limits(
                        limits.transfers(),
                        limits.clientTransfers(),
                        limits.blocks(),
                        PARKED_JOINS,
                        PEER_TIMEOUT.toNanos(),
                        PROGRESS_INTERVAL.toNanos(),
                        limits.fetchWait().toNanos())));
        ReadHandler reads = new ReadHandler(
                disks,
                tokens,
                opened(fairPool(
                        "read",
                        limits.storeThreads(),
                        ScheduleLimits.uncapped(2 * limits.reads(), 2 * limits.reads()),
                        timer,
                        meters)),
                new ReadHandler.Means(transport.allocator(), limits.readSilence(), Ticker.system(), timer),
                limits.reads());
        Below below = new Below(stores, trees, tokens, speeds, reports);
        WriteHandler writes = new WriteHandler(writes(tokens, stores, spool, reports, timer));
        SharedReadHandler sharedReads = new SharedReadHandler(
                config.switching().volumes(),
                tokens,
                reclaimer.over(shared, Requester::tenant),
                below,
                fetcher,
                switches,
                new SharedReadHandler.Limits(
                        config.switching().children(), config.switching().reads()));
        AddressPolicy addresses = new AddressPolicy(config.coordinator(), Network.ofThisMachine());
        AddressPolicy.Decision controlAddress =
                addresses.decide(config.addresses().control());
        AddressPolicy.Decision bulkAddress = addresses.decide(config.addresses().bulk());
        BulkServer bulk = opened(BulkServer.bind(
                transport,
                socket(bulkAddress.listen()),
                config.id().value(),
                new BulkDispatcher(sessions, reads, writes, sharedReads)));
        List<BindableService> services = new ArrayList<>(List.of(
                new ProbeService(config.id(), checks, pool(Threads.blocking("probe", PROBES, PROBES))),
                new SigningService(signer, pool(Threads.blocking("sign", SIGNING_THREADS, SIGNINGS))),
                new TransferService(
                        config.id(), tokens, transfers, config.switching().volumes()),
                new CompetitionService(tokens, transfers),
                new WriteService(tokens, writes)));
        keeping.ifPresent(kept -> services.add(new WarmingService(
                tokens,
                new WarmSessions(
                        config.switching().volumes(),
                        kept,
                        below::of,
                        disks::holds,
                        config.switching().warmings()))));
        Server control = control(controlAddress.listen(), services);
        opened(transfers);
        HelperConfig.Received upkeep = limits.upkeep();
        opened(new UpkeepWorker(
                        (results, room) -> coordinator.work(config.id(), results, room),
                        stores,
                        spool.share(upkeep.spoolBytes()),
                        new UpkeepMetrics(meters),
                        Ticker.system(),
                        fetching,
                        upkeep.chunks()))
                .start();
        activity = () -> activity(
                transfers.size(),
                races.totals(),
                keeping.map(kept -> kept.activity(trees.asked(), sharedReads.children())));
        return new HelperAddress(
                config.id(),
                controlAddress.advertised(control.getPort()).toString(),
                bulkAddress.advertised(bulk.port()).toString(),
                config.switching().volumes(),
                config.location());
    }

    /** The ways to the switches above this one: one that does not answer is soon taken for gone, for its readers wait. */
    private UpstreamSwitches trees(BulkTransport transport) {
        BulkOptions impatient = transport.options().withTimeouts(SWITCH_CONNECT, SWITCH_SILENCE);
        HelperConnections above =
                opened(connections(new BulkConnector(transport, config.id().value(), impatient)));
        return new UpstreamSwitches(config.id(), above, pool(Threads.unbounded("switch", SWITCH_THREADS)));
    }

    private static HelperConnections connections(BulkConnector connector) {
        return new HelperConnections(connector, PEERS, Ticker.system(), PEER_AWAY);
    }

    /** How switches below this one get what is not here. */
    private record Below(
            StoreDirectory stores,
            UpstreamSwitches trees,
            TransferTokens tokens,
            SpeedMonitor speeds,
            ReplicaReportSender reports)
            implements SharedReadHandler.Requesters {
        @Override
        public Requester of(BulkRequest.Shared request, TransferClaims claims, Tenant tenant) {
            return of(
                    new WarmSessions.Spec(request.token(), claims, request.helpers(), request.tree(), request.stores()),
                    tenant,
                    request.urgency(),
                    request.height());
        }

        Requester of(WarmSessions.Spec request, Tenant tenant) {
            return of(request, tenant, Urgency.of(tenant.priority()), Integer.MAX_VALUE);
        }

        private Requester of(WarmSessions.Spec request, Tenant tenant, Urgency urgency, int highest) {
            Due due = new Due(urgency, Ticker.system());
            TransferClaims claims = request.claims();
            StoreResolver resolver = stores.resolver(request.stores(), request.helpers(), request.token(), claims, due);
            Upstream upstream = trees.upstream(
                    new UpstreamSwitches.Scope(request.helpers(), request.tree(), request.stores()),
                    new RemoteRights(request.token(), claims, tokens, due),
                    tenant,
                    highest);
            return new Requester(
                    tenant,
                    due.deadlineNanos(),
                    measured(resolver, speeds),
                    upstream,
                    report -> reports.report(claims, report));
        }
    }

    /** Opens something in a directory that a setting names. */
    @FunctionalInterface
    private interface Opening<T> {
        T open(Path directory) throws IOException;
    }

    /** Says of a directory that cannot be used which it is, and where it is named. */
    private static <T> T in(String setting, Path directory, Opening<T> opening) throws IOException {
        try {
            return opening.open(directory);
        } catch (CloudMwException e) {
            throw e;
        } catch (IOException e) {
            String why = e instanceof FileAlreadyExistsException ? "no directory" : Reasons.of(e);
            throw new CloudMwException(ErrorCode.LOCAL_IO, setting + ": " + directory + ": " + why, e);
        }
    }

    /** What a switch serves; empty: it is none, and nobody asks. */
    private Optional<SharedFetcher> keeping(
            StoreFetcher fetcher, LeafAllocator room, SwitchMetrics switches, MeterRegistry meters) throws IOException {
        HelperConfig.Switching switching = config.switching();
        if (switching.volumes().equals(VolumeSet.NONE)) {
            return Optional.empty();
        }
        CacheMetrics counts = new CacheMetrics(meters);
        Optional<DiskTier> disk = switching.disk().isPresent()
                ? Optional.of(in(
                        "helper.cache.disk.dir",
                        switching.disk().get(),
                        path -> DiskTier.open(path, switching.diskBytes(), counts)))
                : Optional.empty();
        return Optional.of(new SharedFetcher(
                fetcher,
                opened(new LeafCache(room, disk, counts)),
                switches,
                store -> disks.find(store).isPresent()));
    }

    /** What races read tells how fast stores are. */
    private static StoreResolver measured(StoreResolver resolver, SpeedMonitor speeds) {
        return new StoreResolver() {
            @Override
            public ChunkStore open(StoreId store) throws CloudMwException {
                return new MonitoredChunkStore(resolver.open(store), speeds);
            }

            @Override
            public ChunkStore open(StoreId store, long untilMillis) throws CloudMwException {
                return new MonitoredChunkStore(resolver.open(store, untilMillis), speeds);
            }
        };
    }

    private static HelperActivity activity(
            int transfers, RaceMetrics.Totals totals, Optional<SwitchActivity> switching) {
        return new HelperActivity(
                transfers,
                totals.attempts(),
                totals.wins(),
                totals.cancelled(),
                totals.failed(),
                totals.relayedBytes(),
                totals.wastedBytes(),
                new Hedges(totals.hedges(), totals.hedgesWon(), totals.hedgesSuppressed()),
                switching);
    }

    private WriteHandler.Surroundings writes(
            TransferTokens tokens,
            StoreDirectory stores,
            Spool spool,
            ReplicaReportSender reports,
            ScheduledExecutorService timer) {
        return new WriteHandler.Surroundings(
                tokens,
                stores,
                reports,
                means("upload", spool, config.limits().uploads()),
                means("copy", spool, config.limits().copies()),
                new LateCopyBudget(
                        config.limits().late().chunks(), config.limits().late().spoolBytes()),
                config.limits().silence(),
                Ticker.system(),
                timer,
                RETRY_DELAYS);
    }

    private WriteHandler.Means means(String name, Spool spool, HelperConfig.Received limits) {
        int threads = config.limits().storeThreads();
        return new WriteHandler.Means(
                spool.share(limits.spoolBytes()),
                pool(Threads.blocking(name + "-receive", threads, limits.chunks())),
                new StoreLanes(
                        pool(Threads.blocking(
                                name + "-store",
                                threads,
                                (limits.chunks() + config.limits().late().chunks()) * Volume.MAX_REPLICAS)),
                        Math.max(1, threads / 4)),
                limits.chunks());
    }

    private static InetSocketAddress socket(HostPort address) {
        return new InetSocketAddress(address.host(), address.port());
    }

    private Server control(HostPort listen, List<BindableService> services) throws IOException {
        NettyServerBuilder builder = NettyServerBuilder.forAddress(socket(listen))
                .directExecutor()
                .intercept(Membership.server(members, ProbeService.MEMBERS_ONLY))
                .intercept(Membership.server(members, SigningService.MEMBERS_ONLY))
                .intercept(Handshake.server())
                .maxInboundMessageSize(MAX_MESSAGE_BYTES)
                .maxConcurrentCallsPerConnection(1024)
                .permitKeepAliveTime(5, TimeUnit.SECONDS)
                .permitKeepAliveWithoutCalls(true)
                .keepAliveTime(20, TimeUnit.SECONDS)
                .keepAliveTimeout(10, TimeUnit.SECONDS);
        services.forEach(builder::addService);
        Server server = builder.build().start();
        closings.push(() -> {
            server.shutdown();
            if (!server.awaitTermination(1, TimeUnit.SECONDS)) {
                server.shutdownNow().awaitTermination(1, TimeUnit.SECONDS);
            }
        });
        return server;
    }

    private static FairPool fairPool(
            String name, int threads, ScheduleLimits limits, ScheduledExecutorService timer, MeterRegistry meters) {
        return new FairPool(name, threads, limits, Ticker.system(), timer, new ScheduleMetrics(meters, name));
    }

    /** What makes up for late attempts is bounded by those who ask for it. */
    private static ScheduleLimits uncapped(ScheduleLimits limits) {
        return ScheduleLimits.uncapped(limits.queue(), limits.clientQueue());
    }

    /** Where it is reached: with the ports it really listens on. */
    public HelperAddress address() {
        return address;
    }

    /** Its disks, as announced. */
    public List<Store> disks() {
        return disks.all().stream().map(OwnDisk::store).toList();
    }

    /** Completes when the coordinator knows it; fails when the coordinator refuses it for good. */
    public CompletableFuture<Void> registered() {
        return registered;
    }

    /**
     * Completes when the coordinator refuses one of its disks, however late: the helper cannot go on then, and is to be closed.
     * Completes never otherwise.
     */
    public CompletableFuture<CloudMwException> refused() {
        return refused.copy();
    }

    /** Its disks that were declared lost, as its last registration said: the cluster does not use them. */
    public List<StoreId> lostDisks() {
        return registration.lostDisks();
    }

    /** Returns whether it lives: it may do so without a coordinator. */
    public boolean isServing() {
        return !closed.get();
    }

    /** Why it is of no use to others now; empty: it is. */
    public Optional<String> unready() {
        return closed.get() ? Optional.of("stopping") : registration.unready();
    }

    private <T extends AutoCloseable> T opened(T resource) {
        closings.push(resource::close);
        return resource;
    }

    private <T extends ExecutorService> T pool(T executor) {
        closings.push(() -> {
            executor.shutdown();
            if (!executor.awaitTermination(1, TimeUnit.SECONDS)) {
                executor.shutdownNow();
            }
        });
        return executor;
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        while (!closings.isEmpty()) {
            try {
                closings.pop().run();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (Exception | LinkageError e) {
                LOG.warn("helper {}: something could not be closed", config.id(), e);
            }
        }
    }
}
