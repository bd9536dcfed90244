package io.cloudmw.helper;

import io.cloudmw.core.bulk.BulkServer;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.schedule.ScheduleLimits;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.helper.config.HelperConfig;
import io.cloudmw.helper.disk.OwnDisks;
import io.cloudmw.helper.fetch.BlockFetcher;
import io.cloudmw.helper.fetch.Requester;
import io.cloudmw.helper.relay.DestinationSessions;
import io.cloudmw.helper.serve.AuthorizedStreams;
import io.cloudmw.helper.serve.LateCopyBudget;
import io.cloudmw.helper.serve.ReadHandler;
import io.cloudmw.helper.serve.StoreLanes;
import io.cloudmw.helper.serve.WriteHandler;
import io.cloudmw.helper.serve.WriteServices;
import io.cloudmw.helper.switching.SharedReadHandler;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/**
 * The bulk plane of a helper: the server for block and chunk bytes, and the handlers of its streams.
 *
 * @param sessions the bulk connections of destinations
 * @param authorized the streams that tokens have admitted
 */
record BulkPlane(
        BulkServer server,
        DestinationSessions sessions,
        WriteHandler writes,
        SharedReadHandler sharedReads,
        AuthorizedStreams authorized) {
    private static final List<Duration> RETRY_DELAYS =
            List.of(Duration.ofMillis(200), Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ofSeconds(20));

    /**
     * Binds the bulk server; it serves when this returns.
     *
     * @throws CloudMwException {@code LOCAL_IO} when the address cannot be bound
     */
    static BulkPlane open(
            HelperContext context, HostPort listen, OwnDisks disks, Fetchers fetchers, RequesterFactory requesters)
            throws CloudMwException {
        AuthorizedStreams authorized = new AuthorizedStreams(context.tokens());
        ReadHandler reads = reads(context, disks, authorized);
        WriteHandler writes = new WriteHandler(writeServices(context, fetchers, requesters, authorized));
        HelperConfig.Switching switching = context.config().switching();
        SharedReadHandler sharedReads = new SharedReadHandler(
                switching.volumes(),
                authorized,
                new SharedReadHandler.Fetchers(
                        traced(context, fetchers, fetchers.shared()),
                        traced(context, fetchers, fetchers.stores()),
                        fetchers.stores()),
                requesters,
                fetchers.switchMeters(),
                new SharedReadHandler.Limits(switching.children(), switching.reads()));
        DestinationSessions sessions = new DestinationSessions();
        BulkServer server = context.resources()
                .opened(BulkServer.bind(
                        context.transport(),
                        new InetSocketAddress(listen.host(), listen.port()),
                        context.config().id().value(),
                        new BulkDispatcher(sessions, reads, writes, sharedReads, context.refusals())));
        return new BulkPlane(server, sessions, writes, sharedReads, authorized);
    }

    private static BlockFetcher traced(HelperContext context, Fetchers fetchers, BlockFetcher fetcher) {
        return context.traced(fetchers.reclaimer().over(fetcher, Requester::tenant));
    }

    private static ReadHandler reads(HelperContext context, OwnDisks disks, AuthorizedStreams authorized) {
        HelperConfig.Limits limits = context.limits();
        ScheduleLimits schedule = ScheduleLimits.uncapped(
                2 * limits.reads().reads(), 2 * limits.reads().reads());
        return new ReadHandler(
                disks,
                authorized,
                context.resources().opened(context.fairPool("read", limits.storeThreads(), schedule)),
                new ReadHandler.Resources(
                        context.transport().allocator(), limits.reads().silence(), Ticker.system(), context.timer()),
                limits.reads().reads());
    }

    private static WriteServices writeServices(
            HelperContext context, Fetchers fetchers, RequesterFactory requesters, AuthorizedStreams authorized) {
        HelperConfig.Limits limits = context.limits();
        return new WriteServices(
                authorized,
                requesters.stores(),
                requesters.reporter(),
                resources("upload", context, fetchers, limits.writes().uploads()),
                resources("copy", context, fetchers, limits.writes().copies()),
                new LateCopyBudget(
                        limits.writes().late().chunks(), limits.writes().late().spoolBytes()),
                new WriteServices.Timing(limits.writes().silence(), Ticker.system(), context.timer(), RETRY_DELAYS));
    }

    /** The resources of one kind of writes. */
    private static WriteServices.Resources resources(
            String kind, HelperContext context, Fetchers fetchers, HelperConfig.Received limits) {
        int threads = context.limits().storeThreads();
        int late = context.limits().writes().late().chunks();
        ResourceStack stack = context.resources();
        return new WriteServices.Resources(
                fetchers.spool().share(limits.spoolBytes()),
                stack.pool(Threads.blocking(kind + "-receive", threads, limits.chunks())),
                new StoreLanes(
                        stack.pool(Threads.blocking(
                                kind + "-store", threads, (limits.chunks() + late) * Volume.MAX_REPLICAS)),
                        Math.max(1, threads / 4),
                        threads / 2),
                limits.chunks());
    }
}
