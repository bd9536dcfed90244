package io.cloudmw.coordinator.catalog.dynamodb;

import io.cloudmw.coordinator.catalog.PageRules;
import io.cloudmw.coordinator.catalog.change.CommitRequest;
import io.cloudmw.coordinator.catalog.dynamodb.table.Item;
import io.cloudmw.coordinator.catalog.dynamodb.table.ItemKey;
import io.cloudmw.coordinator.catalog.dynamodb.table.KeyLayout;
import io.cloudmw.coordinator.catalog.dynamodb.table.KeyRange;
import io.cloudmw.coordinator.catalog.dynamodb.table.Table;
import io.cloudmw.coordinator.catalog.dynamodb.table.TransactionConflict;
import io.cloudmw.coordinator.catalog.dynamodb.transaction.Transaction;
import io.cloudmw.coordinator.catalog.dynamodb.transaction.TransactionRetry;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaRecord;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.time.Ticker;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * The items of replica records. An item exists for each recorded replica, and for each that became good before its
 * version's commit; the latter has no meaning afterwards. A list holds the versions whose replicas may need work;
 * readers of the list remove versions that have needed none for a while. Safe for any thread.
 *
 * <p>All other queries read results of earlier, answered calls, or of concurrent reports as if those had come a moment
 * later.
 */
final class ReplicaItems {
    /** The most replicas in one transaction, beside the version and its place in the list. */
    static final int BATCH = 90;

    /** The most owed copies and parts in the commit's transaction. With more, all owed copies are recorded before it. */
    static final int MOST_IN_COMMIT = 24;

    private static final int PAGE = 1000;

    private final Table table;
    private final TransactionRetry transactions;
    private final SharedChunkItems shared;
    private final SettledItems quiet = new SettledItems(Ticker.system());

    ReplicaItems(Table table, TransactionRetry transactions, SharedChunkItems shared) {
        this.table = table;
        this.transactions = transactions;
        this.shared = shared;
    }

    /** Records reports, {@value #BATCH} of a version at a time. */
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

    private static int report(Transaction transaction, VersionId id, List<ReplicaReport> said, long nowMillis)
            throws TransactionConflict, CloudMwException {
        ItemKey key = KeyLayout.state(id);
        List<ItemKey> keys = new ArrayList<>(List.of(key));
        said.forEach(report -> keys.add(KeyLayout.replica(report)));
        transaction.load(keys);
        Optional<Item> state = transaction.get(key);
        List<ReplicaReport> reports = state.isPresent()
                ? said
                : said.stream().filter(report -> report.state().isFromWriter()).toList();
        if (reports.isEmpty()) {
            return 0;
        }
        VersionStage stage = state.isPresent() ? VersionStage.of(state.get()) : VersionStage.OPEN;
        if (stage == VersionStage.FORGOTTEN) {
            return 0;
        }
        boolean committed =
                stage == VersionStage.LENT || (state.isPresent() && state.get().has(Item.FORM));
        for (ReplicaReport report : reports) {
            apply(transaction, report, committed, nowMillis);
        }
        if (stage == VersionStage.OPEN) {
            VersionItems.renew(transaction, id, nowMillis, 0, true);
        } else {
            transaction.require(key, Item.STATE + " = :state", Map.of(":state", AttributeValue.fromS(stage.name())));
        }
        list(transaction, id, reports);
        return reports.size();
    }

    /**
     * Applies one report.
     *
     * @param committed whether the version is committed, so that a copy which became good before needs no record
     */
    private static void apply(Transaction transaction, ReplicaReport report, boolean committed, long nowMillis)
            throws CloudMwException {
        ItemKey key = KeyLayout.replica(report);
        Optional<Item> item = transaction.get(key);
        ReplicaState was = item.map(ReplicaItems::state)
                .filter(state -> !committed || state != ReplicaState.GOOD)
                .orElse(ReplicaState.GOOD);
        boolean known = item.isPresent() && (!committed || state(item.get()) != ReplicaState.GOOD);
        switch (report.state()) {
            case OWED -> {
                if (!known) {
                    put(transaction, report, nowMillis);
                }
            }
            case MISSING, CORRUPT -> {
                if (!was.isDropped()) {
                    put(transaction, report, nowMillis);
                }
            }
            case GOOD -> {
                // A late report of the writer overrides neither a reader's finding nor upkeep's decision.
                boolean lifted = was == ReplicaState.GOOD || was == ReplicaState.OWED || was == ReplicaState.MISSING;
                if (lifted && !committed) {
                    put(transaction, report, nowMillis);
                } else if (lifted && item.isPresent()) {
                    transaction.delete(key);
                }
            }
            case MOVED, DROPPED, GONE -> throw new IllegalArgumentException("state: " + report.state());
        }
    }

