package io.cloudmw.coordinator.catalog.dynamodb.cluster;

import io.cloudmw.coordinator.catalog.change.ValueUpdate;
import io.cloudmw.coordinator.catalog.dynamodb.table.Item;
import io.cloudmw.coordinator.catalog.dynamodb.table.KeyLayout;
import io.cloudmw.coordinator.catalog.dynamodb.table.KeyRange;
import io.cloudmw.coordinator.catalog.dynamodb.table.Table;
import io.cloudmw.coordinator.catalog.dynamodb.table.TransactionConflict;
import io.cloudmw.coordinator.catalog.dynamodb.transaction.RunningCalls;
import io.cloudmw.coordinator.catalog.dynamodb.transaction.Transaction;
import io.cloudmw.coordinator.catalog.dynamodb.transaction.TransactionRetry;
import io.cloudmw.coordinator.catalog.stored.StoredForms;
import io.cloudmw.coordinator.grant.SubjectRecords;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.grant.Subject;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The items of subjects, one for each, and the one of their number and revision. Safe for any thread. */
public final class SubjectItems implements SubjectRecords {
    private final RunningCalls calls;
    private final Table table;
    private final TransactionRetry transactions;

    public SubjectItems(RunningCalls calls, Table table, TransactionRetry transactions) {
        this.calls = calls;
        this.table = table;
        this.transactions = transactions;
    }

    @Override
    public long revision() throws CloudMwException {
        return calls.call(() -> table.get(KeyLayout.SUBJECT_REVISION)
                .map(item -> item.number(Item.REVISION))
                .orElse(0L));
    }

    @Override
    public Optional<Subject> subject(String name) throws CloudMwException {
        return calls.call(() -> of(table.get(KeyLayout.subject(name))));
    }

    @Override
    public List<Subject> subjects() throws CloudMwException {
        return calls.call(this::all);
    }

    private List<Subject> all() throws CloudMwException {
        List<Subject> subjects = new ArrayList<>();
        for (Item item : table.queryAll(KeyRange.all(KeyLayout.SUBJECTS))) {
            subjects.add(StoredForms.subject(item.bytes(Item.FORM)));
        }
        return subjects;
    }

    @Override
    public Subject change(String name, ValueUpdate<Subject> update) throws CloudMwException {
        return calls.call(() -> transactions.run(transaction -> change(transaction, name, update)));
    }

    private Subject change(Transaction transaction, String name, ValueUpdate<Subject> update)
            throws TransactionConflict, CloudMwException {
        transaction.load(List.of(KeyLayout.SUBJECT_REVISION, KeyLayout.subject(name)));
        Optional<Item> counted = transaction.get(KeyLayout.SUBJECT_REVISION);
        long revision = counted.map(item -> item.number(Item.REVISION)).orElse(0L);
        long count = counted.map(item -> item.number(Item.COUNT)).orElse(0L);
        Optional<Subject> before = of(transaction.get(KeyLayout.subject(name)));
        Subject known = before.orElse(Subject.unknown(name));
        Subject changed = update.of(known);
        if (changed.equals(known)) {
            return changed;
        }
        Subject next = SubjectRecords.recorded(known, changed, revision + 1);
        if (known.isEmpty() && !next.isEmpty() && count >= MAX) {
            SubjectRecords.requireRoom(before.isEmpty(), all());
        }
        if (next.isForgotten()) {
            if (before.isPresent()) {
                transaction.delete(KeyLayout.subject(name));
                count--;
            }
        } else {
            if (before.isEmpty()) {
                count++;
            }
            transaction.put(Item.at(KeyLayout.subject(name)).with(Item.FORM, StoredForms.subject(next)));
        }
        transaction.put(Item.at(KeyLayout.SUBJECT_REVISION)
                .with(Item.REVISION, revision + 1)
                .with(Item.COUNT, count));
        return next;
    }

    private static Optional<Subject> of(Optional<Item> item) throws CloudMwException {
        return item.isEmpty()
                ? Optional.empty()
                : Optional.of(StoredForms.subject(item.get().bytes(Item.FORM)));
    }
}
