package io.cloudmw.helper;

import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.reach.BucketProbe;
import io.cloudmw.core.rpc.CallRefusals;
import io.cloudmw.core.rpc.CallerIdentity;
import io.cloudmw.core.rpc.Membership;
import io.cloudmw.core.rpc.RpcServers;
import io.cloudmw.core.security.MemberProofs;
import io.cloudmw.core.signing.UrlSigner;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.helper.compete.HelperTransfers;
import io.cloudmw.helper.config.HelperConfig;
import io.cloudmw.helper.disk.OwnDisks;
import io.cloudmw.helper.rpc.CompetitionService;
import io.cloudmw.helper.rpc.ProbeService;
import io.cloudmw.helper.rpc.SigningService;
import io.cloudmw.helper.rpc.TransferService;
import io.cloudmw.helper.rpc.WarmingService;
import io.cloudmw.helper.rpc.WriteService;
import io.cloudmw.helper.serve.WriteHandler;
import io.cloudmw.helper.switching.SharedFetcher;
import io.cloudmw.helper.switching.WarmSessions;
import io.grpc.BindableService;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** The control plane of a helper: its gRPC server and services. Confined to the thread that starts the helper. */
final class ControlPlane {
    private static final int MAX_MESSAGE_BYTES = 1 << 20;
    private static final int MAX_CALLS_PER_CONNECTION = 1024;
    private static final Duration LONGEST_TRANSFER = Duration.ofDays(7);
    private static final int PROBES = 8;
    private static final int SIGNING_THREADS = 2;
    private static final int SIGNINGS = 64;

    private final HelperContext context;
    private final MemberProofs members;
    private final List<BindableService> services = new ArrayList<>();

    /** @param members verifies that callers of the coordinators' methods are members of the cluster */
    ControlPlane(HelperContext context, MemberProofs members) {
        this.context = context;
        this.members = members;
    }

    /** Adds the services that coordinators call: probes of buckets and signed URLs. */
    void addBuckets(BucketProbe probe, UrlSigner.LocalSigner signer) {
        ResourceStack stack = context.resources();
        services.add(
                new ProbeService(context.config().id(), probe, stack.pool(Threads.blocking("probe", PROBES, PROBES))));
        services.add(new SigningService(signer, stack.pool(Threads.blocking("sign", SIGNING_THREADS, SIGNINGS))));
    }

    /** Adds the services of transfers and writes. */
    void addTransfers(HelperTransfers transfers, WriteHandler writes) {
        HelperConfig config = context.config();
        services.add(new TransferService(
                config.id(), context.tokens(), transfers, config.switching().volumes()));
        services.add(new CompetitionService(context.tokens(), transfers));
        services.add(new WriteService(context.tokens(), writes));
    }

    /** Adds the service that warms the cache of a switch. */
    void addWarming(SharedFetcher cached, RequesterFactory requesters, OwnDisks disks) {
        HelperConfig.Switching switching = context.config().switching();
        services.add(new WarmingService(
                context.tokens(),
                new WarmSessions(switching.volumes(), cached, requesters::of, disks::holds, switching.warmings())));
    }

    /**
     * Starts the server with the services added so far.
     *
     * @return the port it listens on
     * @throws IOException when the address cannot be bound
     */
    int start(HostPort listen) throws IOException {
        ServerBuilder<?> builder = RpcServers.at(
                        listen,
                        context.tls(),
                        MAX_CALLS_PER_CONNECTION,
                        List.of(
                                new CallerIdentity(Set.of()),
                                Membership.server(members, ProbeService.MEMBERS_ONLY),
                                Membership.server(members, SigningService.MEMBERS_ONLY)),
                        context.refusals())
                .intercept(new CallRefusals(context.refusals()))
                .maxInboundMessageSize(MAX_MESSAGE_BYTES)
                // The streams of a transfer end with it, and it ends with its token.
                .maxConnectionAgeGrace(LONGEST_TRANSFER.toNanos(), TimeUnit.NANOSECONDS);
        services.forEach(builder::addService);
        Server server = context.resources().server(builder.build().start());
        return server.getPort();
    }
}
