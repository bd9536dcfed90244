package io.cloudmw.coordinator.catalog.dynamodb;

import io.cloudmw.coordinator.catalog.dynamodb.table.Item;
import io.cloudmw.coordinator.catalog.dynamodb.table.ItemKey;
import io.cloudmw.coordinator.catalog.dynamodb.table.KeyLayout;
import io.cloudmw.coordinator.catalog.dynamodb.table.KeyRange;
import io.cloudmw.coordinator.catalog.dynamodb.table.Table;
import io.cloudmw.coordinator.catalog.dynamodb.transaction.Transaction;
import io.cloudmw.coordinator.catalog.dynamodb.transaction.TransactionRetry;
import io.cloudmw.coordinator.catalog.stored.StoredForms;
import io.cloudmw.coordinator.catalog.version.ChunkReference;
import io.cloudmw.coordinator.catalog.version.SharedRun;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.manifest.ManifestDigest;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.PackRelocation;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The items that record which versions reference chunks of others. Each reference is kept twice: once with the
 * referencing version, and once with the version that wrote the chunks, ordered by chunk index. Both are written before
 * the segment, contain its digest, and count only while the segment has that digest. A replaced segment therefore needs
 * no clean-up. Safe for any thread.
 */
final class SharedChunkItems {
    /** The most groups of runs that one transaction records for a segment, beside the version and its place in the list. */
    private static final int BATCH = 90;

    private static final int PAGE = 1000;

    private final Table table;
    private final TransactionRetry transactions;

    SharedChunkItems(Table table, TransactionRetry transactions) {
        this.table = table;
        this.transactions = transactions;
    }

    /**
     * A committed version that is kept, with the chunks of one other version that it references.
     *
     * @param segment of its manifest
     * @param state its item
     */
    record Reference(VersionId version, int segment, Item state, List<SharedRun> runs) {
        boolean names(ChunkId chunk) {
            return runs.stream().anyMatch(run -> run.contains(chunk));
        }

        boolean isCurrent() {
            return VersionStage.of(state) == VersionStage.CURRENT;
        }
    }

    /** Records the references of a segment before the segment is put; does nothing if the version is no longer open. */
    void put(VersionId version, int segment, byte[] encoded, List<SharedRun> runs, long nowMillis)
            throws CloudMwException {
        if (runs.isEmpty()) {
            return;
        }
        List<Item> items = items(version, segment, ManifestDigest.ofSegment(encoded), runs);
        for (int from = 0; from < items.size(); from += BATCH) {
            List<Item> batch = items.subList(from, Math.min(items.size(), from + BATCH));
            transactions.run(transaction -> note(transaction, version, batch, nowMillis));
        }
    }

    /**
     * Returns the items that record the references of a segment; none when there are no references.
     *
     * @param sha256 of the encoded segment
     */
    static List<Item> items(VersionId version, int segment, byte[] sha256, List<SharedRun> runs) {
        List<Item> items = new ArrayList<>();
        if (runs.isEmpty()) {
            return items;
        }
        String digest = digest(sha256);
        // This item is the first: forgetting the version finds the others by it.
        items.add(Item.at(KeyLayout.names(version, segment, digest)).with(Item.RUNS, text(runs)));
        SharedRun.grouped(runs)
                .forEach(some ->
                        items.add(Item.at(named(some, version, segment, digest)).with(Item.RUNS, text(some))));
        return items;
    }

    private static int note(Transaction transaction, VersionId version, List<Item> batch, long nowMillis)
            throws CloudMwException {
        Optional<Item> state = transaction.get(KeyLayout.state(version));
        if (state.isPresent() && VersionStage.of(state.get()) != VersionStage.OPEN) {
            return 0;
        }
        VersionItems.renew(transaction, version, nowMillis, 0, false);
        batch.forEach(transaction::put);
        return batch.size();
    }

    private static ItemKey named(List<SharedRun> runs, VersionId by, int segment, String digest) {
        SharedRun first = runs.get(0);
        return KeyLayout.named(first.owner(), first.firstIndex(), by, segment, digest);
    }

    private static String digest(byte[] sha256) {
        return HexFormat.of().formatHex(sha256);
    }

    private static String text(List<SharedRun> runs) {
        return String.join(
                ",",
                runs.stream()
                        .map(run -> run.owner() + ":" + run.firstIndex() + ":" + run.endIndex())
                        .toList());
    }

