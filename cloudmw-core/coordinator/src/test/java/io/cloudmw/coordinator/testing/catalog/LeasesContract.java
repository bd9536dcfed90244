package io.cloudmw.coordinator.testing.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.testing.Versions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Contract of a catalog's leases. A small subclass per implementation opens it. */
public abstract class LeasesContract extends CatalogFixture {
    private static final String JOB = "repair";
    private static final Duration TERM = Duration.ofMillis(100);

    @Test
    void leaseBelongsToItsHolderUntilItsTimeIsOver() throws Exception {
        Lease first = acquire("a", 1000).orElseThrow();
        assertThat(first).isEqualTo(new Lease(JOB, "a", 1, 1100));
        assertThat(acquire("b", 1099)).isEmpty();
        assertThat(acquire("b", 1100)).contains(new Lease(JOB, "b", 2, 1200));
        assertThat(acquire("a", 1101)).isEmpty();
    }

    @Test
    void jobsHaveSeparateLeasesListedByJob() throws Exception {
        assertThat(catalog.leases().all()).isEmpty();
        Lease repair = acquire("a", 1000).orElseThrow();
        Lease other = catalog.leases().acquire("collection", "b", TERM, 1000).orElseThrow();
        assertThat(catalog.leases().all()).containsExactly(other, repair);
    }

    @Test
    void repeatedRequestGetsANewerLeaseAndEndsTheFormerOne() throws Exception {
        Lease former = acquire("a", 1000).orElseThrow();
        Lease newer = acquire("a", 1001).orElseThrow();
        assertThat(newer.epoch()).isEqualTo(2);
        lost(() -> catalog.leases().renew(former, TERM, 1002));
        catalog.leases().renew(newer, TERM, 1002);
    }

    @Test
    void renewedLeaseLastsLongerOrShorter() throws Exception {
        Lease lease = acquire("a", 1000).orElseThrow();
        Lease longer = catalog.leases().renew(lease, Duration.ofMillis(500), 1050);
        assertThat(longer).isEqualTo(lease.until(1550));
        assertThat(acquire("b", 1549)).isEmpty();
        catalog.leases().renew(longer, Duration.ofMillis(1), 1200);
        assertThat(acquire("b", 1201)).isPresent();
    }

    @Test
    void releasedLeaseIsFreeAtOnceAndHoldsNoMore() throws Exception {
        Lease lease = acquire("a", 1000).orElseThrow();
        catalog.leases().release(lease);
        lost(() -> catalog.leases().renew(lease, TERM, 1001));
        lost(() -> catalog.retireAbandoned(lease, 1, 2));
        assertThat(acquire("b", 1001)).contains(new Lease(JOB, "b", 2, 1101));
        catalog.leases().release(lease);
        assertThat(acquire("c", 1002)).as("the newer one is still held").isEmpty();
    }

    @Test
    void suspendedHolderWritesNothingOnceAnotherHasTakenOver() throws Exception {
        FileVersion version = put("v:/a", 1, Optional.empty());
        catalog.remove(version.file(), 1);
        FileVersion stale = Versions.of("v:/stale", 1);
        catalog.touch(stale.id(), 1);
        Lease paused = acquire("a", 1000).orElseThrow();
        Lease newer = acquire("b", 2000).orElseThrow();

        lost(() -> catalog.leases().renew(paused, TERM, 1050));
        lost(() -> catalog.retireAbandoned(paused, 5, 6));
        lost(() -> catalog.forget(paused, version.id()));
        assertThat(retired()).hasSize(1);

        assertThat(catalog.retireAbandoned(newer, 5, 6)).isEqualTo(1);
        catalog.forget(newer, version.id());
        assertThat(retired()).hasSize(1);
    }

    /** The holder's clock or the next one's may be wrong: as long as no other holder comes, nothing is lost. */
    @Test
    void timeAloneTakesALeaseFromNoHolder() throws Exception {
        Lease late = acquire("a", 1000).orElseThrow();
        assertThat(catalog.retireAbandoned(late, 0, 1_000_000)).isZero();
        assertThat(catalog.leases().renew(late, TERM, 1_000_000)).isEqualTo(late.until(1_000_100));
    }

    @Test
    void clockThatRunsAheadTakesTheLeaseOnceAndTheOthersWaitForIt() throws Exception {
        Lease slow = acquire("slow", 1000).orElseThrow();
        Lease fast = acquire("fast", 50_000).orElseThrow();
        assertThat(acquire("slow", 1010)).isEmpty();
        lost(() -> catalog.leases().renew(slow, TERM, 1010));
        catalog.leases().renew(fast, TERM, 50_010);
    }

    @Test
    void parallelRequestsGrantASingleLease() throws Exception {
        for (int round = 0; round < 10; round++) {
            long now = 1000L * (round + 1);
            List<Callable<Boolean>> asking = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                String holder = "h" + i;
                asking.add(() -> acquire(holder, now).isPresent());
            }
            assertThat(atOnce(asking)).isEqualTo(1);
            assertThat(catalog.leases().all()).extracting(Lease::epoch).containsExactly(round + 1L);
        }
    }

    @Test
    void onlyTheNewestOfManyParallelHoldersWrites() throws Exception {
        Lease old = acquire("a", 1000).orElseThrow();
        List<Callable<Boolean>> calls = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            String holder = "h" + i;
            calls.add(() -> acquire(holder, 2000).isPresent());
            calls.add(() -> {
                boolean unused = succeeds(() -> catalog.retireAbandoned(old, 0, 1), ErrorCode.LEASE_LOST);
                return false;
            });
        }
        assertThat(atOnce(calls)).isEqualTo(1);
        lost(() -> catalog.retireAbandoned(old, 0, 1));
    }

    @Test
    void namesAreChecked() {
        assertThatThrownBy(() -> catalog.leases().acquire("No Job", "a", TERM, 1))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> catalog.leases().acquire(JOB, "", TERM, 1))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> catalog.leases().acquire(JOB, "x".repeat(513), TERM, 1))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void closedCatalogGrantsNothing() throws Exception {
        Lease lease = acquire("a", 1).orElseThrow();
        catalog.close();
        refused(ErrorCode.CANCELLED, () -> acquire("a", 2));
        refused(ErrorCode.CANCELLED, () -> catalog.leases().renew(lease, TERM, 2));
        refused(ErrorCode.CANCELLED, () -> catalog.leases().release(lease));
        refused(ErrorCode.CANCELLED, () -> catalog.leases().all());
    }

    private static void lost(ThrowingCallable call) {
        refused(ErrorCode.LEASE_LOST, call);
    }

    private Optional<Lease> acquire(String holder, long nowMillis) throws CloudMwException {
        return catalog.leases().acquire(JOB, holder, TERM, nowMillis);
    }
}
