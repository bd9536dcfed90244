package io.cloudmw.coordinator.catalog.dynamodb;

import io.cloudmw.coordinator.catalog.PageRules;
import io.cloudmw.coordinator.catalog.change.ChangeLog;
import io.cloudmw.coordinator.catalog.change.ChangePage;
import io.cloudmw.coordinator.catalog.dynamodb.table.Item;
import io.cloudmw.coordinator.catalog.dynamodb.table.ItemKey;
import io.cloudmw.coordinator.catalog.dynamodb.table.KeyLayout;
import io.cloudmw.coordinator.catalog.dynamodb.table.KeyRange;
import io.cloudmw.coordinator.catalog.dynamodb.table.Table;
import io.cloudmw.coordinator.catalog.dynamodb.table.TransactionConflict;
import io.cloudmw.coordinator.catalog.dynamodb.transaction.RunningCalls;
import io.cloudmw.coordinator.catalog.dynamodb.transaction.Transaction;
import io.cloudmw.coordinator.catalog.dynamodb.transaction.TransactionRetry;
import io.cloudmw.coordinator.catalog.dynamodb.transaction.VolumeWriteLock;
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
 * The items of the change log: one partition of changes for each volume, and the volume's last position in another.
 * Every change of names writes that position. Within one process these writes are serialized, so that only other
 * processes conflict. Safe for any thread.
 */
final class ChangeLogItems implements ChangeLog {
    private final RunningCalls calls;
    private final Table table;
    private final TransactionRetry transactions;

    /** The lock held while a position is read, incremented and written. */
    private final VolumeWriteLock writeLock = new VolumeWriteLock(Ticker.system());

    /** For each volume, a transaction that wrote its position and is entirely visible; usually the last one. */
    private final Map<VolumeName, String> visible = new ConcurrentHashMap<>();

    private volatile Consumer<VolumeName> listener = volume -> {};

    ChangeLogItems(RunningCalls calls, Table table, TransactionRetry transactions) {
        this.calls = calls;
        this.table = table;
        this.transactions = transactions;
    }

    /**
     * Prepares a transaction that queries whether a directory is empty. When this returns, all earlier changes of the
     * volume are entirely visible; any later change makes the transaction conflict. A query may miss one item of a
     * transaction that is being written while it sees others. Each change therefore records with the position which
     * entries it adds, and no change follows another before those entries are visible.
     *
     * @throws TransactionConflict when the last change is not entirely visible yet
     */
    void begin(Transaction transaction, VolumeName volume) throws TransactionConflict, CloudMwException {
        takeTurn(transaction, volume);
        Optional<Item> last = transaction.get(KeyLayout.position(volume));
        if (last.isPresent()) {
            requireWhole(volume, last.get());
        }
    }

    private void takeTurn(Transaction transaction, VolumeName volume) throws CloudMwException {
        transaction.atEnd(writeLock.take(volume));
    }

    private void requireWhole(VolumeName volume, Item last) throws TransactionConflict, CloudMwException {
        if (last.writtenBy().equals(visible.get(volume))) {
            return;
        }
        List<ItemKey> added = last.keys(Item.ADDED);
        for (int from = 0; from < added.size(); from += Table.MAX_ITEMS) {
            List<ItemKey> some = added.subList(from, Math.min(added.size(), from + Table.MAX_ITEMS));
            if (table.getAll(some).size() < some.size()) {
                throw new TransactionConflict("the change before was seen in part");
            }
        }
        visible.put(volume, last.writtenBy());
    }

    /**
     * Adds to a volume's log; this must be the last step of a transaction. The directories that the transaction went
     * through are unchanged when the position is read, or the transaction is retried. The log's order is therefore the
     * order of the changes.
     */
    void add(Transaction transaction, NameItems names, VolumeName volume, Change change)
            throws TransactionConflict, CloudMwException {
        add(transaction, names, volume, List.of(change));
    }

    /**
     * Adds several changes to a volume's log, like {@link #add(Transaction, NameItems, VolumeName, Change)}.
     *
     * @param made one or more, of different paths
     */
    void add(Transaction transaction, NameItems names, VolumeName volume, List<Change> made)
            throws TransactionConflict, CloudMwException {
        takeTurn(transaction, volume);
        Item last = settle(transaction, names, volume, made.get(0).atMillis());
        long before = last.number(Item.LAST);
        transaction.put(last.with(Item.LAST, before + made.size()).with(Item.ADDED, added(transaction)));
        for (int i = 0; i < made.size(); i++) {
            long position = before + 1 + i;
            transaction.put(Item.at(KeyLayout.change(volume, position))
                    .with(Item.CHANGED_AT, made.get(i).atMillis())
                    .with(Item.FORM, StoredForms.change(made.get(i).at(position))));
        }
        transaction.afterCommit(() -> {
            // A transaction that was answered is entirely visible.
            visible.put(volume, transaction.id());
            listener.accept(volume);
        });
    }

    private static List<ItemKey> added(Transaction transaction) throws CloudMwException {
        List<ItemKey> added = new ArrayList<>();
        for (ItemKey key : transaction.written(KeyLayout.DIRECTORIES)) {
            if (transaction.before(key).isEmpty() && transaction.get(key).isPresent()) {
                added.add(key);
            }
        }
        return added;
    }

