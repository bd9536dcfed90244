package io.cloudmw.core.catalog.dynamodb;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.time.Ticker;
import java.time.Duration;
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

    /** Items remembered; of more, the first is forgotten, and must be quiet for as long again. */
    static final int MAX = 1024;

    private final Ticker ticker;

    @GuardedBy("this")
    private final Map<Key, Seen> seen = new LinkedHashMap<>();

    private record Seen(String writtenBy, long sinceNanos) {}

    QuietItems(Ticker ticker) {
        this.ticker = ticker;
    }

    /** Whether this item, as it was read now, was read for the first time so long ago. Then it is forgotten here. */
    synchronized boolean isQuiet(Item item) {
        Seen before = seen.get(item.key());
        if (before == null || !before.writtenBy().equals(item.writtenBy())) {
            remember(item);
            return false;
        }
        boolean quiet = ticker.nanos() - before.sinceNanos() >= QUIET.toNanos();
        if (quiet) {
            seen.remove(item.key());
        }
        return quiet;
    }

    @GuardedBy("this")
    private void remember(Item item) {
        if (seen.size() >= MAX && !seen.containsKey(item.key())) {
            seen.remove(seen.keySet().iterator().next());
        }
        seen.put(item.key(), new Seen(item.writtenBy(), ticker.nanos()));
    }
}
