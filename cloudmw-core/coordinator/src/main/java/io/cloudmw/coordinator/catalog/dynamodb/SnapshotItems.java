package io.cloudmw.coordinator.catalog.dynamodb;

import io.cloudmw.coordinator.catalog.PageRules;
import io.cloudmw.coordinator.catalog.change.CatalogErrors;
import io.cloudmw.coordinator.catalog.change.ChangeRequest;
import io.cloudmw.coordinator.catalog.dynamodb.table.Item;
import io.cloudmw.coordinator.catalog.dynamodb.table.ItemKey;
import io.cloudmw.coordinator.catalog.dynamodb.table.KeyLayout;
import io.cloudmw.coordinator.catalog.dynamodb.table.KeyRange;
import io.cloudmw.coordinator.catalog.dynamodb.table.Table;
import io.cloudmw.coordinator.catalog.dynamodb.table.TransactionConflict;
import io.cloudmw.coordinator.catalog.dynamodb.transaction.RunningCalls;
import io.cloudmw.coordinator.catalog.dynamodb.transaction.Transaction;
import io.cloudmw.coordinator.catalog.dynamodb.transaction.TransactionRetry;
import io.cloudmw.coordinator.catalog.stored.StoredAnswer;
import io.cloudmw.coordinator.catalog.tree.CurrentEntry;
import io.cloudmw.coordinator.catalog.tree.CurrentFile;
import io.cloudmw.coordinator.catalog.tree.DirectoryEntry;
import io.cloudmw.coordinator.catalog.tree.DirectoryPath;
import io.cloudmw.coordinator.catalog.tree.ListingPosition;
import io.cloudmw.coordinator.catalog.tree.PathErrors;
import io.cloudmw.coordinator.catalog.tree.SnapshotRecords;
import io.cloudmw.coordinator.catalog.tree.SnapshotTreeStore;
import io.cloudmw.coordinator.catalog.tree.Tree;
import io.cloudmw.coordinator.catalog.tree.TreeEntry;
import io.cloudmw.coordinator.catalog.tree.TreeFile;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.Change;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.Snapshot;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The snapshots, in items of their volume's root, and the past entries they see. Past forms are read after present
 * ones, since a change moves an entry from present to past in one step. Safe for any thread.
 */
final class SnapshotItems implements SnapshotRecords {
    private static final String LISTED =
            "pk, sk, " + Item.FORM + ", " + Item.ATTRIBUTES + ", " + Item.CREATED_AT + ", " + Item.SINCE;
    private static final int PAGE = 1000;

    private final RunningCalls calls;
    private final Table table;
    private final TransactionRetry transactions;
    private final DirectoryNumbers numbers;
    private final ChangeLogItems changes;

    SnapshotItems(
            RunningCalls calls,
            Table table,
            TransactionRetry transactions,
            DirectoryNumbers numbers,
            ChangeLogItems changes) {
        this.calls = calls;
        this.table = table;
        this.transactions = transactions;
        this.numbers = numbers;
        this.changes = changes;
    }

    private long root(Transaction transaction, VolumeName volume) throws CloudMwException {
        return new NameItems(transaction, numbers, changes)
                .root(volume)
                .orElseThrow(() -> CatalogErrors.volumeNotFound(volume));
    }

    private static Snapshot snapshot(VolumeName volume, Item item) {
        return new Snapshot(volume, item.key().sort(), item.number(Item.LAST), item.number(Item.CREATED_AT));
    }

    private Snapshot find(Transaction transaction, VolumeName volume, String name) throws CloudMwException {
        return transaction
                .get(KeyLayout.snapshot(root(transaction, volume), name))
                .map(item -> snapshot(volume, item))
                .orElseThrow(() -> PathErrors.snapshotNotFound(volume, name));
    }

    @Override
    public Snapshot create(VolumeName volume, String name, ChangeRequest request) throws CloudMwException {
        return calls.call(() -> AppliedCallItems.once(transactions, request, StoredAnswer.SNAPSHOT, transaction -> {
            long root = root(transaction, volume);
            ItemKey key = KeyLayout.snapshot(root, name);
            ItemKey position = KeyLayout.position(volume);
            transaction.load(List.of(key, position));
            if (transaction.get(key).isPresent()) {
                throw PathErrors.snapshotExists(volume, name);
            }
            if (table.query(KeyRange.all(KeyLayout.snapshots(root)), MAX_SNAPSHOTS, "pk, sk")
                            .size()
                    >= MAX_SNAPSHOTS) {
                throw PathErrors.tooManySnapshots(volume);
            }
            Item last = transaction.get(position).orElse(Item.at(position).with(Item.LAST, 0));
            Item made =
                    Item.at(key).with(Item.LAST, ChangeLogItems.taken(last)).with(Item.CREATED_AT, request.nowMillis());
            transaction.put(made);
            transaction.put(last.with(Item.TAKEN, ChangeLogItems.taken(last) + 1));
            transaction.require(
                    KeyLayout.volume(volume), Item.DIRECTORY + " = :root", Map.of(":root", Item.number(root)));
            return snapshot(volume, made);
        }));
    }