    private static List<SharedRun> runs(Item item) {
        List<SharedRun> runs = new ArrayList<>();
        for (String run : item.text(Item.RUNS).split(",", -1)) {
            String[] parts = run.split(":", -1);
            runs.add(new SharedRun(new VersionId(parts[0]), Long.parseLong(parts[1]), Long.parseLong(parts[2])));
        }
        return runs;
    }

    /** Returns the runs that the present segments of a version reference. */
    List<SharedRun> of(VersionId version) throws CloudMwException {
        List<Item> kept = table.queryAll(KeyRange.startingWith(KeyLayout.ofVersion(version), KeyLayout.NAMES));
        Set<ItemKey> now = new HashSet<>();
        if (!kept.isEmpty()) {
            for (Item item : table.queryAll(KeyRange.startingWith(KeyLayout.ofVersion(version), KeyLayout.DIGESTS))) {
                now.add(KeyLayout.names(version, KeyLayout.segment(item.key()), digest(item.bytes(Item.SHA256))));
            }
        }
        return kept.stream()
                .filter(item -> now.contains(item.key()))
                .flatMap(item -> runs(item).stream())
                .toList();
    }

    /** Returns which of these chunks a kept version references; queries each of their groups once. */
    Set<ChunkId> namedBy(VersionId version, Collection<ChunkId> chunks) throws CloudMwException {
        Set<ChunkId> named = new HashSet<>();
        Map<ChunkId, ChunkId> moved = new HashMap<>();
        for (ChunkId chunk : chunks) {
            VersionId original = chunk.index() == 0 ? original(chunk.version()) : chunk.version();
            if (!original.equals(chunk.version())) {
                moved.put(new ChunkId(original, 0), chunk);
            }
        }
        if (!moved.isEmpty()) {
            namedDirectly(version, moved.keySet()).forEach(chunk -> named.add(moved.getOrDefault(chunk, chunk)));
        }
        named.addAll(namedDirectly(version, chunks));
        return named;
    }

    private Set<ChunkId> namedDirectly(VersionId version, Collection<ChunkId> chunks) throws CloudMwException {
        Set<ChunkId> named = new HashSet<>();
        for (List<SharedRun> group : SharedRun.grouped(SharedRun.of(chunks))) {
            KeyRange range = range(
                    group.get(0).owner(),
                    group.get(0).firstIndex(),
                    group.get(group.size() - 1).endIndex());
            List<Item> items = table.queryAll(range).stream()
                    .filter(item -> KeyLayout.namer(item.key()).equals(version))
                    .toList();
            for (int at = 0; at < items.size(); at += Table.MAX_ITEMS) {
                List<Item> some = items.subList(at, Math.min(items.size(), at + Table.MAX_ITEMS));
                for (Reference naming : kept(some, new HashSet<>())) {
                    chunks.stream().filter(naming::names).forEach(named::add);
                }
            }
        }
        return named;
    }

    /** Returns the range of the references that may contain chunks between two indexes. */
    private static KeyRange range(VersionId owner, long firstIndex, long endIndex) {
        String from = KeyLayout.namedFrom(Math.max(0, firstIndex - SharedRun.MAX_SPAN + 1));
        return KeyRange.between(KeyLayout.ofVersion(owner), from, KeyLayout.namedFrom(endIndex));
    }

    /** Returns the present place of the slices of a pack that manifests name. */
    Optional<PackRelocation> relocation(VersionId original) throws CloudMwException {
        Optional<Item> item = table.get(KeyLayout.relocation(original));
        return item.isPresent() ? Optional.of(StoredForms.relocation(item.get().bytes(Item.FORM))) : Optional.empty();
    }

    /** Returns whether the bytes of these chunks are in another pack by now; a pack has one chunk. */
    private boolean isMoved(VersionId owner, Collection<ChunkId> chunks) throws CloudMwException {
        return chunks.stream().allMatch(chunk -> chunk.index() == 0)
                && table.get(KeyLayout.relocation(owner)).isPresent();
    }

    /** Returns the pack whose slices manifests name to need those of a pack. */
    VersionId original(VersionId pack) throws CloudMwException {
        Optional<Item> item = table.get(KeyLayout.pack(pack));
        return item.isPresent() && item.get().has(Item.ORIGINAL)
                ? new VersionId(item.get().text(Item.ORIGINAL))
                : pack;
    }

    private static boolean isKept(Optional<Item> state) {
        return state.isPresent() && state.get().has(Item.FORM) && !isGone(state);
    }

