package io.cloudmw.helper;

import io.cloudmw.core.bulk.BulkOptions;
import io.cloudmw.core.bulk.message.BulkRequest;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.Urgency;
import io.cloudmw.core.monitor.SpeedMonitor;
import io.cloudmw.core.schedule.LocalDeadline;
import io.cloudmw.core.schedule.Tenant;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.MonitoredChunkStore;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.helper.compete.TransferSpec;
import io.cloudmw.helper.fetch.ReplicaReporter;
import io.cloudmw.helper.fetch.Requester;
import io.cloudmw.helper.fetch.StoreResolver;
import io.cloudmw.helper.fetch.Upstream;
import io.cloudmw.helper.remote.RemoteRights;
import io.cloudmw.helper.remote.StoreDirectory;
import io.cloudmw.helper.switching.SharedReadHandler;
import io.cloudmw.helper.switching.UpstreamSwitches;
import io.cloudmw.helper.switching.WarmSessions;
import java.time.Duration;

/**
 * The factory of requesters: it gives transfers, readers of the switch and warm-ups the stores and the upstream
 * switches that they may use. Stores that it opens are measured.
 */
record RequesterFactory(
        HelperContext context,
        StoreDirectory stores,
        UpstreamSwitches switches,
        SpeedMonitor speeds,
        ReplicaReporter reporter)
        implements SharedReadHandler.Requesters {
    private static final int SWITCH_THREADS = 8;
    /** Readers wait for a switch above, so one that does not answer soon counts as unavailable. */
    private static final Duration SWITCH_CONNECT = Duration.ofSeconds(2);

    private static final Duration SWITCH_SILENCE = Duration.ofSeconds(3);

    /** Opens the connections to upstream switches. */
    static RequesterFactory open(
            HelperContext context, StoreDirectory stores, SpeedMonitor speeds, ReplicaReporter reporter) {
        BulkOptions impatient = context.transport().options().withTimeouts(SWITCH_CONNECT, SWITCH_SILENCE);
        UpstreamSwitches switches = new UpstreamSwitches(
                context.config().id(),
                context.connections(impatient),
                context.resources().pool(Threads.unbounded("switch", SWITCH_THREADS)));
        return new RequesterFactory(context, stores, switches, speeds, reporter);
    }

    /** The stores that a transfer names. */
    StoreResolver resolver(TransferSpec spec) {
        LocalDeadline due = new LocalDeadline(spec.urgency(), Ticker.system());
        return measured(stores.resolver(spec.stores(), spec.helpers(), spec.token(), spec.claims(), due));
    }

    /** The switches above this helper in the trees of a transfer. */
    Upstream upstream(TransferSpec spec) {
        return switches.upstream(
                new UpstreamSwitches.Scope(spec.helpers(), spec.tree(), spec.stores()),
                new RemoteRights(
                        spec.token(),
                        spec.claims(),
                        context.tokens(),
                        new LocalDeadline(spec.urgency(), Ticker.system())),
                spec.tenant(),
                Integer.MAX_VALUE);
    }

    @Override
    public Requester of(BulkRequest.Shared request, TransferClaims claims, Tenant tenant) {
        return of(
                new WarmSessions.Spec(request.token(), claims, request.helpers(), request.tree(), request.stores()),
                tenant,
                request.urgency(),
                request.height());
    }

    /** The requester of a warm-up. */
    Requester of(WarmSessions.Spec request, Tenant tenant) {
        return of(request, tenant, Urgency.of(tenant.priority()), Integer.MAX_VALUE);
    }

    private Requester of(WarmSessions.Spec request, Tenant tenant, Urgency urgency, int highest) {
        LocalDeadline due = new LocalDeadline(urgency, Ticker.system());
        TransferClaims claims = request.claims();
        StoreResolver resolver = stores.resolver(request.stores(), request.helpers(), request.token(), claims, due);
        Upstream upstream = switches.upstream(
                new UpstreamSwitches.Scope(request.helpers(), request.tree(), request.stores()),
                new RemoteRights(request.token(), claims, context.tokens(), due),
                tenant,
                highest);
        return new Requester(
                tenant, due.deadlineNanos(), measured(resolver), upstream, report -> reporter.report(claims, report));
    }

    private StoreResolver measured(StoreResolver resolver) {
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
}