    private static void put(Transaction transaction, ReplicaReport report, long sinceMillis) {
        transaction.put(Item.at(KeyLayout.replica(report))
                .with(Item.REPLICA, report.state().name())
                .with(Item.CHANGED_AT, sinceMillis));
    }

    /** Lists a version that needs work after this transaction. */
    private static void list(Transaction transaction, VersionId id, List<ReplicaReport> reports)
            throws CloudMwException {
        boolean pending = false;
        for (ReplicaReport report : reports) {
            Optional<Item> now = transaction.get(KeyLayout.replica(report));
            pending |= now.isPresent() && state(now.get()).isFault();
        }
        if (pending) {
            transaction.put(Item.at(KeyLayout.pending(id)));
        }
    }

    /**
     * Records owed copies before the commit if they are too many for one transaction; does nothing for a committed
     * version.
     */
    void oweBefore(CommitRequest commit) throws CloudMwException {
        if (isInCommit(commit)) {
            return;
        }
        VersionId id = commit.version().id();
        long nowMillis = commit.version().committedAtMillis();
        ItemKey key = KeyLayout.state(id);
        for (List<ReplicaReport> batch : batches(commit.owed())) {
            transactions.run(transaction -> {
                transaction.load(List.of(key));
                transaction.load(batch.stream().map(KeyLayout::replica).toList());
                Optional<Item> state = transaction.get(key);
                if (state.isEmpty() || VersionStage.of(state.get()) == VersionStage.OPEN) {
                    for (ReplicaReport owed : batch) {
                        apply(transaction, owed, false, nowMillis);
                    }
                    VersionItems.renew(transaction, id, nowMillis, 0, true);
                    transaction.put(Item.at(KeyLayout.pending(id)));
                }
                return batch.size();
            });
        }
    }

    /** Returns whether the commit's own transaction records its owed copies. The checks of its parts take their place. */
    private static boolean isInCommit(CommitRequest commit) {
        return commit.owed().size() + commit.parts().size() <= MOST_IN_COMMIT;
    }

    /**
     * Records owed copies in a commit, unless they have a record already.
     *
     * @param open the version's item as it was read: its replicas have no report since
     */
    void owe(Transaction transaction, CommitRequest commit, Optional<Item> open)
            throws TransactionConflict, CloudMwException {
        if (commit.owed().isEmpty() || !isInCommit(commit)) {
            return;
        }
        boolean reported = open.isPresent() && open.get().has(Item.REPORTED);
        if (reported) {
            transaction.load(commit.owed().stream().map(KeyLayout::replica).toList());
        }
        boolean pending = false;
        for (ReplicaReport owed : commit.owed()) {
            if (!reported || transaction.get(KeyLayout.replica(owed)).isEmpty()) {
                put(transaction, owed, commit.version().committedAtMillis());
                pending = true;
            }
        }
        if (pending) {
            transaction.put(Item.at(KeyLayout.pending(commit.version().id())));
        }
    }

    /** Settles at most thirty records, so that their versions and places in the list fit into the transaction. */
    void settle(Lease lease, List<ReplicaRecord> records) throws CloudMwException {
        transactions.run(transaction -> {
            LeaseItems.requireNewest(
                    transaction,
                    lease,
                    records.stream()
                            .map(record -> KeyLayout.state(record.chunk().version()))
                            .toList());
            for (ReplicaRecord record : records) {
                if (record.state() == ReplicaState.GOOD) {
                    transaction.delete(KeyLayout.replica(record.report()));
                } else if (isKept(transaction, record)) {
                    put(transaction, record.report(), record.sinceMillis());
                    if (record.state().isFault()) {
                        transaction.put(Item.at(KeyLayout.pending(record.chunk().version())));
                    }
                }
            }
            return records.size();
        });
    }

