package io.cloudmw.coordinator.catalog.dynamodb;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import java.util.Map;

/**
 * Gives directories numbers no other ever had: each process takes blocks of them, and what it does not use is lost. Safe
 * for any thread.
 */
final class Numbers {
    static final long BLOCK = 1000;

    private final Table table;

    @GuardedBy("this")
    private long next;

    @GuardedBy("this")
    private long end;

    Numbers(Table table) {
        this.table = table;
    }

    synchronized long next() throws Conflict, CloudMwException {
        if (next == end) {
            Item last = table.update(
                            Keys.NUMBERS, "ADD " + Item.LAST + " :block", "", Map.of(":block", Item.number(BLOCK)))
                    .orElseThrow();
            end = last.number(Item.LAST) + 1;
            next = end - BLOCK;
        }
        return next++;
    }
}
