package io.cloudmw.coordinator.catalog.dynamodb;

import io.cloudmw.coordinator.catalog.Notes;
import io.cloudmw.coordinator.catalog.Pages;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.core.error.CloudMwException;
import java.util.Map;
import java.util.TreeMap;

/** The notes, one item for each. */
final class NoteItems implements Notes {
    private final Calls calls;
    private final Table table;
    private final Transactions transactions;

    NoteItems(Calls calls, Table table, Transactions transactions) {
        this.calls = calls;
        this.table = table;
        this.transactions = transactions;
    }

    @Override
    public Map<String, String> startingWith(String prefix) throws CloudMwException {
        return calls.call(() -> {
            Range range = prefix.isEmpty() ? Range.all(Keys.NOTES) : Range.startingWith(Keys.NOTES, prefix);
            Map<String, String> notes = new TreeMap<>();
            for (Item item : table.queryAll(range)) {
                notes.put(item.key().sort(), item.text(Item.TEXT));
            }
            return notes;
        });
    }

    @Override
    public void put(Lease lease, String key, String text) throws CloudMwException {
        Pages.checkNote(key, text);
        var unused = calls.call(() -> transactions.run(transaction -> {
            LeaseItems.requireNewest(transaction, lease);
            if (text.isEmpty()) {
                transaction.delete(Keys.note(key));
            } else {
                transaction.put(Item.at(Keys.note(key)).with(Item.TEXT, text));
            }
            return lease;
        }));
    }
}
