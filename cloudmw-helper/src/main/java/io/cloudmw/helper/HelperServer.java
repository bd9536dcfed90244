package io.cloudmw.helper;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.metrics.MonitorMetrics;
import io.cloudmw.core.metrics.TlsMetrics;
import io.cloudmw.core.metrics.UpkeepMetrics;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.monitor.SpeedMonitor;
import io.cloudmw.core.reach.BucketProbe;
import io.cloudmw.core.reach.BucketWatch;
import io.cloudmw.core.reach.NotifyingProbe;
import io.cloudmw.core.rpc.RpcChannels;
import io.cloudmw.core.security.ClusterSecret;
import io.cloudmw.core.security.MemberProofs;
import io.cloudmw.core.security.RevokedHolders;
import io.cloudmw.core.security.TransferTokens;
import io.cloudmw.core.signing.UrlSigner;
import io.cloudmw.core.store.StoreOpener;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.tls.TlsCredentials;
import io.cloudmw.core.trace.Telemetry;
import io.cloudmw.helper.bucket.HelperBuckets;
import io.cloudmw.helper.bucket.KnownBuckets;
import io.cloudmw.helper.config.HelperConfig;
import io.cloudmw.helper.disk.DiskOpener;
import io.cloudmw.helper.disk.OwnDisk;
import io.cloudmw.helper.disk.OwnDisks;
import io.cloudmw.helper.fetch.ReplicaReporter;
import io.cloudmw.helper.remote.StoreDirectory;
import io.cloudmw.helper.rpc.CoordinatorCalls;
import io.cloudmw.helper.rpc.Registration;
import io.cloudmw.helper.rpc.ReplicaReportSender;
import io.cloudmw.helper.rpc.RevocationFollower;
import io.cloudmw.helper.upkeep.UpkeepWorker;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A helper process: its disks, its control plane and bulk plane, and its registration with the coordinator. Closing it
 * ends its transfers, then closes everything it opened, in bounded time. Safe for any thread.
 */
public final class HelperServer implements AutoCloseable {
    private static final int REPORTS = 4096;

    private final HelperConfig config;
    private final ResourceStack resources;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final OwnDisks disks;
    private final HelperAddress address;
    private final Ports ports;
    private final Registration registration;
    private final CompletableFuture<Void> registered;
    private final CompletableFuture<CloudMwException> refused;

    /** The ports on which a helper listens. Others may reach the helper by other ports, through a relay. */
    public record Ports(int control, int bulk) {}

    /**
     * Starts a helper. The helper serves when this returns, and tries to register in the background.
     *
     * @param others opens stores that are not disks; the caller closes it
     * @param telemetry receives meters and spans
     * @throws CloudMwException {@code LOCAL_IO} when an address cannot be bound or the spool cannot be created;
     *     {@code ALREADY_EXISTS} when another process has the spool; the failure of a disk that cannot be opened.
     *     Nothing is left open then
     */
    public static HelperServer start(
            HelperConfig config,
            ClusterSecret secret,
            StoreOpener others,
            DiskOpener.Decorator decorator,
            Telemetry telemetry)
            throws CloudMwException {
        UrlSigner.LocalSigner none = (store, chunk, validity) -> Optional.empty();
        return new HelperServer(config, secret, others, BucketProbe.none(), none, decorator, telemetry);
    }

    /**
     * Starts a helper with buckets, and probes from time to time whether the helper can use them.
     *
     * @param buckets the caller closes them
     * @param telemetry receives meters and spans
     * @throws CloudMwException as the other method
     */
    public static HelperServer start(
            HelperConfig config,
            ClusterSecret secret,
            HelperBuckets buckets,
            DiskOpener.Decorator decorator,
            Telemetry telemetry)
            throws CloudMwException {
        return new HelperServer(config, secret, buckets, buckets, buckets, decorator, telemetry);
    }

