package io.cloudmw.coordinator.catalog.stored;

import com.google.protobuf.InvalidProtocolBufferException;
import io.cloudmw.coordinator.lock.HeldRange;
import io.cloudmw.coordinator.lock.PathLocks;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.grant.ClusterRole;
import io.cloudmw.core.grant.Grant;
import io.cloudmw.core.grant.GrantScope;
import io.cloudmw.core.grant.Revocation;
import io.cloudmw.core.grant.Right;
import io.cloudmw.core.grant.Subject;
import io.cloudmw.core.grant.TokenRecord;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.PackRelocation;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.Change;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.Snapshot;
import io.cloudmw.core.model.fleet.DiskUsage;
import io.cloudmw.core.model.fleet.HelperRegistration;
import io.cloudmw.core.model.fleet.HelperSighting;
import io.cloudmw.core.model.fleet.SightingReport;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.wire.AccessWire;
import io.cloudmw.core.wire.BackupWire;
import io.cloudmw.core.wire.ChangeWire;
import io.cloudmw.core.wire.FromWire;
import io.cloudmw.core.wire.LockWire;
import io.cloudmw.core.wire.SnapshotWire;
import io.cloudmw.core.wire.ToWire;
import io.cloudmw.proto.v1.StoredDiskUsage;
import io.cloudmw.proto.v1.StoredFleetReport;
import io.cloudmw.proto.v1.StoredGrant;
import io.cloudmw.proto.v1.StoredLock;
import io.cloudmw.proto.v1.StoredPathLocks;
import io.cloudmw.proto.v1.StoredRegistration;
import io.cloudmw.proto.v1.StoredSighting;
import io.cloudmw.proto.v1.StoredSubject;
import io.cloudmw.proto.v1.StoredToken;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/**
 * The stored forms of the domain's values: their messages, so that a later release with more fields reads what an
 * earlier one wrote. Reading malformed bytes throws {@code INTERNAL}, since the catalog itself wrote them.
 */
public final class StoredForms {
    private StoredForms() {}

    public static byte[] volume(Volume volume) {
        return ToWire.volume(volume).toByteArray();
    }

    public static Volume volume(byte[] bytes) throws CloudMwException {
        return read("volume", () -> FromWire.volume(io.cloudmw.proto.v1.Volume.parseFrom(bytes)));
    }

    public static byte[] store(Store store) {
        return ToWire.store(store).toByteArray();
    }

    public static Store store(byte[] bytes) throws CloudMwException {
        return read("store", () -> FromWire.store(io.cloudmw.proto.v1.Store.parseFrom(bytes)));
    }

    public static byte[] version(FileVersion version) {
        return ToWire.version(version).toByteArray();
    }

    public static FileVersion version(byte[] bytes) throws CloudMwException {
        return read("version", () -> FromWire.version(io.cloudmw.proto.v1.FileVersion.parseFrom(bytes)));
    }

    public static byte[] attributes(Attributes attributes) {
        return ToWire.attributes(attributes).toByteArray();
    }

    public static Attributes attributes(byte[] bytes) throws CloudMwException {
        return read("attributes", () -> FromWire.attributes(io.cloudmw.proto.v1.Attributes.parseFrom(bytes)));
    }

    public static byte[] snapshot(Snapshot snapshot) {
        return SnapshotWire.message(snapshot).toByteArray();
    }

    public static Snapshot snapshot(byte[] bytes) throws CloudMwException {
        return read("snapshot", () -> SnapshotWire.snapshot(io.cloudmw.proto.v1.Snapshot.parseFrom(bytes)));
    }

    public static byte[] pathLocks(PathLocks locks) {
        StoredPathLocks.Builder message = StoredPathLocks.newBuilder()
                .setVolume(locks.file().volume().value())
                .setPath(locks.file().path());
        for (HeldRange lock : locks.locks()) {
            message.addLocksBuilder()
                    .setClaim(LockWire.message(lock.claim()))
                    .setHolder(lock.holder())
                    .setRange(ToWire.range(lock.range()))
                    .setShared(lock.shared())
                    .setUntilMillis(lock.untilMillis());
        }
        return message.build().toByteArray();
    }

    public static PathLocks pathLocks(byte[] bytes) throws CloudMwException {
        return read("locks", () -> pathLocks(StoredPathLocks.parseFrom(bytes)));
    }

    private static PathLocks pathLocks(StoredPathLocks message) throws CloudMwException {
        List<HeldRange> locks = new ArrayList<>();
        for (StoredLock lock : message.getLocksList()) {
            locks.add(new HeldRange(
                    LockWire.claim(lock.getClaim()),
                    lock.getHolder(),
                    FromWire.range(lock.getRange()),
                    lock.getShared(),
                    lock.getUntilMillis()));
        }
        return new PathLocks(FromWire.file(message.getVolume(), message.getPath()), locks);
    }

    public static byte[] subject(Subject subject) {
        StoredSubject.Builder message = StoredSubject.newBuilder()
                .setName(subject.name())
                .setRole(subject.role().map(ClusterRole::word).orElse(""));
        subject.revocation()
                .ifPresent(last -> message.setRevokedMillis(last.millis()).setRevokedRevision(last.revision()));
        for (Grant grant : subject.grants()) {
            message.addGrantsBuilder()
                    .setVolume(grant.scope().volume().value())
                    .setPrefix(grant.scope().prefix())
                    .addAllRights(
                            grant.rights().stream().sorted().map(Right::word).toList());
        }
        for (TokenRecord token : subject.tokens()) {
            message.addTokensBuilder()
                    .setSha256(token.sha256())
                    .setCreatedMillis(token.createdMillis())
                    .setExpiresMillis(token.expiresMillis().orElse(0));
        }
        return message.build().toByteArray();
    }

