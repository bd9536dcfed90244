package io.cloudmw.lab.s3;

import io.cloudmw.core.emulation.StorePace;
import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An emulated store: one port of the proxy, whose speed can change at any time. A response keeps the speed of the time
 * of its request. Safe for any thread.
 */
public final class ShapedStore {
    private volatile StoreConditions conditions = StoreConditions.none();
    /** The traffic of the latest run. */
    private volatile TrafficCounter count = new TrafficCounter();

    private volatile @Nullable Channel listener;

    ShapedStore() {}

    void listening(Channel channel) {
        listener = channel;
    }

    /** Returns {@code http://127.0.0.1:port}. */
    public String endpoint() {
        Channel channel = listener;
        if (channel == null || !(channel.localAddress() instanceof InetSocketAddress address)) {
            throw new IllegalStateException("not listening");
        }
        return "http://127.0.0.1:" + address.getPort();
    }

    /**
     * Begins a run: new reads are slowed by all of {@code paces} and counted from zero. Reads in progress count for the
     * run that they began in, if any.
     */
    public void begin(List<StorePace> paces) {
        TrafficCounter fresh = new TrafficCounter();
        count = fresh;
        conditions = new StoreConditions(paces, fresh);
    }

    /** Ends the run: new reads are neither slowed nor counted. Returns the traffic of reads since {@link #begin}. */
    public Traffic end() {
        conditions = StoreConditions.none();
        return crossed();
    }

    /** Returns the traffic of reads since {@link #begin}. */
    Traffic crossed() {
        return count.crossed();
    }

    StoreConditions conditions() {
        return conditions;
    }
}
