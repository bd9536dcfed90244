package io.cloudmw.helper.rpc;

import io.cloudmw.core.access.StoreFault;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.config.HostPorts;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.identity.DiskClaim;
import io.cloudmw.core.model.HelperAddress;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.ReplicaReport;
import io.cloudmw.core.model.Store;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.monitor.HelperActivity;
import io.cloudmw.core.monitor.Speed;
import io.cloudmw.core.monitor.SpeedKey;
import io.cloudmw.core.placement.StoreStatus;
import io.cloudmw.core.security.MemberProofs;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.upkeep.Handout;
import io.cloudmw.core.upkeep.TaskResult;
import io.cloudmw.core.wire.AccessWire;
import io.cloudmw.core.wire.ChannelTarget;
import io.cloudmw.core.wire.ClientName;
import io.cloudmw.core.wire.FromWire;
import io.cloudmw.core.wire.Handshake;
import io.cloudmw.core.wire.Membership;
import io.cloudmw.core.wire.MonitorWire;
import io.cloudmw.core.wire.ToWire;
import io.cloudmw.core.wire.UpkeepWire;
import io.cloudmw.core.wire.WireErrors;
import io.cloudmw.helper.disk.OwnDisk;
import io.cloudmw.proto.v1.CoordinatorGrpc;
import io.cloudmw.proto.v1.DiskUsage;
import io.cloudmw.proto.v1.HeartbeatRequest;
import io.cloudmw.proto.v1.HeartbeatResponse;
import io.cloudmw.proto.v1.ListBucketsRequest;
import io.cloudmw.proto.v1.ListBucketsResponse;
import io.cloudmw.proto.v1.RegisterHelperRequest;
import io.cloudmw.proto.v1.RegisterHelperResponse;
import io.cloudmw.proto.v1.ReportReplicasRequest;
import io.cloudmw.proto.v1.ReportReplicasResponse;
import io.cloudmw.proto.v1.StoreAccessGrpc;
import io.cloudmw.proto.v1.UpkeepGrpc;
import io.cloudmw.proto.v1.WorkResponse;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * What a helper asks of the coordinator. Of several it stays with one, drawn by lot at first, until that does not answer; then
 * it turns to the next. Calls block their thread for at most {@value #DEADLINE_SECONDS} seconds.
 */
public final class CoordinatorCalls implements AutoCloseable {
    static final int DEADLINE_SECONDS = 10;

    private static final long SHORTEST_PATIENCE_MILLIS = 500;

    /** Who registers does not wait for a silent one either, where there are others. */
    private static final int REGISTERING_SECONDS = 3;

    /** Who leaves does not wait for a coordinator that is away. */
    private static final int LEAVING_SECONDS = 1;

    /**
     * A lease.
     *
     * @param epoch to be named in heartbeats
     * @param heartbeatMillis how often they are expected
     * @param cluster whose helper it is now; empty where an older coordinator does not say so
     * @param lostDisks disks of the helper that were declared lost: the cluster does not use them
     */
    public record Lease(long epoch, long heartbeatMillis, String cluster, List<StoreId> lostDisks) {
        public Lease {
            lostDisks = List.copyOf(lostDisks);
        }
    }

    /** Of the addresses of one name one is drawn by lot. */
    private static final Map<String, ?> ONE_OF_THEM =
            Map.of("loadBalancingConfig", List.of(Map.of("pick_first", Map.of("shuffleAddressList", true))));

    private final HostPorts addresses;
    private final List<ManagedChannel> channels;
    private final AtomicInteger current;

    /** Whoever gives work. */
    private final AtomicInteger working;

    /** @param proofs shows that this process knows the cluster's secret */
    public CoordinatorCalls(HostPorts addresses, MemberProofs proofs) {
        this.addresses = addresses;
        this.channels =
                addresses.all().stream().map(one -> channel(one, proofs)).toList();
        this.current = new AtomicInteger(ThreadLocalRandom.current().nextInt(channels.size()));
        this.working = new AtomicInteger(current.get());
    }

    /** Connects when it is first used. */
    private static ManagedChannel channel(HostPort address, MemberProofs proofs) {
        return NettyChannelBuilder.forTarget(ChannelTarget.of(address.toString()))
                .usePlaintext()
                .userAgent(ClientName.of("cloudmw-helper"))
                .disableServiceConfigLookUp()
                .defaultServiceConfig(ONE_OF_THEM)
                .directExecutor()
                .intercept(Handshake.client(), Membership.client(proofs))
                .keepAliveTime(30, TimeUnit.SECONDS)
                .keepAliveTimeout(10, TimeUnit.SECONDS)
                .build();
    }

    /**
     * Announces this helper and its disks.
     *
     * @param incarnation this process: the same number in all its calls, another one in every other process
     * @param unusable buckets that it cannot use
     */
    public Lease register(
            HelperAddress self, long incarnation, List<DiskClaim> disks, Map<StoreId, StoreFault> unusable)
            throws CloudMwException {
        RegisterHelperRequest.Builder request = RegisterHelperRequest.newBuilder()
                .setHelper(ToWire.helper(self))
                .setIncarnation(incarnation)
                .addAllUnusableStores(AccessWire.unusable(unusable));
        for (DiskClaim claim : disks) {
            String id = claim.disk().id().value();
            request.addDisks(ToWire.store(new StoreStatus(claim.disk(), true)));
            if (claim.empty()) {
                request.addEmptyDiskIds(id);
            }
            if (claim.replaces()) {
                request.addReplacedDiskIds(id);
            }
        }
        int seconds = channels.size() == 1 ? DEADLINE_SECONDS : REGISTERING_SECONDS;
        RegisterHelperResponse answer =
                call(TimeUnit.SECONDS.toMillis(seconds), stub -> stub.registerHelper(request.build()));
        List<StoreId> lost = new ArrayList<>();
        for (String id : answer.getLostDiskIdsList()) {
            lost.add(FromWire.storeId(id));
        }
        return new Lease(answer.getEpoch(), answer.getHeartbeatIntervalMillis(), answer.getClusterId(), lost);
    }

    /**
     * Keeps the lease, and tells the news. Where there are several coordinators, one that is silent for half the time
     * between two heartbeats is left, so that the lease does not end meanwhile.
     *
     * @return what the coordinator wants of the helper
     * @throws CloudMwException {@code HELPER_UNKNOWN} when it is over
     */
    public HeartbeatAnswer heartbeat(
            HelperAddress self,
            Lease held,
            List<OwnDisk> disks,
            Map<StoreId, StoreFault> unusable,
            Map<SpeedKey, Speed> news,
            HelperActivity activity)
            throws CloudMwException {
        HeartbeatRequest.Builder request = HeartbeatRequest.newBuilder()
                .setHelperId(self.id().value())
                .setEpoch(held.epoch())
                .addAllUnusableStores(AccessWire.unusable(unusable))
                .addAllSpeeds(MonitorWire.speeds(news))
                .setActivity(MonitorWire.activity(activity));
        for (OwnDisk disk : disks) {
            if (held.lostDisks().contains(disk.store().id())) {
                continue;
            }
            try {
                request.addDisks(DiskUsage.newBuilder()
                        .setStoreId(disk.store().id().value())
                        .setUsedBytes(disk.usage().usedBytes())
                        .setFreeBytes(disk.usage().freeBytes())
                        .setReserveBytes(disk.usage().reserveBytes()));
            } catch (IOException e) {
                // A disk that cannot say how full it is is left out: the helper lives on.
                request.addDisks(
                        DiskUsage.newBuilder().setStoreId(disk.store().id().value()));
            }
        }
        HeartbeatResponse answer = call(patienceMillis(held), stub -> stub.heartbeat(request.build()));
        List<StoreId> doubted = new ArrayList<>();
        for (String id : answer.getDoubtedStoreIdsList()) {
            doubted.add(FromWire.storeId(id));
        }
        return new HeartbeatAnswer(answer.getTellAll(), doubted);
    }

    /** The coordinator that is asked next. */
    HostPort current() {
        return addresses.all().get(current.get());
    }

    private long patienceMillis(Lease held) {
        long longest = TimeUnit.SECONDS.toMillis(DEADLINE_SECONDS);
        return channels.size() == 1
                ? longest
                : Math.min(longest, Math.max(SHORTEST_PATIENCE_MILLIS, held.heartbeatMillis() / 2));
    }

    /** Gives the lease back; blocks for {@value #LEAVING_SECONDS} second at most. */
    void leave(HelperAddress self, Lease held) throws CloudMwException {
        HeartbeatRequest request = HeartbeatRequest.newBuilder()
                .setHelperId(self.id().value())
                .setEpoch(held.epoch())
                .setLeaving(true)
                .build();
        HeartbeatResponse unused = call(TimeUnit.SECONDS.toMillis(LEAVING_SECONDS), stub -> stub.heartbeat(request));
    }

    /** The buckets there are, with the references to their credentials. */
    public List<Store> buckets() throws CloudMwException {
        ListBucketsResponse answer = ask(
                current,
                channel -> StoreAccessGrpc.newBlockingStub(channel)
                        .withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS)
                        .listBuckets(ListBucketsRequest.getDefaultInstance()));
        List<Store> buckets = new ArrayList<>();
        for (io.cloudmw.proto.v1.Store store : answer.getStoresList()) {
            buckets.add(FromWire.store(store));
        }
        return buckets;
    }

    /** Reports replicas of one version. */
    public void report(TransferClaims claims, List<ReplicaReport> reports) throws CloudMwException {
        ReportReplicasRequest.Builder request = ReportReplicasRequest.newBuilder()
                .setVolume(claims.file().volume().value())
                .setPath(claims.file().path())
                .setVersionId(claims.version().value());
        reports.forEach(report -> request.addReplicas(ToWire.report(report)));
        ReportReplicasResponse unused =
                call(TimeUnit.SECONDS.toMillis(DEADLINE_SECONDS), stub -> stub.reportReplicas(request.build()));
    }

    private <A> A call(long timeoutMillis, Function<CoordinatorGrpc.CoordinatorBlockingStub, A> call)
            throws CloudMwException {
        return ask(
                current,
                channel -> call.apply(CoordinatorGrpc.newBlockingStub(channel)
                        .withDeadlineAfter(timeoutMillis, TimeUnit.MILLISECONDS)));
    }

    /** After a call that nobody answered the next one goes to the next coordinator, and looks its name up anew. */
    private <A> A ask(AtomicInteger cursor, Function<ManagedChannel, A> call) throws CloudMwException {
        int used = cursor.get();
        ManagedChannel channel = channels.get(used);
        try {
            return call.apply(channel);
        } catch (StatusRuntimeException e) {
            CloudMwException failure = WireErrors.fromStatus(
                    e,
                    ErrorCode.COORDINATOR_UNAVAILABLE,
                    "coordinator at " + addresses.all().get(used));
            if (!WireErrors.isAnswer(failure)) {
                channel.enterIdle();
                cursor.compareAndSet(used, (used + 1) % channels.size());
            }
            throw failure;
        }
    }

    /** Reports what was done for upkeep and takes more to do; the next coordinator is asked next when this one does none. */
    public Handout work(HelperId self, List<TaskResult> results, int room) throws CloudMwException {
        int used = working.get();
        WorkResponse answer = ask(
                working,
                channel -> UpkeepGrpc.newBlockingStub(channel)
                        .withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS)
                        .work(UpkeepWire.request(self.value(), results, room)));
        Handout handout = UpkeepWire.handout(answer);
        if (handout.elsewhere()) {
            working.compareAndSet(used, (used + 1) % channels.size());
        }
        return handout;
    }

    @Override
    public void close() {
        channels.forEach(ManagedChannel::shutdownNow);
    }
}
