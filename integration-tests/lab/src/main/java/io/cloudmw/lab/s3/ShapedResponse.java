package io.cloudmw.lab.s3;

import io.cloudmw.core.emulation.ResponsePace;
import io.cloudmw.core.emulation.StorePace;
import java.util.ArrayList;
import java.util.List;

/**
 * A response that passes the proxy, with the times at which its parts are due. Confined to its connection's event loop.
 */
final class ShapedResponse {
    /** A limit of the response's rate by one pace of the store. */
    private record Pace(StorePace store, ResponsePace response) {}

    private final List<Pace> paces = new ArrayList<>();
    private final TrafficCounter count;

    /**
     * Begins the response of a request that has just arrived.
     *
     * @param read whether the request reads an object; other responses are not slowed
     */
    ShapedResponse(ShapedStore store, boolean read) {
        StoreConditions conditions = read ? store.conditions() : StoreConditions.none();
        count = conditions.count();
        count.requested();
        for (StorePace pace : conditions.paces()) {
            paces.add(new Pace(pace, pace.request()));
        }
    }

    /** Registers the response's head; returns how long it must wait. */
    long headWaitNanos(long lengthBytes) {
        long longest = 0;
        for (Pace pace : paces) {
            pace.response().length(lengthBytes);
            longest = Math.max(
                    longest, pace.response().firstByteNanos() - pace.store().elapsedNanos());
        }
        return longest;
    }

    /** Registers bytes of the body; returns how long they must wait. */
    long bodyWaitNanos(long bytes) {
        long longest = 0;
        for (Pace pace : paces) {
            longest = Math.max(
                    longest, pace.response().arrivalNanos(bytes) - pace.store().elapsedNanos());
        }
        return longest;
    }

    void sent(long bytes) {
        count.sent(bytes);
    }
}