    @Override
    public List<Snapshot> of(VolumeName volume) throws CloudMwException {
        return calls.call(() -> {
            long root = transactions.run(transaction -> root(transaction, volume));
            return table.queryAll(KeyRange.all(KeyLayout.snapshots(root))).stream()
                    .map(item -> snapshot(volume, item))
                    .sorted(Comparator.comparingLong(Snapshot::number))
                    .toList();
        });
    }

    @Override
    public Snapshot remove(VolumeName volume, String name, ChangeRequest request) throws CloudMwException {
        return calls.call(() -> AppliedCallItems.once(transactions, request, StoredAnswer.SNAPSHOT, transaction -> {
            Snapshot removed = find(transaction, volume, name);
            transaction.delete(KeyLayout.snapshot(root(transaction, volume), name));
            return removed;
        }));
    }

    /** The tree that a numbered snapshot sees. */
    private static final class SnapshotView extends SnapshotTreeStore<TransactionConflict> {
        private final Transaction transaction;
        private final NameItems names;
        private final long number;

        SnapshotView(Transaction transaction, NameItems names, long number) {
            this.transaction = transaction;
            this.names = names;
            this.number = number;
        }

        @Override
        public OptionalLong root(VolumeName volume) throws CloudMwException {
            return names.root(volume);
        }

        @Override
        public Optional<TreeEntry> child(long directory, String name) throws TransactionConflict, CloudMwException {
            ItemKey key = KeyLayout.entry(directory, name);
            Optional<Item> now = transaction.get(key);
            if (now.isPresent() && PastEntryItems.since(now.get()) <= number) {
                return Optional.of(names.entry(directory, now.get()));
            }
            ItemKey first = KeyLayout.past(directory, name, number + 1);
            ItemKey last = KeyLayout.past(directory, name, Long.MAX_VALUE);
            List<Item> past =
                    transaction.table().query(KeyRange.between(first.partition(), first.sort(), last.sort()), 1);
            return past.isEmpty() || PastEntryItems.since(past.get(0)) > number
                    ? Optional.empty()
                    : Optional.of(names.entry(directory, past.get(0).under(key)));
        }
    }

    @Override
    public Optional<CurrentEntry> entry(String snapshot, FilePath path) throws CloudMwException {
        return calls.call(() -> transactions.run(transaction -> {
            NameItems names = new NameItems(transaction, numbers, changes);
            Optional<TreeEntry> entry = entry(transaction, names, snapshot, path);
            if (entry.isEmpty() || entry.get().isDirectory()) {
                return entry.map(directory -> CurrentEntry.directory(directory.kept()));
            }
            TreeFile kept = entry.get().file().get();
            return Optional.of(CurrentEntry.file(new CurrentFile(
                    names.version(kept.version()).at(path), kept.createdAtMillis(), kept.attributes())));
        }));
    }

    private Optional<TreeFile> find(Transaction transaction, NameItems names, String snapshot, FilePath path)
            throws TransactionConflict, CloudMwException {
        return entry(transaction, names, snapshot, path).flatMap(TreeEntry::file);
    }

    private Optional<TreeEntry> entry(Transaction transaction, NameItems names, String snapshot, FilePath path)
            throws TransactionConflict, CloudMwException {
        long number = find(transaction, path.volume(), snapshot).number();
        return new Tree<>(new SnapshotView(transaction, names, number)).find(path);
    }

    /** The position of a listing in a snapshot. */
    private record SnapshotPosition(long number, Optional<ListingPosition> position) {}

    @Override
    public Page<DirectoryEntry> list(String snapshot, VolumeName volume, String directory, String pageToken, int limit)
            throws CloudMwException {
        PageRules.checkLimit(limit);
        DirectoryPath path = DirectoryPath.of(volume, directory);
        return calls.call(() -> {
            SnapshotPosition place = transactions.run(transaction -> {
                long number = find(transaction, volume, snapshot).number();
                SnapshotView former =
                        new SnapshotView(transaction, new NameItems(transaction, numbers, changes), number);
                return new SnapshotPosition(number, new Tree<>(former).position(path, pageToken));
            });
            if (place.position().isEmpty()) {
                return new Page<>(List.of(), "");
            }
            ListingPosition position = place.position().get();
            // The order is that of UTF-8 bytes, as in the table; present entries come first, then past ones.
            Map<String, Item> found = new TreeMap<>(NameItems.BY_UTF8);
            now(position, place.number(), limit + 1, found);
            Map<String, Item> former = new TreeMap<>(NameItems.BY_UTF8);
            past(position, place.number(), limit + 1, former);
            found.putAll(former);
            List<DirectoryEntry> entries = new ArrayList<>();
            for (Map.Entry<String, Item> entry : found.entrySet()) {
                if (entries.size() <= limit) {
                    entries.add(FileItems.listed(path, entry.getKey(), entry.getValue()));
                }
            }
            return PageRules.cut(entries, limit, position::tokenAfter);
        });
    }

