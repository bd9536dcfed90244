package io.cloudmw.coordinator.catalog.dynamodb;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.PageRules;
import io.cloudmw.coordinator.catalog.change.CatalogErrors;
import io.cloudmw.coordinator.catalog.change.CommitRequest;
import io.cloudmw.coordinator.catalog.dynamodb.table.Item;
import io.cloudmw.coordinator.catalog.dynamodb.table.ItemKey;
import io.cloudmw.coordinator.catalog.dynamodb.table.KeyLayout;
import io.cloudmw.coordinator.catalog.dynamodb.table.KeyRange;
import io.cloudmw.coordinator.catalog.dynamodb.table.Table;
import io.cloudmw.coordinator.catalog.dynamodb.table.TransactionConflict;
import io.cloudmw.coordinator.catalog.dynamodb.transaction.Transaction;
import io.cloudmw.coordinator.catalog.dynamodb.transaction.TransactionRetry;
import io.cloudmw.coordinator.catalog.stored.StoredForms;
import io.cloudmw.coordinator.catalog.tree.Tree;
import io.cloudmw.coordinator.catalog.tree.TreeEntry;
import io.cloudmw.coordinator.catalog.version.RetiredVersion;
import io.cloudmw.coordinator.catalog.version.SharedRun;
import io.cloudmw.coordinator.catalog.version.VersionState;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.coordinator.lease.LeaseKeeper;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.manifest.ManifestDigest;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.PackRelocation;
import io.cloudmw.core.model.file.Change;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.VersionPart;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** The items of versions: their states, and the commit that makes a version current. Safe for any thread. */
public final class VersionItems {
    private final Table table;
    private final TransactionRetry transactions;
    private final DirectoryNumbers numbers;
    private final ReplicaItems replicas;
    private final SharedChunkItems shared;
    private final ChangeLogItems changes;

    VersionItems(
            Table table,
            TransactionRetry transactions,
            DirectoryNumbers numbers,
            ReplicaItems replicas,
            SharedChunkItems shared,
            ChangeLogItems changes) {
        this.table = table;
        this.transactions = transactions;
        this.numbers = numbers;
        this.replicas = replicas;
        this.shared = shared;
        this.changes = changes;
    }

    Optional<FileVersion> committed(VersionId id) throws CloudMwException {
        Optional<Item> state = table.get(KeyLayout.state(id));
        return state.isPresent() ? committed(state.get()) : Optional.empty();
    }

    static Optional<FileVersion> committed(Item state) throws CloudMwException {
        return state.has(Item.FORM) ? Optional.of(StoredForms.version(state.bytes(Item.FORM))) : Optional.empty();
    }

    /** Opens an unknown version, or renews an open one. */
    void touch(VersionId id, long nowMillis) throws CloudMwException {
        transactions.run(transaction -> {
            Optional<Item> state = transaction.get(KeyLayout.state(id));
            if (state.isEmpty() || VersionStage.of(state.get()) == VersionStage.OPEN) {
                renew(transaction, id, nowMillis, 0, false);
            }
            return id;
        });
    }

    /** Renews an open version; returns false if it is not open. */
    boolean resume(VersionId id, long nowMillis) throws CloudMwException {
        return transactions.run(transaction -> {
            Optional<Item> state = transaction.get(KeyLayout.state(id));
            boolean open = state.isPresent() && VersionStage.of(state.get()) == VersionStage.OPEN;
            if (open) {
                renew(transaction, id, nowMillis, 0, false);
            }
            return open;
        });
    }

