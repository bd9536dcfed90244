package io.cloudmw.coordinator.catalog.dynamodb;

import io.cloudmw.coordinator.catalog.StoreLocationRules;
import io.cloudmw.coordinator.catalog.change.CatalogErrors;
import io.cloudmw.coordinator.catalog.change.ChangeRequest;
import io.cloudmw.coordinator.catalog.change.ValueUpdate;
import io.cloudmw.coordinator.catalog.dynamodb.table.Item;
import io.cloudmw.coordinator.catalog.dynamodb.table.ItemKey;
import io.cloudmw.coordinator.catalog.dynamodb.table.KeyLayout;
import io.cloudmw.coordinator.catalog.dynamodb.table.KeyRange;
import io.cloudmw.coordinator.catalog.dynamodb.table.Table;
import io.cloudmw.coordinator.catalog.dynamodb.table.TransactionConflict;
import io.cloudmw.coordinator.catalog.dynamodb.transaction.Transaction;
import io.cloudmw.coordinator.catalog.dynamodb.transaction.TransactionRetry;
import io.cloudmw.coordinator.catalog.stored.StoredAnswer;
import io.cloudmw.coordinator.catalog.stored.StoredForms;
import io.cloudmw.core.access.CredentialsReference;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.Change;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Volume;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The items of volumes and of the stores they use. Safe for any thread. */
final class VolumeItems {
    /** The largest encoded volume, enough for 4,000 stores; an item holds 400 KB. */
    static final int MAX_FORM_BYTES = 300 << 10;

    /** The most entries that one transaction drops; each takes four of its hundred items. */
    private static final int DROPPED_AT_ONCE = 20;

    private static final int SNAPSHOTS_AT_ONCE = 15;

    private final Table table;
    private final TransactionRetry transactions;
    private final DirectoryNumbers numbers;
    private final ChangeLogItems changes;

    VolumeItems(Table table, TransactionRetry transactions, DirectoryNumbers numbers, ChangeLogItems changes) {
        this.table = table;
        this.transactions = transactions;
        this.numbers = numbers;
        this.changes = changes;
    }

    Volume create(Volume volume, ChangeRequest request) throws CloudMwException {
        byte[] form = form(volume);
        return AppliedCallItems.once(transactions, request, StoredAnswer.VOLUME, transaction -> {
            ItemKey key = KeyLayout.volume(volume.name());
            transaction.load(List.of(key, KeyLayout.CONFIGURATION));
            if (transaction.get(key).isPresent()) {
                throw CatalogErrors.volumeExists(volume.name());
            }
            requireStores(volume);
            transaction.put(Item.at(key)
                    .with(Item.FORM, form)
                    .with(Item.DIRECTORY, numbers.next())
                    .with(Item.REACH, 0));
            transaction.put(Item.at(KeyLayout.CONFIGURATION));
            return volume;
        });
    }

