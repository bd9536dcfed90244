package io.cloudmw.coordinator.catalog.dynamodb;

import io.cloudmw.coordinator.catalog.CatalogErrors;
import io.cloudmw.coordinator.catalog.ChangeRequest;
import io.cloudmw.coordinator.catalog.CurrentFile;
import io.cloudmw.coordinator.catalog.DirectoryEntry;
import io.cloudmw.coordinator.catalog.DirectoryPath;
import io.cloudmw.coordinator.catalog.FormerTree;
import io.cloudmw.coordinator.catalog.ListingPosition;
import io.cloudmw.coordinator.catalog.Pages;
import io.cloudmw.coordinator.catalog.Snapshots;
import io.cloudmw.coordinator.catalog.Tree;
import io.cloudmw.coordinator.catalog.TreeEntry;
import io.cloudmw.coordinator.catalog.TreeFile;
import io.cloudmw.coordinator.catalog.stored.StoredAnswer;
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
 * Snapshots, in items of their volume's root, and what they see. What an entry was is looked for after what it is: who changes it
 * moves it from there to here in one step. Safe for any thread.
 */
final class SnapshotItems implements Snapshots {
    private static final String LISTED = "pk, sk, " + Item.FORM + ", " + Item.ATTRIBUTES + ", " + Item.SINCE;
    private static final int PAGE = 1000;

    private final Calls calls;
    private final Table table;
    private final Transactions transactions;
    private final Numbers numbers;
    private final ChangeItems changes;

    SnapshotItems(Calls calls, Table table, Transactions transactions, Numbers numbers, ChangeItems changes) {
        this.calls = calls;
        this.table = table;
        this.transactions = transactions;
        this.numbers = numbers;
        this.changes = changes;
    }

    private long root(Transaction transaction, VolumeName volume) throws CloudMwException {
        return new Names(transaction, numbers, changes)
                .root(volume)
                .orElseThrow(() -> CatalogErrors.volumeNotFound(volume));
    }

    private static Snapshot snapshot(VolumeName volume, Item item) {
        return new Snapshot(volume, item.key().sort(), item.number(Item.LAST), item.number(Item.CREATED_AT));
    }

    private Snapshot find(Transaction transaction, VolumeName volume, String name) throws CloudMwException {
        return transaction
                .get(Keys.snapshot(root(transaction, volume), name))
                .map(item -> snapshot(volume, item))
                .orElseThrow(() -> CatalogErrors.snapshotNotFound(volume, name));
    }

    @Override
    public Snapshot create(VolumeName volume, String name, ChangeRequest request) throws CloudMwException {
        return calls.call(() -> AppliedItems.once(transactions, request, StoredAnswer.SNAPSHOT, transaction -> {
            long root = root(transaction, volume);
            Key key = Keys.snapshot(root, name);
            Key position = Keys.position(volume);
            transaction.load(List.of(key, position));
            if (transaction.get(key).isPresent()) {
                throw CatalogErrors.snapshotExists(volume, name);
            }
            if (table.query(Range.all(Keys.snapshots(root)), MAX_SNAPSHOTS, "pk, sk")
                            .size()
                    >= MAX_SNAPSHOTS) {
                throw CatalogErrors.tooManySnapshots(volume);
            }
            Item last = transaction.get(position).orElse(Item.at(position).with(Item.LAST, 0));
            Item made =
                    Item.at(key).with(Item.LAST, ChangeItems.taken(last)).with(Item.CREATED_AT, request.nowMillis());
            transaction.put(made);
            transaction.put(last.with(Item.TAKEN, ChangeItems.taken(last) + 1));
            transaction.require(Keys.volume(volume), Item.DIRECTORY + " = :root", Map.of(":root", Item.number(root)));
            return snapshot(volume, made);
        }));
    }

    @Override
    public List<Snapshot> of(VolumeName volume) throws CloudMwException {
        return calls.call(() -> {
            long root = transactions.run(transaction -> root(transaction, volume));
            return table.queryAll(Range.all(Keys.snapshots(root))).stream()
                    .map(item -> snapshot(volume, item))
                    .sorted(Comparator.comparingLong(Snapshot::number))
                    .toList();
        });
    }

    @Override
    public Snapshot remove(VolumeName volume, String name, ChangeRequest request) throws CloudMwException {
        return calls.call(() -> AppliedItems.once(transactions, request, StoredAnswer.SNAPSHOT, transaction -> {
            Snapshot removed = find(transaction, volume, name);
            transaction.delete(Keys.snapshot(root(transaction, volume), name));
            return removed;
        }));
    }

    /** The tree as the snapshot with a number sees it. */
    private static final class Former extends FormerTree<Conflict> {
        private final Transaction transaction;
        private final Names names;
        private final long number;

        Former(Transaction transaction, Names names, long number) {
            this.transaction = transaction;
            this.names = names;
            this.number = number;
        }

        @Override
        public OptionalLong root(VolumeName volume) throws CloudMwException {
            return names.root(volume);
        }

        @Override
        public Optional<TreeEntry> child(long directory, String name) throws Conflict, CloudMwException {
            Key key = Keys.entry(directory, name);
            Optional<Item> now = transaction.get(key);
            if (now.isPresent() && PastItems.since(now.get()) <= number) {
                return Optional.of(names.entry(directory, now.get()));
            }
            Key first = Keys.past(directory, name, number + 1);
            Key last = Keys.past(directory, name, Long.MAX_VALUE);
            List<Item> past = transaction.table().query(Range.between(first.partition(), first.sort(), last.sort()), 1);
            return past.isEmpty() || PastItems.since(past.get(0)) > number
                    ? Optional.empty()
                    : Optional.of(names.entry(directory, past.get(0).under(key)));
        }
    }