    /** Writes the consequences of a change of names; returns the volume's position, which must be written, too. */
    private Item settle(Transaction transaction, NameItems names, VolumeName volume, long nowMillis)
            throws TransactionConflict, CloudMwException {
        ItemKey key = KeyLayout.position(volume);
        boolean begun = transaction.hasRead(key);
        Optional<Item> before = transaction.before(key);
        names.look(key);
        Optional<Item> now = transaction.get(key);
        if (begun && !before.map(Item::writtenBy).equals(now.map(Item::writtenBy))) {
            throw new TransactionConflict("the volume was changed while a directory was looked into");
        }
        if (now.isPresent()) {
            requireWhole(volume, now.get());
        }
        names.requireOccupied();
        Item last = now.orElse(Item.at(key).with(Item.LAST, 0));
        PastEntryItems.settle(transaction, names, volume, last, nowMillis);
        return last;
    }

    /** Writes the consequences of a transaction that adds no change to the log, if there are any. */
    void settleOnly(Transaction transaction, NameItems names, VolumeName volume)
            throws TransactionConflict, CloudMwException {
        if (transaction.size() > 0) {
            transaction.put(settle(transaction, names, volume, 0).with(Item.ADDED, added(transaction)));
        }
    }

    /** Records that versions of this volume may have several names from now on. Callers call it after {@link #add}. */
    static void linked(Transaction transaction, VolumeName volume) throws CloudMwException {
        Item position = transaction
                .get(KeyLayout.position(volume))
                .orElseThrow(() -> new IllegalStateException("volume " + volume + ": the transaction adds no change"));
        transaction.put(position.with(Item.LINKED, 1));
    }

    /** Returns how many snapshots were taken. */
    static long taken(Item position) {
        return position.has(Item.TAKEN) ? position.number(Item.TAKEN) : 0;
    }

    @Override
    public long position(VolumeName volume) throws CloudMwException {
        return calls.call(() -> lastPosition(volume));
    }

    private long lastPosition(VolumeName volume) throws CloudMwException {
        return table.get(KeyLayout.position(volume))
                .map(item -> item.number(Item.LAST))
                .orElse(0L);
    }

    @Override
    public ChangePage after(VolumeName volume, long after, int limit) throws CloudMwException {
        PageRules.checkLimit(limit);
        return calls.call(() -> transactions.run(transaction -> look(volume, after, limit)));
    }

    /**
     * Reads a page of the log. A query may see a position before its change, and a change before its predecessor.
     * Changes after a gap are left out, and a missing one is read again in a snapshot read.
     *
     * @throws TransactionConflict when a change is being written
     */
    private ChangePage look(VolumeName volume, long after, int limit) throws TransactionConflict, CloudMwException {
        // The position is read before the changes, so that changes added meanwhile come after the page.
        long position = lastPosition(volume);
        List<Change> found = new ArrayList<>();
        String place = KeyLayout.change(volume, after).sort();
        for (Item item : table.query(KeyRange.after(KeyLayout.changes(volume), place), limit)) {
            Change change = StoredForms.change(item.bytes(Item.FORM));
            if (!found.isEmpty()
                    && change.position() != found.get(found.size() - 1).position() + 1) {
                break;
            }
            found.add(change);
        }
        long last = found.isEmpty() ? position : found.get(found.size() - 1).position();
        ChangePage changes = ChangePage.found(after, found, Math.max(position, last));
        if (!changes.known() && after < changes.position() && isThere(KeyLayout.change(volume, after + 1))) {
            throw new TransactionConflict("a change was seen in part");
        }
        return changes;
    }

    private boolean isThere(ItemKey key) throws TransactionConflict, CloudMwException {
        return !table.snapshot(List.of(key), ItemKey.PARTITION).get(0).isEmpty();
    }

    @Override
    public int prune(long beforeMillis, long keep) throws CloudMwException {
        return calls.call(() -> {
            int pruned = 0;
            for (Item item : table.queryAll(KeyRange.all(KeyLayout.POSITIONS))) {
                VolumeName volume = new VolumeName(item.key().sort());
                pruned += prune(volume, item.number(Item.LAST) - keep, beforeMillis);
            }
            return pruned;
        });
    }

    /** Drops old changes; reads one item where none is old. */
    private int prune(VolumeName volume, long surplus, long beforeMillis) throws CloudMwException {
        List<ItemKey> old = old(volume, surplus, beforeMillis, 1);
        if (!old.isEmpty()) {
            old = old(volume, surplus, beforeMillis, PRUNE_BATCH);
            table.deleteAll(old);
        }
        return old.size();
    }

    /** Returns the keys of the last old change among the first ones, and of all changes before it. */
    private List<ItemKey> old(VolumeName volume, long surplus, long beforeMillis, int lookedAt)
            throws CloudMwException {
        List<ItemKey> old = new ArrayList<>();
        List<ItemKey> seen = new ArrayList<>();
        for (Item item : table.query(KeyRange.all(KeyLayout.changes(volume)), lookedAt, "pk, sk, " + Item.CHANGED_AT)) {
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
