package io.cloudmw.coordinator.testing.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.coordinator.catalog.change.AppliedCalls;
import io.cloudmw.coordinator.catalog.change.ChangeRequest;
import io.cloudmw.coordinator.catalog.tree.DirectoryEntry;
import io.cloudmw.core.access.CredentialsReference;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.CallId;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.file.AttributeChange;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.Rename;
import io.cloudmw.core.model.file.Snapshot;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Volume;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Contract of deduplication: a call that is retried takes effect once in every catalog, even after later calls. */
public abstract class AppliedCallsContract extends CatalogFixture {
    private static final FilePath FILE = FilePath.parse("v:/a/b");
    private static final long HOUR = 3_600_000;

    private final AtomicLong now = new AtomicLong(10 * HOUR);

    private ChangeRequest call() {
        return tryOf(CallId.issuedAt(now.get()));
    }

    private ChangeRequest tryOf(CallId call) {
        return ChangeRequest.of(Optional.of(call), now::get);
    }

    private FileVersion put(FilePath file) throws CloudMwException {
        return put(file.toString(), 0, catalog.current(file).map(FileVersion::id));
    }

    @Test
    void lateRetryOfARemoveLeavesALaterFile() throws Exception {
        FileVersion first = put(FILE);
        ChangeRequest call = call();
        assertThat(catalog.remove(FILE, call)).isEqualTo(first);
        assertThat(catalog.remove(FILE, call)).as("at once").isEqualTo(first);
        FileVersion second = put(FILE);
        long position = catalog.changes().position(VOLUME);
        assertThat(catalog.remove(FILE, call)).as("late").isEqualTo(first);
        assertThat(catalog.current(FILE)).contains(second);
        assertThat(catalog.changes().position(VOLUME)).isEqualTo(position);
        assertThat(catalog.remove(FILE, call())).as("another call").isEqualTo(second);
    }

    @Test
    void lateRetryOfAttributesLeavesLaterOnes() throws Exception {
        put(FILE);
        AttributeChange early = new AttributeChange(FILE, Map.of("k", "early"), Set.of());
        ChangeRequest call = call();
        Attributes answered = catalog.setAttributes(early, call);
        catalog.setAttributes(new AttributeChange(FILE, Map.of("k", "late"), Set.of()), call());
        assertThat(catalog.setAttributes(early, call)).isEqualTo(answered);
        assertThat(catalog.file(FILE).orElseThrow().attributes().values()).isEqualTo(Map.of("k", "late"));
    }

    @Test
    void lateRetryOfARenameMovesNoLaterFile() throws Exception {
        FileVersion first = put(FILE);
        Rename rename = new Rename(FILE, FilePath.parse("v:/c"), true);
        Rename directory = new Rename(FilePath.parse("v:/a"), FilePath.parse("v:/d"), true);
        ChangeRequest call = call();
        DirectoryEntry moved = catalog.rename(rename, call);
        assertThat(moved.version()).contains(first.at(rename.to()));
        catalog.remove(rename.to(), call());
        FileVersion second = put(FILE);
        assertThat(catalog.rename(rename, call)).isEqualTo(moved);
        ChangeRequest directoryCall = call();
        DirectoryEntry movedDirectory = catalog.rename(directory, directoryCall);
        assertThat(movedDirectory.version()).isEmpty();
        assertThat(catalog.rename(rename, call)).isEqualTo(moved);
        assertThat(catalog.current(FilePath.parse("v:/d/b"))).contains(second.at(FilePath.parse("v:/d/b")));
        FileVersion third = put(FILE);
        catalog.remove(FilePath.parse("v:/d/b"), call());
        assertThat(catalog.rename(directory, directoryCall)).isEqualTo(movedDirectory);
        assertThat(catalog.current(FILE)).contains(third);
    }

    @Test
    void lateRetriesOfSnapshotCallsChangeNothingLater() throws Exception {
        FileVersion first = put(FILE);
        ChangeRequest creation = call();
        Snapshot made = catalog.snapshots().create(VOLUME, "s", creation);
        assertThat(catalog.snapshots().create(VOLUME, "s", creation)).isEqualTo(made);
        put(FILE);
        ChangeRequest restoring = call();
        assertThat(catalog.snapshots().restore("s", FILE, restoring)).isEqualTo(first);
        FileVersion third = put(FILE);
        assertThat(catalog.snapshots().restore("s", FILE, restoring)).isEqualTo(first);
        assertThat(catalog.current(FILE)).contains(third);
        ChangeRequest removal = call();
        assertThat(catalog.snapshots().remove(VOLUME, "s", removal)).isEqualTo(made);
        assertThat(catalog.snapshots().create(VOLUME, "s", creation)).isEqualTo(made);
        assertThat(catalog.snapshots().of(VOLUME)).isEmpty();
        Snapshot again = catalog.snapshots().create(VOLUME, "s", call());
        assertThat(catalog.snapshots().remove(VOLUME, "s", removal)).isEqualTo(made);
        assertThat(catalog.snapshots().of(VOLUME)).containsExactly(again);
    }

