package io.cloudmw.core.catalog.dynamodb;

import io.cloudmw.core.catalog.ChangeLog;
import io.cloudmw.core.catalog.Changes;
import io.cloudmw.core.catalog.Pages;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.Change;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.wire.StoredForms;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Changes in items, one partition for each volume, and its last position in another. All that changes names in a volume
 * writes that position: of one process one does at a time, so that only other processes are conflicts. Safe for any thread.
 */
final class ChangeItems implements ChangeLog {
    private final Calls calls;
    private final Table table;
    private final Transactions transactions;

    /** Held while a position is read, counted up and written. As many as volumes were changed here. */
    private final Map<VolumeName, ReentrantLock> turns = new ConcurrentHashMap<>();

    private volatile Consumer<VolumeName> listener = volume -> {};

    ChangeItems(Calls calls, Table table, Transactions transactions) {
        this.calls = calls;
        this.table = table;
        this.transactions = transactions;
    }

    /**
     * Adds to a volume's changes; the last thing a transaction says. What it knows of the directories it went through is still
     * so when the position is read, or it begins anew: so the changes, in their order, are what became of the names.
     */
    void add(Transaction transaction, Names names, VolumeName volume, Change change) throws Conflict, CloudMwException {
        ReentrantLock turn = turns.computeIfAbsent(volume, name -> new ReentrantLock());
        turn.lock();
        transaction.atEnd(turn::unlock);
        Item last = settle(transaction, names, volume, change.atMillis());
        long position = last.number(Item.LAST) + 1;
        transaction.put(last.with(Item.LAST, position));
        transaction.put(Item.at(Keys.change(volume, position))
                .with(Item.CHANGED_AT, change.atMillis())
                .with(Item.FORM, StoredForms.change(change.at(position))));
        transaction.afterCommit(() -> listener.accept(volume));
    }

    /** What follows from what is said of the names of a volume; gives its position as it is, which is to be written too. */
    private static Item settle(Transaction transaction, Names names, VolumeName volume, long nowMillis)
            throws Conflict, CloudMwException {
        Key key = Keys.position(volume);
        names.look(key);
        Item last = transaction.get(key).orElse(Item.at(key).with(Item.LAST, 0));
        PastItems.settle(transaction, names, volume, taken(last), nowMillis);
        return last;
    }

    /** For a transaction that says what is no change; if it says something. */
    static void settleOnly(Transaction transaction, Names names, VolumeName volume) throws Conflict, CloudMwException {
        if (transaction.size() > 0) {
            transaction.put(settle(transaction, names, volume, 0));
        }
    }

    /** How many snapshots were taken. */
    static long taken(Item position) {
        return position.has(Item.TAKEN) ? position.number(Item.TAKEN) : 0;
    }

    @Override
    public long position(VolumeName volume) throws CloudMwException {
        return calls.call(() -> lastPosition(volume));
    }

    private long lastPosition(VolumeName volume) throws CloudMwException {
        return table.get(Keys.position(volume))
                .map(item -> item.number(Item.LAST))
                .orElse(0L);
    }

    @Override
    public Changes after(VolumeName volume, long after, int limit) throws CloudMwException {
        Pages.checkLimit(limit);
        return calls.call(() -> transactions.run(transaction -> look(volume, after, limit)));
    }

    /**
     * A position may be seen before the change that has it, and a change before the one that precedes it: what comes after a gap is
     * not taken, and what seems to be gone is looked for as it is at one moment.
     *
     * @throws Conflict when it is being written
     */
    private Changes look(VolumeName volume, long after, int limit) throws Conflict, CloudMwException {
        // Before the changes: what is added meanwhile follows what was asked for.
        long position = lastPosition(volume);
        List<Change> found = new ArrayList<>();
        String place = Keys.change(volume, after).sort();
        for (Item item : table.query(Range.after(Keys.changes(volume), place), limit)) {
            Change change = StoredForms.change(item.bytes(Item.FORM));
            if (!found.isEmpty()
                    && change.position() != found.get(found.size() - 1).position() + 1) {
                break;
            }
            found.add(change);
        }
        long last = found.isEmpty() ? position : found.get(found.size() - 1).position();
        Changes changes = Changes.found(after, found, Math.max(position, last));
        if (!changes.known() && after < changes.position() && isThere(Keys.change(volume, after + 1))) {
            throw new Conflict("a change was seen in part");
        }
        return changes;
    }

    private boolean isThere(Key key) throws Conflict, CloudMwException {
        return !table.snapshot(List.of(key), Key.PARTITION).get(0).isEmpty();
    }

    @Override
    public int prune(long beforeMillis, long keep) throws CloudMwException {
        return calls.call(() -> {
            int pruned = 0;
            for (Item item : table.queryAll(Range.all(Keys.POSITIONS))) {
                VolumeName volume = new VolumeName(item.key().sort());
                pruned += prune(volume, item.number(Item.LAST) - keep, beforeMillis);
            }
            return pruned;
        });
    }

    /** Where nothing is old it looks at one item. */
    private int prune(VolumeName volume, long surplus, long beforeMillis) throws CloudMwException {
        List<Key> old = old(volume, surplus, beforeMillis, 1);
        if (!old.isEmpty()) {
            old = old(volume, surplus, beforeMillis, PRUNE_BATCH);
            table.deleteAll(old);
        }
        return old.size();
    }

    /** Of the first so many the last that is old, and all before it. */
    private List<Key> old(VolumeName volume, long surplus, long beforeMillis, int lookedAt) throws CloudMwException {
        List<Key> old = new ArrayList<>();
        List<Key> seen = new ArrayList<>();
        for (Item item : table.query(Range.all(Keys.changes(volume)), lookedAt, "pk, sk, " + Item.CHANGED_AT)) {
            seen.add(item.key());
            if (Long.parseLong(item.key().sort()) <= surplus || item.number(Item.CHANGED_AT) < beforeMillis) {
                old.addAll(seen);
                seen.clear();
            }
        }
        return old;
    }

    @Override
    public void onChange(Consumer<VolumeName> told) {
        listener = told;
    }
}
