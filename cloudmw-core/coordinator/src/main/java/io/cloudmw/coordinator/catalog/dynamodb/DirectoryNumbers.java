package io.cloudmw.coordinator.catalog.dynamodb;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.coordinator.catalog.dynamodb.table.Item;
import io.cloudmw.coordinator.catalog.dynamodb.table.KeyLayout;
import io.cloudmw.coordinator.catalog.dynamodb.table.Table;
import io.cloudmw.coordinator.catalog.dynamodb.table.TransactionConflict;
import io.cloudmw.core.error.CloudMwException;
import java.util.Map;

/**
 * The generator of directory numbers, which are never reused. Each process reserves blocks of numbers, and unused ones
 * are lost. Safe for any thread.
 */
final class DirectoryNumbers {
    static final long BLOCK = 1000;

    private final Table table;

    @GuardedBy("this")
    private long next;

    @GuardedBy("this")
    private long end;

    DirectoryNumbers(Table table) {
        this.table = table;
    }

    synchronized long next() throws TransactionConflict, CloudMwException {
        if (next == end) {
            Item last = table.update(
                            KeyLayout.NUMBERS, "ADD " + Item.LAST + " :block", "", Map.of(":block", Item.number(BLOCK)))
                    .orElseThrow();
            end = last.number(Item.LAST) + 1;
            next = end - BLOCK;
        }
        return next++;
    }
}
