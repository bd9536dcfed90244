package io.cloudmw.coordinator.catalog.dynamodb;

import io.cloudmw.coordinator.catalog.SharedRun;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.manifest.ManifestDigest;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Which versions name chunks that others wrote. What a segment names is kept twice: with its version, in one item; and with
 * each version that wrote some of it, in an item found by the chunks' indexes. Both are written before the segment, bear its
 * digest, and count only while the segment is that one: when it is put anew nothing has to be taken back. Safe for any thread.
 */
final class SharedItems {
    /** Versions whose chunks are named by one segment, that one transaction notes beside the version and the list it is in. */
    private static final int BATCH = 90;

    private static final int PAGE = 1000;

    private final Table table;
    private final Transactions transactions;

    SharedItems(Table table, Transactions transactions) {
        this.table = table;
        this.transactions = transactions;
    }

    /**
     * A committed version that is kept, and chunks of one version that it names.
     *
     * @param state its item
     */
    record Naming(VersionId version, Item state, List<SharedRun> runs) {
        boolean names(ChunkId chunk) {
            return runs.stream().anyMatch(run -> run.contains(chunk));
        }

        boolean isCurrent() {
            return Stage.of(state) == Stage.CURRENT;
        }
    }

    /** Before the segment is put; nothing if its version is not open any more. */
    void put(VersionId version, int segment, byte[] encoded, List<SharedRun> runs, long nowMillis)
            throws CloudMwException {
        if (runs.isEmpty()) {
            return;
        }
        String digest = digest(ManifestDigest.ofSegment(encoded));
        Map<VersionId, List<SharedRun>> byOwner = new LinkedHashMap<>();
        runs.forEach(run -> byOwner.computeIfAbsent(run.owner(), ignored -> new ArrayList<>())
                .add(run));
        List<Item> items = new ArrayList<>();
        // The first: by it the others are found when the version is forgotten.
        items.add(Item.at(Keys.names(version, segment, digest)).with(Item.RUNS, text(runs)));
        byOwner.values()
                .forEach(some ->
                        items.add(Item.at(named(some, version, segment, digest)).with(Item.RUNS, text(some))));
        for (int from = 0; from < items.size(); from += BATCH) {
            List<Item> batch = items.subList(from, Math.min(items.size(), from + BATCH));
            transactions.run(transaction -> note(transaction, version, batch, nowMillis));
        }
    }

    private static int note(Transaction transaction, VersionId version, List<Item> batch, long nowMillis)
            throws CloudMwException {
        Optional<Item> state = transaction.get(Keys.state(version));
        if (state.isPresent() && Stage.of(state.get()) != Stage.OPEN) {
            return 0;
        }
        Versions.renew(transaction, version, nowMillis, 0, false);
        batch.forEach(transaction::put);
        return batch.size();
    }