    public static Subject subject(byte[] bytes) throws CloudMwException {
        return read("subject", () -> subject(StoredSubject.parseFrom(bytes)));
    }

    private static Subject subject(StoredSubject message) {
        List<Grant> grants = new ArrayList<>();
        for (StoredGrant grant : message.getGrantsList()) {
            grants.add(new Grant(
                    new GrantScope(new VolumeName(grant.getVolume()), grant.getPrefix()),
                    grant.getRightsList().stream().map(Right::parse).collect(Collectors.toSet())));
        }
        List<TokenRecord> tokens = new ArrayList<>();
        for (StoredToken token : message.getTokensList()) {
            tokens.add(new TokenRecord(
                    token.getSha256(),
                    token.getCreatedMillis(),
                    token.getExpiresMillis() == 0 ? OptionalLong.empty() : OptionalLong.of(token.getExpiresMillis())));
        }
        Optional<ClusterRole> role =
                message.getRole().isEmpty() ? Optional.empty() : Optional.of(ClusterRole.parse(message.getRole()));
        Optional<Revocation> revocation = message.getRevokedRevision() == 0
                ? Optional.empty()
                : Optional.of(new Revocation(message.getRevokedMillis(), message.getRevokedRevision()));
        return new Subject(message.getName(), role, grants, tokens, revocation);
    }

    public static byte[] registration(HelperRegistration registration) {
        return message(registration).toByteArray();
    }

    public static HelperRegistration registration(byte[] bytes) throws CloudMwException {
        return read("registration", () -> registration(StoredRegistration.parseFrom(bytes)));
    }

    private static StoredRegistration message(HelperRegistration registration) {
        return StoredRegistration.newBuilder()
                .setHelper(ToWire.helper(registration.address()))
                .setIncarnation(registration.incarnation())
                .addAllDiskIds(registration.disks().stream().map(StoreId::value).toList())
                .setEpoch(registration.epoch())
                .setLeft(registration.left())
                .build();
    }

    private static HelperRegistration registration(StoredRegistration message) throws CloudMwException {
        List<StoreId> disks = new ArrayList<>();
        for (String disk : message.getDiskIdsList()) {
            disks.add(FromWire.storeId(disk));
        }
        return new HelperRegistration(
                FromWire.helper(message.getHelper()),
                message.getIncarnation(),
                disks,
                message.getEpoch(),
                message.getLeft());
    }

    public static byte[] fleetReport(SightingReport report) {
        StoredFleetReport.Builder message = StoredFleetReport.newBuilder()
                .setCoordinator(report.coordinator())
                .setPart(report.part())
                .setSequence(report.sequence());
        for (HelperSighting sighting : report.sightings()) {
            StoredSighting.Builder seen = message.addSightingsBuilder()
                    .setRegistration(message(sighting.registration()))
                    .setAgeMillis(sighting.ageMillis())
                    .setLeft(sighting.left())
                    .addAllUnusableStores(AccessWire.unusableShortened(sighting.faults()));
            for (DiskUsage disk : sighting.disks()) {
                seen.addDisksBuilder()
                        .setStoreId(disk.store().value())
                        .setUsedBytes(disk.usedBytes())
                        .setFreeBytes(disk.freeBytes())
                        .setReserveBytes(disk.reserveBytes());
            }
        }
        return message.build().toByteArray();
    }

    public static SightingReport fleetReport(byte[] bytes) throws CloudMwException {
        return read("fleet report", () -> {
            StoredFleetReport message = StoredFleetReport.parseFrom(bytes);
            List<HelperSighting> sightings = new ArrayList<>();
            for (StoredSighting sighting : message.getSightingsList()) {
                List<DiskUsage> disks = new ArrayList<>();
                for (StoredDiskUsage disk : sighting.getDisksList()) {
                    disks.add(new DiskUsage(
                            FromWire.storeId(disk.getStoreId()),
                            disk.getUsedBytes(),
                            disk.getFreeBytes(),
                            disk.getReserveBytes()));
                }
                sightings.add(new HelperSighting(
                        registration(sighting.getRegistration()),
                        sighting.getAgeMillis(),
                        sighting.getLeft(),
                        disks,
                        AccessWire.unusable(sighting.getUnusableStoresList())));
            }
            return new SightingReport(message.getCoordinator(), message.getPart(), message.getSequence(), sightings);
        });
    }

    public static byte[] relocation(PackRelocation relocation) {
        return BackupWire.relocation(relocation);
    }

    public static PackRelocation relocation(byte[] bytes) throws CloudMwException {
        return read("relocation", () -> BackupWire.relocation(bytes));
    }

    public static byte[] change(Change change) {
        return ChangeWire.message(change).toByteArray();
    }

    public static Change change(byte[] bytes) throws CloudMwException {
        return read("change", () -> ChangeWire.change(io.cloudmw.proto.v1.Change.parseFrom(bytes)));
    }

    private static <T> T read(String what, Reading<T> reading) throws CloudMwException {
        try {
            return reading.run();
        } catch (InvalidProtocolBufferException | CloudMwException e) {
            throw new CloudMwException(
                    ErrorCode.INTERNAL, "catalog: a stored " + what + " cannot be read: " + e.getMessage(), e);
        }
    }

    @FunctionalInterface
    private interface Reading<T> {
        T run() throws InvalidProtocolBufferException, CloudMwException;
    }
}
