package io.cloudmw.core.schedule;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * The connections of one kind that a server has now, with a limit in total and a limit by remote address. A network of
 * IPv6 (64 bits) counts as one address, since one host has all of it. Safe for any thread.
 */
public final class ConnectionSlots {
    private static final int NETWORK_BYTES = 8;

    private final int most;
    private final int mostOfOne;

    @GuardedBy("this")
    private final Map<ByteBuffer, Integer> byAddress = new HashMap<>();

    @GuardedBy("this")
    private int all;

    /**
     * @param most in total
     * @param mostOfOne from one address
     */
    public ConnectionSlots(int most, int mostOfOne) {
        if (most < 1 || mostOfOne < 1) {
            throw new IllegalArgumentException(
                    "most: " + most + ", of one address: " + mostOfOne + " (expected: >= 1)");
        }
        this.most = most;
        this.mostOfOne = mostOfOne;
    }

    /** Takes a slot for a connection; returns false when none is left, in total or for the address. */
    public synchronized boolean tryTake(InetAddress address) {
        ByteBuffer key = key(address);
        int own = byAddress.getOrDefault(key, 0);
        if (all >= most || own >= mostOfOne) {
            return false;
        }
        all++;
        byAddress.put(key, own + 1);
        return true;
    }

    /** Returns a slot that was taken. */
    public synchronized void giveBack(InetAddress address) {
        all--;
        byAddress.computeIfPresent(key(address), (key, own) -> own == 1 ? null : own - 1);
    }

    /** Returns how many slots are taken. */
    public synchronized int taken() {
        return all;
    }

    private static ByteBuffer key(InetAddress address) {
        byte[] bytes = address.getAddress();
        return ByteBuffer.wrap(address instanceof Inet6Address ? Arrays.copyOf(bytes, NETWORK_BYTES) : bytes);
    }
}
