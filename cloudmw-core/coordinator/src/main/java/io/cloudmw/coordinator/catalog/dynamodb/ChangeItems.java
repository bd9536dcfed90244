package io.cloudmw.coordinator.catalog.dynamodb;

import io.cloudmw.coordinator.catalog.ChangeLog;
import io.cloudmw.coordinator.catalog.Changes;
import io.cloudmw.coordinator.catalog.Pages;
import io.cloudmw.coordinator.catalog.stored.StoredForms;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.Change;
import io.cloudmw.core.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Changes in items, one partition for each volume, and its last position in another. All that changes names in a volume
 * writes that position: of one process one does at a time, so that only other processes are conflicts. Safe for any thread.
 */
final class ChangeItems implements ChangeLog {
    private final Calls calls;
    private final Table table;
    private final Transactions transactions;

    /** Taken while a position is read, counted up and written. */
    private final Turns turns = new Turns(Ticker.system());

    /** Of each volume a transaction that wrote its position and took effect everywhere; the last one, mostly. */
    private final Map<VolumeName, String> whole = new ConcurrentHashMap<>();

    private volatile Consumer<VolumeName> listener = volume -> {};

    ChangeItems(Calls calls, Table table, Transactions transactions) {
        this.calls = calls;
        this.table = table;
        this.transactions = transactions;
    }

    /**
     * Before it is looked, by a query, whether nothing is in a directory: all that changed the volume's names before has taken
     * effect everywhere when this returns, and if anything does after that, the transaction begins anew. A query may miss one
     * item of a transaction that is being written while others of it can be seen. So each change notes with the position which
     * entries it adds, and none follows another, of this process or any, before that one's are seen.
     *
     * @throws Conflict when the last change is not whole yet
     */
    void begin(Transaction transaction, VolumeName volume) throws Conflict, CloudMwException {
        takeTurn(transaction, volume);
        Optional<Item> last = transaction.get(Keys.position(volume));
        if (last.isPresent()) {
            requireWhole(volume, last.get());
        }
    }

    private void takeTurn(Transaction transaction, VolumeName volume) throws CloudMwException {
        transaction.atEnd(turns.take(volume));
    }

    private void requireWhole(VolumeName volume, Item last) throws Conflict, CloudMwException {
        if (last.writtenBy().equals(whole.get(volume))) {
            return;
        }
        List<Key> added = last.keys(Item.ADDED);
        for (int from = 0; from < added.size(); from += Table.MAX_ITEMS) {
            List<Key> some = added.subList(from, Math.min(added.size(), from + Table.MAX_ITEMS));
            if (table.getAll(some).size() < some.size()) {
                throw new Conflict("the change before was seen in part");
            }
        }
        whole.put(volume, last.writtenBy());
    }

    /**
     * Adds to a volume's changes; the last thing a transaction says. What it knows of the directories it went through is still
     * so when the position is read, or it begins anew: so the changes, in their order, are what became of the names.
     */
    void add(Transaction transaction, Names names, VolumeName volume, Change change) throws Conflict, CloudMwException {
        takeTurn(transaction, volume);
        Item last = settle(transaction, names, volume, change.atMillis());
        long position = last.number(Item.LAST) + 1;
        transaction.put(last.with(Item.LAST, position).with(Item.ADDED, added(transaction)));
        transaction.put(Item.at(Keys.change(volume, position))
                .with(Item.CHANGED_AT, change.atMillis())
                .with(Item.FORM, StoredForms.change(change.at(position))));
        transaction.afterCommit(() -> {
            // An answered transaction is whole.
            whole.put(volume, transaction.id());
            listener.accept(volume);
        });
    }

    private static List<Key> added(Transaction transaction) throws CloudMwException {
        List<Key> added = new ArrayList<>();
        for (Key key : transaction.written(Keys.DIRECTORIES)) {
            if (transaction.before(key).isEmpty() && transaction.get(key).isPresent()) {
                added.add(key);
            }
        }
        return added;
    }

    /** What follows from what is said of the names of a volume; gives its position as it is, which is to be written too. */
    private Item settle(Transaction transaction, Names names, VolumeName volume, long nowMillis)
            throws Conflict, CloudMwException {
        Key key = Keys.position(volume);
        boolean begun = transaction.hasRead(key);
        Optional<Item> before = transaction.before(key);
        names.look(key);
        Optional<Item> now = transaction.get(key);
        if (begun && !before.map(Item::writtenBy).equals(now.map(Item::writtenBy))) {
            throw new Conflict("the volume was changed while a directory was looked into");
        }
        if (now.isPresent()) {
            requireWhole(volume, now.get());
        }
        names.requireOccupied();
        Item last = now.orElse(Item.at(key).with(Item.LAST, 0));
        PastItems.settle(transaction, names, volume, last, nowMillis);
        return last;
    }

    /** For a transaction that says what is no change; if it says something. */
    void settleOnly(Transaction transaction, Names names, VolumeName volume) throws Conflict, CloudMwException {
        if (transaction.size() > 0) {
            transaction.put(settle(transaction, names, volume, 0).with(Item.ADDED, added(transaction)));
        }
    }

    /** Call after {@link #add}: from now on versions of this volume may have several names. */
    static void linked(Transaction transaction, VolumeName volume) throws CloudMwException {
        Item position = transaction
                .get(Keys.position(volume))
                .orElseThrow(() -> new IllegalStateException("no change of " + volume + " was added"));
        transaction.put(position.with(Item.LINKED, 1));
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
