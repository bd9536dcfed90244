package io.cloudmw.core.catalog.dynamodb;

import io.cloudmw.core.catalog.Commit;
import io.cloudmw.core.catalog.Pages;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.ChunkId;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.ReplicaReport;
import io.cloudmw.core.model.ReplicaState;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * What is known of replicas: an item for each that is not good, and for each that became good before its version was
 * committed, which says nothing from then on. The current versions that may have faults are listed by volume. Safe for any
 * thread.
 */
final class Replicas {
    /** What one transaction says of replicas, beside the version and the list it is in. */
    static final int BATCH = 90;

    /** So many copies are owed by the transaction of the commit itself; of more, all are noted before it. */
    static final int MOST_IN_COMMIT = 24;

    private static final int PAGE = 1000;

    private final Table table;
    private final Transactions transactions;

    Replicas(Table table, Transactions transactions) {
        this.table = table;
        this.transactions = transactions;
    }

    /** Each version's reports take effect {@value #BATCH} at a time. */
    void report(List<ReplicaReport> reports, long nowMillis) throws CloudMwException {
        Map<VersionId, List<ReplicaReport>> byVersion = new LinkedHashMap<>();
        for (ReplicaReport report : reports) {
            byVersion
                    .computeIfAbsent(report.chunk().version(), version -> new ArrayList<>())
                    .add(report);
        }
        for (Map.Entry<VersionId, List<ReplicaReport>> some : byVersion.entrySet()) {
            for (List<ReplicaReport> batch : batches(some.getValue())) {
                transactions.run(transaction -> report(transaction, some.getKey(), batch, nowMillis));
            }
        }
    }

    private static List<List<ReplicaReport>> batches(List<ReplicaReport> reports) {
        List<List<ReplicaReport>> batches = new ArrayList<>();
        for (int from = 0; from < reports.size(); from += BATCH) {
            batches.add(reports.subList(from, Math.min(reports.size(), from + BATCH)));
        }
        return batches;
    }

    private static int report(Transaction transaction, VersionId id, List<ReplicaReport> reports, long nowMillis)
            throws Conflict, CloudMwException {
        Key key = Keys.state(id);
        transaction.load(with(key, reports));
        Optional<Item> state = transaction.get(key);
        VersionState is = state.isPresent() ? VersionState.of(state.get()) : VersionState.OPEN;
        if (is == VersionState.FORGOTTEN) {
            return 0;
        }
        boolean committed = state.isPresent() && state.get().has(Item.FORM);
        // Read before the faults are looked through: who reports another one meanwhile changes it.
        boolean listed = is == VersionState.CURRENT && isListed(transaction, state, id);
        boolean faults = false;
        for (ReplicaReport report : reports) {
            apply(transaction, report, committed);
            faults |= transaction
                    .get(Keys.replica(report))
                    .map(Replicas::state)
                    .filter(now -> now != ReplicaState.GOOD)
                    .isPresent();
        }
        if (is == VersionState.OPEN) {
            Versions.renew(transaction, id, nowMillis, 0, true);
            return reports.size();
        }
        transaction.require(key, Item.STATE + " = :state", Map.of(":state", AttributeValue.fromS(is.name())));
        if (is == VersionState.CURRENT) {
            list(transaction, Keys.faulty(state.orElseThrow().number(Item.ROOT), id), id, listed, faults);
        }
        return reports.size();
    }

    private static boolean isListed(Transaction transaction, Optional<Item> state, VersionId id)
            throws CloudMwException {
        return transaction
                .get(Keys.faulty(state.orElseThrow().number(Item.ROOT), id))
                .isPresent();
    }

    private static List<Key> with(Key key, List<ReplicaReport> reports) {
        List<Key> keys = new ArrayList<>();
        keys.add(key);
        reports.forEach(report -> keys.add(Keys.replica(report)));
        return keys;
    }

