package io.cloudmw.coordinator.read;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.CatalogErrors;
import io.cloudmw.coordinator.catalog.ChangeRequest;
import io.cloudmw.coordinator.catalog.CurrentFile;
import io.cloudmw.coordinator.catalog.DirectoryEntry;
import io.cloudmw.coordinator.catalog.Overlay;
import io.cloudmw.coordinator.fleet.HelperRegistry;
import io.cloudmw.coordinator.fleet.StoreView;
import io.cloudmw.coordinator.names.FileStatus;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.RetryVerdict;
import io.cloudmw.core.manifest.ManifestDigest;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.CallId;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.file.AttributeChange;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.Rename;
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
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferRight;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.security.TransferTokens;
import io.cloudmw.core.signing.ReadSigner;
import io.cloudmw.core.signing.SignedUrls;
import io.cloudmw.core.time.WallClock;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/** Finding and reading files. */
public final class Reads {
    private final Catalog catalog;
    private final HelperRegistry helpers;
    private final StoreView stores;
    private final TransferTokens tokens;
    private final ReadSigner signer;
    private final WallClock clock;
    private final Duration tokenTtl;
    private final FleetSpeeds speeds;
    /** How many transfers a helper has, as it last said. */
    private final ToLongFunction<HelperId> load;

    private final AtomicLong plans = new AtomicLong();
    private final AtomicLong segmentsPlanned = new AtomicLong();

    public Reads(
            Catalog catalog,
            HelperRegistry helpers,
            StoreView stores,
            TransferTokens tokens,
            ReadSigner signer,
            WallClock clock,
            Duration tokenTtl,
            FleetSpeeds speeds,
            ToLongFunction<HelperId> load) {
        this.load = load;
        this.catalog = catalog;
        this.helpers = helpers;
        this.stores = stores;
        this.tokens = tokens;
        this.signer = signer;
        this.clock = clock;
        this.tokenTtl = tokenTtl;
        this.speeds = speeds;
    }

    /** As the other, for a reader that does not say where it is. */
    public ReadPlan plan(FilePath file, Optional<VersionId> wanted, Optional<Mode> mode) throws CloudMwException {
        return plan(file, wanted, mode, Location.NONE);
    }

    /**
     * The head of a plan to read a file.
     *
     * @param wanted a version; empty: the current one
     * @param mode how it will be read; empty: as in the volume
     * @param reader where that is
     * @throws CloudMwException {@code NOT_FOUND}; {@code VOLUME_NOT_FOUND}; {@code COORDINATOR_UNAVAILABLE} right after
     *     a start, until a helper is back, and as long as all copies of a chunk may be on disks whose owners are not
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
        // Without switches the racers keep their ranks.
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
                volume.peers() && mode.isEmpty());
    }

    private SpeedBook speeds(List<HelperAddress> readers, List<Store> volumeStores) {
        return new SpeedBook(speeds.expected(
                readers.stream().map(HelperAddress::id).toList(),
                volumeStores.stream().map(Store::id).toList()));
    }

    /** Those who read; races of all chunks at once go over as many as there are. */
    private List<HelperAddress> ranked(FileVersion version, List<Store> volumeStores, Volume volume, Mode mode) {
        int wanted = mode == Mode.KN ? ReadPlanner.MAX_HELPERS : volume.replicas();
        return ReadPlanner.helpers(version.id().value(), volumeStores, wanted, helpers.live(), stores::canUse);
    }

