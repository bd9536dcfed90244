package io.cloudmw.coordinator.catalog.dynamodb;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.CatalogErrors;
import io.cloudmw.coordinator.catalog.Commit;
import io.cloudmw.coordinator.catalog.Pages;
import io.cloudmw.coordinator.catalog.RetiredVersion;
import io.cloudmw.coordinator.catalog.SharedRun;
import io.cloudmw.coordinator.catalog.Tree;
import io.cloudmw.coordinator.catalog.VersionState;
import io.cloudmw.coordinator.catalog.stored.StoredForms;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.coordinator.lease.LeaseKeeper;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.manifest.ManifestDigest;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.file.Change;
import io.cloudmw.core.model.file.FileVersion;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Versions: their states, and the commit that makes one current. Safe for any thread. */
final class Versions {
    private final Table table;
    private final Transactions transactions;
    private final Numbers numbers;
    private final Replicas replicas;
    private final SharedItems shared;
    private final ChangeItems changes;

    Versions(
            Table table,
            Transactions transactions,
            Numbers numbers,
            Replicas replicas,
            SharedItems shared,
            ChangeItems changes) {
        this.table = table;
        this.transactions = transactions;
        this.numbers = numbers;
        this.replicas = replicas;
        this.shared = shared;
        this.changes = changes;
    }

    Optional<FileVersion> committed(VersionId id) throws CloudMwException {
        Optional<Item> state = table.get(Keys.state(id));
        return state.isPresent() ? committed(state.get()) : Optional.empty();
    }

    private static Optional<FileVersion> committed(Item state) throws CloudMwException {
        return state.has(Item.FORM) ? Optional.of(StoredForms.version(state.bytes(Item.FORM))) : Optional.empty();
    }

    /** Makes the version open if nothing is known of it; renews an open one. */
    void touch(VersionId id, long nowMillis) throws CloudMwException {
        transactions.run(transaction -> {
            Optional<Item> state = transaction.get(Keys.state(id));
            if (state.isEmpty() || Stage.of(state.get()) == Stage.OPEN) {
                renew(transaction, id, nowMillis, 0, false);
            }
            return id;
        });
    }

    /** Renews an open version; false when it is none. */
    boolean resume(VersionId id, long nowMillis) throws CloudMwException {
        return transactions.run(transaction -> {
            Optional<Item> state = transaction.get(Keys.state(id));
            boolean open = state.isPresent() && Stage.of(state.get()) == Stage.OPEN;
            if (open) {
                renew(transaction, id, nowMillis, 0, false);
            }
            return open;
        });
    }

    /**
     * Part of a change to a version that is open, or that nothing is known of, as the transaction has read.
     *
     * @param newSegments so many more than it has
     * @param reported whether something is said of its replicas
     */
    static void renew(Transaction transaction, VersionId id, long nowMillis, int newSegments, boolean reported)
            throws CloudMwException {
        Key key = Keys.state(id);
        Optional<Item> before = transaction.get(key);
        if (before.isEmpty()) {
            Item opened = Item.at(key)
                    .with(Item.STATE, Stage.OPEN.name())
                    .with(Item.CHANGED_AT, nowMillis)
                    .with(Item.SEGMENTS, newSegments);
            transaction.put(reported ? opened.with(Item.REPORTED, 1) : opened);
            transaction.put(Item.at(Keys.open(id)));
            return;
        }
        transaction.update(
                key,
                "SET " + Item.CHANGED_AT + " = :now, " + Item.WRITTEN_BY + " = :by"
                        + (reported ? ", " + Item.REPORTED + " = :one" : "") + " ADD " + Item.SEGMENTS + " :more",
                Item.STATE + " = :open",
                values(
                        reported,
                        Map.of(
                                ":now", Item.number(nowMillis),
                                ":more", Item.number(newSegments),
                                ":open", AttributeValue.fromS(Stage.OPEN.name()))));
    }

    private static Map<String, AttributeValue> values(boolean reported, Map<String, AttributeValue> values) {
        if (!reported) {
            return values;
        }
        Map<String, AttributeValue> more = new java.util.HashMap<>(values);
        more.put(":one", Item.number(1));
        return more;
    }

    FileVersion commit(Commit commit) throws CloudMwException {
        replicas.oweBefore(commit);
        return transactions.run(transaction -> commit(transaction, commit));
    }