    private static byte[] form(Volume volume) throws CloudMwException {
        byte[] form = StoredForms.volume(volume);
        if (form.length > MAX_FORM_BYTES) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "volume " + volume.name() + ": " + form.length + " bytes with all its stores (expected: <= "
                            + MAX_FORM_BYTES + ")");
        }
        return form;
    }

    /**
     * Requires that the stores exist. Its transaction also writes the configuration, so that no store is removed
     * meanwhile.
     */
    private void requireStores(Volume volume) throws CloudMwException {
        Set<StoreId> known = new HashSet<>();
        stores().forEach(store -> known.add(store.id()));
        for (StoreId store : volume.storesInUse()) {
            if (!known.contains(store)) {
                throw CatalogErrors.storeNotFound(store);
            }
        }
    }

    Volume change(VolumeName name, ValueUpdate<Volume> change, ChangeRequest request) throws CloudMwException {
        return AppliedCallItems.once(transactions, request, StoredAnswer.VOLUME, transaction -> {
            ItemKey key = KeyLayout.volume(name);
            transaction.load(List.of(key, KeyLayout.CONFIGURATION));
            Item known = transaction.get(key).orElseThrow(() -> CatalogErrors.volumeNotFound(name));
            Volume changed = change.of(volume(known));
            requireStores(changed);
            transaction.put(known.with(Item.FORM, form(changed)));
            transaction.put(Item.at(KeyLayout.CONFIGURATION));
            return changed;
        });
    }

    Store changeStore(StoreId id, ValueUpdate<Store> change, ChangeRequest request) throws CloudMwException {
        return AppliedCallItems.once(transactions, request, StoredAnswer.STORE, transaction -> {
            Item known = transaction.get(KeyLayout.store(id)).orElseThrow(() -> CatalogErrors.storeNotFound(id));
            Store changed = change.of(StoredForms.store(known.bytes(Item.FORM)));
            transaction.put(item(changed));
            return changed;
        });
    }

    Optional<Volume> volume(VolumeName name) throws CloudMwException {
        Optional<Item> item = table.get(KeyLayout.volume(name));
        return item.isPresent() ? Optional.of(volume(item.get())) : Optional.empty();
    }

    private static Volume volume(Item item) throws CloudMwException {
        return StoredForms.volume(item.bytes(Item.FORM));
    }

    List<Volume> volumes() throws CloudMwException {
        List<Volume> volumes = new ArrayList<>();
        for (Item item : table.queryAll(KeyRange.all(KeyLayout.VOLUMES))) {
            volumes.add(volume(item));
        }
        return volumes;
    }

    /** Removes the volume's name, then its content. */
    void delete(VolumeName name, boolean force, ChangeRequest request) throws CloudMwException {
        long nowMillis = request.nowMillis();
        AppliedCallItems.once(transactions, request, StoredAnswer.MAYBE_VERSION, transaction -> {
            NameItems names = new NameItems(transaction, numbers, changes);
            long root = names.root(name).orElseThrow(() -> CatalogErrors.volumeNotFound(name));
            if (!force && (!names.isEmpty(root) || hasSnapshots(root))) {
                throw CatalogErrors.volumeNotEmpty(name);
            }
            transaction.delete(KeyLayout.volume(name));
            transaction.put(dropped(root, nowMillis));
            changes.add(transaction, names, name, Change.volumeDeleted(nowMillis));
            return Optional.empty();
        });
        dropAll();
    }

    private boolean hasSnapshots(long root) throws CloudMwException {
        return !table.query(KeyRange.all(KeyLayout.snapshots(root)), 1, "pk, sk")
                .isEmpty();
    }

    /** Returns the item of a dropped directory. No path leads to it, so no entry is added any more. */
    private static Item dropped(long directory, long nowMillis) {
        return Item.at(KeyLayout.dropped(directory))
                .with(Item.DIRECTORY, directory)
                .with(Item.CHANGED_AT, nowMillis);
    }

    /** Retires the content of deleted volumes, and continues where another process stopped. */
    void dropAll() throws CloudMwException {
        for (List<Item> next = firstDropped(); !next.isEmpty(); next = firstDropped()) {
            Item dropped = next.get(0);
            transactions.run(transaction -> dropSome(transaction, dropped));
        }
    }

    private List<Item> firstDropped() throws CloudMwException {
        return table.query(KeyRange.all(KeyLayout.DROPPED), 1);
    }

    private static int dropSome(Transaction transaction, Item dropped) throws TransactionConflict, CloudMwException {
        if (transaction.get(dropped.key()).isEmpty()) {
            return 0;
        }
        long nowMillis = dropped.number(Item.CHANGED_AT);
        List<Item> entries = transaction
                .table()
                .query(KeyRange.all(KeyLayout.directory(dropped.number(Item.DIRECTORY))), DROPPED_AT_ONCE);
        transaction.load(entries.stream()
                .flatMap(entry -> PastEntryItems.version(entry).stream())
                .map(KeyLayout::state)
                .toList());
        for (Item entry : entries) {
            transaction.seen(entry);
            transaction.delete(entry.key());
            if (entry.has(Item.DIRECTORY)) {
                transaction.put(dropped(entry.number(Item.DIRECTORY), nowMillis));
            } else {
                PastEntryItems.release(transaction, new VersionId(entry.text(Item.VERSION)), 1, nowMillis);
            }
        }
        // The snapshots of the volume's root; pruning the past drops the entries they saw.
        List<Item> snapshots = transaction
                .table()
                .query(KeyRange.all(KeyLayout.snapshots(dropped.number(Item.DIRECTORY))), SNAPSHOTS_AT_ONCE, "pk, sk");
        snapshots.forEach(snapshot -> transaction.delete(snapshot.key()));
        if (entries.isEmpty() && snapshots.isEmpty()) {
            transaction.delete(dropped.key());
        }
        return entries.size();
    }

    Store addStore(Store store, ChangeRequest request) throws CloudMwException {
        return AppliedCallItems.once(transactions, request, StoredAnswer.STORE, transaction -> {
            // Adding or removing a store writes this item, too, so that a concurrent change conflicts.
            transaction.load(List.of(KeyLayout.CONFIGURATION, KeyLayout.store(store.id())));
            Store added = StoreLocationRules.added(store, stores());
            transaction.put(Item.at(KeyLayout.CONFIGURATION));
            transaction.put(item(added));
            return added;
        });
    }

    void putStore(Store store) throws CloudMwException {
        transactions.run(transaction -> {
            transaction.put(item(store));
            return store;
        });
    }

    Store setCredentials(StoreId id, CredentialsReference reference, ChangeRequest request) throws CloudMwException {
        return AppliedCallItems.once(transactions, request, StoredAnswer.STORE, transaction -> {
            transaction.load(List.of(KeyLayout.store(id), KeyLayout.CONFIGURATION));
            Item known = transaction.get(KeyLayout.store(id)).orElseThrow(() -> CatalogErrors.storeNotFound(id));
            Store changed = StoreLocationRules.withCredentials(StoredForms.store(known.bytes(Item.FORM)), reference);
            transaction.put(item(changed));
            transaction.put(Item.at(KeyLayout.CONFIGURATION));
            return changed;
        });
    }

    private static Item item(Store store) {
        return Item.at(KeyLayout.store(store.id())).with(Item.FORM, StoredForms.store(store));
    }

    List<Store> stores() throws CloudMwException {
        List<Store> stores = new ArrayList<>();
        for (Item item : table.queryAll(KeyRange.all(KeyLayout.STORES))) {
            stores.add(StoredForms.store(item.bytes(Item.FORM)));
        }
        return stores;
    }

    Store removeStore(StoreId id, ChangeRequest request) throws CloudMwException {
        return AppliedCallItems.once(transactions, request, StoredAnswer.STORE, transaction -> {
            transaction.load(List.of(KeyLayout.store(id), KeyLayout.CONFIGURATION));
            for (Volume volume : volumes()) {
                if (volume.storesInUse().contains(id)) {
                    throw CatalogErrors.storeInUse(id, volume.name());
                }
            }
            Item known = transaction.get(KeyLayout.store(id)).orElseThrow(() -> CatalogErrors.storeNotFound(id));
            transaction.delete(KeyLayout.store(id));
            transaction.put(Item.at(KeyLayout.CONFIGURATION));
            return StoredForms.store(known.bytes(Item.FORM));
        });
    }
}
