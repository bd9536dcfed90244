package io.cloudmw.coordinator.fleet;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.model.HelperId;
import java.net.SocketAddress;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The states of the connections over which helpers were heard here last: open, or ended. When a helper's process is killed, its connection ends at
 * once, long before its lease does. Leases do not depend on this: a helper may only have lost its connection, and comes
 * back over another one. Safe for any thread; never blocks.
 */
public final class HelperConnectionStates {
    @GuardedBy("this")
    private final Map<HelperId, SocketAddress> open = new HashMap<>();

    @GuardedBy("this")
    private final Map<SocketAddress, HelperId> helpers = new HashMap<>();

    @GuardedBy("this")
    private final Set<HelperId> lost = new HashSet<>();

    /** Records a call of a helper, over the connection from this address. */
    public synchronized void heard(HelperId helper, SocketAddress from) {
        lost.remove(helper);
        SocketAddress before = open.get(helper);
        if (from.equals(before) || (before == null && open.size() >= HelperRegistry.MAX_HELPERS)) {
            return;
        }
        if (before != null) {
            helpers.remove(before);
        }
        open.put(helper, from);
        helpers.put(from, helper);
    }

    /** Records the end of a connection. */
    public synchronized void ended(SocketAddress from) {
        HelperId helper = helpers.remove(from);
        if (helper != null && open.remove(helper, from) && lost.size() < HelperRegistry.MAX_HELPERS) {
            lost.add(helper);
        }
    }

    /** Returns whether the connection of a helper has ended, and the helper was not heard since. */
    public synchronized boolean isLost(HelperId helper) {
        return lost.contains(helper);
    }
}
