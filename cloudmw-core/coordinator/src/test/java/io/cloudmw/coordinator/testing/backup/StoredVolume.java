package io.cloudmw.coordinator.testing.backup;

import io.cloudmw.coordinator.backup.RecoveryListener;
import io.cloudmw.coordinator.backup.RecoveryReport;
import io.cloudmw.coordinator.backup.RecoveryRequest;
import io.cloudmw.coordinator.backup.VolumeExport;
import io.cloudmw.coordinator.backup.VolumeRecovery;
import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.change.BatchCommit;
import io.cloudmw.coordinator.catalog.change.BatchFile;
import io.cloudmw.coordinator.catalog.change.CommitRequest;
import io.cloudmw.coordinator.catalog.change.Pack;
import io.cloudmw.coordinator.catalog.tree.CurrentEntry;
import io.cloudmw.coordinator.catalog.tree.CurrentFile;
import io.cloudmw.coordinator.catalog.tree.DirectoryEntry;
import io.cloudmw.coordinator.catalog.version.SharedRun;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.coordinator.testing.PackSamples;
import io.cloudmw.core.backup.BackupPart;
import io.cloudmw.core.backup.BackupRoot;
import io.cloudmw.core.backup.ExportCursor;
import io.cloudmw.core.backup.ExportPage;
import io.cloudmw.core.chunk.Sha256;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.manifest.ManifestDigest;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.LeafDigests;
import io.cloudmw.core.model.chunk.PackRelocation;
import io.cloudmw.core.model.chunk.StoredChunk;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.store.ChunkSource;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.testing.store.MemoryChunkStore;
import io.cloudmw.core.wire.BackupWire;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.zip.CRC32C;

/** A volume whose bytes are in stores in memory, with backups of it in the same stores. Confined to one thread. */
public final class StoredVolume {
    public static final VolumeName NAME = new VolumeName("photos");
    public static final int LEAF_BYTES = 4096;
    private static final VolumeName KEPT = new VolumeName("photos-backup");

    private final Catalog catalog;
    private final List<StoreId> placed;
    private final Map<StoreId, ChunkStore> stores;
    private long clock = 1_000;
    private long backups;

    /** Creates the volume with two replicas in {@code s1} and {@code s2}; a store {@code s3} exists as well. */
    public StoredVolume(Catalog catalog) throws CloudMwException {
        this(catalog, new LinkedHashMap<>());
        for (Store store : definitions()) {
            stores.put(store.id(), new MemoryChunkStore(store.id(), 1 << 30));
        }
    }

    private StoredVolume(Catalog catalog, Map<StoreId, ChunkStore> stores) throws CloudMwException {
        this.catalog = catalog;
        this.stores = stores;
        this.placed = List.of(new StoreId("s1"), new StoreId("s2"));
        List<StoreId> all = new ArrayList<>();
        for (Store store : definitions()) {
            catalog.putStore(store);
            all.add(store.id());
        }
        catalog.createVolume(
                new Volume(NAME, new Chunking.BySize(LEAF_BYTES), 2, all, 1, Mode.ROUNDS, true, 77, Optional.empty()));
    }

    /** Creates a volume of the same name, of another cluster that uses the same stores. */
    public StoredVolume beside(Catalog other) throws CloudMwException {
        return new StoredVolume(other, stores);
    }

    /** Returns the stores as buckets, so that every process may open them. */
    public static List<Store> definitions() {
        List<Store> definitions = new ArrayList<>();
        for (String id : List.of("s1", "s2", "s3")) {
            Store.S3 bucket = new Store.S3("bucket-" + id, "eu-west-1", "", false, "");
            definitions.add(new Store(new StoreId(id), "domain-" + id, bucket));
        }
        return definitions;
    }

    public ChunkStore store(String id) {
        ChunkStore store = stores.get(new StoreId(id));
        if (store == null) {
            throw new IllegalArgumentException(id);
        }
        return store;
    }

    public FilePath file(String path) {
        return new FilePath(NAME, path);
    }

    // ---- files

    /** Puts a file in chunks of one leaf, each with a copy in both stores. */
    public FileVersion put(String path, byte[] content) throws CloudMwException {
        VersionId id = VersionId.random();
        List<Chunk> chunks = write(id, content);
        return commit(file(path), id, content.length, chunks);
    }