    @Test
    void lateRetriesOfStoreCallsChangeNothingLater() throws Exception {
        Store store = bucket("late");
        ChangeRequest addition = call();
        ChangeRequest removal = call();
        assertThat(catalog.addStore(store, addition)).isEqualTo(store);
        assertThat(catalog.removeStore(store.id(), removal)).isEqualTo(store);
        assertThat(catalog.addStore(store, addition)).isEqualTo(store);
        assertThat(catalog.stores()).doesNotContain(store);
        Store since = new Store(store.id(), "elsewhere", new Store.S3("since", "eu-west-1", "", false, ""));
        catalog.putStore(since);
        assertThat(catalog.addStore(store, addition))
                .as("though another has its id")
                .isEqualTo(store);
        refused(ErrorCode.ALREADY_EXISTS, () -> catalog.addStore(store, call()));
        Store there = new Store(new StoreId("there"), "elsewhere", since.kind());
        refused(ErrorCode.ALREADY_EXISTS, () -> catalog.addStore(there, call()));
        assertThat(catalog.stores()).contains(since).doesNotContain(store, there);
        catalog.putStore(store);
        assertThat(catalog.removeStore(store.id(), removal)).isEqualTo(store);
        assertThat(catalog.stores()).contains(store);
    }

    @Test
    void lateRetryOfACredentialsChangeChangesNothingLater() throws Exception {
        CredentialsReference first = new CredentialsReference.Profile("first");
        CredentialsReference second = new CredentialsReference.Profile("second");
        ChangeRequest change = call();
        assertThat(catalog.setCredentials(S1, first, change))
                .isEqualTo(bucket("s1").with(first));
        assertThat(catalog.setCredentials(S1, second, call()))
                .isEqualTo(bucket("s1").with(second));
        assertThat(catalog.setCredentials(S1, first, change))
                .isEqualTo(bucket("s1").with(first));
        assertThat(catalog.stores()).contains(bucket("s1").with(second));
    }

    @Test
    void lateRetriesOfVolumeCallsChangeNothingLater() throws Exception {
        Volume volume = volume("w", S1, S2);
        ChangeRequest creation = call();
        ChangeRequest deletion = call();
        assertThat(catalog.createVolume(volume, creation)).isEqualTo(volume);
        catalog.deleteVolume(volume.name(), true, deletion);
        assertThat(catalog.createVolume(volume, creation)).isEqualTo(volume);
        assertThat(catalog.volume(volume.name())).isEmpty();
        catalog.createVolume(volume, call());
        catalog.deleteVolume(volume.name(), true, deletion);
        assertThat(catalog.volume(volume.name())).contains(volume);
    }

