package io.cloudmw.coordinator.catalog.dynamodb;

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
 * What a transaction that changes entries says of the past: what they were, where a snapshot may see it, and how many entries of the
 * present and the past name a version, which is retired with the last. A version without that number has one.
 */
final class PastItems {
    /** What an entry is; the rest is of its directory, or of who wrote it. */
    private static final List<String> SEEN = List.of(Item.VERSION, Item.DIRECTORY, Item.CREATED_AT, Item.ATTRIBUTES);

    private PastItems() {}

    /** Says it; the volume's position says what was so before, which is so when the transaction takes effect. */
    static void settle(Transaction transaction, Names names, VolumeName volume, Item position, long nowMillis)
            throws CloudMwException {
        long taken = ChangeItems.taken(position);
        boolean oneName = taken == 0 && !position.has(Item.LINKED);
        long root = names.root(volume).orElse(0);
        Map<VersionId, Integer> more = new LinkedHashMap<>();
        for (Key key : transaction.written(Keys.DIRECTORIES)) {
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
                        .under(Keys.past(Keys.directory(key), key.sort(), taken))
                        .with(Item.ROOT, root));
                count(more, was, 1);
            }
        }
        for (Map.Entry<VersionId, Integer> version : more.entrySet()) {
            if (version.getValue() > 0) {
                add(transaction, version.getKey(), version.getValue());
            } else if (version.getValue() < 0 && oneName) {
                Versions.retire(transaction, names.version(version.getKey()), nowMillis);
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
        entry.flatMap(PastItems::version).ifPresent(version -> more.merge(version, by, Integer::sum));
    }

    static Optional<VersionId> version(Item entry) {
        return entry.optionalText(Item.VERSION).map(VersionId::new);
    }

    static long since(Item entry) {
        return entry.has(Item.SINCE) ? entry.number(Item.SINCE) : 0;
    }

    private static void add(Transaction transaction, VersionId version, int more) {
        Key state = Keys.state(version);
        if (transaction.changes(state)) {
            // It is made current by this transaction, for this entry.
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
                        ":current", AttributeValue.fromS(Stage.CURRENT.name())));
    }

    /** So many entries less name a version; nothing if it is not current. */
    static void release(Transaction transaction, VersionId version, int less, long nowMillis) throws CloudMwException {
        Optional<Item> state = transaction.get(Keys.state(version));
        if (state.isEmpty() || Stage.of(state.get()) != Stage.CURRENT) {
            return;
        }
        long left = (state.get().has(Item.NAMED) ? state.get().number(Item.NAMED) : 1) - less;
        if (left > 0) {
            transaction.put(state.get().with(Item.NAMED, left));
        } else {
            Versions.retire(transaction, state.get(), nowMillis);
        }
    }
}