    /** Returns whether a version has no manifest any more; it never has one again. */
    private static boolean isGone(Optional<Item> state) {
        return state.isEmpty()
                || VersionStage.of(state.get()) == VersionStage.FORGOTTEN
                || VersionStage.of(state.get()) == VersionStage.LENT;
    }

    Set<ChunkId> namedElsewhere(VersionId version, Collection<ChunkId> chunks) throws CloudMwException {
        Map<VersionId, Set<ChunkId>> byOwner = new HashMap<>();
        chunks.forEach(chunk -> byOwner.computeIfAbsent(chunk.version(), ignored -> new HashSet<>())
                .add(chunk));
        Set<ChunkId> named = new HashSet<>(chunks);
        for (Map.Entry<VersionId, Set<ChunkId>> entry : byOwner.entrySet()) {
            VersionId owner = entry.getKey();
            // This is checked before the others are read: a version that is not kept never becomes current again.
            if (owner.equals(version) || !isKept(table.get(KeyLayout.state(owner)))) {
                Set<ChunkId> left = entry.getValue();
                if (isMoved(owner, left)) {
                    named.removeAll(left);
                    continue;
                }
                visit(owner, first(left), end(left), naming -> {
                    left.removeIf(chunk -> !naming.version().equals(version) && naming.names(chunk));
                    return !left.isEmpty();
                });
                named.removeAll(left);
            }
        }
        return named;
    }

    private static long first(Collection<ChunkId> chunks) {
        return chunks.stream().mapToLong(ChunkId::index).min().orElse(0);
    }

    private static long end(Collection<ChunkId> chunks) {
        return chunks.stream().mapToLong(ChunkId::index).max().orElse(-1) + 1;
    }

    Optional<ChunkReference> namer(ChunkId chunk) throws CloudMwException {
        Optional<Item> state = table.get(KeyLayout.state(chunk.version()));
        boolean current = state.isPresent() && VersionStage.of(state.get()) == VersionStage.CURRENT;
        Map<VersionId, ChunkReference> found = new LinkedHashMap<>();
        if (isKept(state)) {
            found.put(chunk.version(), ChunkReference.ofWriter(chunk.version(), current));
        }
        // A version that is found retired may have handed the chunk on to one that was not there yet when the query
        // ran. When a search finds no other versions than the one before, all were retired when it began.
        int before = isMoved(chunk.version(), List.of(chunk)) ? found.size() : -1;
        while (!current && before < found.size()) {
            before = found.size();
            current = !visit(chunk.version(), chunk.index(), chunk.index() + 1, naming -> {
                if (!naming.names(chunk)) {
                    return true;
                }
                found.put(
                        naming.version(),
                        new ChunkReference(naming.version(), OptionalInt.of(naming.segment()), naming.isCurrent()));
                return !naming.isCurrent();
            });
        }
        return found.values().stream().max(Comparator.comparing(ChunkReference::current));
    }

    /** Returns whether a current version of the volume with this root references the chunk and did not write it. */
    boolean isNamedIn(long root, ChunkId chunk) throws CloudMwException {
        return !isMoved(chunk.version(), List.of(chunk))
                && !visit(
                        chunk.version(),
                        chunk.index(),
                        chunk.index() + 1,
                        naming -> !(naming.names(chunk)
                                && naming.isCurrent()
                                && naming.state().number(Item.ROOT) == root));
    }

    /** Returns whether another kept version references a chunk of this one. */
    boolean isNeeded(VersionId owner) throws CloudMwException {
        return !visit(owner, 0, ChunkId.MAX_INDEX + 1, naming -> false);
    }

    /** Returns the references to the first chunk of a version, after those of {@code after}; ordered by version. */
    List<Item> naming(VersionId owner, String after, int limit) throws CloudMwException {
        String first = KeyLayout.namedFrom(0);
        KeyRange all = KeyRange.between(KeyLayout.ofVersion(owner), first + "/" + after, KeyLayout.namedFrom(1));
        // The keys of a version follow its id and a slash; the next character after that is '0'.
        return table.query(after.isEmpty() ? all : all.from(first + "/" + after + "0"), limit);
    }

    /** Returns the kept versions among these references. */
    List<Reference> kept(List<Item> items) throws CloudMwException {
        List<Reference> kept = new ArrayList<>();
        for (int from = 0; from < items.size(); from += Table.MAX_ITEMS) {
            kept.addAll(kept(items.subList(from, Math.min(items.size(), from + Table.MAX_ITEMS)), new HashSet<>()));
        }
        return kept;
    }

