package io.cloudmw.client.cli.lab.s3;

import io.cloudmw.core.emulation.StorePace;
import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * One emulated store: a port of the proxy, under conditions that can be changed at any time. A response keeps the
 * conditions it was requested under. Safe for any thread.
 */
public final class ShapedStore {
    private final LongAdder requests = new LongAdder();
    private final LongAdder bytes = new LongAdder();
    private volatile Conditions conditions = Conditions.NONE;
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

    /** From now on reads are counted, from zero, and take as long as all of {@code paces} say. */
    public void begin(List<StorePace> paces) {
        requests.reset();
        bytes.reset();
        conditions = new Conditions(paces, true);
    }

    /** From now on nothing is slowed or counted; what was counted since {@link #begin}. */
    public Crossed end() {
        conditions = Conditions.NONE;
        return crossed();
    }

    /** What was counted since {@link #begin}. */
    Crossed crossed() {
        return new Crossed(requests.sum(), bytes.sum());
    }

    Conditions conditions() {
        return conditions;
    }

    void requested() {
        requests.increment();
    }

    void sent(long count) {
        bytes.add(count);
    }
}