    /**
     * Returns whether a version is known and not being forgotten; then it stays so until the transaction commits. A
     * copy of a version that is being forgotten may still be marked as dropped, or it would never be deleted.
     */
    private static boolean isKept(Transaction transaction, ReplicaRecord record) throws CloudMwException {
        ItemKey key = KeyLayout.state(record.chunk().version());
        Optional<Item> state = transaction.get(key);
        if (state.isEmpty()) {
            return false;
        }
        boolean forgotten = VersionStage.of(state.get()) == VersionStage.FORGOTTEN;
        if (forgotten && !record.state().isDropped()) {
            return false;
        }
        transaction.require(
                key,
                forgotten
                        ? Item.STATE + " = :forgotten"
                        : "attribute_exists(" + Item.STATE + ") AND " + Item.STATE + " <> :forgotten",
                Map.of(":forgotten", AttributeValue.fromS(VersionStage.FORGOTTEN.name())));
        return true;
    }

    List<ReplicaReport> faults(VersionId version, long firstIndex, long endIndex) throws CloudMwException {
        return records(version, firstIndex, endIndex).stream()
                .map(ReplicaRecord::report)
                .filter(report -> report.state().isFault())
                .toList();
    }

    List<ReplicaRecord> records(VersionId version, long firstIndex, long endIndex) throws CloudMwException {
        if (firstIndex >= endIndex) {
            return List.of();
        }
        return table
                .queryAll(KeyRange.between(
                        KeyLayout.ofVersion(version), KeyLayout.replicasOf(firstIndex), KeyLayout.replicasOf(endIndex)))
                .stream()
                .map(ReplicaItems::row)
                .filter(record -> record.state() != ReplicaState.GOOD)
                .toList();
    }

    long underReplicatedChunks(VersionId version) throws CloudMwException {
        long chunks = 0;
        long last = -1;
        List<Item> page;
        String after = KeyLayout.REPLICAS;
        do {
            page = table.query(KeyRange.between(KeyLayout.ofVersion(version), after, KeyLayout.REPLICAS_END), PAGE);
            for (Item item : page) {
                ReplicaRecord record = row(item);
                boolean counts = record.state().isFault() && record.chunk().index() > last;
                chunks += counts ? 1 : 0;
                last = counts ? record.chunk().index() : last;
            }
            after = page.isEmpty()
                    ? after
                    : after(page.get(page.size() - 1).key().sort());
        } while (page.size() == PAGE);
        return chunks;
    }

    Page<ReplicaReport> underReplicated(VolumeName volume, String pageToken, int limit) throws CloudMwException {
        Optional<ReplicaReport> last = last(pageToken);
        Optional<Item> known = table.get(KeyLayout.volume(volume));
        if (known.isEmpty()) {
            return new Page<>(List.of(), "");
        }
        long root = known.get().number(Item.DIRECTORY);
        List<ReplicaRecord> found = collect(last, limit, versions -> currentIn(versions, root));
        List<ReplicaReport> faults = found.stream().map(ReplicaRecord::report).toList();
        return PageRules.cut(faults, limit, PageRules::token);
    }

    Page<ReplicaRecord> pending(String pageToken, int limit) throws CloudMwException {
        List<ReplicaRecord> found = collect(
                last(pageToken), limit, versions -> record -> record.state().isFault());
        return PageRules.cut(found, limit, PageRules::token);
    }

    private static Optional<ReplicaReport> last(String pageToken) throws CloudMwException {
        return pageToken.isEmpty() ? Optional.empty() : Optional.of(PageRules.parse(pageToken));
    }

    /** A filter of records. */
    @FunctionalInterface
    private interface RecordFilter {
        boolean test(ReplicaRecord record) throws CloudMwException;
    }

