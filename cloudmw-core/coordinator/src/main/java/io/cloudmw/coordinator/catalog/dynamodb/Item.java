package io.cloudmw.coordinator.catalog.dynamodb;

import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * An item of the table. Immutable. The names of its attributes are compounds: none is a word that expressions reserve.
 *
 * @param values its attributes but the key
 */
record Item(Key key, Map<String, AttributeValue> values) {
    /** The transaction that wrote the item last: what was read is still so while this is the same. */
    static final String WRITTEN_BY = "writtenBy";

    /** Of a volume or an entry that is a directory. */
    static final String DIRECTORY = "directoryNumber";

    static final String REACH = "reachBytes";

    /** Of a volume's position: entries that the change which wrote it added, each the partition and the name. */
    static final String ADDED = "addedEntries";

    static final String VERSION = "versionId";
    /** The message that {@code StoredForms} makes of a volume, store or version. */
    static final String FORM = "storedForm";

    static final String CREATED_AT = "createdAt";
    static final String ATTRIBUTES = "userAttributes";
    static final String STATE = "versionState";
    static final String CHANGED_AT = "changedAt";
    static final String SEGMENTS = "segmentCount";
    static final String SHA256 = "segmentSha256";
    static final String PARTS = "partCount";
    static final String BODY = "partBody";
    static final String REPORTED = "hasReports";
    static final String ROOT = "rootNumber";
    static final String REPLICA = "replicaState";
    /** What a segment names of chunks that others wrote. */
    static final String RUNS = "sharedRuns";

    static final String HOLDER = "leaseHolder";
    static final String EPOCH = "leaseEpoch";
    static final String UNTIL = "untilMillis";
    static final String SCHEMA = "schemaVersion";
    static final String LAST = "lastNumber";
    static final String TEXT = "notedText";

    /** What a call was refused with. */
    static final String REFUSAL = "refusedWith";

    /** Of a version that is forgotten: it was never committed, and never will be. */
    static final String ABANDONED = "wasAbandoned";

    /** How many snapshots of a volume were taken. */
    static final String TAKEN = "snapshotsTaken";

    /** Of a volume's position: versions of it may have several names though no snapshot was taken. */
    static final String LINKED = "linked";

    /** How many had been when an entry was made as it is; absent: none. */
    static final String SINCE = "sinceSnapshot";

    /** How many entries of the present and the past name a version; absent: one. */
    static final String NAMED = "namedBy";

    static Item at(Key key) {
        return new Item(key, Map.of());
    }

    static Item read(Map<String, AttributeValue> attributes) {
        Map<String, AttributeValue> values = new HashMap<>(attributes);
        Key key = new Key(text(values.remove(Key.PARTITION), Key.PARTITION), text(values.remove(Key.SORT), Key.SORT));
        return new Item(key, Collections.unmodifiableMap(values));
    }

    private static String text(@Nullable AttributeValue value, String name) {
        if (value == null || value.s() == null) {
            throw new IllegalStateException("item without " + name);
        }
        return value.s();
    }

    /** Everything, as a request has it. */
    Map<String, AttributeValue> attributes() {
        Map<String, AttributeValue> all = new HashMap<>(values);
        all.putAll(key.attributes());
        return all;
    }

    Item under(Key other) {
        return new Item(other, values);
    }

    Item with(String name, AttributeValue value) {
        Map<String, AttributeValue> changed = new HashMap<>(values);
        changed.put(name, value);
        return new Item(key, Collections.unmodifiableMap(changed));
    }

    Item with(String name, String text) {
        return with(name, AttributeValue.fromS(text));
    }

    Item with(String name, long number) {
        return with(name, number(number));
    }

    Item with(String name, byte[] bytes) {
        return with(name, AttributeValue.fromB(SdkBytes.fromByteArray(bytes)));
    }

    Item without(String name) {
        Map<String, AttributeValue> changed = new HashMap<>(values);
        changed.remove(name);
        return new Item(key, Collections.unmodifiableMap(changed));
    }

    boolean has(String name) {
        return values.containsKey(name);
    }

    String text(String name) {
        return text(values.get(name), name + " at " + key);
    }

    Optional<String> optionalText(String name) {
        return has(name) ? Optional.of(text(name)) : Optional.empty();
    }

    long number(String name) {
        AttributeValue value = values.get(name);
        if (value == null || value.n() == null) {
            throw new IllegalStateException("item without " + name + " at " + key);
        }
        return Long.parseLong(value.n());
    }

    byte[] bytes(String name) {
        AttributeValue value = values.get(name);
        if (value == null || value.b() == null) {
            throw new IllegalStateException("item without " + name + " at " + key);
        }
        return value.b().asByteArray();
    }

    /** Keys, none if there is no such attribute. */
    List<Key> keys(String name) {
        AttributeValue value = values.get(name);
        return value == null
                ? List.of()
                : value.l().stream()
                        .map(key -> new Key(key.l().get(0).s(), key.l().get(1).s()))
                        .toList();
    }

    /** With keys; without the attribute if there are none. */
    Item with(String name, List<Key> keys) {
        List<AttributeValue> all = keys.stream()
                .map(key -> AttributeValue.fromL(
                        List.of(AttributeValue.fromS(key.partition()), AttributeValue.fromS(key.sort()))))
                .toList();
        return all.isEmpty() ? without(name) : with(name, AttributeValue.fromL(all));
    }

    String writtenBy() {
        return text(WRITTEN_BY);
    }

    static AttributeValue number(long number) {
        return AttributeValue.fromN(Long.toString(number));
    }
}
