package io.cloudmw.helper.rpc;

import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.HelperAddress;
import io.cloudmw.core.model.ReplicaReport;
import io.cloudmw.core.model.Store;
import io.cloudmw.core.monitor.HelperActivity;
import io.cloudmw.core.monitor.Speed;
import io.cloudmw.core.monitor.SpeedKey;
import io.cloudmw.core.placement.StoreStatus;
import io.cloudmw.core.security.MemberProofs;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.wire.Handshake;
import io.cloudmw.core.wire.Membership;
import io.cloudmw.core.wire.MonitorWire;
import io.cloudmw.core.wire.ToWire;
import io.cloudmw.core.wire.WireErrors;
import io.cloudmw.helper.disk.OwnDisk;
import io.cloudmw.proto.v1.CoordinatorGrpc;
import io.cloudmw.proto.v1.DiskUsage;
import io.cloudmw.proto.v1.HeartbeatRequest;
import io.cloudmw.proto.v1.RegisterHelperRequest;
import io.cloudmw.proto.v1.RegisterHelperResponse;
import io.cloudmw.proto.v1.ReportReplicasRequest;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** What a helper asks of the coordinator. Calls block their thread for at most {@value #DEADLINE_SECONDS} seconds. */
public final class CoordinatorCalls implements AutoCloseable {
    static final int DEADLINE_SECONDS = 10;

    /** Who leaves does not wait for a coordinator that is away. */
    private static final int LEAVING_SECONDS = 1;

    /**
     * A lease.
     *
     * @param epoch to be named in heartbeats
     * @param heartbeatMillis how often they are expected
     */
    public record Lease(long epoch, long heartbeatMillis) {}

    private final HostPort address;
    private final ManagedChannel channel;

    /** @param proofs shows that this process knows the cluster's secret */
    public CoordinatorCalls(HostPort address, MemberProofs proofs) {
        this.address = address;
        this.channel = NettyChannelBuilder.forTarget("dns:///" + address)
                .usePlaintext()
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
     */
    public Lease register(HelperAddress self, long incarnation, List<Store> disks) throws CloudMwException {
        RegisterHelperRequest.Builder request = RegisterHelperRequest.newBuilder()
                .setHelper(ToWire.helper(self))
                .setIncarnation(incarnation);
        disks.forEach(disk -> request.addDisks(ToWire.store(new StoreStatus(disk, true))));
        try {
            RegisterHelperResponse answer = stub().registerHelper(request.build());
            return new Lease(answer.getEpoch(), answer.getHeartbeatIntervalMillis());
        } catch (StatusRuntimeException e) {
            throw failure(e);
        }
    }

    /**
     * Keeps the lease, and tells the news.
     *
     * @throws CloudMwException {@code HELPER_UNKNOWN} when it is over
     */
    public void heartbeat(
            HelperAddress self, long epoch, List<OwnDisk> disks, Map<SpeedKey, Speed> news, HelperActivity activity)
            throws CloudMwException {
        HeartbeatRequest.Builder request = HeartbeatRequest.newBuilder()
                .setHelperId(self.id().value())
                .setEpoch(epoch)
                .addAllSpeeds(MonitorWire.speeds(news))
                .setActivity(MonitorWire.activity(activity));
        for (OwnDisk disk : disks) {
            try {
                request.addDisks(DiskUsage.newBuilder()
                        .setStoreId(disk.store().id().value())
                        .setUsedBytes(disk.usage().usedBytes())
                        .setFreeBytes(disk.usage().freeBytes()));
            } catch (IOException e) {
                // A disk that cannot say how full it is is left out: the helper lives on.
                request.addDisks(
                        DiskUsage.newBuilder().setStoreId(disk.store().id().value()));
            }
        }
        try {
            stub().heartbeat(request.build());
        } catch (StatusRuntimeException e) {
            throw failure(e);
        }
    }

    /** Gives the lease back; blocks for {@value #LEAVING_SECONDS} second at most. */
    void leave(HelperAddress self, Lease held) throws CloudMwException {
        try {
            stub().withDeadlineAfter(LEAVING_SECONDS, TimeUnit.SECONDS)
                    .heartbeat(HeartbeatRequest.newBuilder()
                            .setHelperId(self.id().value())
                            .setEpoch(held.epoch())
                            .setLeaving(true)
                            .build());
        } catch (StatusRuntimeException e) {
            throw failure(e);
        }
    }

    /** Reports replicas of one version. */
    public void report(TransferClaims claims, List<ReplicaReport> reports) throws CloudMwException {
        ReportReplicasRequest.Builder request = ReportReplicasRequest.newBuilder()
                .setVolume(claims.file().volume().value())
                .setPath(claims.file().path())
                .setVersionId(claims.version().value());
        reports.forEach(report -> request.addReplicas(ToWire.report(report)));
        try {
            stub().reportReplicas(request.build());
        } catch (StatusRuntimeException e) {
            throw failure(e);
        }
    }

    private CoordinatorGrpc.CoordinatorBlockingStub stub() {
        return CoordinatorGrpc.newBlockingStub(channel).withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS);
    }

    private CloudMwException failure(StatusRuntimeException e) {
        return WireErrors.fromStatus(e, ErrorCode.COORDINATOR_UNAVAILABLE, "coordinator at " + address);
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }
}
