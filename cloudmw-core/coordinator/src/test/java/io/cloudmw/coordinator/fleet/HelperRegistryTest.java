package io.cloudmw.coordinator.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.DiskUsage;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.testing.FakeTicker;
import io.cloudmw.core.time.AwakeTicker;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

final class HelperRegistryTest {
    private static final Duration TTL = Duration.ofSeconds(7);
    private static final StoreId DISK = new StoreId("d1");
    private static final long PROCESS = 1;
    private static final long ANOTHER = 2;

    private final FakeTicker ticker = new FakeTicker();
    private final HelperRegistry registry = new HelperRegistry(TTL, ticker, () -> 1000);
    private final HelperAddress h1 = address("h1");

    @Test
    void leaseEndsAfterItsTimeWithoutHeartbeats() throws Exception {
        long epoch = registry.register(h1, PROCESS, List.of(DISK));
        ticker.advance(TTL.minusNanos(1));
        assertThat(registry.live()).containsExactly(h1);
        ticker.advance(Duration.ofNanos(1));
        assertThat(registry.live()).isEmpty();
        assertThat(registry.isAlive(h1.id())).isFalse();
        assertThat(registry.all()).containsExactly(new RegisteredHelper(h1, List.of(DISK), false, 7000));
        unknown(() -> registry.heartbeat(h1.id(), epoch, HeartbeatReport.of(List.of())));
    }

    @Test
    void heartbeatsKeepTheLease() throws Exception {
        long epoch = registry.register(h1, PROCESS, List.of(DISK));
        for (int i = 0; i < 5; i++) {
            ticker.advance(Duration.ofSeconds(6));
            registry.heartbeat(h1.id(), epoch, HeartbeatReport.of(List.of()));
        }
        assertThat(registry.all()).containsExactly(new RegisteredHelper(h1, List.of(DISK), true, 0));
    }

    @Test
    void suspendedCoordinatorTakesNoHelperForDead() throws Exception {
        Duration step = TTL.dividedBy(2);
        AwakeTicker awake = new AwakeTicker(ticker, step);
        HelperRegistry stopped = new HelperRegistry(TTL, awake, () -> 1000);
        long unused = stopped.register(h1, PROCESS, List.of(DISK));
        ticker.advance(Duration.ofHours(1));
        assertThat(stopped.isAttached(h1.id(), DISK)).isTrue();
        ticker.advance(step);
        assertThat(stopped.isAlive(h1.id())).isFalse();
    }

    @Test
    void restartedCoordinatorKnowsNoHelper() {
        unknown(() -> registry.heartbeat(h1.id(), 1000, HeartbeatReport.of(List.of())));
    }

    @Test
    void everyRegistrationHasItsOwnEpochEvenAcrossRestarts() throws Exception {
        long first = registry.register(h1, PROCESS, List.of());
        long second = registry.register(h1, PROCESS, List.of());
        assertThat(second).isGreaterThan(first);
        unknown(() -> registry.heartbeat(h1.id(), first, HeartbeatReport.of(List.of())));
        registry.heartbeat(h1.id(), second, HeartbeatReport.of(List.of()));
        HelperRegistry restarted = new HelperRegistry(TTL, ticker, () -> 5000);
        assertThat(restarted.register(h1, PROCESS, List.of())).isGreaterThan(second);
    }

    @Test
    void anotherProcessWaitsForTheLeaseOfADeadOne() throws Exception {
        registry.register(h1, PROCESS, List.of(DISK));
        ticker.advance(Duration.ofSeconds(1));
        CloudMwException failure = refused(ErrorCode.COORDINATOR_UNAVAILABLE, ANOTHER);
        assertThat(failure).hasMessageContaining("127.0.0.1:1").hasMessageContaining("6000 ms");
        ticker.advance(Duration.ofSeconds(6).minusNanos(1));
        refused(ErrorCode.COORDINATOR_UNAVAILABLE, ANOTHER);
        ticker.advance(Duration.ofNanos(1));
        registry.register(h1, ANOTHER, List.of());
        refused(ErrorCode.COORDINATOR_UNAVAILABLE, PROCESS);
    }

    @Test
    void anotherProcessIsRefusedOnceTheFirstIsHeardAgain() throws Exception {
        long epoch = registry.register(h1, PROCESS, List.of(DISK));
        ticker.advance(Duration.ofSeconds(1));
        refused(ErrorCode.COORDINATOR_UNAVAILABLE, ANOTHER);
        ticker.advance(Duration.ofSeconds(1));
        registry.heartbeat(h1.id(), epoch, HeartbeatReport.of(List.of()));
        refused(ErrorCode.ALREADY_EXISTS, ANOTHER);
        registry.heartbeat(h1.id(), epoch, HeartbeatReport.of(List.of()));

        ticker.advance(Duration.ofSeconds(1));
        long third = 3;
        refused(ErrorCode.COORDINATOR_UNAVAILABLE, third);
        ticker.advance(TTL);
        registry.register(h1, third, List.of());
    }