    /** Puts a file that consists of others, whose chunks it shares. All but the last have whole chunks. */
    public FileVersion join(String path, FileVersion... parts) throws CloudMwException {
        List<Chunk> chunks = new ArrayList<>();
        long length = 0;
        for (FileVersion part : parts) {
            for (int segment = 0; segment < part.segmentCount(); segment++) {
                byte[] bytes = catalog.segment(part.id(), segment).orElseThrow();
                for (Chunk chunk : ManifestSegment.decode(segment, bytes).chunks()) {
                    chunks.add(
                            chunk.placedAt(chunks.size(), length + chunk.range().offset()));
                }
            }
            length += part.sizeBytes();
        }
        return commit(file(path), VersionId.random(), (int) length, chunks);
    }

    private FileVersion commit(FilePath file, VersionId id, int length, List<Chunk> chunks) throws CloudMwException {
        ManifestDigest digest = new ManifestDigest();
        int segments = 0;
        for (int from = 0; from < chunks.size(); from += 2) {
            ManifestSegment segment =
                    new ManifestSegment(segments, chunks.subList(from, Math.min(chunks.size(), from + 2)));
            catalog.putSegment(id, segments++, segment.encode(), SharedRun.of(id, segment.chunks()), clock);
            digest.add(ManifestDigest.ofSegment(segment.encode()));
        }
        FileVersion version =
                new FileVersion(file, id, length, chunks.size(), segments, LEAF_BYTES, clock++, digest.finish());
        return catalog.commit(new CommitRequest(version, catalog.current(file).map(FileVersion::id), List.of()));
    }

