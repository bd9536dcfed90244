package io.cloudmw.coordinator.catalog.dynamodb;

import io.cloudmw.coordinator.catalog.Tree;
import io.cloudmw.coordinator.catalog.TreeEntry;
import io.cloudmw.coordinator.catalog.TreeFile;
import io.cloudmw.coordinator.catalog.TreeStore;
import io.cloudmw.coordinator.catalog.stored.StoredForms;
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
 * The tree of names, in items: a directory's number and reach are in the entry that names it, or in the volume. Part of
 * one transaction; confined to one thread.
 *
 * <p>A directory goes on being one when something is put into it because the transaction requires its entry to be there. It
 * is empty when its entry goes because all changes of the volume before were whole when it was looked into, and there was none
 * since: see {@link ChangeItems#begin}.
 */
final class Names implements TreeStore<Conflict> {
    /** A transaction that has grown to this size removes no more directories: of each something may have to be kept. */
    private static final int MOST_BEFORE_PRUNING = 43;

    static final Comparator<String> BY_UTF8 =
            (a, b) -> Arrays.compareUnsigned(a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));

    private static final String LOOKED_AT =
            String.join(", ", Item.WRITTEN_BY, Item.LAST, Item.TAKEN, Item.LINKED, Item.ADDED, Item.DIRECTORY);

    /** What is left for what is said of a change after its names. */
    private static final int MOST_WITH_REACHES = 89;

    private final Transaction transaction;
    private final Numbers numbers;
    private final ChangeItems changes;

    /** Of the root that was met. */
    private @Nullable VolumeName volume;

    /** Of the directories met so far, what names them. */
    private final Map<Long, Key> named = new HashMap<>();

    private final Map<Long, Long> parents = new HashMap<>();
    private final Map<VersionId, byte[]> versions = new HashMap<>();

    /** Reaches to be noted, from the lowest directory up. */
    private final Map<Long, Integer> raised = new LinkedHashMap<>();

    private OptionalLong leftToPrune = OptionalLong.empty();

    /** The one that is left for what was found in it. */
    private OptionalLong occupied = OptionalLong.empty();

    Names(Transaction transaction, Numbers numbers, ChangeItems changes) {
        this.transaction = transaction;
        this.numbers = numbers;
        this.changes = changes;
    }

    Tree<Conflict> tree() {
        return new Tree<>(this);
    }

    /** Says what is to be kept of a version that is about to be put. */
    void about(FileVersion version) {
        versions.put(version.id(), StoredForms.version(version));
    }

    /** A version some entry was found to have, or that is about to be put, as it was committed. */
    FileVersion version(VersionId id) throws CloudMwException {
        byte[] form = versions.get(id);
        if (form == null) {
            throw new IllegalStateException("no entry has version " + id);
        }
        return StoredForms.version(form);
    }

    /**
     * A directory that had something else in it when it was looked into: it has to be looked into once more when the
     * transaction took effect, since whoever removed that may have found what this one removes.
     */
    OptionalLong leftToPrune() {
        return leftToPrune;
    }

    @Override
    public OptionalLong root(VolumeName name) throws CloudMwException {
        Optional<Item> item = transaction.get(Keys.volume(name));
        if (item.isEmpty()) {
            return OptionalLong.empty();
        }
        long root = item.get().number(Item.DIRECTORY);
        named.put(root, item.get().key());
        volume = name;
        return OptionalLong.of(root);
    }

    @Override
    public Optional<TreeEntry> child(long directory, String name) throws Conflict, CloudMwException {
        Optional<Item> item = transaction.get(Keys.entry(directory, name));
        return item.isEmpty() ? Optional.empty() : Optional.of(entry(directory, item.get()));
    }

    TreeEntry entry(long parent, Item item) throws Conflict, CloudMwException {
        String name = item.key().sort();
        if (item.has(Item.DIRECTORY)) {
            long number = item.number(Item.DIRECTORY);
            place(number, parent, item.key());
            return new TreeEntry(parent, name, Optional.empty(), number);
        }
        VersionId version = new VersionId(item.text(Item.VERSION));
        versions.put(version, item.bytes(Item.FORM));
        TreeFile file = new TreeFile(version, item.number(Item.CREATED_AT), attributes(item));
        return new TreeEntry(parent, name, Optional.of(file), 0);
    }

    /**
     * Notes where a directory was met.
     *
     * @throws Conflict when it was met elsewhere before: it was moved between two reads, and what is concluded from both may
     *     be wrong, as that it can be moved into a directory which is in it by now
     */
    private void place(long directory, long parent, Key key) throws Conflict {
        Key before = named.put(directory, key);
        if (before != null && !before.equals(key)) {
            throw new Conflict("a directory was moved");
        }
        parents.put(directory, parent);
    }

    /** What is noted of the file that an item is of. */
    static Attributes attributes(Item item) throws CloudMwException {
        return item.has(Item.ATTRIBUTES) ? StoredForms.attributes(item.bytes(Item.ATTRIBUTES)) : Attributes.NONE;
    }

    @Override
    public boolean isEmpty(long directory) throws Conflict, CloudMwException {
        if (transaction.putsInto(Keys.directory(directory))) {
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
            throw new IllegalStateException("no root was met");
        }
        changes.begin(transaction, volume);
        if (hasMore(directory)) {
            return false;
        }
        requireNoneMetIn(directory);
        return true;
    }

    /**
     * Whoever removes the rest of a directory before this takes effect leaves it to this one, and others would meet it empty until it
     * is looked into once more: it could have another name by then.
     *
     * @throws Conflict when a directory that was left for what is in it has nothing in it any more
     */
    void requireOccupied() throws Conflict, CloudMwException {
        if (occupied.isPresent() && !hasMore(occupied.getAsLong())) {
            throw new Conflict("a directory was emptied");
        }
    }

    /**
     * Nothing was found in a directory. Those that were met there before, and that this transaction leaves there, went
     * meanwhile.
     */
    private void requireNoneMetIn(long directory) throws Conflict {
        for (Map.Entry<Long, Long> met : parents.entrySet()) {
            Key key = named.get(met.getKey());
            if (met.getValue() == directory && key != null && !transaction.removes(key)) {
                throw new Conflict("a directory was moved or removed");
            }
        }
    }

    /** Whether something is in a directory that this transaction does not remove. At most two of its entries are. */
    private boolean hasMore(long directory) throws CloudMwException {
        return transaction.table().query(Range.all(Keys.directory(directory)), 3, "pk, sk").stream()
                .anyMatch(item -> !transaction.removes(item.key()));
    }

    @Override
    public boolean exists(long directory) throws CloudMwException {
        return !transaction
                .table()
                .query(Range.all(Keys.directory(directory)), 1, "pk, sk")
                .isEmpty();
    }

    @Override
    public long addDirectory(long parent, String name) throws Conflict, CloudMwException {
        requireDirectory(parent);
        long number = numbers.next();
        Key key = Keys.entry(parent, name);
        transaction.put(Item.at(key).with(Item.DIRECTORY, number).with(Item.REACH, 0));
        place(number, parent, key);
        return number;
    }

    @Override
    public void putFile(long parent, String name, TreeFile file) throws Conflict, CloudMwException {
        Key key = Keys.entry(parent, name);
        Optional<Item> present = transaction.get(key);
        if (present.isEmpty()) {
            requireDirectory(parent);
        }
        byte[] version = versions.get(file.version());
        if (version == null) {
            throw new IllegalStateException("nothing is known of version " + file.version());
        }
        transaction.put(present.orElse(Item.at(key))
                .with(Item.VERSION, file.version().value())
                .with(Item.FORM, version)
                .with(Item.CREATED_AT, file.createdAtMillis())
                .with(Item.ATTRIBUTES, StoredForms.attributes(file.attributes())));
    }

    @Override
    public void remove(TreeEntry entry) {
        transaction.delete(Keys.entry(entry.parent(), entry.name()));
    }

    /** A directory is moved only if all that its new path lies in stays where it is: it is none of them. */
    @Override
    public TreeEntry move(TreeEntry entry, long parent, String name) throws Conflict, CloudMwException {
        Key from = Keys.entry(entry.parent(), entry.name());
        Key to = Keys.entry(parent, name);
        Item item = transaction.get(from).orElseThrow(() -> new IllegalStateException("nothing at " + from));
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
        return new TreeEntry(parent, name, entry.file(), entry.directory());
    }

    /** Something is put into this directory: it must be there. */
    private void requireDirectory(long directory) throws CloudMwException {
        Item item = naming(directory);
        if (transaction.changes(item.key())) {
            return;
        }
        transaction.require(item.key(), Item.DIRECTORY + " = :number", Map.of(":number", Item.number(directory)));
    }

    /**
     * Reads an item, and with it, at the same moment, whether every directory that was met is where it was.
     *
     * @throws Conflict when one is not
     */
    void look(Key key) throws Conflict, CloudMwException {
        List<Long> directories = new ArrayList<>();
        List<Key> keys = new ArrayList<>();
        keys.add(key);
        for (Map.Entry<Long, Key> directory : named.entrySet()) {
            // Those that are written have this as a condition already.
            if (!transaction.changes(directory.getValue())) {
                directories.add(directory.getKey());
                keys.add(directory.getValue());
            }
        }
        List<Map<String, AttributeValue>> found = new ArrayList<>();
        for (int from = 0; from < keys.size(); from += Table.MAX_ITEMS) {
            List<Key> some = keys.subList(from, Math.min(keys.size(), from + Table.MAX_ITEMS));
            found.addAll(transaction.table().snapshot(some, LOOKED_AT));
        }
        for (int i = 0; i < directories.size(); i++) {
            AttributeValue number = found.get(i + 1).get(Item.DIRECTORY);
            if (number == null || !number.equals(Item.number(directories.get(i)))) {
                throw new Conflict("a directory was moved");
            }
        }
        Map<String, AttributeValue> values = found.get(0);
        transaction.seen(key, values.isEmpty() ? Optional.empty() : Optional.of(new Item(key, values)));
    }

    /** What names a directory that was met. */
    private Item naming(long directory) throws CloudMwException {
        Key key = named.get(directory);
        if (key == null) {
            throw new IllegalStateException("directory " + directory + " was not met");
        }
        return transaction.get(key).orElseThrow(() -> new IllegalStateException("nothing at " + key));
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
     * Notes the reaches; call when all else is said. Those that would be too many for one transaction are raised before it,
     * from the highest directory down: they may be too large, but none larger than of the one it is in.
     */
    void finish() throws Conflict, CloudMwException {
        List<Long> present = new ArrayList<>();
        for (Map.Entry<Long, Integer> raise : raised.entrySet()) {
            Item item = naming(raise.getKey());
            if (transaction.changes(item.key())) {
                transaction.put(item.with(Item.REACH, raise.getValue()));
            } else {
                present.add(raise.getKey());
            }
        }
        if (transaction.size() + present.size() + mayBeKept() <= MOST_WITH_REACHES) {
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

    /** Entries that change and that snapshots may see as they were: each is kept by an item more. */
    private long mayBeKept() {
        return transaction.written(Keys.DIRECTORIES).stream()
                .filter(key -> transaction.before(key).isPresent())
                .count();
    }

    private void raiseNow(long directory, int reachBytes) throws Conflict, CloudMwException {
        Key key = naming(directory).key();
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
            throw new Conflict("a directory was moved, or raised by another");
        }
    }
}