    private FileVersion commit(Transaction transaction, Commit commit) throws Conflict, CloudMwException {
        FileVersion version = commit.version();
        FilePath file = version.file();
        transaction.load(List.of(Keys.volume(file.volume()), Keys.state(version.id())));
        Names names = new Names(transaction, numbers, changes);
        long root = names.root(file.volume()).orElseThrow(() -> CatalogErrors.volumeNotFound(file.volume()));
        Optional<Item> state = transaction.get(Keys.state(version.id()));
        Optional<FileVersion> before = state.isPresent() ? committed(state.get()) : Optional.empty();
        if (before.isPresent() && before.get().file().equals(file)) {
            return before.get();
        }
        Tree<Conflict> tree = names.tree();
        Optional<VersionId> found = tree.version(file);
        if (!found.equals(commit.expected())) {
            throw CatalogErrors.changed(file, commit.expected(), found);
        }
        if (state.isPresent() && Stage.of(state.get()) != Stage.OPEN) {
            throw CatalogErrors.abandoned(version);
        }
        checkSegments(version);
        names.about(version);
        tree.put(file, version.id(), version.committedAtMillis());
        makeCurrent(transaction, root, version, state);
        replicas.owe(transaction, commit, state);
        names.finish();
        changes.add(transaction, names, file.volume(), Change.put(file, version.id(), version.committedAtMillis()));
        return version;
    }

    /** Retires an open version, or one that nothing is known of; what was committed is given instead. */
    Optional<FileVersion> giveUp(VersionId id, long nowMillis) throws CloudMwException {
        return transactions.run(transaction -> {
            Key key = Keys.state(id);
            Optional<Item> state = transaction.get(key);
            if (state.isEmpty() || Stage.of(state.get()) == Stage.OPEN) {
                abandon(transaction, id, state.orElse(Item.at(key).with(Item.SEGMENTS, 0)), nowMillis);
                return Optional.empty();
            }
            return committed(state.get());
        });
    }

    private static void makeCurrent(Transaction transaction, long root, FileVersion version, Optional<Item> open) {
        Key key = Keys.state(version.id());
        transaction.put(Item.at(key)
                .with(Item.STATE, Stage.CURRENT.name())
                .with(Item.FORM, StoredForms.version(version))
                .with(Item.ROOT, root)
                .with(Item.SEGMENTS, version.segmentCount())
                .with(Item.CHANGED_AT, version.committedAtMillis()));
        transaction.put(Item.at(Keys.live(version.id())).with(Item.FORM, StoredForms.version(version)));
        if (open.isPresent()) {
            transaction.delete(Keys.open(version.id()));
        }
    }

    /** The calls that put the segments were answered before: a query sees all they wrote, or the digest differs. */
    private void checkSegments(FileVersion version) throws CloudMwException {
        ManifestDigest digest = new ManifestDigest();
        List<Item> digests = table.queryAll(Range.startingWith(Keys.ofVersion(version.id()), Keys.DIGESTS));
        boolean complete = true;
        for (int i = 0; i < digests.size(); i++) {
            complete &= digests.get(i).key().equals(Keys.digest(version.id(), i));
            digest.add(digests.get(i).bytes(Item.SHA256));
        }
        String found = digest.finish();
        if (!complete || digests.size() != version.segmentCount() || !found.equals(version.manifestSha256())) {
            throw CatalogErrors.segmentsDiffer(
                    version, (complete ? "" : "with gaps ") + digests.size() + " with " + found);
        }
    }

    /** Part of a change after which no path names this version, which one names now: that is its condition. */
    static void retire(Transaction transaction, FileVersion version, long nowMillis) {
        retire(transaction, version.id(), version.segmentCount(), nowMillis);
    }

    /** The same of a version whose item was read. */
    static void retire(Transaction transaction, Item state, long nowMillis) throws CloudMwException {
        retire(transaction, StoredForms.version(state.bytes(Item.FORM)), nowMillis);
    }

    private static void retire(Transaction transaction, VersionId id, long segments, long nowMillis) {
        transaction.update(
                Keys.state(id),
                "SET " + Item.STATE + " = :retired, " + Item.CHANGED_AT + " = :now, " + Item.WRITTEN_BY + " = :by",
                Item.STATE + " = :current",
                Map.of(
                        ":retired", AttributeValue.fromS(Stage.RETIRED.name()),
                        ":current", AttributeValue.fromS(Stage.CURRENT.name()),
                        ":now", Item.number(nowMillis)));
        listRetired(transaction, id, nowMillis, segments);
        transaction.delete(Keys.live(id));
    }

    private static void listRetired(Transaction transaction, VersionId id, long nowMillis, long segments) {
        transaction.put(
                Item.at(Keys.retired(id)).with(Item.CHANGED_AT, nowMillis).with(Item.SEGMENTS, segments));
    }