    private static Key named(List<SharedRun> runs, VersionId by, int segment, String digest) {
        long first = runs.stream().mapToLong(SharedRun::firstIndex).min().orElseThrow();
        return Keys.named(runs.get(0).owner(), first, by, segment, digest);
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

    /** What the segments of a version, as they are now, name of other versions. */
    List<SharedRun> of(VersionId version) throws CloudMwException {
        List<Item> kept = table.queryAll(Range.startingWith(Keys.ofVersion(version), Keys.NAMES));
        Set<Key> now = new HashSet<>();
        if (!kept.isEmpty()) {
            for (Item item : table.queryAll(Range.startingWith(Keys.ofVersion(version), Keys.DIGESTS))) {
                now.add(Keys.names(version, Keys.segment(item.key()), digest(item.bytes(Item.SHA256))));
            }
        }
        return kept.stream()
                .filter(item -> now.contains(item.key()))
                .flatMap(item -> runs(item).stream())
                .toList();
    }

    /** What one segment of a version that is kept names of others, in two requests. */
    List<SharedRun> of(VersionId version, int segment) throws CloudMwException {
        List<Item> kept = table.queryAll(Range.startingWith(Keys.ofVersion(version), Keys.namesOf(segment)));
        if (kept.isEmpty()) {
            return List.of();
        }
        Map<Key, Item> found = load(List.of(Keys.state(version), Keys.digest(version, segment)));
        Optional<Item> digest = Optional.ofNullable(found.get(Keys.digest(version, segment)));
        if (digest.isEmpty() || !isKept(Optional.ofNullable(found.get(Keys.state(version))))) {
            return List.of();
        }
        Key now = Keys.names(version, segment, digest(digest.get().bytes(Item.SHA256)));
        return kept.stream()
                .filter(item -> item.key().equals(now))
                .flatMap(item -> runs(item).stream())
                .toList();
    }

    private static boolean isKept(Optional<Item> state) {
        return state.isPresent() && state.get().has(Item.FORM) && !isGone(state);
    }

    /** Whether a version has no manifest any more; it never has one again. */
    private static boolean isGone(Optional<Item> state) {
        return state.isEmpty() || Stage.of(state.get()) == Stage.FORGOTTEN || Stage.of(state.get()) == Stage.LENT;
    }

    Set<ChunkId> namedElsewhere(VersionId version, Collection<ChunkId> chunks) throws CloudMwException {
        Map<VersionId, Set<ChunkId>> byOwner = new HashMap<>();
        chunks.forEach(chunk -> byOwner.computeIfAbsent(chunk.version(), ignored -> new HashSet<>())
                .add(chunk));
        Set<ChunkId> named = new HashSet<>(chunks);
        for (Map.Entry<VersionId, Set<ChunkId>> entry : byOwner.entrySet()) {
            VersionId owner = entry.getKey();
            // Before the others are looked for: who is not kept is never current again.
            if (owner.equals(version) || !isKept(table.get(Keys.state(owner)))) {
                Set<ChunkId> left = entry.getValue();
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

    Optional<VersionId> namer(ChunkId chunk) throws CloudMwException {
        Optional<Item> state = table.get(Keys.state(chunk.version()));
        List<VersionId> found = new ArrayList<>();
        if (isKept(state)) {
            found.add(chunk.version());
        }
        if (state.isEmpty() || Stage.of(state.get()) != Stage.CURRENT) {
            visit(chunk.version(), chunk.index(), chunk.index() + 1, naming -> {
                if (naming.names(chunk) && (found.isEmpty() || naming.isCurrent())) {
                    found.add(naming.version());
                }
                return !naming.isCurrent() || !naming.names(chunk);
            });
        }
        return found.isEmpty() ? Optional.empty() : Optional.of(found.get(found.size() - 1));
    }

    /** Whether this chunk is named by a current version, that did not write it, of the volume with this root. */
    boolean isNamedIn(long root, ChunkId chunk) throws CloudMwException {
        return !visit(
                chunk.version(),
                chunk.index(),
                chunk.index() + 1,
                naming -> !(naming.names(chunk)
                        && naming.isCurrent()
                        && naming.state().number(Item.ROOT) == root));
    }

    /** Whether another version that is kept names a chunk this one wrote. */
    boolean isNeeded(VersionId owner) throws CloudMwException {
        return !visit(owner, 0, ChunkId.MAX_INDEX + 1, naming -> false);
    }

    /**
     * Shows those who name chunks {@code firstIndex} up to {@code endIndex} that this version wrote, perhaps more than once, until
     * {@code more} says no. If a version was current when this began, and named one when it was committed, it is shown: who is found to be gone may
     * have handed chunks on to one that was not there yet when it was looked for, so it is looked again without those.
     *
     * @return whether {@code more} never said no
     */
    private boolean visit(VersionId owner, long firstIndex, long endIndex, Predicate<Naming> more)
            throws CloudMwException {
        String from = Keys.namedFrom(Math.max(0, firstIndex - ManifestSegment.MAX_CHUNKS + 1));
        Range all = Range.between(Keys.ofVersion(owner), from, Keys.namedFrom(endIndex));
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

    private boolean pass(Range all, Set<VersionId> gone, Predicate<Naming> more) throws CloudMwException {
        Range rest = all;
        List<Item> page;
        do {
            page = table.query(rest, PAGE);
            for (int at = 0; at < page.size(); at += Table.MAX_ITEMS) {
                List<Item> some = page.subList(at, Math.min(page.size(), at + Table.MAX_ITEMS)).stream()
                        .filter(item -> !gone.contains(Keys.namer(item.key())))
                        .toList();
                for (Naming naming : kept(some, gone)) {
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

    /** Digests are read first: of a version that is kept after that none was dropped. */
    private List<Naming> kept(List<Item> items, Set<VersionId> gone) throws CloudMwException {
        Map<Key, Item> digests =
                load(items.stream().map(item -> Keys.digestOf(item.key())).toList());
        Map<Key, Item> states = load(
                items.stream().map(item -> Keys.state(Keys.namer(item.key()))).toList());
        List<Naming> kept = new ArrayList<>();
        for (Item item : items) {
            VersionId version = Keys.namer(item.key());
            Optional<Item> state = Optional.ofNullable(states.get(Keys.state(version)));
            Optional<Item> digest = Optional.ofNullable(digests.get(Keys.digestOf(item.key())));
            if (isGone(state)) {
                gone.add(version);
            } else if (isKept(state)
                    && digest.isPresent()
                    && item.key().sort().endsWith(digest(digest.get().bytes(Item.SHA256)))) {
                kept.add(new Naming(version, state.get(), runs(item)));
            }
        }
        return kept;
    }

    private Map<Key, Item> load(List<Key> keys) throws CloudMwException {
        List<Key> distinct = keys.stream().distinct().toList();
        return distinct.isEmpty() ? Map.of() : transactions.run(transaction -> table.getAll(distinct));
    }

    /** Takes back what a version that is being forgotten names; begun again where it stopped. Gives who wrote that. */
    Set<VersionId> withdraw(VersionId version) throws CloudMwException {
        Set<VersionId> owners = new HashSet<>();
        for (Item names : table.queryAll(Range.startingWith(Keys.ofVersion(version), Keys.NAMES))) {
            Map<VersionId, List<SharedRun>> byOwner = new HashMap<>();
            runs(names)
                    .forEach(run -> byOwner.computeIfAbsent(run.owner(), ignored -> new ArrayList<>())
                            .add(run));
            int segment = Keys.segment(names.key());
            String digest = Keys.digest(names.key());
            table.deleteAll(byOwner.values().stream()
                    .map(runs -> named(runs, version, segment, digest))
                    .toList());
            owners.addAll(byOwner.keySet());
        }
        return owners;
    }
}
