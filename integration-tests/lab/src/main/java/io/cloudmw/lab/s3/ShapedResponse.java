package io.cloudmw.lab.s3;

import io.cloudmw.core.emulation.ResponsePace;
import io.cloudmw.core.emulation.StorePace;
import java.util.ArrayList;
import java.util.List;

/** A response on its way through the proxy, with the times at which its parts may go on. Confined to its connection's event loop. */
final class ShapedResponse {
    /** A limit of the response's rate, in the store's time. */
    private record Pace(StorePace store, ResponsePace response) {}

    private final List<Pace> paces = new ArrayList<>();
    private final TrafficCounter count;

    /**
     * A request arrived.
     *
     * @param read whether it reads an object: anything else is let through
     */
    ShapedResponse(ShapedStore store, boolean read) {
        StoreConditions conditions = read ? store.conditions() : StoreConditions.none();
        count = conditions.count();
        count.requested();
        for (StorePace pace : conditions.paces()) {
            paces.add(new Pace(pace, pace.request()));
        }
    }

    /** The response's head came; returns how long it must wait. */
    long headWaitNanos(long lengthBytes) {
        long longest = 0;
        for (Pace pace : paces) {
            pace.response().length(lengthBytes);
            longest = Math.max(
                    longest, pace.response().firstByteNanos() - pace.store().elapsedNanos());
        }
        return longest;
    }

    /** The next bytes of the body came; returns how long they must wait. */
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
