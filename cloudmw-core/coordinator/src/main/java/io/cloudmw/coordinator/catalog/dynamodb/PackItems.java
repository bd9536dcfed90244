package io.cloudmw.coordinator.catalog.dynamodb;

import io.cloudmw.coordinator.catalog.PageRules;
import io.cloudmw.coordinator.catalog.change.BatchCommit;
import io.cloudmw.coordinator.catalog.change.BatchFile;
import io.cloudmw.coordinator.catalog.change.CatalogErrors;
import io.cloudmw.coordinator.catalog.change.CommitDeadline;
import io.cloudmw.coordinator.catalog.change.CommitOutcome;
import io.cloudmw.coordinator.catalog.change.CommitRequest;
import io.cloudmw.coordinator.catalog.change.Pack;
import io.cloudmw.coordinator.catalog.dynamodb.table.Item;
import io.cloudmw.coordinator.catalog.dynamodb.table.ItemKey;
import io.cloudmw.coordinator.catalog.dynamodb.table.KeyLayout;
import io.cloudmw.coordinator.catalog.dynamodb.table.TransactionConflict;
import io.cloudmw.coordinator.catalog.dynamodb.transaction.Transaction;
import io.cloudmw.coordinator.catalog.dynamodb.transaction.TransactionRetry;
import io.cloudmw.coordinator.catalog.stored.StoredForms;
import io.cloudmw.coordinator.catalog.tree.Tree;
import io.cloudmw.coordinator.catalog.tree.TreeEntry;
import io.cloudmw.coordinator.catalog.version.SharedRun;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.manifest.EncodedSegment;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.PackRelocation;
import io.cloudmw.core.model.file.Change;
import io.cloudmw.core.model.file.FileVersion;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * The items of packs, and the commits of many files. A transaction commits as many files as fit into it, and requires
 * that their pack takes files. Safe for any thread.
 */
final class PackItems {
    /** The most files in one transaction. The items of more would not fit. */
    private static final int MOST_FILES = 12;

    /** The most items of a transaction beside the volume's position. */
    private static final int MOST_ITEMS = 96;

    /** The most items of a file: its version, segment, references and entry, but not its directories. */
    private static final int ITEMS_OF_FILE = 8;

    /** The most items that a file adds at the end: the change, and the replaced version or its past entry. */
    private static final int ITEMS_AT_END = 5;

    /**
     * The time between the last file that a pack can take and its retirement. A query may not see all items of a
     * transaction that is being written.
     */
    private static final Duration CLOSED = Duration.ofMinutes(1);

    private final TransactionRetry transactions;
    private final DirectoryNumbers numbers;
    private final ChangeLogItems changes;
    private final ReplicaItems replicas;
    private final SharedChunkItems shared;
    private final VersionItems versions;

    PackItems(
            TransactionRetry transactions,
            DirectoryNumbers numbers,
            ChangeLogItems changes,
            ReplicaItems replicas,
            SharedChunkItems shared,
            VersionItems versions) {
        this.transactions = transactions;
        this.numbers = numbers;
        this.changes = changes;
        this.replicas = replicas;
        this.shared = shared;
        this.versions = versions;
    }

    /** Makes an open or unknown version a pack. */
    void add(Pack pack) throws CloudMwException {
        FileVersion version = pack.version();
        VersionId id = version.id();
        Pack unused = transactions.run(transaction -> {
            transaction.load(
                    List.of(KeyLayout.volume(version.file().volume()), KeyLayout.state(id), KeyLayout.digest(id, 0)));
            NameItems names = new NameItems(transaction, numbers, changes);
            long root = root(names, version.file().volume());
            Optional<Item> state = transaction.get(KeyLayout.state(id));
            Optional<FileVersion> before = state.isPresent() ? VersionItems.committed(state.get()) : Optional.empty();
            boolean same = before.isPresent() && before.get().manifestSha256().equals(version.manifestSha256());
            if (same && VersionStage.of(state.orElseThrow()) == VersionStage.CURRENT) {
                return pack;
            }
            requireOpen(version, state);
            add(transaction, root, pack, state);
            return pack;
        });
    }

