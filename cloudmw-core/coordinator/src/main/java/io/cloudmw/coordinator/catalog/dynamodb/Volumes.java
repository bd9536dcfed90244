package io.cloudmw.coordinator.catalog.dynamodb;

import io.cloudmw.coordinator.catalog.Alteration;
import io.cloudmw.coordinator.catalog.CatalogErrors;
import io.cloudmw.coordinator.catalog.ChangeRequest;
import io.cloudmw.coordinator.catalog.StorePlaces;
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

/** Volumes and the stores they use. Safe for any thread. */
final class Volumes {
    /** An item holds 400 KB: more than 4,000 stores. */
    static final int MAX_FORM_BYTES = 300 << 10;

    /** Entries that one transaction drops: each takes four items of the hundred. */
    private static final int DROPPED_AT_ONCE = 20;

    private static final int SNAPSHOTS_AT_ONCE = 15;

    private final Table table;
    private final Transactions transactions;
    private final Numbers numbers;
    private final ChangeItems changes;

    Volumes(Table table, Transactions transactions, Numbers numbers, ChangeItems changes) {
        this.table = table;
        this.transactions = transactions;
        this.numbers = numbers;
        this.changes = changes;
    }

    Volume create(Volume volume, ChangeRequest request) throws CloudMwException {
        byte[] form = form(volume);
        return AppliedItems.once(transactions, request, StoredAnswer.VOLUME, transaction -> {
            Key key = Keys.volume(volume.name());
            transaction.load(List.of(key, Keys.CONFIGURATION));
            if (transaction.get(key).isPresent()) {
                throw CatalogErrors.volumeExists(volume.name());
            }
            requireStores(volume);
            transaction.put(Item.at(key)
                    .with(Item.FORM, form)
                    .with(Item.DIRECTORY, numbers.next())
                    .with(Item.REACH, 0));
            transaction.put(Item.at(Keys.CONFIGURATION));
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

    /** A transaction that calls this writes the configuration too: then no store is removed meanwhile. */
    private void requireStores(Volume volume) throws CloudMwException {
        Set<StoreId> known = new HashSet<>();
        stores().forEach(store -> known.add(store.id()));
        for (StoreId store : volume.storesInUse()) {
            if (!known.contains(store)) {
                throw CatalogErrors.storeNotFound(store);
            }
        }
    }

    Volume change(VolumeName name, Alteration<Volume> change, ChangeRequest request) throws CloudMwException {
        return AppliedItems.once(transactions, request, StoredAnswer.VOLUME, transaction -> {
            Key key = Keys.volume(name);
            transaction.load(List.of(key, Keys.CONFIGURATION));
            Item known = transaction.get(key).orElseThrow(() -> CatalogErrors.volumeNotFound(name));
            Volume changed = change.of(volume(known));
            requireStores(changed);
            transaction.put(known.with(Item.FORM, form(changed)));
            transaction.put(Item.at(Keys.CONFIGURATION));
            return changed;
        });
    }

    Store changeStore(StoreId id, Alteration<Store> change, ChangeRequest request) throws CloudMwException {
        return AppliedItems.once(transactions, request, StoredAnswer.STORE, transaction -> {
            Item known = transaction.get(Keys.store(id)).orElseThrow(() -> CatalogErrors.storeNotFound(id));
            Store changed = change.of(StoredForms.store(known.bytes(Item.FORM)));
            transaction.put(item(changed));
            return changed;
        });
    }

    Optional<Volume> volume(VolumeName name) throws CloudMwException {
        Optional<Item> item = table.get(Keys.volume(name));
        return item.isPresent() ? Optional.of(volume(item.get())) : Optional.empty();
    }

    private static Volume volume(Item item) throws CloudMwException {
        return StoredForms.volume(item.bytes(Item.FORM));
    }

    List<Volume> volumes() throws CloudMwException {
        List<Volume> volumes = new ArrayList<>();
        for (Item item : table.queryAll(Range.all(Keys.VOLUMES))) {
            volumes.add(volume(item));
        }
        return volumes;
    }

    /** Takes the volume's name away, then what is in it. */
    void delete(VolumeName name, boolean force, ChangeRequest request) throws CloudMwException {
        long nowMillis = request.nowMillis();
        AppliedItems.once(transactions, request, StoredAnswer.MAYBE_VERSION, transaction -> {
            Names names = new Names(transaction, numbers, changes);
            long root = names.root(name).orElseThrow(() -> CatalogErrors.volumeNotFound(name));
            if (!force && (!names.isEmpty(root) || hasSnapshots(root))) {
                throw CatalogErrors.volumeNotEmpty(name);
            }
            transaction.delete(Keys.volume(name));
            transaction.put(dropped(root, nowMillis));
            changes.add(transaction, names, name, Change.volumeDeleted(nowMillis));
            return Optional.empty();
        });
        dropAll();
    }

    private boolean hasSnapshots(long root) throws CloudMwException {
        return !table.query(Range.all(Keys.snapshots(root)), 1, "pk, sk").isEmpty();
    }

    /** Nobody finds a dropped directory by a path, so nothing is put into it any more. */
    private static Item dropped(long directory, long nowMillis) {
        return Item.at(Keys.dropped(directory)).with(Item.DIRECTORY, directory).with(Item.CHANGED_AT, nowMillis);
    }

    /** Retires what is in deleted volumes, going on where another process may have stopped. */
    void dropAll() throws CloudMwException {
        for (List<Item> next = firstDropped(); !next.isEmpty(); next = firstDropped()) {
            Item dropped = next.get(0);
            transactions.run(transaction -> dropSome(transaction, dropped));
        }
    }

    private List<Item> firstDropped() throws CloudMwException {
        return table.query(Range.all(Keys.DROPPED), 1);
    }

    private static int dropSome(Transaction transaction, Item dropped) throws Conflict, CloudMwException {
        if (transaction.get(dropped.key()).isEmpty()) {
            return 0;
        }
        long nowMillis = dropped.number(Item.CHANGED_AT);
        List<Item> entries =
                transaction.table().query(Range.all(Keys.directory(dropped.number(Item.DIRECTORY))), DROPPED_AT_ONCE);
        transaction.load(entries.stream()
                .flatMap(entry -> PastItems.version(entry).stream())
                .map(Keys::state)
                .toList());
        for (Item entry : entries) {
            transaction.seen(entry);
            transaction.delete(entry.key());
            if (entry.has(Item.DIRECTORY)) {
                transaction.put(dropped(entry.number(Item.DIRECTORY), nowMillis));
            } else {
                PastItems.release(transaction, new VersionId(entry.text(Item.VERSION)), 1, nowMillis);
            }
        }
        // Of a volume's root; what they saw is dropped by whoever prunes the past.
        List<Item> snapshots = transaction
                .table()
                .query(Range.all(Keys.snapshots(dropped.number(Item.DIRECTORY))), SNAPSHOTS_AT_ONCE, "pk, sk");
        snapshots.forEach(snapshot -> transaction.delete(snapshot.key()));
        if (entries.isEmpty() && snapshots.isEmpty()) {
            transaction.delete(dropped.key());
        }
        return entries.size();
    }

    Store addStore(Store store, ChangeRequest request) throws CloudMwException {
        return AppliedItems.once(transactions, request, StoredAnswer.STORE, transaction -> {
            // Who adds or removes a store writes this too: what comes late finds it changed.
            transaction.load(List.of(Keys.CONFIGURATION, Keys.store(store.id())));
            Store added = StorePlaces.added(store, stores());
            transaction.put(Item.at(Keys.CONFIGURATION));
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
        return AppliedItems.once(transactions, request, StoredAnswer.STORE, transaction -> {
            transaction.load(List.of(Keys.store(id), Keys.CONFIGURATION));
            Item known = transaction.get(Keys.store(id)).orElseThrow(() -> CatalogErrors.storeNotFound(id));
            Store changed = StorePlaces.withCredentials(StoredForms.store(known.bytes(Item.FORM)), reference);
            transaction.put(item(changed));
            transaction.put(Item.at(Keys.CONFIGURATION));
            return changed;
        });
    }

    private static Item item(Store store) {
        return Item.at(Keys.store(store.id())).with(Item.FORM, StoredForms.store(store));
    }

    List<Store> stores() throws CloudMwException {
        List<Store> stores = new ArrayList<>();
        for (Item item : table.queryAll(Range.all(Keys.STORES))) {
            stores.add(StoredForms.store(item.bytes(Item.FORM)));
        }
        return stores;
    }

    Store removeStore(StoreId id, ChangeRequest request) throws CloudMwException {
        return AppliedItems.once(transactions, request, StoredAnswer.STORE, transaction -> {
            transaction.load(List.of(Keys.store(id), Keys.CONFIGURATION));
            for (Volume volume : volumes()) {
                if (volume.storesInUse().contains(id)) {
                    throw CatalogErrors.storeInUse(id, volume.name());
                }
            }
            Item known = transaction.get(Keys.store(id)).orElseThrow(() -> CatalogErrors.storeNotFound(id));
            transaction.delete(Keys.store(id));
            transaction.put(Item.at(Keys.CONFIGURATION));
            return StoredForms.store(known.bytes(Item.FORM));
        });
    }
}
