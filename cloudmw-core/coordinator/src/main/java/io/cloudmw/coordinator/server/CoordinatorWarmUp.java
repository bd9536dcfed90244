package io.cloudmw.coordinator.server;

import io.cloudmw.coordinator.Coordinator;
import io.cloudmw.coordinator.CoordinatorOptions;
import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.fleet.BucketAccess;
import io.cloudmw.coordinator.fleet.SigningSources;
import io.cloudmw.coordinator.upload.UploadPlan;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.identity.DiskClaim;
import io.cloudmw.core.manifest.ManifestDigest;
import io.cloudmw.core.manifest.ManifestPlan;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.LeafDigests;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.placement.PlacedChunk;
import io.cloudmw.core.security.ClusterSecret;
import io.cloudmw.core.security.TransferTokens;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.time.WallClock;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * The warm-up of a coordinator: it writes files without bytes into a catalog of its own, lists them, and plans reads of
 * them, until the caller says that this is enough. The catalog is a file, so a coordinator with a table warms up less.
 * Confined to one thread.
 */
public final class CoordinatorWarmUp {
    private static final VolumeName VOLUME = new VolumeName("warm-up");
    private static final int CHUNK_BYTES = 1 << 20;
    private static final int FILE_CHUNKS = 16;
    private static final int LISTED = 100;

    private final Coordinator coordinator;

    private CoordinatorWarmUp(Catalog catalog) {
        this.coordinator = new Coordinator(
                "warm-up",
                catalog,
                new TransferTokens(ClusterSecret.of(new byte[32]), WallClock.system()),
                SigningSources.of(BucketAccess.none()),
                CoordinatorOptions.defaults(),
                Ticker.system(),
                WallClock.system());
    }

    /**
     * Runs the calls.
     *
     * @param directory an empty directory, which the caller deletes
     * @param goesOn returns whether to write another file
     */
    public static void run(Path directory, BooleanSupplier goesOn) throws CloudMwException {
        try (Catalog catalog = CatalogLocation.in(directory).open()) {
            new CoordinatorWarmUp(catalog).run(goesOn);
        }
    }

    private void run(BooleanSupplier goesOn) throws CloudMwException {
        for (String name : List.of("warm-up-1", "warm-up-2")) {
            HelperId helper = new HelperId(name);
            Store disk = new Store(new StoreId(name), name, new Store.Disk(helper, Path.of("/nowhere")));
            coordinator
                    .administration()
                    .registerHelper(
                            new HelperAddress(helper, "127.0.0.1:1", "127.0.0.1:1"), 1, List.of(DiskClaim.of(disk)));
        }
        List<StoreId> stores = List.of(new StoreId("warm-up-1"), new StoreId("warm-up-2"));
        coordinator
                .administration()
                .createVolume(
                        new Volume(VOLUME, new Chunking.BySize(CHUNK_BYTES), 2, stores, 2, Mode.COOPERATIVE, false, 0),
                        Optional.empty());
        for (int number = 0; goesOn.getAsBoolean(); number++) {
            FilePath file = new FilePath(VOLUME, "/" + number);
            FileVersion written = write(file, (long) FILE_CHUNKS * CHUNK_BYTES);
            coordinator.names().stat(file);
            coordinator.names().list(VOLUME, "/", "", LISTED);
            List<HelperId> helpers =
                    coordinator.reads().plan(file, Optional.empty(), Optional.empty()).helpers().stream()
                            .map(HelperAddress::id)
                            .toList();
            coordinator.reads().segment(file, written.id(), 0, helpers, false);
        }
    }

    private FileVersion write(FilePath file, long bytes) throws CloudMwException {
        UploadPlan upload = coordinator.uploads().begin(file, OptionalLong.of(bytes));
        ManifestPlan plan = upload.manifest().orElseThrow();
        VersionId id = VersionId.random();
        List<Chunk> chunks = new ArrayList<>();
        for (PlacedChunk placed : coordinator
                .uploads()
                .place(file, id, 0, plan.chunkCount(0), Set.of())
                .placements()) {
            chunks.add(chunk(plan, placed));
        }
        coordinator.uploads().putSegment(id, 0, chunks);
        String digest = new ManifestDigest()
                .add(ManifestDigest.ofSegment(new ManifestSegment(0, chunks).encode()))
                .finish();
        return coordinator
                .uploads()
                .commit(
                        new FileVersion(
                                file,
                                id,
                                bytes,
                                plan.cutter().count(),
                                plan.segmentCount(),
                                plan.leafSizeBytes(),
                                0,
                                digest),
                        upload.expected(),
                        List.of());
    }

    private static Chunk chunk(ManifestPlan plan, PlacedChunk placed) {
        ByteRange range = plan.cutter().range(placed.chunk().index());
        int leaves = Chunk.leafCount(range.length(), plan.leafSizeBytes());
        return new Chunk(
                placed.chunk().index(),
                placed.chunk(),
                range,
                plan.leafSizeBytes(),
                new LeafDigests(new int[leaves], new byte[leaves * LeafDigests.SHA256_BYTES]),
                placed.stores());
    }
}