    /** Returns whether a current version references a chunk that this one wrote, wherever its bytes are. */
    boolean isNeededByCurrent(VersionId owner) throws CloudMwException {
        return !visit(owner, 0, ChunkId.MAX_INDEX + 1, naming -> !naming.isCurrent());
    }

    /**
     * Passes the versions that reference chunks {@code firstIndex} (inclusive) to {@code endIndex} (exclusive) of this
     * version to {@code more}, perhaps repeatedly, until it returns false. A version that was current at the start and
     * referenced a chunk at its commit is always passed. A version that is gone may have handed chunks on to one that
     * was not yet there when the query ran; the query is then repeated without the gone versions.
     *
     * @return whether {@code more} never returned false
     */
    private boolean visit(VersionId owner, long firstIndex, long endIndex, Predicate<Reference> more)
            throws CloudMwException {
        KeyRange all = range(owner, firstIndex, endIndex);
        Set<VersionId> gone = new HashSet<>();
        int before;
        do {
            before = gone.size();
            if (!pass(all, gone, more)) {
                return false;
            }
        } while (gone.size() > before);
        return true;
    }

    private boolean pass(KeyRange all, Set<VersionId> gone, Predicate<Reference> more) throws CloudMwException {
        KeyRange rest = all;
        List<Item> page;
        do {
            page = table.query(rest, PAGE);
            for (int at = 0; at < page.size(); at += Table.MAX_ITEMS) {
                List<Item> some = page.subList(at, Math.min(page.size(), at + Table.MAX_ITEMS)).stream()
                        .filter(item -> !gone.contains(KeyLayout.namer(item.key())))
                        .toList();
                for (Reference naming : kept(some, gone)) {
                    if (!more.test(naming)) {
                        return false;
                    }
                }
            }
            rest = page.isEmpty()
                    ? all
                    : all.from(page.get(page.size() - 1).key().sort() + "\0");
        } while (page.size() == PAGE);
        return true;
    }

    /**
     * Returns the kept versions among the items. Digests are read first: a version that is kept after that read had all
     * of them.
     */
    private List<Reference> kept(List<Item> items, Set<VersionId> gone) throws CloudMwException {
        Map<ItemKey, Item> digests =
                load(items.stream().map(item -> KeyLayout.digestOf(item.key())).toList());
        Map<ItemKey, Item> states = load(items.stream()
                .map(item -> KeyLayout.state(KeyLayout.namer(item.key())))
                .toList());
        List<Reference> kept = new ArrayList<>();
        for (Item item : items) {
            VersionId version = KeyLayout.namer(item.key());
            Optional<Item> state = Optional.ofNullable(states.get(KeyLayout.state(version)));
            Optional<Item> digest = Optional.ofNullable(digests.get(KeyLayout.digestOf(item.key())));
            if (isGone(state)) {
                gone.add(version);
            } else if (isKept(state)
                    && digest.isPresent()
                    && item.key().sort().endsWith(digest(digest.get().bytes(Item.SHA256)))) {
                kept.add(new Reference(version, KeyLayout.namerSegment(item.key()), state.get(), runs(item)));
            }
        }
        return kept;
    }

    private Map<ItemKey, Item> load(List<ItemKey> keys) throws CloudMwException {
        List<ItemKey> distinct = keys.stream().distinct().toList();
        return distinct.isEmpty() ? Map.of() : transactions.run(transaction -> table.getAll(distinct));
    }

    /**
     * Removes the references of a version that is being forgotten; continues where an earlier call stopped. Returns the
     * versions that wrote the chunks.
     */
    Set<VersionId> withdraw(VersionId version) throws CloudMwException {
        Set<VersionId> owners = new HashSet<>();
        for (Item names : table.queryAll(KeyRange.startingWith(KeyLayout.ofVersion(version), KeyLayout.NAMES))) {
            List<SharedRun> shared = runs(names);
            int segment = KeyLayout.segment(names.key());
            String digest = KeyLayout.digest(names.key());
            table.deleteAll(SharedRun.grouped(shared).stream()
                    .map(runs -> named(runs, version, segment, digest))
                    .toList());
            shared.forEach(run -> owners.add(run.owner()));
        }
        return owners;
    }
}