    /**
     * Opens or renews a version within a transaction that has read it as open or unknown.
     *
     * @param newSegments how many segments are added
     * @param reported whether the transaction records replicas of the version
     */
    static void renew(Transaction transaction, VersionId id, long nowMillis, int newSegments, boolean reported)
            throws CloudMwException {
        ItemKey key = KeyLayout.state(id);
        Optional<Item> before = transaction.get(key);
        if (before.isEmpty()) {
            Item opened = Item.at(key)
                    .with(Item.STATE, VersionStage.OPEN.name())
                    .with(Item.CHANGED_AT, nowMillis)
                    .with(Item.SEGMENTS, newSegments);
            transaction.put(reported ? opened.with(Item.REPORTED, 1) : opened);
            transaction.put(Item.at(KeyLayout.open(id)));
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
                                ":open", AttributeValue.fromS(VersionStage.OPEN.name()))));
    }

    private static Map<String, AttributeValue> values(boolean reported, Map<String, AttributeValue> values) {
        if (!reported) {
            return values;
        }
        Map<String, AttributeValue> more = new java.util.HashMap<>(values);
        more.put(":one", Item.number(1));
        return more;
    }

    FileVersion commit(CommitRequest commit) throws CloudMwException {
        replicas.oweBefore(commit);
        return transactions.run(transaction -> commit(transaction, commit));
    }

    private FileVersion commit(Transaction transaction, CommitRequest commit)
            throws TransactionConflict, CloudMwException {
        FileVersion version = commit.version();
        FilePath file = version.file();
        transaction.load(List.of(KeyLayout.volume(file.volume()), KeyLayout.state(version.id())));
        NameItems names = new NameItems(transaction, numbers, changes);
        long root = names.root(file.volume()).orElseThrow(() -> CatalogErrors.volumeNotFound(file.volume()));
        Optional<Item> state = transaction.get(KeyLayout.state(version.id()));
        Optional<FileVersion> before = state.isPresent() ? committed(state.get()) : Optional.empty();
        if (before.isPresent() && before.get().file().equals(file)) {
            return before.get();
        }
        LockItems.requireHeld(transaction, file, commit.locks());
        Tree<TransactionConflict> tree = names.tree();
        Optional<VersionId> found = tree.version(file);
        if (!found.equals(commit.expected())) {
            throw CatalogErrors.changed(file, commit.expected(), found);
        }
        if (state.isPresent() && VersionStage.of(state.get()) != VersionStage.OPEN) {
            throw CatalogErrors.abandoned(version);
        }
        for (VersionPart part : commit.parts()) {
            requireVersion(transaction, tree.requireVersion(part.file(), part.version()));
        }
        checkSegments(version);
        names.about(version);
        tree.put(file, version.id(), commit.attributes(), version.committedAtMillis());
        makeCurrent(transaction, root, version, state);
        replicas.owe(transaction, commit, state);
        names.finish();
        changes.add(transaction, names, file.volume(), Change.put(file, version.id(), version.committedAtMillis()));
        return version;
    }

    /**
     * Requires that an entry stays as it was read, so that its version is current at the commit. The directories of its
     * path may be moved.
     */
    private static void requireVersion(Transaction transaction, TreeEntry entry) throws CloudMwException {
        ItemKey key = KeyLayout.entry(entry.parent(), entry.name());
        Item read = transaction.get(key).orElseThrow();
        transaction.require(key, Item.WRITTEN_BY + " = :seen", Map.of(":seen", AttributeValue.fromS(read.writtenBy())));
    }

    /** Retires an open or unknown version; returns a committed one instead. */
    Optional<FileVersion> giveUp(VersionId id, long nowMillis) throws CloudMwException {
        return transactions.run(transaction -> {
            ItemKey key = KeyLayout.state(id);
            Optional<Item> state = transaction.get(key);
            if (state.isEmpty() || VersionStage.of(state.get()) == VersionStage.OPEN) {
                abandon(transaction, id, state.orElse(Item.at(key).with(Item.SEGMENTS, 0)), nowMillis);
                return Optional.empty();
            }
            return committed(state.get());
        });
    }

    static void makeCurrent(Transaction transaction, long root, FileVersion version, Optional<Item> open) {
        ItemKey key = KeyLayout.state(version.id());
        transaction.put(Item.at(key)
                .with(Item.STATE, VersionStage.CURRENT.name())
                .with(Item.FORM, StoredForms.version(version))
                .with(Item.ROOT, root)
                .with(Item.SEGMENTS, version.segmentCount())
                .with(Item.CHANGED_AT, version.committedAtMillis()));
        transaction.put(Item.at(KeyLayout.live(version.id())).with(Item.FORM, StoredForms.version(version)));
        if (open.isPresent()) {
            transaction.delete(KeyLayout.open(version.id()));
        }
    }

    /**
     * Checks the segments. The calls that put them were answered before, so a query sees all of them, or the digest
     * differs.
     */
    private void checkSegments(FileVersion version) throws CloudMwException {
        ManifestDigest digest = new ManifestDigest();
        List<Item> digests =
                table.queryAll(KeyRange.startingWith(KeyLayout.ofVersion(version.id()), KeyLayout.DIGESTS));
        boolean complete = true;
        for (int i = 0; i < digests.size(); i++) {
            complete &= digests.get(i).key().equals(KeyLayout.digest(version.id(), i));
            digest.add(digests.get(i).bytes(Item.SHA256));
        }
        String found = digest.finish();
        if (!complete || digests.size() != version.segmentCount() || !found.equals(version.manifestSha256())) {
            throw CatalogErrors.segmentsDiffer(
                    version, (complete ? "" : "with gaps ") + digests.size() + " with " + found);
        }
    }

    /** Retires a version within a change after which no path names it; the condition is that one path names it now. */
    static void retire(Transaction transaction, FileVersion version, long nowMillis) {
        retire(transaction, version.id(), version.segmentCount(), nowMillis);
    }

    /** Retires a version whose item was read. */
    static void retire(Transaction transaction, Item state, long nowMillis) throws CloudMwException {
        retire(transaction, StoredForms.version(state.bytes(Item.FORM)), nowMillis);
    }

    private static void retire(Transaction transaction, VersionId id, long segments, long nowMillis) {
        transaction.update(
                KeyLayout.state(id),
                "SET " + Item.STATE + " = :retired, " + Item.CHANGED_AT + " = :now, " + Item.WRITTEN_BY + " = :by",
                Item.STATE + " = :current",
                Map.of(
                        ":retired", AttributeValue.fromS(VersionStage.RETIRED.name()),
                        ":current", AttributeValue.fromS(VersionStage.CURRENT.name()),
                        ":now", Item.number(nowMillis)));
        listRetired(transaction, id, nowMillis, segments);
        transaction.delete(KeyLayout.live(id));
    }

    private static void listRetired(Transaction transaction, VersionId id, long nowMillis, long segments) {
        transaction.put(
                Item.at(KeyLayout.retired(id)).with(Item.CHANGED_AT, nowMillis).with(Item.SEGMENTS, segments));
    }

    /** Reads every open version and renews the lease with each page and each retired version. */
    int retireAbandoned(LeaseKeeper keeper, long beforeMillis, long nowMillis) throws CloudMwException {
        int retired = 0;
        checkNewest(keeper.lease());
        for (String digit : KeyLayout.DIGITS) {
            String after = "";
            List<Item> open;
            do {
                var unused = keeper.lease();
                open = table.query(KeyRange.after(KeyLayout.open(digit), after), Table.MAX_ITEMS);
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
        List<ItemKey> keys = ids.stream().map(KeyLayout::state).toList();
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
        Optional<Item> state = transaction.get(KeyLayout.state(id));
        return state.isPresent()
                && VersionStage.of(state.get()) == VersionStage.OPEN
                && state.get().number(Item.CHANGED_AT) < beforeMillis;
    }

    /** Checks the lease for calls that find nothing to do, so that a caller without a lease is told in any case. */
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
        Item state = transaction.get(KeyLayout.state(id)).orElseThrow();
        abandon(transaction, id, state, nowMillis);
        return true;
    }

    private static void abandon(Transaction transaction, VersionId id, Item state, long nowMillis)
            throws CloudMwException {
        transaction.put(state.with(Item.STATE, VersionStage.RETIRED.name()).with(Item.CHANGED_AT, nowMillis));
        transaction.delete(KeyLayout.open(id));
        listRetired(transaction, id, nowMillis, state.number(Item.SEGMENTS));
    }

    /**
     * Returns how many chunks of a version have at least one replica that is not good, whichever version wrote them.
     */
    long underReplicatedChunks(VersionId id) throws CloudMwException {
        Set<ChunkId> others = new HashSet<>();
        for (SharedRun run : shared.of(id)) {
            boolean packed = run.firstIndex() == 0 && run.endIndex() == 1;
            VersionId owner = packed
                    ? shared.relocation(run.owner()).map(PackRelocation::pack).orElse(run.owner())
                    : run.owner();
            replicas.faults(owner, run.firstIndex(), run.endIndex()).forEach(fault -> others.add(fault.chunk()));
        }
        return others.size() + replicas.underReplicatedChunks(id);
    }

    /** Returns the current versions, ordered by id. */
    Page<FileVersion> live(String pageToken, int limit) throws CloudMwException {
        List<FileVersion> page = new ArrayList<>();
        for (Item item : listed(KeyLayout::live, pageToken, limit + 1)) {
            page.add(StoredForms.version(item.bytes(Item.FORM)));
        }
        return PageRules.cut(page, limit, last -> last.id().value());
    }

    Optional<VersionState> state(VersionId id) throws CloudMwException {
        return table.get(KeyLayout.state(id)).map(VersionStage::of).map(VersionStage::state);
    }

    /** Returns the first versions of a list after one of them. */
    List<Item> listed(Function<String, String> partition, String after, int limit) throws CloudMwException {
        List<Item> found = new ArrayList<>();
        for (String digit : KeyLayout.DIGITS) {
            boolean before = !after.isEmpty() && digit.compareTo(after.substring(0, 1)) < 0;
            if (!before && found.size() < limit) {
                found.addAll(table.query(KeyRange.after(partition.apply(digit), after), limit - found.size()));
            }
        }
        return found;
    }

    Page<VersionId> open(String pageToken, int limit) throws CloudMwException {
        List<VersionId> page = listed(KeyLayout::open, pageToken, limit + 1).stream()
                .map(item -> new VersionId(item.key().sort()))
                .toList();
        return PageRules.cut(page, limit, VersionId::value);
    }

    Page<RetiredVersion> retired(String pageToken, int limit) throws CloudMwException {
        List<RetiredVersion> page = listed(KeyLayout::retired, pageToken, limit + 1).stream()
                .map(item -> new RetiredVersion(new VersionId(item.key().sort()), item.number(Item.CHANGED_AT), (int)
                        item.number(Item.SEGMENTS)))
                .toList();
        return PageRules.cut(page, limit, last -> last.id().value());
    }

    /**
     * Forgets a version in steps: first no record is added any more, then records are dropped, then versions lent to it
     * alone, then itself. A repeated call continues where the last one stopped. A report that is written at the same
     * time may leave an item that nobody reads. A version that was never committed stays as if lent, for ever, so that
     * nothing opens it again.
     */
    void forget(Lease lease, VersionId id) throws CloudMwException {
        if (!forgotten(lease, id, Set.of(VersionStage.RETIRED, VersionStage.FORGOTTEN))) {
            return;
        }
        if (dropAllOfOneThatSharesNothing(lease, id)) {
            return;
        }
        Set<VersionId> owners = shared.withdraw(id);
        drop(KeyRange.startingWith(KeyLayout.ofVersion(id), KeyLayout.DIGESTS));
        drop(KeyRange.startingWith(KeyLayout.ofVersion(id), KeyLayout.PARTS));
        for (VersionId owner : owners) {
            dropIfUnneeded(lease, owner);
        }
        drop(KeyRange.startingWith(KeyLayout.ofVersion(id), KeyLayout.NAMES));
        if (shared.isNeeded(id)) {
            lend(lease, id);
        } else {
            dropRest(lease, id);
        }
    }

    /**
     * Drops all items of a version that shares nothing, found by one query; most versions are small and share nothing.
     */
    private boolean dropAllOfOneThatSharesNothing(Lease lease, VersionId id) throws CloudMwException {
        List<ItemKey> kept = table.query(KeyRange.all(KeyLayout.ofVersion(id)), Catalog.MAX_PAGE, "pk, sk").stream()
                .map(Item::key)
                .toList();
        if (kept.size() == Catalog.MAX_PAGE || kept.stream().anyMatch(KeyLayout::isOfSharing)) {
            return false;
        }
        table.deleteAll(
                kept.stream().filter(key -> !key.equals(KeyLayout.state(id))).toList());
        dropState(lease, id);
        return true;
    }

    private static boolean wasAbandoned(Item state) {
        return state.has(Item.ABANDONED) || (VersionStage.of(state) == VersionStage.RETIRED && !state.has(Item.FORM));
    }

    /** Stops further records of a version; returns false when it is in none of these stages. */
    private boolean forgotten(Lease lease, VersionId id, Set<VersionStage> from) throws CloudMwException {
        return transactions.run(transaction -> {
            LeaseItems.requireNewest(transaction, lease, List.of(KeyLayout.state(id)));
            Optional<Item> state = transaction.get(KeyLayout.state(id));
            if (state.isEmpty() || !from.contains(VersionStage.of(state.get()))) {
                return false;
            }
            Item forgotten =
                    state.get().with(Item.STATE, VersionStage.FORGOTTEN.name()).without(Item.FORM);
            transaction.put(wasAbandoned(state.get()) ? forgotten.with(Item.ABANDONED, 1) : forgotten);
            listRetired(
                    transaction,
                    id,
                    state.get().number(Item.CHANGED_AT),
                    state.get().number(Item.SEGMENTS));
            return true;
        });
    }

    /** Drops a lent version that no other version needs any more. */
    private void dropIfUnneeded(Lease lease, VersionId owner) throws CloudMwException {
        Optional<Item> state = table.get(KeyLayout.state(owner));
        boolean lent = state.isPresent() && VersionStage.of(state.get()) == VersionStage.LENT;
        if (lent && !shared.isNeeded(owner) && forgotten(lease, owner, Set.of(VersionStage.LENT))) {
            dropRest(lease, owner);
        }
    }

    private void lend(Lease lease, VersionId id) throws CloudMwException {
        transactions.run(transaction -> {
            LeaseItems.requireNewest(transaction, lease);
            Optional<Item> state = transaction.get(KeyLayout.state(id));
            if (state.isPresent() && VersionStage.of(state.get()) == VersionStage.FORGOTTEN) {
                transaction.put(state.get().with(Item.STATE, VersionStage.LENT.name()));
                transaction.delete(KeyLayout.retired(id));
            }
            return id;
        });
    }

    private void dropRest(Lease lease, VersionId id) throws CloudMwException {
        drop(KeyRange.startingWith(KeyLayout.ofVersion(id), KeyLayout.REPLICAS));
        drop(KeyRange.startingWith(KeyLayout.ofVersion(id), KeyLayout.NAMED));
        table.deleteAll(List.of(KeyLayout.relocation(id)));
        dropState(lease, id);
    }

    private void dropState(Lease lease, VersionId id) throws CloudMwException {
        transactions.run(transaction -> {
            LeaseItems.requireNewest(transaction, lease, List.of(KeyLayout.state(id)));
            Optional<Item> state = transaction.get(KeyLayout.state(id));
            if (state.isPresent() && wasAbandoned(state.get())) {
                transaction.put(state.get().with(Item.STATE, VersionStage.LENT.name()));
            } else {
                transaction.delete(KeyLayout.state(id));
            }
            transaction.delete(KeyLayout.retired(id));
            transaction.delete(KeyLayout.pending(id));
            return id;
        });
    }

    private void drop(KeyRange range) throws CloudMwException {
        List<Item> kept;
        do {
            kept = table.query(range, Catalog.MAX_PAGE, "pk, sk");
            table.deleteAll(kept.stream().map(Item::key).toList());
        } while (kept.size() == Catalog.MAX_PAGE);
    }
}