    /** Puts files of these contents in one pack, which has a copy in both stores; returns the pack's chunk. */
    public Chunk pack(Map<String, byte[]> contents) throws CloudMwException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        contents.values().forEach(all::writeBytes);
        ChunkId id = new ChunkId(VersionId.random(), 0);
        Chunk pack = chunk(id, all.toByteArray());
        for (StoreId store : placed) {
            write(store(store.value()), id, all.toByteArray());
        }
        List<BatchFile> files = new ArrayList<>();
        long offset = 0;
        for (Map.Entry<String, byte[]> content : contents.entrySet()) {
            ByteRange slice = new ByteRange(offset, content.getValue().length);
            files.add(PackSamples.file(
                    file(content.getKey()), VersionId.random(), chunk(id.slice(slice), content.getValue())));
            offset = slice.end();
        }
        var unused = catalog.commitAll(new BatchCommit(Optional.of(Pack.of(NAME, pack, List.of(), clock++)), files));
        return pack;
    }

    /**
     * Replaces a pack by a smaller one, as upkeep does.
     *
     * @param original the pack whose slices manifests name
     * @param replaced the chunk that has the bytes now; its copies are deleted
     * @param kept ranges of the original
     */
    public Chunk compact(VersionId original, Chunk replaced, ByteRange... kept) throws CloudMwException {
        byte[] before = read("s1", replaced.id());
        VersionId id = PackRelocation.newId(original);
        PackRelocation place = new PackRelocation(original, id, placed, List.of(kept));
        Optional<PackRelocation> earlier = catalog.relocationTo(replaced.id().version());
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (ByteRange range : kept) {
            ByteRange there =
                    earlier.isEmpty() ? range : earlier.get().place(range).orElseThrow();
            all.write(before, (int) there.offset(), (int) there.length());
        }
        all.writeBytes(BackupWire.packEnd(place));
        Chunk pack = chunk(place.chunk(), all.toByteArray());
        for (StoreId store : placed) {
            write(store(store.value()), pack.id(), all.toByteArray());
            store(store.value()).delete(replaced.id());
        }
        Lease lease = catalog.leases()
                .acquire("collection", "test", Duration.ofDays(1), clock)
                .orElseThrow();
        long now = clock;
        long later = now + Duration.ofHours(1).toMillis();
        clock = later + Duration.ofHours(1).toMillis();
        boolean unused = catalog.closePack(lease, replaced.id().version(), now);
        if (!catalog.closePack(lease, replaced.id().version(), later)
                || !catalog.replacePack(
                        lease,
                        replaced.id().version(),
                        Pack.of(NAME, pack, List.of(), later).with(place),
                        later)) {
            throw new IllegalStateException("pack " + replaced.id() + " was not replaced");
        }
        return pack;
    }

    private byte[] read(String store, ChunkId chunk) throws CloudMwException {
        java.nio.ByteBuffer bytes =
                java.nio.ByteBuffer.allocate((int) store(store).length(chunk).orElseThrow());
        try (var in = store(store).read(chunk, new ByteRange(0, bytes.capacity()))) {
            while (bytes.hasRemaining()) {
                in.read(bytes);
            }
        }
        return bytes.array();
    }

    private Chunk chunk(ChunkId id, byte[] bytes) {
        int count = Chunk.leafCount(bytes.length, LEAF_BYTES);
        int[] crc32c = new int[count];
        ByteArrayOutputStream sha256 = new ByteArrayOutputStream();
        for (int leaf = 0; leaf < count; leaf++) {
            byte[] part = java.util.Arrays.copyOfRange(
                    bytes, leaf * LEAF_BYTES, Math.min(bytes.length, (leaf + 1) * LEAF_BYTES));
            CRC32C crc = new CRC32C();
            crc.update(part);
            crc32c[leaf] = (int) crc.getValue();
            sha256.writeBytes(Sha256.begin().digest(part));
        }
        LeafDigests leaves = new LeafDigests(crc32c, sha256.toByteArray());
        return new Chunk(0, id, new ByteRange(0, bytes.length), LEAF_BYTES, leaves, placed);
    }

    private List<Chunk> write(VersionId id, byte[] content) throws CloudMwException {
        List<Chunk> chunks = new ArrayList<>();
        for (int from = 0; from < content.length; from += LEAF_BYTES) {
            int length = Math.min(LEAF_BYTES, content.length - from);
            byte[] bytes = java.util.Arrays.copyOfRange(content, from, from + length);
            CRC32C crc = new CRC32C();
            crc.update(bytes);
            LeafDigests leaves = new LeafDigests(
                    new int[] {(int) crc.getValue()}, Sha256.begin().digest(bytes));
            ChunkId chunk = new ChunkId(id, chunks.size());
            chunks.add(new Chunk(chunks.size(), chunk, new ByteRange(from, length), LEAF_BYTES, leaves, placed));
            for (StoreId store : placed) {
                write(store(store.value()), chunk, bytes);
            }
        }
        return chunks;
    }

    private static void write(ChunkStore store, ChunkId chunk, byte[] bytes) throws CloudMwException {
        store.put(chunk, new ChunkSource() {
            @Override
            public long length() {
                return bytes.length;
            }

            @Override
            public InputStream open() {
                return new ByteArrayInputStream(bytes);
            }
        });
    }

    /** Moves a copy from one store to another, changed by {@code change}. */
    public void move(ChunkId chunk, String from, String to, UnaryOperator<byte[]> change) throws CloudMwException {
        byte[] bytes = read(from, chunk);
        store(from).delete(chunk);
        write(store(to), chunk, change.apply(bytes));
    }

    /** Changes a byte of the copy in one store. */
    public void damage(ChunkId chunk, String store) throws CloudMwException {
        move(chunk, store, store, bytes -> {
            bytes[bytes.length / 2] ^= 1;
            return bytes;
        });
    }

    // ---- backups

    /** Makes a full backup. */
    public BackupRoot backup() throws CloudMwException {
        return backup(new VolumeExport(catalog), Optional.empty(), () -> {});
    }

    /** Makes an incremental backup. */
    public BackupRoot backup(BackupRoot since) throws CloudMwException {
        return backup(new VolumeExport(catalog), Optional.of(since), () -> {});
    }

    /** An event between two pieces of an export. */
    @FunctionalInterface
    public interface Meanwhile {
        void happens() throws CloudMwException;
    }

    /** Writes a backup: a part, and then its root. */
    public BackupRoot backup(VolumeExport export, Optional<BackupRoot> since, Meanwhile meanwhile)
            throws CloudMwException {
        OptionalLong after = since.isPresent() ? OptionalLong.of(since.get().position()) : OptionalLong.empty();
        ByteArrayOutputStream records = new ByteArrayOutputStream();
        List<BackupPart> parts = new ArrayList<>();
        ExportPage page = export.next(NAME, after, Optional.empty());
        if (!page.whole()) {
            parts.addAll(since.orElseThrow().parts());
        }
        while (true) {
            records.writeBytes(BackupWire.records(page));
            if (page.next().isEmpty()) {
                break;
            }
            meanwhile.happens();
            // The cursor makes a round trip over the wire.
            Optional<ExportCursor> cursor =
                    BackupWire.cursor(BackupWire.cursor(page.next().get()));
            page = export.next(NAME, after, cursor);
        }
        parts.add(part(records.toByteArray(), page.files()));
        BackupRoot root = new BackupRoot(
                page.cluster(),
                catalog.volume(NAME).orElseThrow(),
                definitions(),
                ++backups,
                clock++,
                page.position(),
                parts,
                Optional.empty());
        write(BackupRoot.newVersion(), root);
        return root;
    }

    /** Writes a root without a cluster, as old releases did. */
    public void writeUnnamed(BackupRoot root) throws CloudMwException {
        BackupRoot unnamed = new BackupRoot(
                "",
                root.volume(),
                root.stores(),
                root.number(),
                root.takenAtMillis(),
                root.position(),
                root.parts(),
                Optional.empty());
        write(BackupRoot.newVersion(), unnamed);
    }

    private BackupPart part(byte[] records, long files) throws CloudMwException {
        VersionId id = VersionId.random();
        List<Chunk> chunks = write(id, records);
        FilePath file = new FilePath(KEPT, "/photos/parts/" + id);
        return new BackupPart(
                new FileVersion(file, id, records.length, chunks.size(), 1, LEAF_BYTES, clock, "00".repeat(32)),
                chunks,
                files);
    }

    private void write(VersionId id, BackupRoot root) throws CloudMwException {
        for (StoreId store : placed) {
            write(store(store.value()), new ChunkId(id, 0), BackupWire.root(root));
        }
    }

    /** Returns the chunks of roots in a store. */
    public List<ChunkId> roots(String store) throws CloudMwException {
        return store(store).list("", 1000).items().stream()
                .map(StoredChunk::id)
                .filter(chunk -> BackupRoot.isRoot(chunk.version()))
                .toList();
    }

    /** Recovers the volume into another catalog; reads {@code s1} first. */
    public RecoveryReport recover(Catalog target, boolean verify, RecoveryListener listener) throws CloudMwException {
        RecoveryRequest request =
                new RecoveryRequest(NAME, NAME, definitions().subList(0, 1), "", OptionalLong.empty(), verify, false);
        return new VolumeRecovery(request, definition -> store(definition.id().value()), listener, () -> 5_000)
                .run(target);
    }

    // ---- results

    /** Returns the files that a catalog knows, manifests included, by path. */
    public static Map<String, String> files(Catalog catalog) throws CloudMwException {
        Map<String, String> files = new TreeMap<>();
        walk(catalog, "/", files);
        return files;
    }

    private static void walk(Catalog catalog, String directory, Map<String, String> files) throws CloudMwException {
        String token = "";
        do {
            Page<DirectoryEntry> page = catalog.list(NAME, directory, token, 100);
            for (DirectoryEntry entry : page.items()) {
                String path = (directory.equals("/") ? "" : directory) + "/" + entry.name();
                if (entry.isDirectory()) {
                    catalog.entry(new FilePath(NAME, path))
                            .flatMap(CurrentEntry::kept)
                            .ifPresent(kept -> files.put(path + "/", kept.toString()));
                    walk(catalog, path, files);
                } else {
                    files.put(path, describe(catalog, path));
                }
            }
            token = page.nextToken();
        } while (!token.isEmpty());
    }

    private static String describe(Catalog catalog, String path) throws CloudMwException {
        CurrentFile file = catalog.file(new FilePath(NAME, path)).orElseThrow();
        StringBuilder segments = new StringBuilder();
        for (int i = 0; i < file.version().segmentCount(); i++) {
            segments.append(ManifestSegment.decode(
                            i, catalog.segment(file.version().id(), i).orElseThrow())
                    .chunks());
        }
        return file + segments.toString();
    }
}
