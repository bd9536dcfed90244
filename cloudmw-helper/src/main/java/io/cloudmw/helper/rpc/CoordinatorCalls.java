package io.cloudmw.helper.rpc;

import io.cloudmw.core.access.StoreFault;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.config.HostPorts;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.identity.DiskClaim;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.monitor.Speed;
import io.cloudmw.core.rpc.Membership;
import io.cloudmw.core.rpc.RpcChannels;
import io.cloudmw.core.rpc.RpcErrors;
import io.cloudmw.core.rpc.UserAgent;
import io.cloudmw.core.security.MemberProofs;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.status.StoreStatus;
import io.cloudmw.core.status.fleet.HelperActivity;
import io.cloudmw.core.status.fleet.SpeedKey;
import io.cloudmw.core.upkeep.TaskBatch;
import io.cloudmw.core.upkeep.TaskResult;
import io.cloudmw.core.wire.AccessWire;
import io.cloudmw.core.wire.FromWire;
import io.cloudmw.core.wire.MonitorWire;
import io.cloudmw.core.wire.ToWire;
import io.cloudmw.core.wire.UpkeepWire;
import io.cloudmw.helper.disk.OwnDisk;
import io.cloudmw.proto.v1.CoordinatorGrpc;
import io.cloudmw.proto.v1.DiskUsage;
import io.cloudmw.proto.v1.FollowRevocationsRequest;
import io.cloudmw.proto.v1.HeartbeatRequest;
import io.cloudmw.proto.v1.HeartbeatResponse;
import io.cloudmw.proto.v1.ListBucketsRequest;
import io.cloudmw.proto.v1.ListBucketsResponse;
import io.cloudmw.proto.v1.RegisterHelperRequest;
import io.cloudmw.proto.v1.RegisterHelperResponse;
import io.cloudmw.proto.v1.ReportReplicasRequest;
import io.cloudmw.proto.v1.ReportReplicasResponse;
import io.cloudmw.proto.v1.RevocationEvent;
import io.cloudmw.proto.v1.RevocationsGrpc;
import io.cloudmw.proto.v1.StoreAccessGrpc;
import io.cloudmw.proto.v1.UpkeepGrpc;
import io.cloudmw.proto.v1.WorkResponse;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientResponseObserver;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * The calls of a helper to the coordinator. With several coordinators it begins with a random one, and changes to the
 * next when that does not answer. Calls block their thread for at most {@value #DEADLINE_SECONDS} seconds. Safe for any
 * thread.
 */
public final class CoordinatorCalls implements AutoCloseable {
    static final int DEADLINE_SECONDS = 10;

    private static final long SHORTEST_TIMEOUT_MILLIS = 500;

    /** The longest list of revocations. */
    private static final int MAX_REVOCATIONS_BYTES = 16 << 20;

    /** Time-out of a registration when there are other coordinators. */
    private static final int REGISTERING_SECONDS = 3;

    /** Time-out of the call that gives the lease back. */
    private static final int LEAVING_SECONDS = 1;

    /**
     * The lease of a registered helper.
     *
     * @param epoch the epoch that heartbeats name
     * @param heartbeatMillis time between two heartbeats
     * @param cluster id of the cluster; empty when an older coordinator does not tell it
     * @param lostDisks disks of the helper that were declared lost; the cluster does not use them
     */
    public record Lease(long epoch, long heartbeatMillis, String cluster, List<StoreId> lostDisks) {
        public Lease {
            lostDisks = List.copyOf(lostDisks);
        }
    }

    /** The load balancing of one name: a random one of its addresses. */
    private static final Map<String, ?> RANDOM_ADDRESS =
            Map.of("loadBalancingConfig", List.of(Map.of("pick_first", Map.of("shuffleAddressList", true))));

    private final HostPorts addresses;
    private final List<ManagedChannel> channels;
    private final AtomicInteger current;

    /** Index of the coordinator that hands out upkeep tasks. */
    private final AtomicInteger working;

    /** Index of the coordinator whose revocations are followed. */
    private final AtomicInteger followed;

    /**
     * @param rpc makes the channels
     * @param proofs proves that this process knows the cluster's secret
     */
    public CoordinatorCalls(HostPorts addresses, RpcChannels rpc, MemberProofs proofs) {
        this.addresses = addresses;
        this.channels =
                addresses.all().stream().map(one -> channel(rpc, one, proofs)).toList();
        this.current = new AtomicInteger(ThreadLocalRandom.current().nextInt(channels.size()));
        this.working = new AtomicInteger(current.get());
        this.followed = new AtomicInteger(current.get());
    }

    /** Makes a channel, which connects with its first call. */
    private static ManagedChannel channel(RpcChannels rpc, HostPort address, MemberProofs proofs) {
        return rpc.toCoordinators(HostPorts.parse(address.toString()))
                .userAgent(UserAgent.of("cloudmw-helper"))
                .disableServiceConfigLookUp()
                .defaultServiceConfig(RANDOM_ADDRESS)
                .directExecutor()
                .intercept(Membership.client(proofs))
                .keepAliveTime(30, TimeUnit.SECONDS)
                .keepAliveTimeout(10, TimeUnit.SECONDS)
                .build();
    }

    /**
     * Registers this helper and its disks.
     *
     * @param incarnation number of this process, which no other process has
     * @param unusable buckets that the helper cannot use, with their faults
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
     * Renews the lease and reports the news. With several coordinators the call times out after half the time between
     * two heartbeats, so that the next coordinator is asked before the lease ends.
     *
     * @return the coordinator's requests to the helper
     * @throws CloudMwException {@code HELPER_UNKNOWN} when the lease has ended
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
                // Without its usage the disk is reported all the same: the helper goes on.
                request.addDisks(
                        DiskUsage.newBuilder().setStoreId(disk.store().id().value()));
            }
        }
        HeartbeatResponse answer = call(heartbeatTimeoutMillis(held), stub -> stub.heartbeat(request.build()));
        List<StoreId> doubted = new ArrayList<>();
        for (String id : answer.getDoubtedStoreIdsList()) {
            doubted.add(FromWire.storeId(id));
        }
        return new HeartbeatAnswer(answer.getTellAll(), doubted);
    }

    /** The address of the coordinator that is called next. */
    HostPort current() {
        return addresses.all().get(current.get());
    }

    private long heartbeatTimeoutMillis(Lease held) {
        long longest = TimeUnit.SECONDS.toMillis(DEADLINE_SECONDS);
        return channels.size() == 1
                ? longest
                : Math.min(longest, Math.max(SHORTEST_TIMEOUT_MILLIS, held.heartbeatMillis() / 2));
    }

    /** Gives the lease back; blocks for at most {@value #LEAVING_SECONDS} second. */
    void leave(HelperAddress self, Lease held) throws CloudMwException {
        HeartbeatRequest request = HeartbeatRequest.newBuilder()
                .setHelperId(self.id().value())
                .setEpoch(held.epoch())
                .setLeaving(true)
                .build();
        HeartbeatResponse unused = call(TimeUnit.SECONDS.toMillis(LEAVING_SECONDS), stub -> stub.heartbeat(request));
    }

    /** The buckets of the cluster, with the references to their credentials. */
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

    /**
     * Calls one coordinator. After a call without an answer, the next goes to the next coordinator, whose name is
     * resolved again.
     */
    private <A> A ask(AtomicInteger cursor, Function<ManagedChannel, A> call) throws CloudMwException {
        int used = cursor.get();
        ManagedChannel channel = channels.get(used);
        try {
            return call.apply(channel);
        } catch (StatusRuntimeException e) {
            CloudMwException failure = RpcErrors.fromStatus(
                    e,
                    ErrorCode.COORDINATOR_UNAVAILABLE,
                    "coordinator at " + addresses.all().get(used));
            if (!RpcErrors.isAnswer(failure)) {
                channel.enterIdle();
                cursor.compareAndSet(used, (used + 1) % channels.size());
            }
            throw failure;
        }
    }

    /**
     * Reports results of upkeep and takes more tasks; the next call goes to another coordinator when this one hands
     * none out.
     */
    public TaskBatch work(HelperId self, List<TaskResult> results, int room) throws CloudMwException {
        int used = working.get();
        WorkResponse answer = ask(
                working,
                channel -> UpkeepGrpc.newBlockingStub(channel)
                        .withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS)
                        .work(UpkeepWire.request(self.value(), results, room)));
        TaskBatch batch = UpkeepWire.handout(answer);
        if (batch.elsewhere()) {
            working.compareAndSet(used, (used + 1) % channels.size());
        }
        return batch;
    }

    /** The calls that follow revocations. */
    RevocationFollower.Calls revocations() {
        return new RevocationFollower.Calls() {
            @Override
            public void follow(
                    HelperId self, ClientResponseObserver<FollowRevocationsRequest, RevocationEvent> events) {
                RevocationsGrpc.newStub(channels.get(followed.get()))
                        .withMaxInboundMessageSize(MAX_REVOCATIONS_BYTES)
                        .followRevocations(
                                FollowRevocationsRequest.newBuilder()
                                        .setHelperId(self.value())
                                        .build(),
                                events);
            }

            @Override
            public void followElsewhere() {
                channels.get(followed.getAndUpdate(last -> (last + 1) % channels.size()))
                        .enterIdle();
            }
        };
    }

    @Override
    public void close() {
        channels.forEach(ManagedChannel::shutdownNow);
    }
}
