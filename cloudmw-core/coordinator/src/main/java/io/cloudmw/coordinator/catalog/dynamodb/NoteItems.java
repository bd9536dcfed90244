package io.cloudmw.coordinator.catalog.dynamodb;

import io.cloudmw.coordinator.catalog.PageRules;
import io.cloudmw.coordinator.catalog.UpkeepNotes;
import io.cloudmw.coordinator.catalog.dynamodb.table.Item;
import io.cloudmw.coordinator.catalog.dynamodb.table.KeyLayout;
import io.cloudmw.coordinator.catalog.dynamodb.table.KeyRange;
import io.cloudmw.coordinator.catalog.dynamodb.table.Table;
import io.cloudmw.coordinator.catalog.dynamodb.transaction.RunningCalls;
import io.cloudmw.coordinator.catalog.dynamodb.transaction.TransactionRetry;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.core.error.CloudMwException;
import java.util.Map;
import java.util.TreeMap;

/** The items of upkeep's notes, one for each. Safe for any thread. */
final class NoteItems implements UpkeepNotes {
    private final RunningCalls calls;
    private final Table table;
    private final TransactionRetry transactions;

    NoteItems(RunningCalls calls, Table table, TransactionRetry transactions) {
        this.calls = calls;
        this.table = table;
        this.transactions = transactions;
    }

    @Override
    public Map<String, String> startingWith(String prefix) throws CloudMwException {
        return calls.call(() -> {
            KeyRange range =
                    prefix.isEmpty() ? KeyRange.all(KeyLayout.NOTES) : KeyRange.startingWith(KeyLayout.NOTES, prefix);
            Map<String, String> notes = new TreeMap<>();
            for (Item item : table.queryAll(range)) {
                notes.put(item.key().sort(), item.text(Item.TEXT));
            }
            return notes;
        });
    }

    @Override
    public void put(Lease lease, String key, String text) throws CloudMwException {
        PageRules.checkNote(key, text);
        var unused = calls.call(() -> transactions.run(transaction -> {
            LeaseItems.requireNewest(transaction, lease);
            if (text.isEmpty()) {
                transaction.delete(KeyLayout.note(key));
            } else {
                transaction.put(Item.at(KeyLayout.note(key)).with(Item.TEXT, text));
            }
            return lease;
        }));
    }
}