    private void add(Transaction transaction, long root, Pack pack, Optional<Item> state)
            throws TransactionConflict, CloudMwException {
        FileVersion version = pack.version();
        SegmentItems.putOnly(transaction, version, pack.segment(), state);
        VersionItems.makeCurrent(transaction, root, version, state);
        Item listed = Item.at(KeyLayout.pack(version.id())).with(Item.FORM, StoredForms.version(version));
        if (pack.relocation().isPresent()) {
            ItemKey place = KeyLayout.relocation(pack.original());
            transaction.put(Item.at(place)
                    .with(Item.FORM, StoredForms.relocation(pack.relocation().get())));
            listed = listed.with(Item.ORIGINAL, pack.original().value())
                    .with(Item.CLOSED_AT, version.committedAtMillis());
        }
        transaction.put(listed);
        replicas.owe(transaction, new CommitRequest(version, Optional.empty(), pack.owed()), state);
    }

    private static long root(NameItems names, VolumeName volume) throws CloudMwException {
        return names.root(volume).orElseThrow(() -> CatalogErrors.volumeNotFound(volume));
    }

    private static void requireOpen(FileVersion version, Optional<Item> state) throws CloudMwException {
        if (state.isPresent() && VersionStage.of(state.get()) != VersionStage.OPEN) {
            throw CatalogErrors.abandoned(version);
        }
    }

    /** Commits files, several in each transaction; returns an outcome for each. */
    List<CommitOutcome> commit(BatchCommit batch) throws CloudMwException {
        if (batch.pack().isPresent()) {
            add(batch.pack().get());
        }
        Optional<VersionId> pack = batch.pack().map(added -> added.version().id());
        List<BatchFile> files = batch.files();
        for (BatchFile file : files) {
            replicas.oweBefore(file.commit(Optional.empty()));
        }
        List<CommitOutcome> outcomes = new ArrayList<>(files.size());
        int most = MOST_FILES;
        while (outcomes.size() < files.size()) {
            List<BatchFile> next = files.subList(outcomes.size(), Math.min(files.size(), outcomes.size() + most));
            try {
                outcomes.addAll(
                        transactions.run(transaction -> new Group(transaction, pack, batch.deadline()).commit(next)));
                most = MOST_FILES;
            } catch (CloudMwException e) {
                if (e.code() == ErrorCode.OVERLOADED && next.size() > 1) {
                    most = next.size() / 2;
                } else if (CommitOutcome.isOfOneFile(e)) {
                    outcomes.add(new CommitOutcome.Refused(e));
                } else {
                    throw e;
                }
            }
        }
        return outcomes;
    }

    /** The files of one transaction. Confined to one thread. */
    private final class Group {
        private final Transaction transaction;
        private final Optional<VersionId> pack;
        private final CommitDeadline deadline;
        private final NameItems names;
        private final Set<FilePath> paths = new HashSet<>();
        private final List<Change> made = new ArrayList<>();

        /** The items that are added at the end. */
        private int atEnd;

        Group(Transaction transaction, Optional<VersionId> pack, CommitDeadline deadline) {
            this.transaction = transaction;
            this.pack = pack;
            this.deadline = deadline;
            this.names = new NameItems(transaction, numbers, changes);
        }

        /**
         * Commits the first of these files, and others after it as long as they fit and none is refused. A refusal comes
         * before any item of its file is written, so a refused file is met again as the first of another group.
         *
         * @return an outcome for each of the files that the transaction includes
         */
        List<CommitOutcome> commit(List<BatchFile> files) throws TransactionConflict, CloudMwException {
            VolumeName volume = files.get(0).version().file().volume();
            load(volume, files);
            long root = root(names, volume);
            List<CommitOutcome> outcomes = new ArrayList<>();
            for (BatchFile file : files) {
                boolean first = outcomes.isEmpty();
                // A path is committed once: what an entry was before this transaction decides what is retired.
                if (!first && (!fits(file) || paths.contains(file.version().file()))) {
                    break;
                }
                try {
                    outcomes.add(new CommitOutcome.Committed(commit(root, file)));
                } catch (CloudMwException e) {
                    if (first || !CommitOutcome.isOfOneFile(e)) {
                        throw e;
                    }
                    break;
                }
            }
            if (!made.isEmpty()) {
                names.finish(atEnd);
                changes.add(transaction, names, volume, made);
            }
            return outcomes;
        }

