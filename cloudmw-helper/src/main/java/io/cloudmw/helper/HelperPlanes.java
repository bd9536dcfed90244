package io.cloudmw.helper;

import io.cloudmw.core.address.AddressPolicy;
import io.cloudmw.core.address.HostNetwork;
import io.cloudmw.core.bulk.message.BulkRequest;
import io.cloudmw.core.metrics.RaceMetrics;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.rpc.RpcChannels;
import io.cloudmw.core.status.fleet.HedgeCounts;
import io.cloudmw.core.status.fleet.HelperActivity;
import io.cloudmw.core.status.fleet.SwitchActivity;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.helper.compete.HelperServices;
import io.cloudmw.helper.compete.HelperTransfers;
import io.cloudmw.helper.config.HelperConfig;
import io.cloudmw.helper.disk.OwnDisks;
import io.cloudmw.helper.relay.DestinationSessions;
import io.cloudmw.helper.rpc.RivalChannels;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The control plane and the bulk plane of a helper, with the fetchers and transfers that serve them. The resources of
 * the context own everything that they open.
 *
 * @param address the address by which others reach the helper
 * @param ports the ports on which it listens
 * @param activity the helper's activity now
 * @param resetRevoked ends the transfers and streams whose tokens were revoked
 */
record HelperPlanes(
        HelperAddress address,
        HelperServer.Ports ports,
        Fetchers fetchers,
        Supplier<HelperActivity> activity,
        Runnable resetRevoked) {
    private static final int RIVAL_CHANNELS = 256;
    private static final int PARKED_JOINS = 1024;
    private static final Duration JOIN_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration PROGRESS_INTERVAL = Duration.ofMillis(100);

    /**
     * Opens both planes; they serve when this returns.
     *
     * @throws IOException when an address cannot be bound or a directory cannot be used
     */
    static HelperPlanes open(HelperContext context, OwnDisks disks, RequesterFactory requesters, ControlPlane control)
            throws IOException {
        HelperConfig config = context.config();
        ResourceStack resources = context.resources();
        RaceMetrics races = new RaceMetrics(context.meters());
        Fetchers fetchers = Fetchers.open(context, disks, races::reclaimed);
        AddressPolicy addresses = new AddressPolicy(config.coordinator(), HostNetwork.ofThisMachine());
        AddressPolicy.Decision bulkAddress = addresses.decide(config.addresses().bulk());
        AddressPolicy.Decision controlAddress =
                addresses.decide(config.addresses().control());
        config.tls().requireListen(config.addresses().bulk().listenSetting(), bulkAddress.listen());
        config.tls().requireListen(config.addresses().control().listenSetting(), controlAddress.listen());
        BulkPlane bulk = BulkPlane.open(context, bulkAddress.listen(), disks, fetchers, requesters);
        HelperTransfers transfers =
                new HelperTransfers(transferServices(context, fetchers, requesters, bulk.sessions(), races));
        control.addTransfers(transfers, bulk.writes());
        fetchers.cached().ifPresent(cached -> control.addWarming(cached, requesters, disks));
        int controlPort = control.start(controlAddress.listen());
        resources.opened(transfers);
        HelperServer.Ports listening =
                new HelperServer.Ports(controlPort, bulk.server().port());
        return new HelperPlanes(
                new HelperAddress(
                        config.id(),
                        controlAddress.advertised(listening.control()).toString(),
                        bulkAddress.advertised(listening.bulk()).toString(),
                        config.switching().volumes(),
                        config.location(),
                        true),
                listening,
                fetchers,
                () -> activity(
                        transfers.size(),
                        races.totals(),
                        fetchers.cached()
                                .map(cached -> cached.activity(
                                        requesters.switches().asked(),
                                        bulk.sharedReads().children()))),
                () -> {
                    transfers.resetRevoked(context.tokens());
                    bulk.authorized().resetRevoked();
                });
    }

    private static HelperServices transferServices(
            HelperContext context,
            Fetchers fetchers,
            RequesterFactory requesters,
            DestinationSessions sessions,
            RaceMetrics races) {
        HelperConfig.Limits limits = context.limits();
        ResourceStack resources = context.resources();
        return new HelperServices(
                new HelperServices.BlockFetchers(
                        context.traced(fetchers.reclaimer().over(fetchers.stores(), transfer -> transfer)),
                        context.traced(fetchers.reclaimer().over(fetchers.shared(), transfer -> transfer)),
                        fetchers.stores()),
                new HelperServices.Links(
                        requesters::resolver,
                        requesters::upstream,
                        sessions::find,
                        (transfer, block, racer, store) ->
                                new BulkRequest.Relay(transfer, block, racer, store).encode(),
                        resources.opened(new RivalChannels(new RpcChannels(context.tls()), RIVAL_CHANNELS))),
                requesters.reporter(),
                races,
                new HelperServices.Timing(
                        resources.pool(Threads.blocking(
                                "transfer", 4, limits.transfers().transfers() + 16)),
                        context.timer(),
                        Ticker.system()),
                context.config().race(),
                new HelperServices.Limits(
                        limits.transfers().transfers(),
                        limits.transfers().clientTransfers(),
                        limits.transfers().blocks(),
                        PARKED_JOINS,
                        JOIN_TIMEOUT.toNanos(),
                        PROGRESS_INTERVAL.toNanos(),
                        limits.fetch().longestWait().toNanos()));
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
                new HedgeCounts(totals.hedges(), totals.hedgesWon(), totals.hedgesSuppressed()),
                switching);
    }
}