    /** Helpers that can use the most of these stores, of those that can be used at all. */
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
        long expiry = clock.millis() + tokenTtl.toMillis();
        return tokens.issue(new TransferClaims(Set.of(TransferRight.READ), file, version, expiry));
    }

    /**
     * One segment of a plan: its chunks, with their copies where they are now, who races for them, and which replicas to
     * read only when nothing else is left.
     *
     * @param plannedHelpers the plan's helpers: entrants are indexes into it. They are taken to be alive, since who uses the
     *     plan will notice sooner than this coordinator if one is not. Empty: those {@link #plan} would name now
     * @param withDirect also give presigned URLs
     * @throws CloudMwException {@code NOT_FOUND} when the file has no such version or that no such segment
     */
    public PlannedSegment segment(
            FilePath file, VersionId versionId, int index, List<HelperId> plannedHelpers, boolean withDirect)
            throws CloudMwException {
        if (plannedHelpers.size() > ReadPlanner.MAX_PLANNED) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "helpers: " + plannedHelpers.size() + " (expected: <= " + ReadPlanner.MAX_PLANNED + ")");
        }
        Volume volume = volume(file.volume());
        FileVersion version = version(file, versionId);
        byte[] bytes = catalog.segment(version.id(), index)
                .orElseThrow(() -> new CloudMwException(
                        ErrorCode.NOT_FOUND, file + ": version " + versionId + " has no segment " + index));
        List<Chunk> chunks = ManifestSegment.decode(index, bytes).chunks();
        Map<VersionId, TransferToken> owners = ownerTokens(version, chunks);
        Map<StoreId, Store> byId = new LinkedHashMap<>();
        stores.readable(volume).forEach(store -> byId.put(store.id(), store));
        List<HelperId> ranked = plannedHelpers.isEmpty()
                ? ranked(version, List.copyOf(byId.values()), volume, volume.mode()).stream()
                        .map(HelperAddress::id)
                        .toList()
                : plannedHelpers;
        Set<HelperId> reachable = new HashSet<>(ranked);
        helpers.live().forEach(helper -> reachable.add(helper.id()));
        SpeedBook seen = new SpeedBook(speeds.expected(List.of(), byId.keySet()));
        ReadPlanner.Preference preference = new ReadPlanner.Preference(
                new ReplicaOrder(seen, segmentsPlanned.incrementAndGet()), volume.rotateReplicas(), stores::canUse);
        List<PlannedChunk> planned = new ArrayList<>(chunks.size());
        for (CurrentReplicas copies : Overlay.of(catalog, chunks)) {
            Chunk chunk = readable(file, copies, byId.keySet());
            planned.add(new PlannedChunk(
                    chunk,
                    copies.faulty(),
                    ReadPlanner.entrants(chunk, ranked, byId, reachable, copies.faulty(), preference),
                    Map.of(),
                    copies.chunk().replicas(),
                    Optional.ofNullable(owners.get(chunk.id().version()))));
        }
        String digest = HexFormat.of().formatHex(ManifestDigest.ofSegment(bytes));
        return withDirect
                ? signed(planned, digest, byId)
                : new PlannedSegment(planned, digest, Duration.ZERO, Map.of());
    }

    /** The segment with URLs for every copy in a bucket, store by store: bad copies are the last resort of a client, too. */
    private PlannedSegment signed(List<PlannedChunk> planned, String digest, Map<StoreId, Store> byId) {
        Map<Store, List<ChunkId>> copies = new LinkedHashMap<>();
        for (PlannedChunk chunk : planned) {
            for (StoreId id : chunk.chunk().replicas()) {
                Store store = Objects.requireNonNull(byId.get(id));
                copies.computeIfAbsent(store, absent -> new ArrayList<>())
                        .add(chunk.chunk().id());
            }
        }
        Map<StoreId, SignedUrls> signed = signer.sign(copies, tokenTtl);
        Map<StoreId, String> unsigned = new LinkedHashMap<>();
        Duration validity = tokenTtl;
        for (Map.Entry<StoreId, SignedUrls> store : signed.entrySet()) {
            SignedUrls urls = store.getValue();
            urls.obstacle().ifPresent(why -> unsigned.put(store.getKey(), why));
            if (!urls.urls().isEmpty() && urls.validity().compareTo(validity) < 0) {
                validity = urls.validity();
            }
        }
        List<PlannedChunk> direct = new ArrayList<>(planned.size());
        for (PlannedChunk chunk : planned) {
            Map<StoreId, URI> urls = new HashMap<>();
            signed.forEach((store, all) ->
                    Optional.ofNullable(all.urls().get(chunk.chunk().id())).ifPresent(url -> urls.put(store, url)));
            direct.add(chunk.with(urls));
        }
        return new PlannedSegment(direct, digest, validity, unsigned);
    }

    /** The chunk with its copies in stores that are there. */
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

    /** To read chunks that other versions wrote, by those versions. */
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

    /**
     * Describes a file.
     *
     * @throws CloudMwException {@code NOT_FOUND}; {@code VOLUME_NOT_FOUND}
     */
    public FileStatus stat(FilePath file) throws CloudMwException {
        volume(file.volume());
        CurrentFile found = current(file);
        return new FileStatus(
                found, catalog.underReplicatedChunks(found.version().id()));
    }

    /**
     * Changes what users have noted of a file.
     *
     * @param call takes effect once; empty: it is tried once
     * @return all that is noted now
     * @throws CloudMwException as {@link Catalog#setAttributes}; {@code VOLUME_NOT_FOUND}
     */
    public Attributes setAttributes(AttributeChange change, Optional<CallId> call) throws CloudMwException {
        try {
            return catalog.setAttributes(change, ChangeRequest.of(call, clock));
        } catch (CloudMwException e) {
            if (e.code() == ErrorCode.NOT_FOUND) {
                volume(change.file().volume());
            }
            throw e;
        }
    }

    /**
     * Lists the immediate children of a directory.
     *
     * @param limit 1..{@value Catalog#MAX_PAGE}; 0 for the most
     * @throws CloudMwException {@code NOT_FOUND} when there is no such directory; {@code VOLUME_NOT_FOUND}
     */
    public Page<DirectoryEntry> list(VolumeName name, String directory, String pageToken, int limit)
            throws CloudMwException {
        volume(name);
        Page<DirectoryEntry> page = catalog.list(name, directory, pageToken, limit == 0 ? Catalog.MAX_PAGE : limit);
        if (page.items().isEmpty() && pageToken.isEmpty() && !directory.equals("/")) {
            FilePath path = new FilePath(name, directory);
            throw catalog.current(path).isPresent()
                    ? CatalogErrors.fileNotDirectory(path)
                    : new CloudMwException(ErrorCode.NOT_FOUND, "no directory " + path);
        }
        return page;
    }

    /**
     * Removes a file; its chunks become garbage, which readers that have a plan may still finish with.
     *
     * @param call takes effect once; empty: it is tried once
     * @return what was removed
     * @throws CloudMwException {@code NOT_FOUND}; {@code VOLUME_NOT_FOUND}
     */
    public FileVersion remove(FilePath file, Optional<CallId> call) throws CloudMwException {
        try {
            return catalog.remove(file, ChangeRequest.of(call, clock));
        } catch (CloudMwException e) {
            if (e.code() == ErrorCode.NOT_FOUND) {
                volume(file.volume());
                requireNoDirectory(file);
            }
            throw e;
        }
    }

    /**
     * Gives a file or a directory another path. Whoever reads it goes on.
     *
     * @param call takes effect once; empty: it is tried once
     * @return what was moved, under its new name
     * @throws CloudMwException as {@link Catalog#rename}
     */
    public DirectoryEntry rename(Rename rename, Optional<CallId> call) throws CloudMwException {
        return catalog.rename(rename, ChangeRequest.of(call, clock));
    }

    private CurrentFile current(FilePath file) throws CloudMwException {
        Optional<CurrentFile> found = catalog.file(file);
        if (found.isEmpty()) {
            requireNoDirectory(file);
        }
        return found.orElseThrow(() -> CatalogErrors.fileNotFound(file));
    }

    private void requireNoDirectory(FilePath path) throws CloudMwException {
        if (!catalog.list(path.volume(), path.path(), "", 1).items().isEmpty()) {
            throw CatalogErrors.directoryNotFile(path);
        }
    }

    /** A version is found by its id under any path of its volume: who reads it need not notice a rename. */
    private FileVersion version(FilePath file, VersionId id) throws CloudMwException {
        return catalog.version(id)
                .filter(found -> found.file().volume().equals(file.volume()))
                .orElseThrow(() -> new CloudMwException(ErrorCode.NOT_FOUND, "no version " + id + " of file " + file))
                .at(file);
    }

    private Volume volume(VolumeName name) throws CloudMwException {
        return catalog.volume(name).orElseThrow(() -> CatalogErrors.volumeNotFound(name));
    }
}