        private void load(VolumeName volume, List<BatchFile> files) throws TransactionConflict, CloudMwException {
            List<ItemKey> keys = new ArrayList<>(List.of(KeyLayout.volume(volume)));
            pack.ifPresent(id -> keys.add(KeyLayout.pack(id)));
            for (BatchFile file : files) {
                keys.add(KeyLayout.state(file.version().id()));
            }
            transaction.load(keys);
        }

        private boolean fits(BatchFile file) {
            long directories =
                    file.version().file().path().chars().filter(c -> c == '/').count();
            return transaction.size()
                            + atEnd
                            + ITEMS_OF_FILE
                            + ITEMS_AT_END
                            + directories
                            + (file.owed().isEmpty() ? 0 : file.owed().size() + 1)
                    <= MOST_ITEMS;
        }

        private FileVersion commit(long root, BatchFile file) throws TransactionConflict, CloudMwException {
            FileVersion version = file.version();
            FilePath path = version.file();
            Optional<Item> state = transaction.get(KeyLayout.state(version.id()));
            Optional<FileVersion> earlier = state.isPresent() ? VersionItems.committed(state.get()) : Optional.empty();
            if (earlier.isPresent() && earlier.get().file().equals(path)) {
                return earlier.get();
            }
            Tree<TransactionConflict> tree = names.tree();
            Optional<TreeEntry> found = tree.find(path);
            Optional<VersionId> before = found.flatMap(TreeEntry::version);
            if (file.condition().isEmpty()) {
                // If the entry changes from here on, the transaction is tried again, and so is this check.
                deadline.require(path);
            }
            if (file.condition().isPresent()
                    && !file.condition().get().version().equals(before)) {
                throw CatalogErrors.changed(path, file.condition().get().version(), before);
            }
            requireOpen(version, state);
            tree.checkPut(path);
            Optional<EncodedSegment> segment = file.segment();
            List<SharedRun> runs = segment.isPresent()
                    ? SharedRun.of(version.id(), segment.get().chunks())
                    : List.of();
            requirePack(version, runs);
            if (before.isPresent() && !file.set().isEmpty()) {
                var unused = tree.setAttributes(file.change(), version.committedAtMillis());
            }
            if (segment.isPresent()) {
                SegmentItems.putOnly(transaction, version, segment.get(), state);
                SharedChunkItems.items(version.id(), 0, segment.get().sha256(), runs)
                        .forEach(transaction::put);
            }
            names.about(version);
            tree.put(path, version.id(), file.initial(), version.committedAtMillis());
            VersionItems.makeCurrent(transaction, root, version, state);
            replicas.owe(transaction, file.commit(before), state);
            paths.add(path);
            made.add(Change.put(path, version.id(), version.committedAtMillis()));
            atEnd += before.isPresent() ? ITEMS_AT_END : 1;
            return version;
        }

        /** Requires that the pack takes files: {@link PackItems#retire} decides after the last of them. */
        private void requirePack(FileVersion version, List<SharedRun> runs) throws CloudMwException {
            if (runs.isEmpty()) {
                return;
            }
            VersionId owner = runs.get(0).owner();
            Optional<Item> item = transaction.get(KeyLayout.pack(owner));
            if (item.isEmpty() || item.get().has(Item.CLOSED_AT)) {
                throw CatalogErrors.abandoned(version);
            }
            transaction.require(
                    KeyLayout.pack(owner),
                    Item.WRITTEN_BY + " = :seen",
                    Map.of(":seen", AttributeValue.fromS(item.get().writtenBy())));
        }
    }

    Page<FileVersion> list(String pageToken, int limit) throws CloudMwException {
        List<FileVersion> page = new ArrayList<>();
        for (Item item : versions.listed(KeyLayout::packs, pageToken, limit + 1)) {
            page.add(StoredForms.version(item.bytes(Item.FORM)));
        }
        return PageRules.cut(page, limit, last -> last.id().value());
    }

