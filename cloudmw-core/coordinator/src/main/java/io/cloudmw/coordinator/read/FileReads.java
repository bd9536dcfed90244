package io.cloudmw.coordinator.read;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.change.CatalogErrors;
import io.cloudmw.coordinator.catalog.tree.CurrentFile;
import io.cloudmw.coordinator.catalog.version.PackedChunks;
import io.cloudmw.coordinator.catalog.version.ReplicaOverlay;
import io.cloudmw.coordinator.fleet.HelperRegistry;
import io.cloudmw.coordinator.fleet.StoreView;
import io.cloudmw.coordinator.names.FileNames;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.RetryVerdict;
import io.cloudmw.core.manifest.ManifestDigest;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Location;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.monitor.FleetSpeeds;
import io.cloudmw.core.monitor.SpeedBook;
import io.cloudmw.core.placement.CurrentReplicas;
import io.cloudmw.core.placement.PlannedChunk;
import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.placement.ReadPlanner;
import io.cloudmw.core.placement.ReplicaOrder;
import io.cloudmw.core.placement.StoreReachability;
import io.cloudmw.core.security.FixedLifeTokens;
import io.cloudmw.core.security.TransferRight;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.signing.SignedUrls;
import io.cloudmw.core.signing.UrlSigner;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/** The plans by which clients read files. Safe for any thread; calls block on the catalog. */
public final class FileReads {
    private final Catalog catalog;
    private final HelperRegistry helpers;
    private final StoreView stores;
    private final FixedLifeTokens tokens;
    private final UrlSigner signer;
    private final FleetSpeeds speeds;
    /** The number of transfers of a helper, in its last report. */
    private final ToLongFunction<HelperId> load;

    private final AtomicLong plans = new AtomicLong();
    private final AtomicLong segmentsPlanned = new AtomicLong();

    public FileReads(
            Catalog catalog,
            HelperRegistry helpers,
            StoreView stores,
            FixedLifeTokens tokens,
            UrlSigner signer,
            FleetSpeeds speeds,
            ToLongFunction<HelperId> load) {
        this.load = load;
        this.catalog = catalog;
        this.helpers = helpers;
        this.stores = stores;
        this.tokens = tokens;
        this.signer = signer;
        this.speeds = speeds;
    }

    /** Returns the plan for a reader without a location. */
    public ReadPlan plan(FilePath file, Optional<VersionId> wanted, Optional<Mode> mode) throws CloudMwException {
        return plan(file, wanted, mode, Location.NONE);
    }

    /**
     * Returns the head of a plan to read a file.
     *
     * @param wanted a version; empty: the current one
     * @param mode how it will be read; empty: as in the volume
     * @param reader the reader's location
     * @throws CloudMwException {@code NOT_FOUND}; {@code VOLUME_NOT_FOUND}; {@code COORDINATOR_UNAVAILABLE} right after
     *     a start, until a helper is back, and as long as all copies of a chunk may be on disks whose owners are absent
     */
    public ReadPlan plan(FilePath file, Optional<VersionId> wanted, Optional<Mode> mode, Location reader)
            throws CloudMwException {
        Volume volume = volume(file.volume());
        FileVersion version =
                wanted.isPresent() ? version(file, wanted.get()) : current(file).version();
        List<Store> volumeStores = stores.readable(volume);
        stores.awaitAnyHelper();
        stores.awaitOwners(volumeStores, volume.replicas() - 1);
        Mode chosen = mode.orElse(volume.mode());
        List<HelperAddress> racing = ranked(version, volumeStores, volume, chosen);
        Set<HelperId> owners =
                volumeStores.stream().flatMap(store -> store.owner().stream()).collect(Collectors.toSet());
        List<HelperAddress> switches = mode.isPresent()
                ? List.of()
                : ReadPlanner.switches(version.id().value(), file.volume(), able(volumeStores), owners);
        // Without switches the racing helpers keep their ranks.
        List<HelperAddress> ranked = switches.isEmpty() ? racing : ReadPlanner.behind(switches, racing, owners);
        return new ReadPlan(
                version,
                ranked,
                volumeStores.stream().map(stores::status).toList(),
                chosen,
                volume.rotateReplicas(),
                readToken(version.file(), version.id()),
                volume.replicas(),
                speeds(ranked, volumeStores),
                volume.target(),
                switches.size(),
                ReadPlanner.near(switches, reader, load, plans.incrementAndGet()),
                volume.peers() && mode.isEmpty(),
                Optional.empty(),
                isSmall(version) ? planned(volume, version, 0, ids(ranked)).chunks() : List.of());
    }

