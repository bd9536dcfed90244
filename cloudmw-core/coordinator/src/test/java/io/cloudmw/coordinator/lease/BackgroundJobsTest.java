package io.cloudmw.coordinator.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.coordinator.testing.memory.InMemoryCatalog;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class BackgroundJobsTest {
    private static final Duration TERM = Duration.ofSeconds(30);
    private static final Duration HOURLY = Duration.ofHours(1);
    private static final String JOB = "collection";

    private final InMemoryCatalog catalog = new InMemoryCatalog();
    private final AtomicLong now = new AtomicLong(1_000_000);
    private final BackgroundJobs a = jobs("a");
    private final BackgroundJobs b = jobs("b");

    @Test
    void firstHolderDoesTheJobWhichRestsUntilItIsDueAgain() throws Exception {
        assertThat(a.run(JOB, HOURLY, right -> 1)).contains(1);
        assertThat(b.run(JOB, HOURLY, right -> 2)).isEmpty();
        now.addAndGet(HOURLY.toMillis() - 1);
        assertThat(b.run(JOB, HOURLY, right -> 3)).isEmpty();
        now.addAndGet(1);
        assertThat(b.run(JOB, HOURLY, right -> 4)).contains(4);
        assertThat(a.run(JOB, HOURLY, right -> 5)).isEmpty();
    }

    @Test
    void runningJobHasOneHolder() throws Exception {
        Optional<Optional<Integer>> done = a.run(JOB, HOURLY, right -> b.run(JOB, HOURLY, other -> 1));
        assertThat(done).contains(Optional.empty());
    }

    @Test
    void longJobKeepsItsLeaseAsLongAsItRenewsIt() throws Exception {
        var done = a.run(JOB, HOURLY, right -> {
            long epoch = right.lease().epoch();
            for (int step = 0; step < 10; step++) {
                now.addAndGet(TERM.toMillis() / 2 + 1);
                Lease lease = right.lease();
                assertThat(lease.epoch()).isEqualTo(epoch);
                assertThat(b.run(JOB, HOURLY, other -> 1)).isEmpty();
                assertThat(catalog.retireAbandoned(lease, 0, 1)).isZero();
            }
            return epoch;
        });
        assertThat(done).contains(1L);
    }

    @Test
    void failedJobMayBeDoneByAnotherHolderAtOnce() throws Exception {
        CloudMwException failure = catchThrowableOfType(
                CloudMwException.class,
                () -> a.run(JOB, HOURLY, right -> {
                    throw new CloudMwException(ErrorCode.STORE_UNAVAILABLE, "down");
                }));
        assertThat(failure.code()).isEqualTo(ErrorCode.STORE_UNAVAILABLE);
        assertThat(b.run(JOB, HOURLY, right -> 1)).contains(1);
    }

    @Test
    void suspendedHolderIsRefusedAndTakesNothingFromItsSuccessor() throws Exception {
        CloudMwException failure = catchThrowableOfType(
                CloudMwException.class,
                () -> a.run(JOB, HOURLY, right -> {
                    Lease before = right.lease();
                    now.addAndGet(TERM.toMillis());
                    assertThat(b.run(JOB, HOURLY, other -> other.lease().epoch()))
                            .contains(2L);
                    return catalog.retireAbandoned(before, 0, 1);
                }));
        assertThat(failure.code()).isEqualTo(ErrorCode.LEASE_LOST);
        assertThat(failure).hasMessage("job collection: a has lost its lease with epoch 1; b has epoch 2");
        assertThat(a.run(JOB, HOURLY, right -> 1)).as("b's rest goes on").isEmpty();
    }

    @Test
    void holderRestartedUnderTheSameNameNeedNotWait() throws Exception {
        assertThat(a.run(JOB, HOURLY, right -> 1)).isPresent();
        assertThat(jobs("a").run(JOB, HOURLY, right -> right.lease().epoch())).contains(2L);
    }

    private BackgroundJobs jobs(String holder) {
        return new BackgroundJobs(catalog.leases(), holder, TERM, now::get);
    }
}
