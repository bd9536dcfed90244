package io.cloudmw.core.wire;

import io.cloudmw.core.access.CredentialsReference;
import io.cloudmw.core.access.ProbeReport;
import io.cloudmw.core.access.StoreFault;
import io.cloudmw.core.access.StoreReach;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.BucketEncryption;
import io.cloudmw.proto.v1.RoleReference;
import io.cloudmw.proto.v1.S3Store;
import io.cloudmw.proto.v1.SetCredentialsRequest;
import io.cloudmw.proto.v1.SetEncryptionRequest;
import io.cloudmw.proto.v1.ShutOut;
import io.cloudmw.proto.v1.StoreCheck;
import io.cloudmw.proto.v1.UnusableStore;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The messages about access to stores. Stateless. */
public final class AccessWire {
    /** The most stores that one call checks; it checks them in parallel and takes seconds. */
    public static final int MAX_CHECKED = 8;

    /** The most stores that one message names. */
    static final int MAX_UNUSABLE = 1000;

    /**
     * The most stores of a stored report: one of 32 helpers stays below 400 KB, the limit of an item of a shared
     * catalog.
     */
    private static final int MAX_STORED = 64;

    private static final int SHORT_REASON = 64;

    /** The most processes that a list of stores names for each store. */
    private static final int MAX_SHUT_OUT = 64;

    private AccessWire() {}

    /** The reference as a message; empty for the default chain. */
    static Optional<io.cloudmw.proto.v1.CredentialsReference> credentials(CredentialsReference reference) {
        io.cloudmw.proto.v1.CredentialsReference.Builder message =
                io.cloudmw.proto.v1.CredentialsReference.newBuilder();
        if (reference instanceof CredentialsReference.Profile profile) {
            message.setProfile(profile.name());
        } else if (reference instanceof CredentialsReference.Role role) {
            message.setRole(RoleReference.newBuilder().setArn(role.arn()).setExternalId(role.externalId()));
        } else if (reference instanceof CredentialsReference.KeyFile file) {
            message.setFile(file.path().toString());
        } else {
            return Optional.empty();
        }
        return Optional.of(message.build());
    }

    /**
     * The reference to a bucket's credentials.
     *
     * @throws IllegalArgumentException when the reference is malformed, or of a kind that this release does not know
     */
    static CredentialsReference credentials(S3Store message) {
        return message.hasCredentials() ? credentials(message.getCredentials()) : CredentialsReference.chain();
    }

    /** The reference of a message; absent: the default chain. */
    public static CredentialsReference credentials(SetCredentialsRequest message) throws CloudMwException {
        return FromWire.valid(
                () -> message.hasCredentials() ? credentials(message.getCredentials()) : CredentialsReference.chain());
    }

    /** The request that changes the reference to a store's credentials. */
    public static SetCredentialsRequest.Builder setCredentials(StoreId store, CredentialsReference reference) {
        SetCredentialsRequest.Builder request =
                SetCredentialsRequest.newBuilder().setStoreId(store.value());
        credentials(reference).ifPresent(request::setCredentials);
        return request;
    }

    /** The encryption as a message; empty where the bucket's own settings decide. */
    static Optional<io.cloudmw.proto.v1.BucketEncryption> encryption(BucketEncryption encryption) {
        return encryption.equals(BucketEncryption.NONE)
                ? Optional.empty()
                : Optional.of(io.cloudmw.proto.v1.BucketEncryption.newBuilder()
                        .setMode(encryption.mode().word())
                        .setKmsKey(encryption.kmsKey())
                        .setBucketKey(encryption.bucketKey())
                        .build());
    }

    /**
     * The encryption of a bucket's objects.
     *
     * @throws IllegalArgumentException when the encryption is malformed, or of a mode that this release does not know
     */
    static BucketEncryption encryption(S3Store message) {
        return message.hasEncryption() ? encryption(message.getEncryption()) : BucketEncryption.NONE;
    }

    /** The encryption of a message; absent: the bucket's own settings. */
    public static BucketEncryption encryption(SetEncryptionRequest message) throws CloudMwException {
        return FromWire.valid(
                () -> message.hasEncryption() ? encryption(message.getEncryption()) : BucketEncryption.NONE);
    }

    private static BucketEncryption encryption(io.cloudmw.proto.v1.BucketEncryption message) {
        return new BucketEncryption(
                BucketEncryption.Mode.of(message.getMode()), message.getKmsKey(), message.getBucketKey());
    }

    /** The request that changes the encryption of a store's new objects. */
    public static SetEncryptionRequest.Builder setEncryption(StoreId store, BucketEncryption encryption) {
        SetEncryptionRequest.Builder request = SetEncryptionRequest.newBuilder().setStoreId(store.value());
        encryption(encryption).ifPresent(request::setEncryption);
        return request;
    }

    private static io.cloudmw.proto.v1.StoreFault fault(StoreFault fault) {
        return io.cloudmw.proto.v1.StoreFault.newBuilder()
                .setKind(kind(fault.kind()))
                .setReason(fault.reason())
                .setSinceMillis(fault.sinceMillis())
                .build();
    }

