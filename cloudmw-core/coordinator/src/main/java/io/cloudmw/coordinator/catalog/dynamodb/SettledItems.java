package io.cloudmw.coordinator.catalog.dynamodb;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.coordinator.catalog.dynamodb.table.Item;
import io.cloudmw.coordinator.catalog.dynamodb.table.ItemKey;
import io.cloudmw.core.time.Ticker;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The items of a list that were not written for a while, measured by this process's own clock. DynamoDB applies the
 * changes of a transaction one by one, and a query may see only some. A reader that finds no records behind a list item
 * must wait until the transaction that wrote the item is surely over. Safe for any thread.
 */
final class SettledItems {
    /**
     * The time after which a transaction is surely over. Transactions take milliseconds; after a machine failure they
     * are completed within seconds.
     */
    static final Duration QUIET = Duration.ofSeconds(30);

    /** The most items remembered; others wait until there is room. */
    static final int MAX = 100_000;

    /**
     * The time after which an item that nobody asked about is dropped when room is needed; another process took it from
     * its list.
     */
    static final Duration UNASKED = Duration.ofMinutes(10);

    private final Ticker ticker;

    /** The items, ordered by the last query, oldest first. */
    @GuardedBy("this")
    private final Map<ItemKey, Seen> seen = new LinkedHashMap<>();

    private record Seen(String writtenBy, long sinceNanos, long askedNanos) {}

    SettledItems(Ticker ticker) {
        this.ticker = ticker;
    }

    /**
     * Returns whether this item was first read in its present form at least {@link #QUIET} ago; then it is forgotten
     * here.
     */
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
