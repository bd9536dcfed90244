package io.cloudmw.coordinator.catalog.dynamodb;

import io.cloudmw.coordinator.catalog.dynamodb.table.Item;
import io.cloudmw.coordinator.catalog.dynamodb.table.ItemKey;
import io.cloudmw.coordinator.catalog.dynamodb.table.KeyLayout;
import io.cloudmw.coordinator.catalog.dynamodb.transaction.Transaction;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * The past entries that a transaction writes: the old form of changed entries where a snapshot may see it, and how many
 * entries name a version. A version is retired with the last entry, present or past, that names it. A version without
 * that number has one entry.
 */
final class PastEntryItems {
    /** The attributes that a past entry keeps; the others belong to the directory or the writer. */
    private static final List<String> SEEN =
            List.of(Item.VERSION, Item.DIRECTORY, Item.CREATED_AT, Item.ATTRIBUTES, Item.KEPT);

    private PastEntryItems() {}

    /**
     * Writes past entries and reference counts. The volume's position records the state before, and the transaction
     * depends on it.
     */
    static void settle(Transaction transaction, NameItems names, VolumeName volume, Item position, long nowMillis)
            throws CloudMwException {
        long taken = ChangeLogItems.taken(position);
        boolean oneName = taken == 0 && !position.has(Item.LINKED);
        long root = names.root(volume).orElse(0);
        Map<VersionId, Integer> more = new LinkedHashMap<>();
        for (ItemKey key : transaction.written(KeyLayout.DIRECTORIES)) {
            Optional<Item> was = transaction.before(key);
            Optional<Item> will = transaction.get(key);
            if (isSame(was, will)) {
                continue;
            }
            count(more, was, -1);
            count(more, will, 1);
            if (will.isPresent() && taken > 0) {
                transaction.put(will.get().with(Item.SINCE, taken));
            }
            if (was.isPresent() && since(was.get()) < taken) {
                transaction.put(was.get()
                        .under(KeyLayout.past(KeyLayout.directory(key), key.sort(), taken))
                        .with(Item.ROOT, root));
                count(more, was, 1);
            }
        }
        for (Map.Entry<VersionId, Integer> version : more.entrySet()) {
            if (version.getValue() > 0) {
                add(transaction, version.getKey(), version.getValue());
            } else if (version.getValue() < 0 && oneName) {
                VersionItems.retire(transaction, names.version(version.getKey()), nowMillis);
            } else if (version.getValue() < 0) {
                release(transaction, version.getKey(), -version.getValue(), nowMillis);
            }
        }
    }

    private static boolean isSame(Optional<Item> was, Optional<Item> will) {
        return was.isPresent() == will.isPresent()
                && (was.isEmpty()
                        || SEEN.stream()
                                .allMatch(name -> Objects.equals(
                                        was.get().values().get(name),
                                        will.orElseThrow().values().get(name))));
    }

    private static void count(Map<VersionId, Integer> more, Optional<Item> entry, int by) {
        entry.flatMap(PastEntryItems::version).ifPresent(version -> more.merge(version, by, Integer::sum));
    }

    static Optional<VersionId> version(Item entry) {
        return entry.optionalText(Item.VERSION).map(VersionId::new);
    }

    static long since(Item entry) {
        return entry.has(Item.SINCE) ? entry.number(Item.SINCE) : 0;
    }

    private static void add(Transaction transaction, VersionId version, int more) {
        ItemKey state = KeyLayout.state(version);
        if (transaction.changes(state)) {
            // This transaction makes the version current, for this entry.
            return;
        }
        transaction.update(
                state,
                "SET " + Item.NAMED + " = if_not_exists(" + Item.NAMED + ", :one) + :more, " + Item.WRITTEN_BY
                        + " = :by",
                Item.STATE + " = :current",
                Map.of(
                        ":one", Item.number(1),
                        ":more", Item.number(more),
                        ":current", AttributeValue.fromS(VersionStage.CURRENT.name())));
    }

    /** Lowers how many entries name a version by {@code less}; does nothing if the version is not current. */
    static void release(Transaction transaction, VersionId version, int less, long nowMillis) throws CloudMwException {
        Optional<Item> state = transaction.get(KeyLayout.state(version));
        if (state.isEmpty() || VersionStage.of(state.get()) != VersionStage.CURRENT) {
            return;
        }
        long left = (state.get().has(Item.NAMED) ? state.get().number(Item.NAMED) : 1) - less;
        if (left > 0) {
            transaction.put(state.get().with(Item.NAMED, left));
        } else {
            VersionItems.retire(transaction, state.get(), nowMillis);
        }
    }
}