    private static io.cloudmw.proto.v1.StoreFault.Kind kind(StoreFault.Kind kind) {
        return switch (kind) {
            case MISSING -> io.cloudmw.proto.v1.StoreFault.Kind.MISSING;
            case DENIED -> io.cloudmw.proto.v1.StoreFault.Kind.DENIED;
            case NO_CREDENTIALS -> io.cloudmw.proto.v1.StoreFault.Kind.NO_CREDENTIALS;
            case UNREACHABLE -> io.cloudmw.proto.v1.StoreFault.Kind.UNREACHABLE;
        };
    }

    /** Reads a fault; one of an unknown kind also counts as a fault. */
    private static StoreFault fault(io.cloudmw.proto.v1.StoreFault message) {
        StoreFault.Kind kind = switch (message.getKind()) {
            case MISSING -> StoreFault.Kind.MISSING;
            case NO_CREDENTIALS -> StoreFault.Kind.NO_CREDENTIALS;
            case UNREACHABLE -> StoreFault.Kind.UNREACHABLE;
            case DENIED, KIND_UNSPECIFIED, UNRECOGNIZED -> StoreFault.Kind.DENIED;
        };
        return new StoreFault(kind, message.getReason(), message.getSinceMillis());
    }

    /** The stores that a process cannot use; the first {@value #MAX_UNUSABLE} of them. */
    public static List<UnusableStore> unusable(Map<StoreId, StoreFault> faults) {
        return unusable(faults, MAX_UNUSABLE);
    }

    /** The same for a stored report of many helpers, whose size is limited: fewer stores and shorter reasons. */
    public static List<UnusableStore> unusableShortened(Map<StoreId, StoreFault> faults) {
        Map<StoreId, StoreFault> shortened = new LinkedHashMap<>();
        faults.forEach((store, fault) -> shortened.put(store, fault.shortened(SHORT_REASON)));
        return unusable(shortened, MAX_STORED);
    }

    private static List<UnusableStore> unusable(Map<StoreId, StoreFault> faults, int most) {
        return faults.entrySet().stream()
                .limit(most)
                .map(entry -> UnusableStore.newBuilder()
                        .setStoreId(entry.getKey().value())
                        .setFault(fault(entry.getValue()))
                        .build())
                .toList();
    }

    /**
     * The stores that a process reports as unusable.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT} when an id is malformed, or there are too many
     */
    public static Map<StoreId, StoreFault> unusable(List<UnusableStore> messages) throws CloudMwException {
        return FromWire.valid(() -> {
            if (messages.size() > MAX_UNUSABLE) {
                throw new IllegalArgumentException(
                        "unusable stores: " + messages.size() + " (expected: <= " + MAX_UNUSABLE + ")");
            }
            Map<StoreId, StoreFault> faults = new HashMap<>();
            for (UnusableStore message : messages) {
                faults.put(new StoreId(message.getStoreId()), fault(message.getFault()));
            }
            return Map.copyOf(faults);
        });
    }

    static void reach(StoreReach reach, io.cloudmw.proto.v1.Store.Builder message) {
        reach.fault().ifPresent(fault -> message.setFault(fault(fault)));
        reach.shutOut().entrySet().stream()
                .limit(MAX_SHUT_OUT)
                .forEach(entry -> message.addShutOut(
                        ShutOut.newBuilder().setProcess(entry.getKey()).setFault(fault(entry.getValue()))));
    }

    static StoreReach reach(io.cloudmw.proto.v1.Store message) {
        Map<String, StoreFault> shutOut = new TreeMap<>();
        message.getShutOutList().forEach(out -> shutOut.put(out.getProcess(), fault(out.getFault())));
        return new StoreReach(message.hasFault() ? Optional.of(fault(message.getFault())) : Optional.empty(), shutOut);
    }

    /** A process's finding about a store. */
    public static StoreCheck check(String process, ProbeReport report) {
        StoreCheck.Builder message = StoreCheck.newBuilder()
                .setProcess(process)
                .setLatencyMicros(report.latencyMicros())
                .setClockAheadMillis(report.clockAheadMillis());
        report.fault().ifPresent(fault -> message.setFault(fault(fault)));
        return message.build();
    }

    public static ProbeReport report(StoreCheck message) {
        return new ProbeReport(
                message.hasFault() ? Optional.of(fault(message.getFault())) : Optional.empty(),
                message.getLatencyMicros(),
                message.getClockAheadMillis());
    }

    private static CredentialsReference credentials(io.cloudmw.proto.v1.CredentialsReference message) {
        return switch (message.getKindCase()) {
            case PROFILE -> new CredentialsReference.Profile(message.getProfile());
            case ROLE ->
                new CredentialsReference.Role(
                        message.getRole().getArn(), message.getRole().getExternalId());
            case FILE -> new CredentialsReference.KeyFile(FromWire.path(message.getFile()));
            case KIND_NOT_SET ->
                throw new IllegalArgumentException("credentials: of no known kind (expected: profile, role or file)");
        };
    }
}