    private HelperServer(
            HelperConfig config,
            ClusterSecret secret,
            StoreOpener others,
            BucketProbe probe,
            UrlSigner.LocalSigner signer,
            DiskOpener.Decorator decorator,
            Telemetry telemetry)
            throws CloudMwException {
        MeterRegistry meters = telemetry.meters();
        this.config = config;
        this.resources = new ResourceStack("helper " + config.id());
        MemberProofs members = new MemberProofs(secret, WallClock.system());
        SpeedMonitor speeds = new SpeedMonitor(Ticker.system(), SpeedMonitor.DEFAULT_KEYS, new MonitorMetrics(meters));
        boolean started = false;
        try {
            disks = resources.opened(DiskOpener.open(config.id(), config.disks(), decorator, meters));
            Optional<TlsCredentials> tls =
                    resources.opened(HelperCertificates.open(config, secret)).tls();
            tls.ifPresent(credentials -> TlsMetrics.watch(
                    meters, credentials::certificateEndMillis, credentials::authorityEndMillis, WallClock.system()));
            CoordinatorCalls coordinator =
                    resources.opened(new CoordinatorCalls(config.coordinator(), new RpcChannels(tls), members));
            BucketWatch buckets = resources.opened(new BucketWatch(
                    "helper " + config.id(),
                    coordinator::buckets,
                    probe,
                    config.storeCheck(),
                    Ticker.system(),
                    new SplittableRandom()));
            buckets.start();
            ReplicaReporter reporter = resources.opened(new ReplicaReportSender(coordinator, REPORTS));
            RevokedHolders revoked = new RevokedHolders();
            TransferTokens tokens =
                    new TransferTokens(secret, config.tls().tokenKeyLife(), WallClock.system(), Optional::empty);
            HelperContext context = HelperContext.open(
                    config, tls.isPresent() ? tokens.boundAndNot(revoked) : tokens, tls, telemetry, resources);
            StoreDirectory stores = new StoreDirectory(
                    config.id(),
                    disks,
                    context.connections(context.transport().options()),
                    new KnownBuckets(buckets, others),
                    context.tokens());
            RequesterFactory requesters = RequesterFactory.open(context, stores, speeds, reporter);
            ControlPlane control = new ControlPlane(context, members);
            control.addBuckets(new NotifyingProbe(probe, buckets), signer);
            HelperPlanes planes = HelperPlanes.open(context, disks, requesters, control);
            if (tls.isPresent()) {
                revoked.onChange(planes.resetRevoked());
                resources
                        .opened(new RevocationFollower(
                                config.id(), coordinator, revoked, Ticker.system(), ThreadLocalRandom.current()))
                        .start(context.timer());
            }
            UpkeepWorker upkeep = upkeep(context, planes.fetchers(), stores, coordinator);
            address = planes.address();
            ports = planes.ports();
            registration = resources.opened(new Registration(
                    coordinator,
                    address,
                    disks.all(),
                    buckets,
                    speeds,
                    planes.activity(),
                    ThreadLocalRandom.current()));
            refused = registration.refused();
            registered = registration.start();
            upkeep.start(registration.accepted());
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

    private UpkeepWorker upkeep(
            HelperContext context, Fetchers fetchers, StoreDirectory stores, CoordinatorCalls coordinator) {
        HelperConfig.Received limits = config.limits().upkeep();
        return resources.opened(new UpkeepWorker(
                (results, room) -> coordinator.work(config.id(), results, room),
                stores,
                fetchers.spool().share(limits.spoolBytes()),
                new UpkeepMetrics(context.meters()),
                Ticker.system(),
                fetchers.pool(),
                limits.chunks()));
    }

    /** The addresses by which others reach this helper. */
    public HelperAddress address() {
        return address;
    }

    /** The ports on which it really listens. */
    public Ports ports() {
        return ports;
    }

    /** The disks of this helper, as announced. */
    public List<Store> disks() {
        return disks.all().stream().map(OwnDisk::store).toList();
    }

    /** Completes when a coordinator has accepted this helper; fails when it refuses the helper for good. */
    public CompletableFuture<Void> registered() {
        return registered;
    }

    /** Completes when a coordinator has accepted this helper, however late; never fails. */
    public CompletableFuture<Void> accepted() {
        return registration.accepted();
    }

    /**
     * Completes when the coordinator refuses one of the helper's disks, however late. The helper cannot go on then, and
     * the caller closes it. Never completes otherwise.
     */
    public CompletableFuture<CloudMwException> refused() {
        return refused.copy();
    }

    /** The disks that the last registration declared lost; the cluster does not use them. */
    public List<StoreId> lostDisks() {
        return registration.lostDisks();
    }

    /** Returns whether the helper is open; it serves without a coordinator, too. */
    public boolean isServing() {
        return !closed.get();
    }

    /** The reason why others cannot use this helper now; empty when they can. */
    public Optional<String> unready() {
        return closed.get() ? Optional.of("stopping") : registration.unready();
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            resources.close();
        }
    }
}