    /** @param committed what became good before says nothing any more */
    private static void apply(Transaction transaction, ReplicaReport report, boolean committed)
            throws CloudMwException {
        Key key = Keys.replica(report);
        Optional<Item> item = transaction.get(key);
        Optional<ReplicaState> was =
                item.map(Replicas::state).filter(state -> !committed || state != ReplicaState.GOOD);
        switch (report.state()) {
            case OWED -> {
                if (was.isEmpty()) {
                    put(transaction, report);
                }
            }
            case MISSING, CORRUPT -> put(transaction, report);
            case GOOD -> {
                // A late word of the writer does not lift what a reader found.
                if (was.isPresent() && was.get() == ReplicaState.CORRUPT) {
                    return;
                }
                if (!committed) {
                    put(transaction, report);
                } else if (item.isPresent()) {
                    transaction.delete(key);
                }
            }
        }
    }

    private static void put(Transaction transaction, ReplicaReport report) {
        transaction.put(
                Item.at(Keys.replica(report)).with(Item.REPLICA, report.state().name()));
    }

    /** Lists a current version that has faults after this transaction, and takes one that has none from the list. */
    private static void list(Transaction transaction, Key place, VersionId id, boolean listed, boolean faults)
            throws CloudMwException {
        if (faults || hasOtherFaults(transaction, id)) {
            transaction.put(Item.at(place));
        } else if (listed) {
            transaction.delete(place);
        }
    }

    private static boolean hasOtherFaults(Transaction transaction, VersionId id) throws CloudMwException {
        List<Item> known =
                transaction.table().query(Range.startingWith(Keys.ofVersion(id), Keys.REPLICAS), Table.MAX_ITEMS);
        return known.size() == Table.MAX_ITEMS
                || known.stream()
                        .anyMatch(item -> state(item) != ReplicaState.GOOD && !transaction.removes(item.key()));
    }

    /** Notes what is owed before its commit, when that is too much for one transaction. Nothing if it is committed. */
    void oweBefore(Commit commit) throws CloudMwException {
        if (commit.owed().size() <= MOST_IN_COMMIT) {
            return;
        }
        VersionId id = commit.version().id();
        Key key = Keys.state(id);
        for (List<ReplicaReport> batch : batches(commit.owed())) {
            transactions.run(transaction -> {
                transaction.load(with(key, batch));
                Optional<Item> state = transaction.get(key);
                if (state.isEmpty() || VersionState.of(state.get()) == VersionState.OPEN) {
                    for (ReplicaReport owed : batch) {
                        apply(transaction, owed, false);
                    }
                    Versions.renew(transaction, id, commit.version().committedAtMillis(), 0, true);
                }
                return batch.size();
            });
        }
    }

    /**
     * Part of a commit: notes what is owed, as far as nothing is known of it.
     *
     * @param open the version as it was read: nothing was said of its replicas since
     */
    void owe(Transaction transaction, Commit commit, long root, Optional<Item> open) throws Conflict, CloudMwException {
        VersionId id = commit.version().id();
        boolean reported = open.isPresent() && open.get().has(Item.REPORTED);
        boolean noted = commit.owed().size() > MOST_IN_COMMIT;
        List<ReplicaReport> owed = noted ? List.of() : commit.owed();
        if (reported) {
            transaction.load(owed.stream().map(Keys::replica).toList());
        }
        boolean faults = noted;
        for (ReplicaReport one : owed) {
            if (!reported || transaction.get(Keys.replica(one)).isEmpty()) {
                put(transaction, one);
                faults = true;
            }
        }
        if (faults || (reported && mayHaveFaults(id))) {
            transaction.put(Item.at(Keys.faulty(root, id)));
        }
    }

    private boolean mayHaveFaults(VersionId id) throws CloudMwException {
        List<Item> known = table.query(Range.startingWith(Keys.ofVersion(id), Keys.REPLICAS), PAGE);
        return known.size() == PAGE || known.stream().anyMatch(item -> state(item) != ReplicaState.GOOD);
    }

    List<ReplicaReport> faults(VersionId version, long firstIndex, long endIndex) throws CloudMwException {
        if (firstIndex >= endIndex) {
            return List.of();
        }
        return table
                .queryAll(
                        Range.between(Keys.ofVersion(version), Keys.replicasOf(firstIndex), Keys.replicasOf(endIndex)))
                .stream()
                .map(Replicas::row)
                .filter(Replicas::isFault)
                .toList();
    }