    /** Returns whether a reader gets all chunks with the head of its plan. */
    private static boolean isSmall(FileVersion version) {
        return version.segmentCount() == 1 && version.sizeBytes() <= ReadPlan.SMALL_BYTES;
    }

    private static List<HelperId> ids(List<HelperAddress> helpers) {
        return helpers.stream().map(HelperAddress::id).toList();
    }

    private SpeedBook speeds(List<HelperAddress> readers, List<Store> volumeStores) {
        return new SpeedBook(speeds.expected(
                ids(readers), volumeStores.stream().map(Store::id).toList()));
    }

    /** Returns the reading helpers in order; a mode that races for all chunks at once uses as many as there are. */
    private List<HelperAddress> ranked(FileVersion version, List<Store> volumeStores, Volume volume, Mode mode) {
        int wanted = mode == Mode.KN ? ReadPlanner.MAX_HELPERS : volume.replicas();
        return ReadPlanner.helpers(version.id().value(), volumeStores, wanted, helpers.live(), stores::canUse);
    }

    /** Returns the helpers that can use the most of these stores, among the reachable ones. */
    private List<HelperAddress> able(List<Store> volumeStores) {
        List<Store> usable = volumeStores.stream().filter(stores::isAvailable).toList();
        StoreReachability reach = stores::canUse;
        List<HelperAddress> live = helpers.live();
        int most = live.stream()
                .mapToInt(helper -> reach.count(helper.id(), usable))
                .max()
                .orElse(0);
        return live.stream()
                .filter(helper -> reach.count(helper.id(), usable) == most)
                .toList();
    }

    private TransferToken readToken(FilePath file, VersionId version) {
        return tokens.issue(Set.of(TransferRight.READ), file, version);
    }