    /** A filter of the records of some versions. */
    @FunctionalInterface
    private interface VersionFilter {
        RecordFilter of(List<VersionId> versions) throws CloudMwException;
    }

    private RecordFilter currentIn(List<VersionId> versions, long root) throws CloudMwException {
        Set<VersionId> current = transactions.run(transaction -> {
            transaction.load(versions.stream().map(KeyLayout::state).toList());
            Set<VersionId> found = new HashSet<>();
            for (VersionId version : versions) {
                Optional<Item> state = transaction.get(KeyLayout.state(version));
                if (state.isPresent()
                        && VersionStage.of(state.get()) == VersionStage.CURRENT
                        && state.get().number(Item.ROOT) == root) {
                    found.add(version);
                }
            }
            return found;
        });
        return record -> record.state().isFault()
                && (current.contains(record.chunk().version()) || shared.isNamedIn(root, record.chunk()));
    }

    /** Collects the selected records after the last one of the previous page, up to one more than a page. */
    private List<ReplicaRecord> collect(Optional<ReplicaReport> last, int limit, VersionFilter selection)
            throws CloudMwException {
        List<ReplicaRecord> found = new ArrayList<>();
        String from = last.map(report -> report.chunk().version().value()).orElse("0");
        for (String digit : KeyLayout.DIGITS) {
            String next = from;
            boolean more = digit.compareTo(from.substring(0, 1)) >= 0;
            while (more && found.size() <= limit) {
                List<Item> listed = table.query(KeyRange.between(KeyLayout.pending(digit), next, "~"), Table.MAX_ITEMS);
                List<VersionId> versions = listed.stream()
                        .map(item -> new VersionId(item.key().sort()))
                        .toList();
                RecordFilter wanted = versions.isEmpty() ? record -> false : selection.of(versions);
                for (Item version : listed) {
                    collect(version, last, limit, wanted, found);
                }
                more = listed.size() == Table.MAX_ITEMS;
                next = more ? after(listed.get(listed.size() - 1).key().sort()) : next;
            }
        }
        return found;
    }

    /**
     * Collects the selected records of one version. If the version needs no work, and was not listed for a while, it is
     * removed from the list, unless it is listed again at the same time.
     */
    private void collect(
            Item listed, Optional<ReplicaReport> last, int limit, RecordFilter wanted, List<ReplicaRecord> found)
            throws CloudMwException {
        VersionId id = new VersionId(listed.key().sort());
        boolean begun = last.isPresent() && last.get().chunk().version().equals(id);
        String after = begun ? after(KeyLayout.replica(last.get()).sort()) : KeyLayout.REPLICAS;
        boolean nothing = !begun;
        boolean more = true;
        while (more && found.size() <= limit) {
            List<Item> page =
                    table.query(KeyRange.between(KeyLayout.ofVersion(id), after, KeyLayout.REPLICAS_END), PAGE);
            for (Item item : page) {
                ReplicaRecord record = row(item);
                nothing &= !record.state().isFault();
                if (found.size() <= limit && wanted.test(record)) {
                    found.add(record);
                }
            }
            more = page.size() == PAGE;
            after = more ? after(page.get(page.size() - 1).key().sort()) : after;
        }
        if (nothing && !more && quiet.isQuiet(listed)) {
            table.deleteIfUnchanged(listed);
        }
    }

    /** Returns the least sort key after the given one. */
    private static String after(String sort) {
        return sort + "\0";
    }

    private static ReplicaState state(Item item) {
        return ReplicaState.valueOf(item.text(Item.REPLICA));
    }

    private static ReplicaRecord row(Item item) {
        VersionId version = new VersionId(item.key().partition().substring(2));
        String sort = item.key().sort();
        int slash = sort.indexOf('/', KeyLayout.REPLICAS.length());
        long chunk = Long.parseLong(sort.substring(KeyLayout.REPLICAS.length(), slash));
        return new ReplicaRecord(
                new ChunkId(version, chunk),
                new StoreId(sort.substring(slash + 1)),
                state(item),
                item.number(Item.CHANGED_AT));
    }
}