    long underReplicatedChunks(VersionId version) throws CloudMwException {
        long chunks = 0;
        long last = -1;
        List<Item> page;
        String after = Keys.REPLICAS;
        do {
            page = table.query(Range.between(Keys.ofVersion(version), after, Keys.REPLICAS_END), PAGE);
            for (ReplicaReport fault :
                    page.stream().map(Replicas::row).filter(Replicas::isFault).toList()) {
                chunks += fault.chunk().index() > last ? 1 : 0;
                last = fault.chunk().index();
            }
            after = page.isEmpty()
                    ? after
                    : after(page.get(page.size() - 1).key().sort());
        } while (page.size() == PAGE);
        return chunks;
    }

    Page<ReplicaReport> underReplicated(VolumeName volume, String pageToken, int limit) throws CloudMwException {
        Optional<ReplicaReport> last = pageToken.isEmpty() ? Optional.empty() : Optional.of(Pages.parse(pageToken));
        Optional<Item> known = table.get(Keys.volume(volume));
        List<ReplicaReport> found = new ArrayList<>();
        if (known.isPresent()) {
            long root = known.get().number(Item.DIRECTORY);
            String from = last.map(report -> report.chunk().version().value()).orElse("");
            for (String digit : Keys.DIGITS) {
                if (from.isEmpty() || digit.compareTo(from.substring(0, 1)) >= 0) {
                    collect(Keys.faulty(root, digit), last, limit, found);
                }
            }
        }
        return Pages.cut(found, limit, Pages::token);
    }

    /** Goes on with the versions of one list, until there is one more than the page has. */
    private void collect(String partition, Optional<ReplicaReport> last, int limit, List<ReplicaReport> found)
            throws CloudMwException {
        String from = last.map(report -> report.chunk().version().value()).orElse("0");
        List<Item> versions = List.of();
        while (found.size() <= limit) {
            versions = table.query(Range.between(partition, from, "~"), Table.MAX_ITEMS);
            for (Item version : versions) {
                if (found.size() <= limit) {
                    collect(version, last, limit, found);
                }
            }
            if (versions.size() < Table.MAX_ITEMS) {
                return;
            }
            from = after(versions.get(versions.size() - 1).key().sort());
        }
    }

    /** The faults of one version; if it has none it is taken from the list, unless somebody lists it meanwhile. */
    private void collect(Item listed, Optional<ReplicaReport> last, int limit, List<ReplicaReport> found)
            throws CloudMwException {
        VersionId id = new VersionId(listed.key().sort());
        boolean begun = last.isPresent() && last.get().chunk().version().equals(id);
        String after = begun ? after(Keys.replica(last.get()).sort()) : Keys.REPLICAS;
        boolean none = !begun;
        while (found.size() <= limit) {
            List<Item> page = table.query(Range.between(Keys.ofVersion(id), after, Keys.REPLICAS_END), PAGE);
            for (ReplicaReport fault :
                    page.stream().map(Replicas::row).filter(Replicas::isFault).toList()) {
                none = false;
                if (found.size() <= limit) {
                    found.add(fault);
                }
            }
            if (page.size() < PAGE) {
                break;
            }
            after = after(page.get(page.size() - 1).key().sort());
        }
        if (none && found.size() <= limit) {
            table.deleteIfUnchanged(listed);
        }
    }

    /** The least that follows a place. */
    private static String after(String sort) {
        return sort + "\0";
    }

    private static boolean isFault(ReplicaReport report) {
        return report.state() != ReplicaState.GOOD;
    }

    private static ReplicaState state(Item item) {
        return ReplicaState.valueOf(item.text(Item.REPLICA));
    }

    private static ReplicaReport row(Item item) {
        VersionId version = new VersionId(item.key().partition().substring(2));
        String sort = item.key().sort();
        int slash = sort.indexOf('/', Keys.REPLICAS.length());
        long chunk = Long.parseLong(sort.substring(Keys.REPLICAS.length(), slash));
        return new ReplicaReport(new ChunkId(version, chunk), new StoreId(sort.substring(slash + 1)), state(item));
    }
}
