package io.cloudmw.coordinator.catalog.dynamodb;

import io.cloudmw.coordinator.catalog.Commit;
import io.cloudmw.coordinator.catalog.Pages;
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
 * What is known of replicas: an item for each about which something is recorded, and for each that became good before its
 * version was committed, which says nothing from then on. The versions that may have replicas about which something is to be
 * done are listed; who goes through the list takes from it what has had none for a while. Safe for any thread.
 *
 * <p>All other queries here are of what earlier calls wrote, which were over when they were answered, or of reports that come
 * meanwhile, and are as if these had come a moment later.
 */
final class Replicas {
    /** What one transaction says of replicas, beside the version and the list it is in. */
    static final int BATCH = 90;

    /** So many copies are owed by the transaction of the commit itself; of more, all are noted before it. */
    static final int MOST_IN_COMMIT = 24;

    private static final int PAGE = 1000;

    private final Table table;
    private final Transactions transactions;
    private final SharedItems shared;
    private final QuietItems quiet = new QuietItems(Ticker.system());

    Replicas(Table table, Transactions transactions, SharedItems shared) {
        this.table = table;
        this.transactions = transactions;
        this.shared = shared;
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

    private static int report(Transaction transaction, VersionId id, List<ReplicaReport> said, long nowMillis)
            throws Conflict, CloudMwException {
        Key key = Keys.state(id);
        List<Key> keys = new ArrayList<>(List.of(key));
        said.forEach(report -> keys.add(Keys.replica(report)));
        transaction.load(keys);
        Optional<Item> state = transaction.get(key);
        List<ReplicaReport> reports = state.isPresent()
                ? said
                : said.stream().filter(report -> report.state().isFromWriter()).toList();
        if (reports.isEmpty()) {
            return 0;
        }
        Stage stage = state.isPresent() ? Stage.of(state.get()) : Stage.OPEN;
        if (stage == Stage.FORGOTTEN) {
            return 0;
        }
        boolean committed =
                stage == Stage.LENT || (state.isPresent() && state.get().has(Item.FORM));
        for (ReplicaReport report : reports) {
            apply(transaction, report, committed, nowMillis);
        }
        if (stage == Stage.OPEN) {
            Versions.renew(transaction, id, nowMillis, 0, true);
        } else {
            transaction.require(key, Item.STATE + " = :state", Map.of(":state", AttributeValue.fromS(stage.name())));
        }
        list(transaction, id, reports);
        return reports.size();
    }

    /** @param committed what became good before says nothing any more */
    private static void apply(Transaction transaction, ReplicaReport report, boolean committed, long nowMillis)
            throws CloudMwException {
        Key key = Keys.replica(report);
        Optional<Item> item = transaction.get(key);
        ReplicaState was = item.map(Replicas::state)
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
                // A late word of the writer lifts neither what a reader found nor what upkeep decided.
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
        transaction.put(Item.at(Keys.replica(report))
                .with(Item.REPLICA, report.state().name())
                .with(Item.CHANGED_AT, sinceMillis));
    }

    /** Lists a version about which something is to be done after this transaction. */
    private static void list(Transaction transaction, VersionId id, List<ReplicaReport> reports)
            throws CloudMwException {
        boolean pending = false;
        for (ReplicaReport report : reports) {
            Optional<Item> now = transaction.get(Keys.replica(report));
            pending |= now.isPresent() && state(now.get()).isFault();
        }
        if (pending) {
            transaction.put(Item.at(Keys.pending(id)));
        }
    }

    /** Notes what is owed before its commit, when that is too much for one transaction. Nothing if it is committed. */
    void oweBefore(Commit commit) throws CloudMwException {
        if (commit.owed().size() <= MOST_IN_COMMIT) {
            return;
        }
        VersionId id = commit.version().id();
        long nowMillis = commit.version().committedAtMillis();
        Key key = Keys.state(id);
        for (List<ReplicaReport> batch : batches(commit.owed())) {
            transactions.run(transaction -> {
                transaction.load(List.of(key));
                transaction.load(batch.stream().map(Keys::replica).toList());
                Optional<Item> state = transaction.get(key);
                if (state.isEmpty() || Stage.of(state.get()) == Stage.OPEN) {
                    for (ReplicaReport owed : batch) {
                        apply(transaction, owed, false, nowMillis);
                    }
                    Versions.renew(transaction, id, nowMillis, 0, true);
                    transaction.put(Item.at(Keys.pending(id)));
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
    void owe(Transaction transaction, Commit commit, Optional<Item> open) throws Conflict, CloudMwException {
        if (commit.owed().isEmpty() || commit.owed().size() > MOST_IN_COMMIT) {
            return;
        }
        boolean reported = open.isPresent() && open.get().has(Item.REPORTED);
        if (reported) {
            transaction.load(commit.owed().stream().map(Keys::replica).toList());
        }
        boolean pending = false;
        for (ReplicaReport owed : commit.owed()) {
            if (!reported || transaction.get(Keys.replica(owed)).isEmpty()) {
                put(transaction, owed, commit.version().committedAtMillis());
                pending = true;
            }
        }
        if (pending) {
            transaction.put(Item.at(Keys.pending(commit.version().id())));
        }
    }

    /** At most thirty, so that their versions, and the places of these in the list, find room beside them. */
    void settle(Lease lease, List<ReplicaRecord> records) throws CloudMwException {
        transactions.run(transaction -> {
            LeaseItems.requireNewest(
                    transaction,
                    lease,
                    records.stream()
                            .map(record -> Keys.state(record.chunk().version()))
                            .toList());
            for (ReplicaRecord record : records) {
                if (record.state() == ReplicaState.GOOD) {
                    transaction.delete(Keys.replica(record.report()));
                } else if (isKept(transaction, record)) {
                    put(transaction, record.report(), record.sinceMillis());
                    if (record.state().isFault()) {
                        transaction.put(Item.at(Keys.pending(record.chunk().version())));
                    }
                }
            }
            return records.size();
        });
    }

    /**
     * Whether something is known of a version, and nobody is forgetting it: then it stays so until the transaction is made. What has
     * turned up of one that is being forgotten may be marked as dropped, or nothing would ever delete it.
     */
    private static boolean isKept(Transaction transaction, ReplicaRecord record) throws CloudMwException {
        Key key = Keys.state(record.chunk().version());
        Optional<Item> state = transaction.get(key);
        if (state.isEmpty()) {
            return false;
        }
        boolean forgotten = Stage.of(state.get()) == Stage.FORGOTTEN;
        if (forgotten && !record.state().isDropped()) {
            return false;
        }
        transaction.require(
                key,
                forgotten
                        ? Item.STATE + " = :forgotten"
                        : "attribute_exists(" + Item.STATE + ") AND " + Item.STATE + " <> :forgotten",
                Map.of(":forgotten", AttributeValue.fromS(Stage.FORGOTTEN.name())));
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
                .queryAll(
                        Range.between(Keys.ofVersion(version), Keys.replicasOf(firstIndex), Keys.replicasOf(endIndex)))
                .stream()
                .map(Replicas::row)
                .filter(record -> record.state() != ReplicaState.GOOD)
                .toList();
    }

    long underReplicatedChunks(VersionId version) throws CloudMwException {
        long chunks = 0;
        long last = -1;
        List<Item> page;
        String after = Keys.REPLICAS;
        do {
            page = table.query(Range.between(Keys.ofVersion(version), after, Keys.REPLICAS_END), PAGE);
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
        Optional<Item> known = table.get(Keys.volume(volume));
        if (known.isEmpty()) {
            return new Page<>(List.of(), "");
        }
        long root = known.get().number(Item.DIRECTORY);
        List<ReplicaRecord> found = collect(last, limit, versions -> currentIn(versions, root));
        List<ReplicaReport> faults = found.stream().map(ReplicaRecord::report).toList();
        return Pages.cut(faults, limit, Pages::token);
    }

    Page<ReplicaRecord> pending(String pageToken, int limit) throws CloudMwException {
        List<ReplicaRecord> found = collect(
                last(pageToken), limit, versions -> record -> record.state().isFault());
        return Pages.cut(found, limit, Pages::token);
    }

    private static Optional<ReplicaReport> last(String pageToken) throws CloudMwException {
        return pageToken.isEmpty() ? Optional.empty() : Optional.of(Pages.parse(pageToken));
    }

    /** Says which records are wanted. */
    @FunctionalInterface
    private interface Wanted {
        boolean test(ReplicaRecord record) throws CloudMwException;
    }

    /** Says, of some versions, which records are wanted. */
    @FunctionalInterface
    private interface Selection {
        Wanted of(List<VersionId> versions) throws CloudMwException;
    }

    private Wanted currentIn(List<VersionId> versions, long root) throws CloudMwException {
        Set<VersionId> current = transactions.run(transaction -> {
            transaction.load(versions.stream().map(Keys::state).toList());
            Set<VersionId> found = new HashSet<>();
            for (VersionId version : versions) {
                Optional<Item> state = transaction.get(Keys.state(version));
                if (state.isPresent()
                        && Stage.of(state.get()) == Stage.CURRENT
                        && state.get().number(Item.ROOT) == root) {
                    found.add(version);
                }
            }
            return found;
        });
        return record -> record.state().isFault()
                && (current.contains(record.chunk().version()) || shared.isNamedIn(root, record.chunk()));
    }

    /** What is wanted after the last of the page before, until there is one more than a page has. */
    private List<ReplicaRecord> collect(Optional<ReplicaReport> last, int limit, Selection selection)
            throws CloudMwException {
        List<ReplicaRecord> found = new ArrayList<>();
        String from = last.map(report -> report.chunk().version().value()).orElse("0");
        for (String digit : Keys.DIGITS) {
            String next = from;
            boolean more = digit.compareTo(from.substring(0, 1)) >= 0;
            while (more && found.size() <= limit) {
                List<Item> listed = table.query(Range.between(Keys.pending(digit), next, "~"), Table.MAX_ITEMS);
                List<VersionId> versions = listed.stream()
                        .map(item -> new VersionId(item.key().sort()))
                        .toList();
                Wanted wanted = versions.isEmpty() ? record -> false : selection.of(versions);
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
     * Those of one version; if nothing is to be done about it, and nobody has listed it for a while, it is taken from the list,
     * unless somebody lists it meanwhile.
     */
    private void collect(Item listed, Optional<ReplicaReport> last, int limit, Wanted wanted, List<ReplicaRecord> found)
            throws CloudMwException {
        VersionId id = new VersionId(listed.key().sort());
        boolean begun = last.isPresent() && last.get().chunk().version().equals(id);
        String after = begun ? after(Keys.replica(last.get()).sort()) : Keys.REPLICAS;
        boolean nothing = !begun;
        boolean more = true;
        while (more && found.size() <= limit) {
            List<Item> page = table.query(Range.between(Keys.ofVersion(id), after, Keys.REPLICAS_END), PAGE);
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

    /** The least that follows a place. */
    private static String after(String sort) {
        return sort + "\0";
    }

    private static ReplicaState state(Item item) {
        return ReplicaState.valueOf(item.text(Item.REPLICA));
    }

    private static ReplicaRecord row(Item item) {
        VersionId version = new VersionId(item.key().partition().substring(2));
        String sort = item.key().sort();
        int slash = sort.indexOf('/', Keys.REPLICAS.length());
        long chunk = Long.parseLong(sort.substring(Keys.REPLICAS.length(), slash));
        return new ReplicaRecord(
                new ChunkId(version, chunk),
                new StoreId(sort.substring(slash + 1)),
                state(item),
                item.number(Item.CHANGED_AT));
    }
}
