package io.cloudmw.coordinator.testing.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.coordinator.catalog.change.CommitRequest;
import io.cloudmw.coordinator.lock.LockRecords;
import io.cloudmw.coordinator.lock.PathLocks;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.lock.LockAnswer;
import io.cloudmw.core.model.lock.LockClaim;
import io.cloudmw.core.model.lock.LockRequest;
import io.cloudmw.core.testing.Versions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Contract of a catalog's locks on files. A small subclass per implementation opens it. */
public abstract class LocksContract extends CatalogFixture {
    private static final FilePath FILE = FilePath.parse("v:/d/locked");
    private static final ByteRange ALL = new ByteRange(0, Long.MAX_VALUE);
    private static final Duration TERM = Duration.ofSeconds(1);

    private static LockRequest request(FilePath file, ByteRange range, boolean shared) {
        return new LockRequest(UUID.randomUUID(), "test", file, range, shared, TERM);
    }

    private LockAnswer ask(ByteRange range, boolean shared, long nowMillis) throws CloudMwException {
        return catalog.locks().acquire(request(FILE, range, shared), nowMillis);
    }

    private LockClaim lock(long nowMillis) throws CloudMwException {
        return ask(ALL, false, nowMillis).claim().orElseThrow();
    }

    private static void lost(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LOCK_LOST));
    }

    private FileVersion commitUnder(LockClaim claim) throws CloudMwException {
        FileVersion version = Versions.of(FILE.toString(), 0);
        return catalog.commit(new CommitRequest(
                version,
                catalog.current(FILE).map(FileVersion::id),
                List.of(),
                List.of(claim),
                Attributes.NONE,
                List.of()));
    }

    @Test
    void lockExcludesOthersUntilItsTermIsOver() throws Exception {
        assertThat(ask(ALL, false, 1000).claim()).isPresent();
        LockAnswer refused = ask(ALL, false, 1999);
        assertThat(refused.claim()).isEmpty();
        assertThat(refused.blocker()).contains("test");
        assertThat(ask(ALL, false, 2000).claim()).isPresent();
    }

    @Test
    void sharedLocksOverlapAndExcludeExclusiveOnes() throws Exception {
        LockClaim first = ask(ALL, true, 1000).claim().orElseThrow();
        LockClaim second = ask(ALL, true, 1000).claim().orElseThrow();
        assertThat(ask(ALL, false, 1000).claim()).isEmpty();
        catalog.locks().release(FILE, first.lockId());
        assertThat(ask(ALL, false, 1000).claim()).isEmpty();
        catalog.locks().release(FILE, second.lockId());
        assertThat(ask(ALL, false, 1000).claim()).isPresent();
        assertThat(ask(ALL, true, 1000).claim()).isEmpty();
    }

    @Test
    void rangesThatOnlyTouchAreSeparate() throws Exception {
        assertThat(ask(new ByteRange(10, 10), false, 1000).claim()).isPresent();
        assertThat(ask(new ByteRange(0, 10), false, 1000).claim()).isPresent();
        assertThat(ask(new ByteRange(20, 1), false, 1000).claim()).isPresent();
        assertThat(ask(new ByteRange(19, 1), false, 1000).claim()).isEmpty();
        assertThat(ask(ALL, false, 1000).claim()).isEmpty();
    }

    @Test
    void filesHaveSeparateLocks() throws Exception {
        LockClaim claim = lock(1000);
        FilePath other = FilePath.parse("v:/d/other");
        LockClaim second = catalog.locks()
                .acquire(request(other, ALL, false), 1000)
                .claim()
                .orElseThrow();
        catalog.locks().release(other, claim.lockId());
        assertThat(catalog.locks().of(other).locks()).hasSize(1);
        catalog.locks().release(other, second.lockId());
        assertThat(catalog.locks().of(other).locks()).isEmpty();
        assertThat(catalog.locks().of(FILE).locks()).hasSize(1);
    }

    @Test
    void repeatedRequestGetsTheSameLock() throws Exception {
        LockRequest request = request(FILE, ALL, false);
        LockAnswer first = catalog.locks().acquire(request, 1000);
        assertThat(catalog.locks().acquire(request, 1500)).isEqualTo(first);
        assertThat(catalog.locks().of(FILE).locks()).hasSize(1);
        assertThat(ask(ALL, false, 2400).claim()).isEmpty();
    }

    @Test
    void fencesGrowAlsoAfterReleases() throws Exception {
        LockClaim first = lock(1000);
        catalog.locks().release(FILE, first.lockId());
        LockClaim second = lock(1000);
        assertThat(second.fence()).isGreaterThan(first.fence());
        LockClaim other = catalog.locks()
                .acquire(request(FilePath.parse("v:/d/other"), ALL, false), 1000)
                .claim()
                .orElseThrow();
        assertThat(other.fence()).isGreaterThan(second.fence());
    }

    @Test
    void renewedLockLastsLonger() throws Exception {
        LockClaim claim = lock(1000);
        catalog.locks().renew(FILE, claim, Duration.ofSeconds(5), 1500);
        assertThat(ask(ALL, false, 6499).claim()).isEmpty();
        assertThat(ask(ALL, false, 6500).claim()).isPresent();
        lost(() -> catalog.locks().renew(FILE, claim, TERM, 6501));
    }

    @Test
    void renewalThatTakesEffectLateMovesNoEndBack() throws Exception {
        LockClaim claim = lock(1000);
        catalog.locks().renew(FILE, claim, TERM, 1600);
        catalog.locks().renew(FILE, claim, TERM, 1300);
        assertThat(ask(ALL, false, 2599).claim()).isEmpty();
        assertThat(ask(ALL, false, 2600).claim()).isPresent();
    }

    @Test
    void lockWhoseTermIsOverCanBeRenewedUntilAnotherIsAskedFor() throws Exception {
        LockClaim claim = lock(1000);
        catalog.locks().renew(FILE, claim, TERM, 9000);
        assertThat(ask(ALL, false, 9500).claim()).isEmpty();
        catalog.locks().release(FILE, claim.lockId());
        catalog.locks().release(FILE, claim.lockId());
        lost(() -> catalog.locks().renew(FILE, claim, TERM, 9600));
    }

    @Test
    void commitUnderALockThatAnotherTookOverIsRefused() throws Exception {
        LockClaim former = lock(1000);
        FileVersion first = commitUnder(former);
        LockClaim present = lock(2000);
        lost(() -> commitUnder(former));
        assertThat(catalog.current(FILE)).contains(first);
        FileVersion second = commitUnder(present);
        assertThat(catalog.current(FILE)).contains(second);
        lost(() -> commitUnder(new LockClaim(present.lockId(), present.fence() - 1)));
    }

    @Test
    void repeatedCommitIsAnsweredAfterTheLockWasReleased() throws Exception {
        LockClaim claim = lock(1000);
        CommitRequest commit = new CommitRequest(
                Versions.of(FILE.toString(), 0),
                Optional.empty(),
                List.of(),
                List.of(claim),
                Attributes.NONE,
                List.of());
        FileVersion committed = catalog.commit(commit);
        catalog.locks().release(FILE, claim.lockId());
        assertThat(catalog.commit(commit)).isEqualTo(committed);
    }

    @Test
    void commitGivesAttributesToANewFileOnly() throws Exception {
        FileVersion first = Versions.of(FILE.toString(), 0);
        Attributes attributes = Attributes.of(Map.of("kind", "new"));
        catalog.commit(new CommitRequest(first, Optional.empty(), List.of(), List.of(), attributes, List.of()));
        assertThat(catalog.file(FILE).orElseThrow().attributes()).isEqualTo(attributes);
        catalog.commit(new CommitRequest(
                Versions.of(FILE.toString(), 0),
                Optional.of(first.id()),
                List.of(),
                List.of(),
                Attributes.of(Map.of("kind", "other")),
                List.of()));
        assertThat(catalog.file(FILE).orElseThrow().attributes()).isEqualTo(attributes);
    }

    @Test
    void ofClientsThatAskAtOnceOneGetsTheLock() throws Exception {
        List<Callable<Boolean>> calls = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            calls.add(() -> {
                try {
                    return ask(ALL, false, 1000).claim().isPresent();
                } catch (CloudMwException e) {
                    assertThat(e.code()).isEqualTo(ErrorCode.OVERLOADED); // of conflicts in a shared table
                    return false;
                }
            });
        }
        assertThat(atOnce(calls)).isEqualTo(1);
    }

    @Test
    void fileHasALimitedNumberOfLocks() throws Exception {
        for (int i = 0; i < PathLocks.MAX_LOCKS; i++) {
            assertThat(ask(new ByteRange(i, 1), false, 1000).claim()).isPresent();
        }
        assertThatThrownBy(() -> ask(new ByteRange(PathLocks.MAX_LOCKS, 1), false, 1000))
                .isInstanceOfSatisfying(
                        CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.OVERLOADED));
        assertThat(ask(new ByteRange(PathLocks.MAX_LOCKS, 1), false, 2000).claim())
                .isPresent();
    }

    @Test
    void lockNeedsAVolumeAndIsGoneWithIt() throws Exception {
        assertThatThrownBy(() -> catalog.locks().acquire(request(FilePath.parse("none:/f"), ALL, false), 1000))
                .isInstanceOfSatisfying(
                        CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.VOLUME_NOT_FOUND));
        LockClaim claim = lock(1000);
        catalog.deleteVolume(VOLUME, true, 1001);
        lost(() -> catalog.locks().renew(FILE, claim, TERM, 1002));
        assertThat(LockRecords.tooMany(VOLUME)).hasMessageContaining(VOLUME.value());
    }
}