    @Test
    void parallelRetriesTakeEffectOnceAndGetTheSameAnswer() throws Exception {
        FileVersion first = put(FILE);
        ChangeRequest call = call();
        List<Callable<Boolean>> tries = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            tries.add(() -> accepted(() -> catalog.remove(FILE, call)).equals(first));
        }
        long before = catalog.changes().position(VOLUME);
        assertThat(atOnce(tries)).isEqualTo(8);
        assertThat(catalog.changes().position(VOLUME)).isEqualTo(before + 1);
    }

    /** Retries a call that a slow machine refuses as OVERLOADED, as clients do. */
    private static <T> T accepted(Callable<T> call) throws Exception {
        while (true) {
            try {
                return call.call();
            } catch (CloudMwException e) {
                if (e.code() != ErrorCode.OVERLOADED) {
                    throw e;
                }
            }
        }
    }

    @Test
    void refusedCallIsRefusedAgainOnALateRetry() throws Exception {
        Rename rename = new Rename(FILE, FilePath.parse("v:/c"), true);
        Volume volume = volume("w", S1, S2);
        ChangeRequest removal = call();
        ChangeRequest renaming = call();
        ChangeRequest creation = call();
        ChangeRequest deletion = call();
        ChangeRequest restoring = call();
        for (int tries = 0; tries < 2; tries++) {
            refused(ErrorCode.NOT_FOUND, () -> catalog.remove(FILE, removal));
            refused(ErrorCode.NOT_FOUND, () -> catalog.rename(rename, renaming));
            refused(ErrorCode.NOT_FOUND, () -> catalog.snapshots().restore("s", FILE, restoring));
            refused(ErrorCode.VOLUME_NOT_FOUND, () -> catalog.deleteVolume(volume.name(), true, deletion));
        }
        FileVersion first = put(FILE);
        catalog.snapshots().create(VOLUME, "s", call());
        catalog.createVolume(volume, call());
        refused(ErrorCode.ALREADY_EXISTS, () -> catalog.createVolume(volume, creation));
        FileVersion second = put(FILE);
        long position = catalog.changes().position(VOLUME);
        refused(ErrorCode.NOT_FOUND, () -> catalog.remove(FILE, removal));
        refused(ErrorCode.NOT_FOUND, () -> catalog.rename(rename, renaming));
        refused(ErrorCode.NOT_FOUND, () -> catalog.snapshots().restore("s", FILE, restoring));
        refused(ErrorCode.VOLUME_NOT_FOUND, () -> catalog.deleteVolume(volume.name(), true, deletion));
        assertThat(catalog.current(FILE)).contains(second).isNotEqualTo(Optional.of(first));
        assertThat(catalog.changes().position(VOLUME)).isEqualTo(position);
        catalog.deleteVolume(volume.name(), true, call());
        refused(ErrorCode.ALREADY_EXISTS, () -> catalog.createVolume(volume, creation));
        assertThat(catalog.volume(volume.name())).isEmpty();
    }

    @Test
    void lateRetryIsRefusedWithTheSameMessage() throws Exception {
        ChangeRequest call = call();
        String refusal = refusal(call);
        put(FILE);
        assertThat(refusal(call)).isEqualTo(refusal).contains(FILE.toString());
    }

    private String refusal(ChangeRequest call) {
        CloudMwException refusal = catchThrowableOfType(CloudMwException.class, () -> catalog.remove(FILE, call));
        return String.valueOf(refusal.getMessage());
    }

    @Test
    void parallelRetriesAreAllRefusedOrAllTakeEffect() throws Exception {
        for (int round = 0; round < 10; round++) {
            ChangeRequest call = call();
            List<Callable<Boolean>> tries = new ArrayList<>();
            for (int i = 0; i < 7; i++) {
                tries.add(() -> succeeds(() -> catalog.remove(FILE, call), ErrorCode.NOT_FOUND));
            }
            tries.add(3, () -> put(FILE) == null);
            int tookEffect = atOnce(tries);
            assertThat(tookEffect).isIn(0, 7);
            assertThat(catalog.current(FILE).isPresent()).isEqualTo(tookEffect == 0);
            catalog.current(FILE).ifPresent(left -> assertThat(left.file()).isEqualTo(FILE));
            if (tookEffect == 0) {
                catalog.remove(FILE, call());
            }
        }
    }

    @Test
    void tooOldCallTakesNoEffectAndAnAppliedOneIsStillKnown() throws Exception {
        FileVersion first = put(FILE);
        CallId early = CallId.issuedAt(now.get());
        CallId never = CallId.issuedAt(now.get());
        assertThat(catalog.remove(FILE, tryOf(early))).isEqualTo(first);
        FileVersion second = put(FILE);
        now.addAndGet(AppliedCalls.MAX_AGE.toMillis() + 1);
        refused(ErrorCode.INVALID_ARGUMENT, () -> catalog.remove(FILE, tryOf(never)));
        refused(ErrorCode.INVALID_ARGUMENT, () -> catalog.remove(FilePath.parse("v:/none"), tryOf(never)));
        CallId ahead = CallId.issuedAt(now.get() + AppliedCalls.MAX_AGE.toMillis() + 1);
        refused(ErrorCode.INVALID_ARGUMENT, () -> catalog.remove(FILE, tryOf(ahead)));
        assertThat(catalog.remove(FILE, tryOf(early))).isEqualTo(first);
        assertThat(catalog.current(FILE)).contains(second);
        CallId oldest = CallId.issuedAt(now.get() - AppliedCalls.MAX_AGE.toMillis());
        assertThat(catalog.remove(FILE, tryOf(oldest))).isEqualTo(second);
    }

    @Test
    void callsAreForgottenOnceTheyAreTooOldToTakeEffect() throws Exception {
        FileVersion first = put(FILE);
        CallId early = CallId.issuedAt(now.get());
        catalog.remove(FILE, tryOf(early));
        AppliedCalls applied = catalog.appliedCalls();
        now.addAndGet(AppliedCalls.KEPT.toMillis());
        assertThat(applied.prune(now.get() - AppliedCalls.KEPT.toMillis())).isZero();
        assertThat(catalog.remove(FILE, tryOf(early))).isEqualTo(first);
        FileVersion second = put(FILE);
        CallId late = CallId.issuedAt(now.incrementAndGet());
        assertThat(catalog.remove(FILE, tryOf(late))).isEqualTo(second);
        put(FILE);
        assertThat(applied.prune(now.get() - AppliedCalls.KEPT.toMillis())).isEqualTo(1);
        refused(ErrorCode.INVALID_ARGUMENT, () -> catalog.remove(FILE, tryOf(early)));
        assertThat(catalog.remove(FILE, tryOf(late))).isEqualTo(second);
        assertThat(catalog.current(FILE)).isPresent();
    }
}