    /** Adds the first present entries that have not changed since the snapshot. */
    private void now(ListingPosition position, long number, int count, Map<String, Item> found)
            throws CloudMwException {
        String partition = KeyLayout.directory(position.directory());
        String after = position.after();
        List<Item> page;
        do {
            page = table.query(KeyRange.after(partition, after), PAGE, LISTED);
            for (Item item : page) {
                after = item.key().sort();
                if (PastEntryItems.since(item) <= number && found.size() < count) {
                    found.put(after, item);
                }
            }
        } while (page.size() == PAGE && found.size() < count);
    }

    /** Adds the first past entries that the snapshot sees. */
    private void past(ListingPosition position, long number, int count, Map<String, Item> found)
            throws CloudMwException {
        String from = KeyLayout.pastAfter(position.directory(), position.after());
        String end = KeyLayout.pastEnd(position.directory());
        List<Item> page;
        do {
            page = table.query(KeyRange.between(KeyLayout.pastOf(position.directory()), from, end), PAGE, LISTED);
            for (Item item : page) {
                from = item.key().sort() + "\0";
                if (PastEntryItems.since(item) <= number
                        && KeyLayout.until(item.key()) > number
                        && found.size() < count) {
                    found.put(KeyLayout.pastName(item.key()), item);
                }
            }
        } while (page.size() == PAGE && found.size() < count);
    }

    @Override
    public FileVersion restore(String snapshot, FilePath file, ChangeRequest request) throws CloudMwException {
        return calls.call(() -> AppliedCallItems.once(transactions, request, StoredAnswer.VERSION, transaction -> {
            NameItems former = new NameItems(transaction, numbers, changes);
            Snapshot seen = find(transaction, file.volume(), snapshot);
            TreeFile as = find(transaction, former, snapshot, file)
                    .orElseThrow(() -> PathErrors.notInSnapshot(file, snapshot));
            FileVersion version = former.version(as.version());
            NameItems names = new NameItems(transaction, numbers, changes);
            names.about(version);
            if (names.tree().restore(file, as)) {
                transaction.require(
                        KeyLayout.snapshot(root(transaction, file.volume()), snapshot),
                        Item.LAST + " = :number",
                        Map.of(":number", Item.number(seen.number())));
                names.finish();
                changes.add(transaction, names, file.volume(), Change.put(file, version.id(), request.nowMillis()));
            }
            return version.at(file);
        }));
    }

    @Override
    public String prune(Lease lease, String pageToken, int limit, long nowMillis) throws CloudMwException {
        PageRules.checkLimit(limit);
        return calls.call(() -> {
            transactions.run(transaction -> {
                LeaseItems.requireNewest(transaction, lease);
                return lease;
            });
            int colon = pageToken.isEmpty() ? 0 : pageToken.indexOf(':');
            if (colon < 0) {
                throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, "page token: malformed");
            }
            String from = pageToken.substring(0, colon);
            String after = pageToken.isEmpty() ? "" : pageToken.substring(colon + 1);
            for (String digit : KeyLayout.DIGITS) {
                if (digit.compareTo(from) >= 0) {
                    List<Item> page =
                            table.query(KeyRange.after(KeyLayout.past(digit), digit.equals(from) ? after : ""), limit);
                    prune(lease, page, nowMillis);
                    if (!page.isEmpty()) {
                        return digit + ":" + page.get(page.size() - 1).key().sort();
                    }
                }
            }
            return "";
        });
    }

    private void prune(Lease lease, List<Item> page, long nowMillis) throws CloudMwException {
        Map<Long, NavigableSet<Long>> snapshots = new HashMap<>();
        for (Item item : page) {
            long root = item.number(Item.ROOT);
            NavigableSet<Long> taken = snapshots.get(root);
            if (taken == null) {
                taken = new TreeSet<>();
                for (Item snapshot : table.queryAll(KeyRange.all(KeyLayout.snapshots(root)))) {
                    taken.add(snapshot.number(Item.LAST));
                }
                snapshots.put(root, taken);
            }
            if (taken.subSet(PastEntryItems.since(item), KeyLayout.until(item.key()))
                    .isEmpty()) {
                transactions.run(transaction -> drop(transaction, lease, item.key(), nowMillis));
            }
        }
    }

    private static ItemKey drop(Transaction transaction, Lease lease, ItemKey key, long nowMillis)
            throws CloudMwException {
        LeaseItems.requireNewest(transaction, lease);
        Optional<Item> item = transaction.get(key);
        if (item.isPresent()) {
            transaction.delete(key);
            if (PastEntryItems.version(item.get()).isPresent()) {
                PastEntryItems.release(
                        transaction, PastEntryItems.version(item.get()).get(), 1, nowMillis);
            }
        }
        return key;
    }
}