    Page<FileVersion> files(VersionId pack, long sinceMillis, String pageToken, int limit) throws CloudMwException {
        List<FileVersion> files = new ArrayList<>();
        List<Item> naming = shared.naming(shared.original(pack), pageToken, limit);
        for (SharedChunkItems.Reference reference : shared.kept(naming)) {
            if (reference.isCurrent() || reference.state().number(Item.CHANGED_AT) >= sinceMillis) {
                files.add(StoredForms.version(reference.state().bytes(Item.FORM)));
            }
        }
        String next = naming.size() < limit
                ? ""
                : KeyLayout.namer(naming.get(naming.size() - 1).key()).value();
        return new Page<>(files, next);
    }

    /**
     * Retires a pack in two steps, so that no file is committed between the search for files and the retirement. The
     * first call closes the pack to files. A call that comes at least {@link #CLOSED} later searches again.
     */
    boolean retire(Lease lease, VersionId pack, long nowMillis) throws CloudMwException {
        ItemKey key = KeyLayout.pack(pack);
        if (shared.isNeededByCurrent(shared.original(pack))) {
            return false;
        }
        return transactions.run(transaction -> {
            LeaseItems.requireNewest(transaction, lease, List.of(KeyLayout.state(pack), key));
            Optional<Item> item = transaction.get(key);
            Optional<Item> state = transaction.get(KeyLayout.state(pack));
            if (item.isEmpty() || state.isEmpty()) {
                return false;
            }
            if (!isClosed(transaction, item.get(), nowMillis)) {
                return false;
            }
            VersionItems.retire(transaction, state.get(), nowMillis);
            transaction.delete(key);
            return true;
        });
    }

    /** Closes a pack to files; returns whether that was long enough ago. */
    private static boolean isClosed(Transaction transaction, Item pack, long nowMillis) throws CloudMwException {
        if (!pack.has(Item.CLOSED_AT)) {
            transaction.put(pack.with(Item.CLOSED_AT, nowMillis));
            return false;
        }
        return nowMillis - pack.number(Item.CLOSED_AT) >= CLOSED.toMillis();
    }

    boolean close(Lease lease, VersionId pack, long nowMillis) throws CloudMwException {
        ItemKey key = KeyLayout.pack(pack);
        return transactions.run(transaction -> {
            LeaseItems.requireNewest(transaction, lease, List.of(key));
            Optional<Item> item = transaction.get(key);
            return item.isPresent() && isClosed(transaction, item.get(), nowMillis);
        });
    }

    Optional<PackRelocation> relocationTo(VersionId pack) throws CloudMwException {
        VersionId original = shared.original(pack);
        return original.equals(pack)
                ? Optional.empty()
                : shared.relocation(original).filter(found -> found.pack().equals(pack));
    }

    /** Replaces a closed pack: adds the new one with the place of the slices, and retires the old one. */
    boolean replace(Lease lease, VersionId replaced, Pack pack, long nowMillis) throws CloudMwException {
        FileVersion version = pack.version();
        ItemKey old = KeyLayout.pack(replaced);
        return transactions.run(transaction -> {
            List<ItemKey> read = List.of(
                    old,
                    KeyLayout.state(replaced),
                    KeyLayout.volume(version.file().volume()),
                    KeyLayout.pack(version.id()),
                    KeyLayout.state(version.id()),
                    KeyLayout.digest(version.id(), 0));
            LeaseItems.requireNewest(transaction, lease, read);
            NameItems names = new NameItems(transaction, numbers, changes);
            long root = root(names, version.file().volume());
            Optional<Item> item = transaction.get(old);
            Optional<Item> retired = transaction.get(KeyLayout.state(replaced));
            if (item.isEmpty() || retired.isEmpty()) {
                return transaction.get(KeyLayout.pack(version.id())).isPresent();
            }
            if (!item.get().has(Item.CLOSED_AT)) {
                throw CatalogErrors.packNotClosed(replaced);
            }
            Optional<Item> state = transaction.get(KeyLayout.state(version.id()));
            requireOpen(version, state);
            add(transaction, root, pack, state);
            VersionItems.retire(transaction, retired.get(), nowMillis);
            transaction.delete(old);
            return true;
        });
    }
}
