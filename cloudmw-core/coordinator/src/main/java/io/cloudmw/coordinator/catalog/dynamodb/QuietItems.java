package io.cloudmw.coordinator.catalog.dynamodb;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.time.Ticker;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Says which items of a list have not been written for a while, by this process's own clock. DynamoDB makes the changes of a
 * transaction one by one, and a query may see one and not yet another: who finds nothing behind an item of a list must not
 * believe that before the transaction that wrote the item is surely over. Safe for any thread.
 */
final class QuietItems {
    /** Transactions take milliseconds; one whose machine died is completed within seconds. */
    static final Duration QUIET = Duration.ofSeconds(30);

    /** Items remembered; others wait until there is room. */
    static final int MAX = 100_000;

    /** What nobody has asked about for so long is forgotten when the room is needed: somebody else took it from its list. */
    static final Duration UNASKED = Duration.ofMinutes(10);

    private final Ticker ticker;

    /** Who was asked about longest ago comes first. */
    @GuardedBy("this")
    private final Map<Key, Seen> seen = new LinkedHashMap<>();

    private record Seen(String writtenBy, long sinceNanos, long askedNanos) {}

    QuietItems(Ticker ticker) {
        this.ticker = ticker;
    }

    /** Whether this item, as it was read now, was read for the first time so long ago. Then it is forgotten here. */
    synchronized boolean isQuiet(Item item) {
        long now = ticker.nanos();
        Seen before = seen.remove(item.key());
        boolean unchanged = before != null && before.writtenBy().equals(item.writtenBy());
        long since = before != null && unchanged ? before.sinceNanos() : now;
        if (now - since >= QUIET.toNanos()) {
            return true;
        }
        if (hasRoom(now)) {
            seen.put(item.key(), new Seen(item.writtenBy(), since, now));
        }
        return false;
    }

    @GuardedBy("this")
    private boolean hasRoom(long nowNanos) {
        Iterator<Seen> oldest = seen.values().iterator();
        while (seen.size() >= MAX
                && oldest.hasNext()
                && nowNanos - oldest.next().askedNanos() >= UNASKED.toNanos()) {
            oldest.remove();
        }
        return seen.size() < MAX;
    }
}
