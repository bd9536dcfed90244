package io.cloudmw.helper;

import io.cloudmw.core.bulk.BulkConnector;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.metrics.MonitorMetrics;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.monitor.SpeedMonitor;
import io.cloudmw.core.security.ClusterSecret;
import io.cloudmw.core.security.MemberProofs;
import io.cloudmw.core.security.TransferTokens;
import io.cloudmw.core.store.StoreOpener;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.trace.Telemetry;
import io.cloudmw.helper.config.HelperConfig;
import io.cloudmw.helper.disk.OwnDisks;
import io.cloudmw.helper.remote.StoreDirectory;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * A helper without a coordinator and without disks, for the warm-up of a process: both planes, fetchers and transfers
 * are those of {@link HelperServer}. No coordinator learns of the helper. Safe for any thread.
 */
public final class LoopbackHelper implements AutoCloseable {
    private final HelperContext context;
    private final HelperAddress address;

    private LoopbackHelper(HelperContext context, HelperAddress address) {
        this.context = context;
        this.address = address;
    }

    /**
     * Starts a helper, which serves when this returns.
     *
     * @param config names loopback addresses and directories of its own
     * @param stores opens the stores that transfers name; the caller closes it
     * @throws CloudMwException {@code LOCAL_IO} when an address cannot be bound or a directory cannot be used. Nothing
     *     is left open then
     */
    public static LoopbackHelper start(
            HelperConfig config, ClusterSecret secret, StoreOpener stores, Telemetry telemetry)
            throws CloudMwException {
        ResourceStack resources = new ResourceStack("helper " + config.id());
        boolean started = false;
        try {
            OwnDisks none = resources.opened(new OwnDisks(List.of()));
            HelperContext context = HelperContext.open(
                    config, new TransferTokens(secret, WallClock.system()), Optional.empty(), telemetry, resources);
            StoreDirectory directory = new StoreDirectory(
                    config.id(), none, context.connections(context.transport().options()), stores, context.tokens());
            SpeedMonitor speeds = new SpeedMonitor(
                    Ticker.system(), SpeedMonitor.DEFAULT_KEYS, new MonitorMetrics(telemetry.meters()));
            RequesterFactory requesters = RequesterFactory.open(context, directory, speeds, (claims, report) -> {});
            ControlPlane control = new ControlPlane(context, new MemberProofs(secret, WallClock.system()));
            HelperPlanes planes = HelperPlanes.open(context, none, requesters, control);
            started = true;
            return new LoopbackHelper(context, planes.address());
        } catch (IOException e) {
            throw e instanceof CloudMwException known
                    ? known
                    : new CloudMwException(ErrorCode.LOCAL_IO, "helper " + config.id() + ": " + Reasons.of(e), e);
        } finally {
            if (!started) {
                resources.close();
            }
        }
    }

    /** The addresses of both planes. */
    public HelperAddress address() {
        return address;
    }

    /** Returns a connector on the event loops of this helper, so that a reader needs no memory of its own. */
    public BulkConnector connector(String process) {
        return new BulkConnector(context.transport(), process);
    }

    @Override
    public void close() {
        context.resources().close();
    }
}