    /**
     * Returns one segment of a plan: its chunks, their present copies, the helpers that race for them, and the replicas
     * of last resort.
     *
     * @param plannedHelpers the plan's helpers, to which entrants are indexes. They count as alive, since the reader
     *     notices a failure sooner than this coordinator. Empty: those that {@link #plan} would name now
     * @param withDirect also give presigned URLs
     * @throws CloudMwException {@code NOT_FOUND} when the file has no such version, or the version no such segment
     */
    public ReadPlanSegment segment(
            FilePath file, VersionId versionId, int index, List<HelperId> plannedHelpers, boolean withDirect)
            throws CloudMwException {
        if (plannedHelpers.size() > ReadPlanner.MAX_PLANNED) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "helpers: " + plannedHelpers.size() + " (expected: <= " + ReadPlanner.MAX_PLANNED + ")");
        }
        Volume volume = volume(file.volume());
        FileVersion version = version(file, versionId);
        List<HelperId> ranked = plannedHelpers.isEmpty()
                ? ids(ranked(version, stores.readable(volume), volume, volume.mode()))
                : plannedHelpers;
        ReadPlanSegment planned = planned(volume, version, index, ranked);
        return withDirect ? signed(planned, volume) : planned;
    }

    private ReadPlanSegment planned(Volume volume, FileVersion version, int index, List<HelperId> ranked)
            throws CloudMwException {
        byte[] bytes = catalog.segment(version.id(), index)
                .orElseThrow(() -> new CloudMwException(
                        ErrorCode.NOT_FOUND,
                        version.file() + ": segment " + index + " of version " + version.id() + " not found"));
        List<Chunk> named = ManifestSegment.decode(index, bytes).chunks();
        List<Chunk> chunks = PackedChunks.located(catalog, named);
        Map<VersionId, TransferToken> owners = ownerTokens(version, chunks);
        Map<StoreId, Store> byId = readable(volume);
        Set<HelperId> reachable = new HashSet<>(ranked);
        helpers.live().forEach(helper -> reachable.add(helper.id()));
        SpeedBook seen = new SpeedBook(speeds.expected(List.of(), byId.keySet()));
        ReadPlanner.Preference preference = new ReadPlanner.Preference(
                new ReplicaOrder(seen, segmentsPlanned.incrementAndGet()), volume.rotateReplicas(), stores::canUse);
        List<PlannedChunk> planned = new ArrayList<>(chunks.size());
        for (CurrentReplicas copies : ReplicaOverlay.of(catalog, chunks)) {
            Chunk chunk = readable(version.file(), copies, byId.keySet());
            planned.add(new PlannedChunk(
                    chunk,
                    copies.faulty(),
                    ReadPlanner.entrants(chunk, ranked, byId, reachable, copies.faulty(), preference),
                    Map.of(),
                    named.get(planned.size()).id(),
                    named.get(planned.size()).replicas(),
                    Optional.ofNullable(owners.get(chunk.id().version()))));
        }
        return new ReadPlanSegment(
                planned, HexFormat.of().formatHex(ManifestDigest.ofSegment(bytes)), Duration.ZERO, Map.of());
    }

    private Map<StoreId, Store> readable(Volume volume) throws CloudMwException {
        Map<StoreId, Store> byId = new LinkedHashMap<>();
        stores.readable(volume).forEach(store -> byId.put(store.id(), store));
        return byId;
    }

    /**
     * Returns the segment with URLs for every copy in a bucket, store by store. The URL of a slice is that of the chunk
     * that holds it. Bad copies get URLs, too, as a client's last resort.
     */
    private ReadPlanSegment signed(ReadPlanSegment planned, Volume volume) throws CloudMwException {
        Map<StoreId, Store> byId = readable(volume);
        Map<Store, Set<ChunkId>> copies = new LinkedHashMap<>();
        for (PlannedChunk chunk : planned.chunks()) {
            for (StoreId id : chunk.chunk().replicas()) {
                Store store = Objects.requireNonNull(byId.get(id));
                copies.computeIfAbsent(store, absent -> new LinkedHashSet<>())
                        .add(chunk.chunk().id().stored());
            }
        }
        Map<StoreId, SignedUrls> signed = signer.sign(copies, tokens.life());
        Map<StoreId, String> unsigned = new LinkedHashMap<>();
        Duration validity = tokens.life();
        for (Map.Entry<StoreId, SignedUrls> store : signed.entrySet()) {
            SignedUrls urls = store.getValue();
            urls.obstacle().ifPresent(why -> unsigned.put(store.getKey(), why));
            if (!urls.urls().isEmpty() && urls.validity().compareTo(validity) < 0) {
                validity = urls.validity();
            }
        }
        List<PlannedChunk> direct = new ArrayList<>(planned.chunks().size());
        for (PlannedChunk chunk : planned.chunks()) {
            Map<StoreId, URI> urls = new HashMap<>();
            signed.forEach((store, all) -> Optional.ofNullable(
                            all.urls().get(chunk.chunk().id().stored()))
                    .ifPresent(url -> urls.put(store, url)));
            direct.add(chunk.with(urls));
        }
        return new ReadPlanSegment(direct, planned.sha256(), validity, unsigned);
    }

    /** Returns the chunk with its copies in existing stores. */
    private Chunk readable(FilePath file, CurrentReplicas copies, Set<StoreId> there) throws CloudMwException {
        Chunk chunk = copies.located();
        if (there.containsAll(chunk.replicas())) {
            return chunk;
        }
        List<StoreId> left = chunk.replicas().stream().filter(there::contains).toList();
        if (left.isEmpty()) {
            throw allLost(file, chunk);
        }
        return chunk.at(left);
    }

    private CloudMwException allLost(FilePath file, Chunk chunk) throws CloudMwException {
        List<StoreId> lost = catalog.stores().stream()
                .filter(store -> store.isLost() && chunk.replicas().contains(store.id()))
                .map(Store::id)
                .toList();
        return new CloudMwException(
                ErrorCode.REPLICA_MISSING,
                RetryVerdict.NEVER,
                file + ": chunk " + chunk.id() + ": every copy that was left was in " + chunk.replicas()
                        + (lost.isEmpty() ? ", which the cluster does not know any more" : ", declared lost: " + lost)
                        + " (put the file again, or remove it)",
                null);
    }

    /** Returns tokens to read chunks that other versions wrote, by those versions. */
    private Map<VersionId, TransferToken> ownerTokens(FileVersion version, List<Chunk> chunks) {
        Map<VersionId, TransferToken> tokens = new HashMap<>();
        for (Chunk chunk : chunks) {
            VersionId owner = chunk.id().version();
            if (!owner.equals(version.id())) {
                tokens.computeIfAbsent(owner, wrote -> readToken(version.file(), wrote));
            }
        }
        return tokens;
    }

    private CurrentFile current(FilePath file) throws CloudMwException {
        return FileNames.current(catalog, file);
    }

    /** Returns a version by its id under any path of its volume, so that readers need not notice a rename. */
    private FileVersion version(FilePath file, VersionId id) throws CloudMwException {
        return catalog.version(id)
                .filter(found -> found.file().volume().equals(file.volume()))
                .orElseThrow(() ->
                        new CloudMwException(ErrorCode.NOT_FOUND, "version " + id + " of file " + file + " not found"))
                .at(file);
    }

    private Volume volume(VolumeName name) throws CloudMwException {
        return catalog.volume(name).orElseThrow(() -> CatalogErrors.volumeNotFound(name));
    }
}