    @Override
    public Optional<CurrentFile> file(String snapshot, FilePath path) throws CloudMwException {
        return calls.call(() -> transactions.run(transaction -> {
            Names names = new Names(transaction, numbers, changes);
            Optional<TreeFile> file = find(transaction, names, snapshot, path);
            if (file.isEmpty()) {
                return Optional.empty();
            }
            TreeFile kept = file.get();
            return Optional.of(
                    new CurrentFile(names.version(kept.version()).at(path), kept.createdAtMillis(), kept.attributes()));
        }));
    }

    private Optional<TreeFile> find(Transaction transaction, Names names, String snapshot, FilePath path)
            throws Conflict, CloudMwException {
        long number = find(transaction, path.volume(), snapshot).number();
        return new Tree<>(new Former(transaction, names, number)).find(path).flatMap(TreeEntry::file);
    }

    /** Where a listing goes on, and of which snapshot. */
    private record Place(long number, Optional<ListingPosition> position) {}

    @Override
    public Page<DirectoryEntry> list(String snapshot, VolumeName volume, String directory, String pageToken, int limit)
            throws CloudMwException {
        Pages.checkLimit(limit);
        DirectoryPath path = DirectoryPath.of(volume, directory);
        return calls.call(() -> {
            Place place = transactions.run(transaction -> {
                long number = find(transaction, volume, snapshot).number();
                Former former = new Former(transaction, new Names(transaction, numbers, changes), number);
                return new Place(number, new Tree<>(former).position(path, pageToken));
            });
            if (place.position().isEmpty()) {
                return new Page<>(List.of(), "");
            }
            ListingPosition position = place.position().get();
            // In the order of UTF-8 bytes, as the items are; first what is, then what was.
            Map<String, Item> found = new TreeMap<>(Names.BY_UTF8);
            now(position, place.number(), limit + 1, found);
            Map<String, Item> former = new TreeMap<>(Names.BY_UTF8);
            past(position, place.number(), limit + 1, former);
            found.putAll(former);
            List<DirectoryEntry> entries = new ArrayList<>();
            for (Map.Entry<String, Item> entry : found.entrySet()) {
                if (entries.size() <= limit) {
                    entries.add(Files.listed(path, entry.getKey(), entry.getValue()));
                }
            }
            return Pages.cut(entries, limit, position::tokenAfter);
        });
    }

    /** The first so many of those that are now as they were. */
    private void now(ListingPosition position, long number, int count, Map<String, Item> found)
            throws CloudMwException {
        String partition = Keys.directory(position.directory());
        String after = position.after();
        List<Item> page;
        do {
            page = table.query(Range.after(partition, after), PAGE, LISTED);
            for (Item item : page) {
                after = item.key().sort();
                if (PastItems.since(item) <= number && found.size() < count) {
                    found.put(after, item);
                }
            }
        } while (page.size() == PAGE && found.size() < count);
    }

    /** The first so many of those that were something else. */
    private void past(ListingPosition position, long number, int count, Map<String, Item> found)
            throws CloudMwException {
        String from = Keys.pastAfter(position.directory(), position.after());
        String end = Keys.pastEnd(position.directory());
        List<Item> page;
        do {
            page = table.query(Range.between(Keys.pastOf(position.directory()), from, end), PAGE, LISTED);
            for (Item item : page) {
                from = item.key().sort() + "\0";
                if (PastItems.since(item) <= number && Keys.until(item.key()) > number && found.size() < count) {
                    found.put(Keys.pastName(item.key()), item);
                }
            }
        } while (page.size() == PAGE && found.size() < count);
    }

    @Override
    public FileVersion restore(String snapshot, FilePath file, ChangeRequest request) throws CloudMwException {
        return calls.call(() -> AppliedItems.once(transactions, request, StoredAnswer.VERSION, transaction -> {
            Names former = new Names(transaction, numbers, changes);
            Snapshot seen = find(transaction, file.volume(), snapshot);
            TreeFile as = find(transaction, former, snapshot, file)
                    .orElseThrow(() -> CatalogErrors.notInSnapshot(file, snapshot));
            FileVersion version = former.version(as.version());
            Names names = new Names(transaction, numbers, changes);
            names.about(version);
            if (names.tree().restore(file, as)) {
                transaction.require(
                        Keys.snapshot(root(transaction, file.volume()), snapshot),
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
        Pages.checkLimit(limit);
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
            for (String digit : Keys.DIGITS) {
                if (digit.compareTo(from) >= 0) {
                    List<Item> page =
                            table.query(Range.after(Keys.past(digit), digit.equals(from) ? after : ""), limit);
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
                for (Item snapshot : table.queryAll(Range.all(Keys.snapshots(root)))) {
                    taken.add(snapshot.number(Item.LAST));
                }
                snapshots.put(root, taken);
            }
            if (taken.subSet(PastItems.since(item), Keys.until(item.key())).isEmpty()) {
                transactions.run(transaction -> drop(transaction, lease, item.key(), nowMillis));
            }
        }
    }

    private static Key drop(Transaction transaction, Lease lease, Key key, long nowMillis) throws CloudMwException {
        LeaseItems.requireNewest(transaction, lease);
        Optional<Item> item = transaction.get(key);
        if (item.isPresent()) {
            transaction.delete(key);
            if (PastItems.version(item.get()).isPresent()) {
                PastItems.release(transaction, PastItems.version(item.get()).get(), 1, nowMillis);
            }
        }
        return key;
    }
}