    /** Looks at every open version; keeps the lease with each page of them, and with each it retires. */
    int retireAbandoned(LeaseKeeper keeper, long beforeMillis, long nowMillis) throws CloudMwException {
        int retired = 0;
        checkNewest(keeper.lease());
        for (String digit : Keys.DIGITS) {
            String after = "";
            List<Item> open;
            do {
                var unused = keeper.lease();
                open = table.query(Range.after(Keys.open(digit), after), Table.MAX_ITEMS);
                List<VersionId> ids = open.stream()
                        .map(item -> new VersionId(item.key().sort()))
                        .toList();
                for (VersionId id : stale(ids, beforeMillis)) {
                    Lease lease = keeper.lease();
                    retired += transactions.run(transaction -> abandon(transaction, lease, id, beforeMillis, nowMillis))
                            ? 1
                            : 0;
                }
                after = open.isEmpty() ? "" : open.get(open.size() - 1).key().sort();
            } while (open.size() == Table.MAX_ITEMS);
        }
        return retired;
    }

    private List<VersionId> stale(List<VersionId> ids, long beforeMillis) throws CloudMwException {
        if (ids.isEmpty()) {
            return List.of();
        }
        List<Key> keys = ids.stream().map(Keys::state).toList();
        return transactions.run(transaction -> {
            transaction.load(keys);
            List<VersionId> stale = new ArrayList<>();
            for (VersionId id : ids) {
                if (isStale(transaction, id, beforeMillis)) {
                    stale.add(id);
                }
            }
            return stale;
        });
    }

    private static boolean isStale(Transaction transaction, VersionId id, long beforeMillis) throws CloudMwException {
        Optional<Item> state = transaction.get(Keys.state(id));
        return state.isPresent()
                && Stage.of(state.get()) == Stage.OPEN
                && state.get().number(Item.CHANGED_AT) < beforeMillis;
    }

    /** For what finds nothing to do: who has lost a lease is told in any case. */
    private void checkNewest(Lease lease) throws CloudMwException {
        transactions.run(transaction -> {
            LeaseItems.requireNewest(transaction, lease);
            return lease;
        });
    }

    private static boolean abandon(
            Transaction transaction, Lease lease, VersionId id, long beforeMillis, long nowMillis)
            throws CloudMwException {
        LeaseItems.requireNewest(transaction, lease);
        if (!isStale(transaction, id, beforeMillis)) {
            return false;
        }
        Item state = transaction.get(Keys.state(id)).orElseThrow();
        abandon(transaction, id, state, nowMillis);
        return true;
    }

    private static void abandon(Transaction transaction, VersionId id, Item state, long nowMillis)
            throws CloudMwException {
        transaction.put(state.with(Item.STATE, Stage.RETIRED.name()).with(Item.CHANGED_AT, nowMillis));
        transaction.delete(Keys.open(id));
        listRetired(transaction, id, nowMillis, state.number(Item.SEGMENTS));
    }

    /** Chunks it names of which at least one replica is not good, whoever wrote them. */
    long underReplicatedChunks(VersionId id) throws CloudMwException {
        Set<ChunkId> others = new HashSet<>();
        for (SharedRun run : shared.of(id)) {
            replicas.faults(run.owner(), run.firstIndex(), run.endIndex()).forEach(fault -> others.add(fault.chunk()));
        }
        return others.size() + replicas.underReplicatedChunks(id);
    }

    /** Current versions by id. */
    Page<FileVersion> live(String pageToken, int limit) throws CloudMwException {
        List<FileVersion> page = new ArrayList<>();
        for (Item item : listed(Keys::live, pageToken, limit + 1)) {
            page.add(StoredForms.version(item.bytes(Item.FORM)));
        }
        return Pages.cut(page, limit, last -> last.id().value());
    }

    Optional<VersionState> state(VersionId id) throws CloudMwException {
        return table.get(Keys.state(id)).map(Stage::of).map(Stage::state);
    }

    /** The first so many of a list of versions after one of them. */
    private List<Item> listed(Function<String, String> partition, String after, int limit) throws CloudMwException {
        List<Item> found = new ArrayList<>();
        for (String digit : Keys.DIGITS) {
            boolean before = !after.isEmpty() && digit.compareTo(after.substring(0, 1)) < 0;
            if (!before && found.size() < limit) {
                found.addAll(table.query(Range.after(partition.apply(digit), after), limit - found.size()));
            }
        }
        return found;
    }

    Page<VersionId> open(String pageToken, int limit) throws CloudMwException {
        List<VersionId> page = listed(Keys::open, pageToken, limit + 1).stream()
                .map(item -> new VersionId(item.key().sort()))
                .toList();
        return Pages.cut(page, limit, VersionId::value);
    }

    Page<RetiredVersion> retired(String pageToken, int limit) throws CloudMwException {
        List<RetiredVersion> page = listed(Keys::retired, pageToken, limit + 1).stream()
                .map(item -> new RetiredVersion(new VersionId(item.key().sort()), item.number(Item.CHANGED_AT), (int)
                        item.number(Item.SEGMENTS)))
                .toList();
        return Pages.cut(page, limit, last -> last.id().value());
    }

