package io.cloudmw.lab.s3;

import io.cloudmw.core.emulation.StorePace;
import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An emulated store: a port of the proxy, under conditions that can change at any time. A response keeps the
 * conditions it was requested under. Safe for any thread.
 */
public final class ShapedStore {
    private volatile StoreConditions conditions = StoreConditions.none();
    /** Of the latest run. */
    private volatile TrafficCounter count = new TrafficCounter();

    private volatile @Nullable Channel listener;

    ShapedStore() {}

    void listening(Channel channel) {
        listener = channel;
    }

    /** Where it answers: {@code http://127.0.0.1:port}. */
    public String endpoint() {
        Channel channel = listener;
        if (channel == null || !(channel.localAddress() instanceof InetSocketAddress address)) {
            throw new IllegalStateException("not listening");
        }
        return "http://127.0.0.1:" + address.getPort();
    }

    /**
     * A run begins: reads that arrive from now on are counted, from zero, and take as long as all of {@code paces} say.
     * What is still under way counts for the run it began in, if any.
     */
    public void begin(List<StorePace> paces) {
        TrafficCounter fresh = new TrafficCounter();
        count = fresh;
        conditions = new StoreConditions(paces, fresh);
    }

    /** Reads that arrive from now on are neither slowed nor counted; what was counted of those since {@link #begin}. */
    public Traffic end() {
        conditions = StoreConditions.none();
        return crossed();
    }

    /** What was counted of reads that arrived since {@link #begin}. */
    Traffic crossed() {
        return count.crossed();
    }

    StoreConditions conditions() {
        return conditions;
    }
}
