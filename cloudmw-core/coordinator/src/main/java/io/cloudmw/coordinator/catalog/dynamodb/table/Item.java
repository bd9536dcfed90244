package io.cloudmw.coordinator.catalog.dynamodb.table;

import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * An item of the table. Immutable. Attribute names are compounds, since DynamoDB reserves many single words.
 *
 * @param values its attributes except the key
 */
public record Item(ItemKey key, Map<String, AttributeValue> values) {
    /** The transaction that last wrote the item; an equal value means that the item is unchanged. */
    public static final String WRITTEN_BY = "writtenBy";

    /** The number of a directory, in its entry or its volume. */
    public static final String DIRECTORY = "directoryNumber";

    /** In a directory: it stays when it is empty. */
    public static final String KEPT = "keptWhenEmpty";

    public static final String REACH = "reachBytes";

    /** In a volume's position: the entries that its change added, each the partition and the name. */
    public static final String ADDED = "addedEntries";

    public static final String VERSION = "versionId";
    /** The message that {@code StoredForms} makes of a volume, store or version. */
    public static final String FORM = "storedForm";

    public static final String CREATED_AT = "createdAt";
    public static final String ATTRIBUTES = "userAttributes";
    public static final String STATE = "versionState";
    public static final String CHANGED_AT = "changedAt";
    public static final String SEGMENTS = "segmentCount";
    public static final String SHA256 = "segmentSha256";
    public static final String PARTS = "partCount";
    public static final String BODY = "partBody";
    public static final String REPORTED = "hasReports";
    public static final String ROOT = "rootNumber";
    public static final String REPLICA = "replicaState";
    /** The chunks of other versions that a segment references. */
    public static final String RUNS = "sharedRuns";

    public static final String HOLDER = "leaseHolder";
    public static final String EPOCH = "leaseEpoch";
    public static final String UNTIL = "untilMillis";

    /** The number of files of a volume that have locks. */
    public static final String REVISION = "subjectRevision";

    public static final String COUNT = "subjectCount";
    public static final String LOCKED = "lockedFiles";

    static final String SCHEMA = "schemaVersion";
    public static final String LAST = "lastNumber";
    public static final String TEXT = "notedText";

    /** The refusal that answered a call. */
    public static final String REFUSAL = "refusedWith";

    /** In a forgotten version: it was never committed, and never will be. */
    public static final String ABANDONED = "wasAbandoned";

    /** The number of snapshots taken of a volume. */
    public static final String TAKEN = "snapshotsTaken";

    /** In the list of packs: when the pack stopped to take files; absent: it may take more. */
    public static final String CLOSED_AT = "closedAt";

    /** In the list of packs: the earlier pack whose slices it has, which manifests name; absent: they name its own. */
    public static final String ORIGINAL = "originalPack";

    /** In a volume's position: versions may have several names though no snapshot was taken. */
    public static final String LINKED = "linked";

    /** The number of snapshots when the entry took its present form; absent: none. */
    public static final String SINCE = "sinceSnapshot";

    /** The number of present and past entries that name a version; absent: one. */
    public static final String NAMED = "namedBy";

    public static Item at(ItemKey key) {
        return new Item(key, Map.of());
    }

    static Item read(Map<String, AttributeValue> attributes) {
        Map<String, AttributeValue> values = new HashMap<>(attributes);
        ItemKey key = new ItemKey(
                text(values.remove(ItemKey.PARTITION), ItemKey.PARTITION),
                text(values.remove(ItemKey.SORT), ItemKey.SORT));
        return new Item(key, Collections.unmodifiableMap(values));
    }

    private static String text(@Nullable AttributeValue value, String name) {
        if (value == null || value.s() == null) {
            throw new IllegalStateException("item without " + name);
        }
        return value.s();
    }

    /** Returns the key and all attributes, in the form of a request. */
    public Map<String, AttributeValue> attributes() {
        Map<String, AttributeValue> all = new HashMap<>(values);
        all.putAll(key.attributes());
        return all;
    }

    public Item under(ItemKey other) {
        return new Item(other, values);
    }

    public Item with(String name, AttributeValue value) {
        Map<String, AttributeValue> changed = new HashMap<>(values);
        changed.put(name, value);
        return new Item(key, Collections.unmodifiableMap(changed));
    }

    public Item with(String name, String text) {
        return with(name, AttributeValue.fromS(text));
    }

    public Item with(String name, long number) {
        return with(name, number(number));
    }

    public Item with(String name, byte[] bytes) {
        return with(name, AttributeValue.fromB(SdkBytes.fromByteArray(bytes)));
    }

    public Item without(String name) {
        Map<String, AttributeValue> changed = new HashMap<>(values);
        changed.remove(name);
        return new Item(key, Collections.unmodifiableMap(changed));
    }

    public boolean has(String name) {
        return values.containsKey(name);
    }

    public String text(String name) {
        return text(values.get(name), name + " at " + key);
    }

    public Optional<String> optionalText(String name) {
        return has(name) ? Optional.of(text(name)) : Optional.empty();
    }

    public long number(String name) {
        AttributeValue value = values.get(name);
        if (value == null || value.n() == null) {
            throw new IllegalStateException("item without " + name + " at " + key);
        }
        return Long.parseLong(value.n());
    }

    public byte[] bytes(String name) {
        AttributeValue value = values.get(name);
        if (value == null || value.b() == null) {
            throw new IllegalStateException("item without " + name + " at " + key);
        }
        return value.b().asByteArray();
    }

    /** Returns the keys in an attribute; an empty list if there is no such attribute. */
    public List<ItemKey> keys(String name) {
        AttributeValue value = values.get(name);
        return value == null
                ? List.of()
                : value.l().stream()
                        .map(key ->
                                new ItemKey(key.l().get(0).s(), key.l().get(1).s()))
                        .toList();
    }

    /** Returns the item with these keys in an attribute; without the attribute if the list is empty. */
    public Item with(String name, List<ItemKey> keys) {
        List<AttributeValue> all = keys.stream()
                .map(key -> AttributeValue.fromL(
                        List.of(AttributeValue.fromS(key.partition()), AttributeValue.fromS(key.sort()))))
                .toList();
        return all.isEmpty() ? without(name) : with(name, AttributeValue.fromL(all));
    }

    public String writtenBy() {
        return text(WRITTEN_BY);
    }

    public static AttributeValue number(long number) {
        return AttributeValue.fromN(Long.toString(number));
    }
}