    /**
     * First nothing more is kept of it, then what is kept goes, with those that were lent to it only, then it: begun again where
     * it stopped. A report that is being written when its query looks leaves an item nobody reads. One that was never committed
     * stays as if it were lent, for ever: nothing opens it again.
     */
    void forget(Lease lease, VersionId id) throws CloudMwException {
        if (!forgotten(lease, id, Set.of(Stage.RETIRED, Stage.FORGOTTEN))) {
            return;
        }
        if (dropAllOfOneThatSharesNothing(lease, id)) {
            return;
        }
        Set<VersionId> owners = shared.withdraw(id);
        drop(Range.startingWith(Keys.ofVersion(id), Keys.DIGESTS));
        drop(Range.startingWith(Keys.ofVersion(id), Keys.PARTS));
        for (VersionId owner : owners) {
            dropIfUnneeded(lease, owner);
        }
        drop(Range.startingWith(Keys.ofVersion(id), Keys.NAMES));
        if (shared.isNeeded(id)) {
            lend(lease, id);
        } else {
            dropRest(lease, id);
        }
    }

    /** Most versions are small and share nothing: what is kept of one is found by one query. */
    private boolean dropAllOfOneThatSharesNothing(Lease lease, VersionId id) throws CloudMwException {
        List<Key> kept = table.query(Range.all(Keys.ofVersion(id)), Catalog.MAX_PAGE, "pk, sk").stream()
                .map(Item::key)
                .toList();
        if (kept.size() == Catalog.MAX_PAGE || kept.stream().anyMatch(Keys::isOfSharing)) {
            return false;
        }
        table.deleteAll(kept.stream().filter(key -> !key.equals(Keys.state(id))).toList());
        dropState(lease, id);
        return true;
    }

    private static boolean wasAbandoned(Item state) {
        return state.has(Item.ABANDONED) || (Stage.of(state) == Stage.RETIRED && !state.has(Item.FORM));
    }

    /** Nothing more is kept of it from now on; false when it is in none of these stages. */
    private boolean forgotten(Lease lease, VersionId id, Set<Stage> from) throws CloudMwException {
        return transactions.run(transaction -> {
            LeaseItems.requireNewest(transaction, lease, List.of(Keys.state(id)));
            Optional<Item> state = transaction.get(Keys.state(id));
            if (state.isEmpty() || !from.contains(Stage.of(state.get()))) {
                return false;
            }
            Item forgotten =
                    state.get().with(Item.STATE, Stage.FORGOTTEN.name()).without(Item.FORM);
            transaction.put(wasAbandoned(state.get()) ? forgotten.with(Item.ABANDONED, 1) : forgotten);
            listRetired(
                    transaction,
                    id,
                    state.get().number(Item.CHANGED_AT),
                    state.get().number(Item.SEGMENTS));
            return true;
        });
    }

    /** Of a version that was lent, and that nobody needs any more. */
    private void dropIfUnneeded(Lease lease, VersionId owner) throws CloudMwException {
        Optional<Item> state = table.get(Keys.state(owner));
        boolean lent = state.isPresent() && Stage.of(state.get()) == Stage.LENT;
        if (lent && !shared.isNeeded(owner) && forgotten(lease, owner, Set.of(Stage.LENT))) {
            dropRest(lease, owner);
        }
    }

    private void lend(Lease lease, VersionId id) throws CloudMwException {
        transactions.run(transaction -> {
            LeaseItems.requireNewest(transaction, lease);
            Optional<Item> state = transaction.get(Keys.state(id));
            if (state.isPresent() && Stage.of(state.get()) == Stage.FORGOTTEN) {
                transaction.put(state.get().with(Item.STATE, Stage.LENT.name()));
                transaction.delete(Keys.retired(id));
            }
            return id;
        });
    }

    private void dropRest(Lease lease, VersionId id) throws CloudMwException {
        drop(Range.startingWith(Keys.ofVersion(id), Keys.REPLICAS));
        drop(Range.startingWith(Keys.ofVersion(id), Keys.NAMED));
        dropState(lease, id);
    }

    private void dropState(Lease lease, VersionId id) throws CloudMwException {
        transactions.run(transaction -> {
            LeaseItems.requireNewest(transaction, lease, List.of(Keys.state(id)));
            Optional<Item> state = transaction.get(Keys.state(id));
            if (state.isPresent() && wasAbandoned(state.get())) {
                transaction.put(state.get().with(Item.STATE, Stage.LENT.name()));
            } else {
                transaction.delete(Keys.state(id));
            }
            transaction.delete(Keys.retired(id));
            transaction.delete(Keys.pending(id));
            return id;
        });
    }

    private void drop(Range range) throws CloudMwException {
        List<Item> kept;
        do {
            kept = table.query(range, Catalog.MAX_PAGE, "pk, sk");
            table.deleteAll(kept.stream().map(Item::key).toList());
        } while (kept.size() == Catalog.MAX_PAGE);
    }
}
