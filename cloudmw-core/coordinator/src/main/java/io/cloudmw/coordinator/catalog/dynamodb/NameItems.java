package io.cloudmw.coordinator.catalog.dynamodb;

import io.cloudmw.coordinator.catalog.dynamodb.table.Item;
import io.cloudmw.coordinator.catalog.dynamodb.table.ItemKey;
import io.cloudmw.coordinator.catalog.dynamodb.table.KeyLayout;
import io.cloudmw.coordinator.catalog.dynamodb.table.KeyRange;
import io.cloudmw.coordinator.catalog.dynamodb.table.Table;
import io.cloudmw.coordinator.catalog.dynamodb.table.TransactionConflict;
import io.cloudmw.coordinator.catalog.dynamodb.transaction.Transaction;
import io.cloudmw.coordinator.catalog.stored.StoredForms;
import io.cloudmw.coordinator.catalog.tree.KeptDirectory;
import io.cloudmw.coordinator.catalog.tree.Tree;
import io.cloudmw.coordinator.catalog.tree.TreeEntry;
import io.cloudmw.coordinator.catalog.tree.TreeFile;
import io.cloudmw.coordinator.catalog.tree.TreeStore;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.FileVersion;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * The items of the name tree. A directory's number and longest path are in the entry that names it, or in the volume.
 * Part of one transaction; confined to one thread.
 *
 * <p>A transaction that puts an entry into a directory requires the directory's own entry to exist. A directory is
 * removed only when it is empty: all earlier changes of the volume were visible when it was queried, and none came
 * since. See {@link ChangeLogItems#begin}.
 */
public final class NameItems implements TreeStore<TransactionConflict> {
    /** The size from which a transaction removes no more directories; each may need a past entry. */
    private static final int MOST_BEFORE_PRUNING = 43;

    static final Comparator<String> BY_UTF8 =
            (a, b) -> Arrays.compareUnsigned(a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));

    private static final String LOOKED_AT =
            String.join(", ", Item.WRITTEN_BY, Item.LAST, Item.TAKEN, Item.LINKED, Item.ADDED, Item.DIRECTORY);

    /** The size from which no more path lengths fit beside the change log's items. */
    private static final int MOST_WITH_REACHES = 89;

    private final Transaction transaction;
    private final DirectoryNumbers numbers;
    private final ChangeLogItems changes;

    /** The volume whose root was read. */
    private @Nullable VolumeName volume;

    /** The entries that name the directories read so far, by number. */
    private final Map<Long, ItemKey> named = new HashMap<>();

    private final Map<Long, Long> parents = new HashMap<>();
    private final Map<VersionId, byte[]> versions = new HashMap<>();

    /** The path lengths to record, from the lowest directory up. */
    private final Map<Long, Integer> raised = new LinkedHashMap<>();

    private OptionalLong leftToPrune = OptionalLong.empty();

    /** The directory that stays because it has an entry. */
    private OptionalLong occupied = OptionalLong.empty();

    NameItems(Transaction transaction, DirectoryNumbers numbers, ChangeLogItems changes) {
        this.transaction = transaction;
        this.numbers = numbers;
        this.changes = changes;
    }

    Tree<TransactionConflict> tree() {
        return new Tree<>(this);
    }

    /** Sets the properties of a version that is about to be put. */
    void about(FileVersion version) {
        versions.put(version.id(), StoredForms.version(version));
    }

    /** Returns a version, as it was committed, that an entry names or that is about to be put. */
    FileVersion version(VersionId id) throws CloudMwException {
        byte[] form = versions.get(id);
        if (form == null) {
            throw new IllegalStateException("version " + id + ": no entry read by this transaction names it");
        }
        return StoredForms.version(form);
    }

    /**
     * Returns a directory that still had another entry when it was queried. It must be checked again after this
     * transaction, since the call that removed that entry may have seen the one this transaction removes.
     */
    OptionalLong leftToPrune() {
        return leftToPrune;
    }

    @Override
    public OptionalLong root(VolumeName name) throws CloudMwException {
        Optional<Item> item = transaction.get(KeyLayout.volume(name));
        if (item.isEmpty()) {
            return OptionalLong.empty();
        }
        long root = item.get().number(Item.DIRECTORY);
        named.put(root, item.get().key());
        volume = name;
        return OptionalLong.of(root);
    }

    @Override
    public Optional<TreeEntry> child(long directory, String name) throws TransactionConflict, CloudMwException {
        Optional<Item> item = transaction.get(KeyLayout.entry(directory, name));
        return item.isEmpty() ? Optional.empty() : Optional.of(entry(directory, item.get()));
    }

    TreeEntry entry(long parent, Item item) throws TransactionConflict, CloudMwException {
        String name = item.key().sort();
        if (item.has(Item.DIRECTORY)) {
            long number = item.number(Item.DIRECTORY);
            place(number, parent, item.key());
            Optional<KeptDirectory> kept = item.has(Item.KEPT)
                    ? Optional.of(new KeptDirectory(item.number(Item.CREATED_AT), attributes(item)))
                    : Optional.empty();
            return TreeEntry.directory(parent, name, number, kept);
        }
        VersionId version = new VersionId(item.text(Item.VERSION));
        versions.put(version, item.bytes(Item.FORM));
        TreeFile file = new TreeFile(version, item.number(Item.CREATED_AT), attributes(item));
        return TreeEntry.file(parent, name, file);
    }

    /**
     * Records under which entry a directory was read.
     *
     * @throws TransactionConflict when it was read under another entry before. It was moved between two reads, and
     *     conclusions from both may be wrong: it could be moved into its own subdirectory.
     */
    private void place(long directory, long parent, ItemKey key) throws TransactionConflict {
        ItemKey before = named.put(directory, key);
        if (before != null && !before.equals(key)) {
            throw new TransactionConflict("a directory was moved");
        }
        parents.put(directory, parent);
    }

    /** Returns the attributes in the item of a file or a directory. */
    static Attributes attributes(Item item) throws CloudMwException {
        return item.has(Item.ATTRIBUTES) ? StoredForms.attributes(item.bytes(Item.ATTRIBUTES)) : Attributes.NONE;
    }

    @Override
    public boolean isEmpty(long directory) throws TransactionConflict, CloudMwException {
        if (transaction.putsInto(KeyLayout.directory(directory))) {
            return false;
        }
        if (transaction.size() > MOST_BEFORE_PRUNING) {
            leftToPrune = OptionalLong.of(directory);
            return false;
        }
        if (hasMore(directory)) {
            leftToPrune = OptionalLong.of(directory);
            occupied = leftToPrune;
            return false;
        }
        if (volume == null) {
            throw new IllegalStateException("the transaction has read no root directory");
        }
        changes.begin(transaction, volume);
        if (hasMore(directory)) {
            return false;
        }
        requireNoneMetIn(directory);
        return true;
    }

    /**
     * Requires that the directory which was left for its remaining entry still has that entry. A call that removes the
     * entry first leaves the empty directory to this transaction. Until the next check, others would see an empty
     * directory, which could be renamed meanwhile.
     *
     * @throws TransactionConflict when the directory that was left has no entry any more
     */
    void requireOccupied() throws TransactionConflict, CloudMwException {
        if (occupied.isPresent() && !hasMore(occupied.getAsLong())) {
            throw new TransactionConflict("a directory was emptied");
        }
    }

    /**
     * Checks an empty query result: entries of the directory that were read before, and that this transaction keeps,
     * were removed meanwhile.
     */
    private void requireNoneMetIn(long directory) throws TransactionConflict {
        for (Map.Entry<Long, Long> met : parents.entrySet()) {
            ItemKey key = named.get(met.getKey());
            if (met.getValue() == directory && key != null && !transaction.removes(key)) {
                throw new TransactionConflict("a directory was moved or removed");
            }
        }
    }

    /** Returns whether a directory has entries that this transaction does not remove. It removes at most two. */
    private boolean hasMore(long directory) throws CloudMwException {
        return transaction.table().query(KeyRange.all(KeyLayout.directory(directory)), 3, "pk, sk").stream()
                .anyMatch(item -> !transaction.removes(item.key()));
    }

    @Override
    public boolean exists(long directory) throws CloudMwException {
        return !transaction
                .table()
                .query(KeyRange.all(KeyLayout.directory(directory)), 1, "pk, sk")
                .isEmpty();
    }

    @Override
    public long addDirectory(long parent, String name) throws TransactionConflict, CloudMwException {
        requireDirectory(parent);
        long number = numbers.next();
        ItemKey key = KeyLayout.entry(parent, name);
        transaction.put(Item.at(key).with(Item.DIRECTORY, number).with(Item.REACH, 0));
        place(number, parent, key);
        return number;
    }

    @Override
    public void keepDirectory(TreeEntry directory, KeptDirectory kept) throws CloudMwException {
        transaction.put(naming(directory.directory())
                .with(Item.KEPT, 1)
                .with(Item.CREATED_AT, kept.createdAtMillis())
                .with(Item.ATTRIBUTES, StoredForms.attributes(kept.attributes())));
    }

    @Override
    public void putFile(long parent, String name, TreeFile file) throws TransactionConflict, CloudMwException {
        ItemKey key = KeyLayout.entry(parent, name);
        Optional<Item> present = transaction.get(key);
        if (present.isEmpty()) {
            requireDirectory(parent);
        }
        byte[] version = versions.get(file.version());
        if (version == null) {
            throw new IllegalStateException("version " + file.version() + ": its properties were not set");
        }
        transaction.put(present.orElse(Item.at(key))
                .with(Item.VERSION, file.version().value())
                .with(Item.FORM, version)
                .with(Item.CREATED_AT, file.createdAtMillis())
                .with(Item.ATTRIBUTES, StoredForms.attributes(file.attributes())));
    }

    @Override
    public void remove(TreeEntry entry) {
        transaction.delete(KeyLayout.entry(entry.parent(), entry.name()));
    }

    /**
     * Moves an entry. A directory is moved only if all directories of its new path stay where they are, so that it
     * cannot move into itself.
     */
    @Override
    public TreeEntry move(TreeEntry entry, long parent, String name) throws TransactionConflict, CloudMwException {
        ItemKey from = KeyLayout.entry(entry.parent(), entry.name());
        ItemKey to = KeyLayout.entry(parent, name);
        Item item = transaction.get(from).orElseThrow(() -> new IllegalStateException("no entry at " + from));
        transaction.delete(from);
        transaction.put(item.under(to));
        requireDirectory(parent);
        if (entry.isDirectory()) {
            named.put(entry.directory(), to);
            parents.put(entry.directory(), parent);
            for (Long above = parents.get(parent); above != null; above = parents.get(above)) {
                requireDirectory(above);
            }
        }
        return entry.at(parent, name);
    }

    /** Requires that the directory exists when an entry is put into it. */
    private void requireDirectory(long directory) throws CloudMwException {
        Item item = naming(directory);
        if (transaction.changes(item.key())) {
            return;
        }
        transaction.require(item.key(), Item.DIRECTORY + " = :number", Map.of(":number", Item.number(directory)));
    }

    /**
     * Reads an item and checks in the same snapshot read that every directory read so far is where it was.
     *
     * @throws TransactionConflict when a directory was moved
     */
    void look(ItemKey key) throws TransactionConflict, CloudMwException {
        List<Long> directories = new ArrayList<>();
        List<ItemKey> keys = new ArrayList<>();
        keys.add(key);
        for (Map.Entry<Long, ItemKey> directory : named.entrySet()) {
            // Written items have this condition already.
            if (!transaction.changes(directory.getValue())) {
                directories.add(directory.getKey());
                keys.add(directory.getValue());
            }
        }
        List<Map<String, AttributeValue>> found = new ArrayList<>();
        for (int from = 0; from < keys.size(); from += Table.MAX_ITEMS) {
            List<ItemKey> some = keys.subList(from, Math.min(keys.size(), from + Table.MAX_ITEMS));
            found.addAll(transaction.table().snapshot(some, LOOKED_AT));
        }
        for (int i = 0; i < directories.size(); i++) {
            AttributeValue number = found.get(i + 1).get(Item.DIRECTORY);
            if (number == null || !number.equals(Item.number(directories.get(i)))) {
                throw new TransactionConflict("a directory was moved");
            }
        }
        Map<String, AttributeValue> values = found.get(0);
        transaction.seen(key, values.isEmpty() ? Optional.empty() : Optional.of(new Item(key, values)));
    }

    /** Returns the item that names a directory read before. */
    private Item naming(long directory) throws CloudMwException {
        ItemKey key = named.get(directory);
        if (key == null) {
            throw new IllegalStateException("directory " + directory + " was not read by this transaction");
        }
        return transaction.get(key).orElseThrow(() -> new IllegalStateException("no item at " + key));
    }

    @Override
    public int reach(long directory) throws CloudMwException {
        Integer will = raised.get(directory);
        return will != null ? will : (int) naming(directory).number(Item.REACH);
    }

    @Override
    public void raise(long directory, int reachBytes) {
        raised.put(directory, reachBytes);
    }

    /**
     * Records the path lengths; this must be the last step on names. Lengths that do not fit into one transaction are
     * raised before it, from the highest directory down. They may then be too large, but never larger than their
     * parent's.
     */
    void finish() throws TransactionConflict, CloudMwException {
        finish(0);
    }

    /**
     * Records the path lengths like {@link #finish()}.
     *
     * @param more the items that the transaction will have beside those of one change
     */
    void finish(int more) throws TransactionConflict, CloudMwException {
        List<Long> present = new ArrayList<>();
        for (Map.Entry<Long, Integer> raise : raised.entrySet()) {
            Item item = naming(raise.getKey());
            if (transaction.changes(item.key())) {
                transaction.put(item.with(Item.REACH, raise.getValue()));
            } else {
                present.add(raise.getKey());
            }
        }
        if (transaction.size() + present.size() + mayBeKept() + more <= MOST_WITH_REACHES) {
            for (long directory : present) {
                transaction.put(naming(directory).with(Item.REACH, reach(directory)));
            }
            return;
        }
        Collections.reverse(present);
        for (long directory : present) {
            raiseNow(directory, reach(directory));
        }
    }

    /** Returns how many changing entries a snapshot may see; each needs one more item for its past form. */
    private long mayBeKept() {
        return transaction.written(KeyLayout.DIRECTORIES).stream()
                .filter(key -> transaction.before(key).isPresent())
                .count();
    }

    private void raiseNow(long directory, int reachBytes) throws TransactionConflict, CloudMwException {
        ItemKey key = naming(directory).key();
        Optional<Item> now = transaction
                .table()
                .update(
                        key,
                        "SET " + Item.REACH + " = :reach, " + Item.WRITTEN_BY + " = :by",
                        Item.DIRECTORY + " = :number AND " + Item.REACH + " < :reach",
                        Map.of(
                                ":reach", Item.number(reachBytes),
                                ":number", Item.number(directory),
                                ":by", AttributeValue.fromS(transaction.id())));
        if (now.isEmpty()) {
            throw new TransactionConflict("a directory was moved, or raised by another");
        }
    }
}