    @Test
    void allWaitingProcessesAreRefusedOnceTheFirstIsHeardAgain() throws Exception {
        long epoch = registry.register(h1, PROCESS, List.of(DISK));
        for (long process = 2; process < 2 + HelperRegistry.MAX_CONTENDERS; process++) {
            refused(ErrorCode.COORDINATOR_UNAVAILABLE, process);
        }
        ticker.advance(Duration.ofSeconds(1));
        registry.heartbeat(h1.id(), epoch, HeartbeatReport.of(List.of()));
        for (long process = 2; process < 2 + HelperRegistry.MAX_CONTENDERS; process++) {
            refused(ErrorCode.ALREADY_EXISTS, process);
        }
        refused(ErrorCode.COORDINATOR_UNAVAILABLE, 99);
        refused(ErrorCode.COORDINATOR_UNAVAILABLE, 2);
    }

    @Test
    void leavingHelperFreesItsIdAtOnce() throws Exception {
        long epoch = registry.register(h1, PROCESS, List.of(DISK));
        registry.leave(h1.id(), epoch);
        assertThat(registry.isAlive(h1.id())).isFalse();
        assertThat(registry.all()).containsExactly(new RegisteredHelper(h1, List.of(DISK), false, 0));
        unknown(() -> registry.heartbeat(h1.id(), epoch, HeartbeatReport.of(List.of())));
        long second = registry.register(h1, ANOTHER, List.of());
        unknown(() -> registry.leave(h1.id(), epoch));
        registry.heartbeat(h1.id(), second, HeartbeatReport.of(List.of()));
    }

    @Test
    void freeSpaceIsKnownFromTheFirstHeartbeatAndOnlyOfOwnDisks() throws Exception {
        long epoch = registry.register(h1, PROCESS, List.of(DISK));
        assertThat(registry.freeBytes(h1.id(), DISK)).isEmpty();
        StoreId other = new StoreId("other");
        registry.heartbeat(
                h1.id(), epoch, HeartbeatReport.of(List.of(new DiskUsage(DISK, 1, 99), new DiskUsage(other, 1, 5))));
        assertThat(registry.freeBytes(h1.id(), DISK)).hasValue(99);
        assertThat(registry.freeBytes(h1.id(), other)).isEmpty();
    }

    @Test
    void helpersMayReturnOnlyWithinALeasesLifeOfTheStart() throws Exception {
        assertThat(registry.mayReturn(h1.id())).isTrue();
        registry.register(h1, PROCESS, List.of());
        assertThat(registry.mayReturn(h1.id())).isFalse();
        assertThat(registry.mayReturn(new HelperId("h2"))).isTrue();
        ticker.advance(TTL);
        assertThat(registry.mayReturn(new HelperId("h2"))).isFalse();
    }

    @Test
    void fullRegistryDropsDeadHelpersAndRefusesOnlyWhenAllAreAlive() throws Exception {
        for (int i = 0; i < HelperRegistry.MAX_HELPERS; i++) {
            registry.register(address("h" + i), PROCESS, List.of());
        }
        CloudMwException full = catchThrowableOfType(
                CloudMwException.class, () -> registry.register(address("more"), PROCESS, List.of()));
        assertThat(full.code()).isEqualTo(ErrorCode.OVERLOADED);
        registry.register(address("h7"), PROCESS, List.of());
        ticker.advance(TTL);
        registry.register(address("more"), PROCESS, List.of());
        assertThat(registry.all()).hasSize(1);
    }

    private CloudMwException refused(ErrorCode code, long incarnation) {
        CloudMwException failure =
                catchThrowableOfType(CloudMwException.class, () -> registry.register(h1, incarnation, List.of()));
        assertThat(failure.code()).isEqualTo(code);
        return failure;
    }

    private static void unknown(ThrowingCallable call) {
        CloudMwException failure = catchThrowableOfType(CloudMwException.class, call);
        assertThat(failure.code()).isEqualTo(ErrorCode.HELPER_UNKNOWN);
    }

    private static HelperAddress address(String id) {
        return new HelperAddress(new HelperId(id), "127.0.0.1:1", "127.0.0.1:2");
    }
}
