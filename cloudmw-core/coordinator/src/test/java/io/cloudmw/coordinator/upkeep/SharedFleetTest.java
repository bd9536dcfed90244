package io.cloudmw.coordinator.upkeep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.coordinator.CoordinatorOptions;
import io.cloudmw.coordinator.catalog.FleetReports;
import io.cloudmw.coordinator.fleet.FleetExchange;
import io.cloudmw.coordinator.fleet.HeartbeatReport;
import io.cloudmw.coordinator.fleet.HelperRegistry;
import io.cloudmw.coordinator.fleet.LeaseAuthority;
import io.cloudmw.coordinator.testing.TestCluster;
import io.cloudmw.coordinator.testing.memory.InMemoryCatalog;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.fleet.DiskUsage;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.HelperRegistration;
import io.cloudmw.core.model.fleet.SightingReport;
import io.cloudmw.core.placement.WritePlan;
import io.cloudmw.core.testing.FakeTicker;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of coordinators that share a catalog, and what each knows of the others' helpers. */
final class SharedFleetTest {
    private static final Duration TTL = Duration.ofSeconds(7);
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final StoreId DISK = new StoreId("d1");
    private static final long PROCESS = 1;
    private static final long ANOTHER = 2;

    private final FakeTicker ticker = new FakeTicker();
    private final CountingBoard board =
            new CountingBoard(InMemoryCatalog.shared().fleet().orElseThrow());
    private final HelperAddress h1 = address("h1");
    private One a;
    private One b;

    /** The part of a coordinator that handles helpers. Each has its own clock, wrong by hours. */
    private final class One {
        private final HelperRegistry helpers;
        private final LeaseAuthority leases;
        private final FleetExchange exchange;

        One(String name, long clockMillis) throws CloudMwException {
            helpers = new HelperRegistry(TTL, ticker, () -> clockMillis);
            leases = new LeaseAuthority(helpers, Optional.of(board));
            exchange = new FleetExchange(name, board, helpers, TTL.multipliedBy(10), ticker);
            exchange.run();
        }

        long register(HelperAddress helper, long incarnation) throws CloudMwException {
            return leases.register(helper, incarnation, List.of(DISK));
        }

        boolean heartbeat(long epoch) throws CloudMwException {
            return leases.heartbeat(h1.id(), epoch, HeartbeatReport.of(List.of(new DiskUsage(DISK, 1, 99))));
        }
    }

    @BeforeEach
    void start() throws Exception {
        a = new One("a", 50_000_000);
        b = new One("b", 1_000);
    }

    /** Advances time by a second, in which a and b exchange reports. */
    private void second() throws CloudMwException {
        ticker.advance(SECOND);
        a.exchange.run();
        b.exchange.run();
        a.exchange.run();
    }

    @Test
    void helperHeardByOneCoordinatorIsKnownToAll() throws Exception {
        long epoch = a.register(h1, PROCESS);
        assertThat(a.heartbeat(epoch)).isFalse();
        second();
        assertThat(b.helpers.live()).containsExactly(h1);
        assertThat(b.helpers.isAttached(h1.id(), DISK)).isTrue();
        assertThat(b.helpers.freeBytes(h1.id(), DISK)).hasValue(99);
        for (int i = 0; i < 20; i++) {
            assertThat(a.heartbeat(epoch)).isFalse();
            second();
            assertThat(b.helpers.isAlive(h1.id())).isTrue();
        }
    }

    @Test
    void silentHelperIsDeadForAllWithinASecond() throws Exception {
        a.register(h1, PROCESS);
        second();
        for (int i = 0; i < 5; i++) {
            second();
            assertThat(b.helpers.isAlive(h1.id())).isTrue();
        }
        second();
        assertThat(a.helpers.isAlive(h1.id())).isFalse();
        second();
        assertThat(b.helpers.isAlive(h1.id())).isFalse();
    }

    @Test
    void helperThatChangesCoordinatorsKeepsItsLease() throws Exception {
        long epoch = a.register(h1, PROCESS);
        second();
        assertThat(b.heartbeat(epoch)).as("taken over").isTrue();
        assertThat(b.heartbeat(epoch)).isFalse();
        One third = new One("c", 7);
        assertThat(third.heartbeat(epoch)).as("by one that never heard of it").isTrue();
        assertThat(third.helpers.live()).containsExactly(h1);
    }

    @Test
    void helperOfADeadCoordinatorIsAliveForAllOnceItChangesCoordinators() throws Exception {
        One c = new One("c", 7);
        long epoch = a.register(h1, PROCESS);
        second();
        c.exchange.run();
        for (int i = 0; i < 10; i++) {
            ticker.advance(SECOND);
            boolean unused = b.heartbeat(epoch);
            b.exchange.run();
            c.exchange.run();
            assertThat(c.helpers.isAlive(h1.id())).isTrue();
        }
    }

    /** This holds even after an absence longer than the lease, since no other process has the id. */
    @Test
    void lateHelperOfSeveralCoordinatorsNeedNotRegisterAgain() throws Exception {
        long epoch = a.register(h1, PROCESS);
        ticker.advance(TTL);
        assertThat(a.helpers.isAlive(h1.id())).isFalse();
        assertThat(a.heartbeat(epoch)).isTrue();
        assertThat(a.helpers.isAlive(h1.id())).isTrue();
    }

    @Test
    void reportsFromBeforeTheStartAreNotTrusted() throws Exception {
        long epoch = a.register(h1, PROCESS);
        a.exchange.run();
        One c = new One("c", 7);
        c.exchange.run();
        assertThat(c.helpers.all()).isEmpty();
        assertThat(c.helpers.mayReturn(h1.id())).isTrue();
        assertThat(a.heartbeat(epoch)).isFalse();
        a.exchange.run();
        c.exchange.run();
        assertThat(c.helpers.live()).containsExactly(h1);
    }

    /**
     * The process was suspended, or could not reach the catalog: its knowledge is old, and it waits as after a start.
     */
    @Test
    void coordinatorThatContinuesAfterALongStopTakesNoHelperForDead() throws Exception {
        long epoch = a.register(h1, PROCESS);
        second();
        ticker.advance(TTL.multipliedBy(3));
        assertThat(a.heartbeat(epoch)).isTrue();
        assertThat(b.helpers.isAlive(h1.id())).isFalse();
        assertThat(b.helpers.mayReturn(h1.id())).isTrue();
        b.exchange.run();
        assertThat(b.helpers.isStarting()).isTrue();
        a.exchange.run();
        b.exchange.run();
        assertThat(b.helpers.live()).containsExactly(h1);
        assertThat(b.helpers.isStarting()).isTrue();
        for (int i = 0; i < 7; i++) {
            second();
        }
        assertThat(b.helpers.isStarting()).isFalse();
    }

    @Test
    void anotherProcessWaitsAtAnyCoordinatorForTheLeaseOfADeadOne() throws Exception {
        a.register(h1, PROCESS);
        refused(ErrorCode.COORDINATOR_UNAVAILABLE, () -> b.register(h1, ANOTHER));
        second();
        refused(ErrorCode.COORDINATOR_UNAVAILABLE, () -> b.register(h1, ANOTHER));
        for (int i = 0; i < 7; i++) {
            second();
        }
        long epoch = b.register(h1, ANOTHER);
        second();
        assertThat(a.helpers.isAlive(h1.id())).isTrue();
        refused(ErrorCode.HELPER_UNKNOWN, () -> a.heartbeat(epoch - 1));
        assertThat(a.heartbeat(epoch)).isTrue();
    }

    @Test
    void anotherProcessIsRefusedAtAnyCoordinatorOnceTheFirstIsHeardAgain() throws Exception {
        long epoch = a.register(h1, PROCESS);
        second();
        refused(ErrorCode.COORDINATOR_UNAVAILABLE, () -> b.register(h1, ANOTHER));
        second();
        refused(ErrorCode.COORDINATOR_UNAVAILABLE, () -> b.register(h1, ANOTHER));
        second();
        assertThat(a.heartbeat(epoch)).isFalse();
        second();
        refused(ErrorCode.ALREADY_EXISTS, () -> b.register(h1, ANOTHER));
    }

    /** The helper is registered but in no report, so it may be alive. */
    @Test
    void anotherProcessWaitsForOneThatNoCoordinatorReports() throws Exception {
        a.register(h1, PROCESS);
        One c = new One("c", 7);
        refused(ErrorCode.COORDINATOR_UNAVAILABLE, () -> c.register(h1, ANOTHER));
        ticker.advance(TTL.minusNanos(1));
        refused(ErrorCode.COORDINATOR_UNAVAILABLE, () -> c.register(h1, ANOTHER));
        ticker.advance(Duration.ofNanos(1));
        assertThat(c.register(h1, ANOTHER)).isPositive();
        refused(ErrorCode.HELPER_UNKNOWN, () -> a.heartbeat(50_000_000));
    }

    @Test
    void sameProcessMayRegisterAnywhere() throws Exception {
        long first = a.register(h1, PROCESS);
        long second = b.register(h1, PROCESS);
        assertThat(second).isGreaterThan(first);
        second();
        refused(ErrorCode.HELPER_UNKNOWN, () -> a.heartbeat(first));
        assertThat(a.heartbeat(second)).isTrue();
    }

    @Test
    void leavingHelperFreesItsIdEverywhere() throws Exception {
        long epoch = a.register(h1, PROCESS);
        second();
        b.leases.leave(h1.id(), epoch);
        second();
        assertThat(a.helpers.isAlive(h1.id())).isFalse();
        refused(ErrorCode.HELPER_UNKNOWN, () -> a.leases.leave(h1.id(), epoch));
        assertThat(a.register(h1, ANOTHER)).isGreaterThan(epoch);
    }

    /** The catalog may not answer at that moment. */
    @Test
    void coordinatorStartsWithoutACatalogCallAndCountsAsStartingUntilItsFirstExchange() throws Exception {
        TestCluster cluster = new TestCluster(InMemoryCatalog.shared());
        cluster.coordinator.administration().addStore(TestCluster.bucket("b"), false, Optional.empty());
        cluster.coordinator.administration().createVolume(TestCluster.volume("v", 1, 1, "b"), Optional.empty());
        cluster.restart();
        Duration ttl = CoordinatorOptions.defaults().helperTtl();
        cluster.ticker.advance(ttl.multipliedBy(2));
        refused(ErrorCode.COORDINATOR_UNAVAILABLE, () -> place(cluster));
        cluster.coordinator.exchangeSightings();
        cluster.ticker.advance(ttl.dividedBy(2));
        cluster.coordinator.exchangeSightings();
        refused(ErrorCode.COORDINATOR_UNAVAILABLE, () -> place(cluster));
        cluster.ticker.advance(ttl.dividedBy(2));
        refused(ErrorCode.HELPER_UNAVAILABLE, () -> place(cluster));
        cluster.catalog.close();
        cluster.restart();
    }

    private static void place(TestCluster cluster) throws CloudMwException {
        WritePlan unused =
                cluster.coordinator.uploads().place(FilePath.parse("v:/a"), VersionId.random(), 0, 1, Set.of());
    }

    /** The clock of b is hours behind that of a. */
    @Test
    void helperThatReturnsElsewhereHasAHigherEpochDespiteClockSkew() throws Exception {
        long epoch = a.register(h1, PROCESS);
        second();
        a.leases.leave(h1.id(), epoch);
        One c = new One("c", 7);
        long next = c.register(h1, ANOTHER);
        assertThat(next).isGreaterThan(epoch);
        c.exchange.run();
        second();
        assertThat(a.helpers.isAlive(h1.id())).isTrue();
        refused(ErrorCode.HELPER_UNKNOWN, () -> a.heartbeat(epoch));
        c.leases.leave(h1.id(), next);
        refused(ErrorCode.HELPER_UNKNOWN, () -> c.heartbeat(next));
    }

    @Test
    void writesDoNotGrowWithHeartbeatsAndManyHelpersAreReportedInParts() throws Exception {
        int count = 3 * SightingReport.MAX_SIGHTINGS + 1;
        for (int i = 0; i < count; i++) {
            a.register(address("h" + i), PROCESS);
        }
        long epoch = a.register(h1, PROCESS);
        int calls = board.calls;
        for (int i = 0; i < 1000; i++) {
            assertThat(a.heartbeat(epoch)).isFalse();
        }
        assertThat(board.calls).isEqualTo(calls);
        a.exchange.run();
        assertThat(board.calls).as("4 parts are written, and all is read").isEqualTo(calls + 5);
        b.exchange.run();
        assertThat(b.helpers.live()).hasSize(count);
        ticker.advance(TTL);
        a.exchange.run();
        assertThat(board.reports()).allMatch(report -> report.sightings().isEmpty());
    }

    @Test
    void reportsOfADeadCoordinatorAreDropped() throws Exception {
        for (int i = 0; i < 70; i++) {
            ticker.advance(SECOND);
            b.exchange.run();
        }
        assertThat(board.reports()).extracting(SightingReport::coordinator).containsExactlyInAnyOrder("a", "b");
        ticker.advance(SECOND);
        b.exchange.run();
        assertThat(board.reports()).extracting(SightingReport::coordinator).containsExactly("b");
        b.exchange.close();
        assertThat(board.reports()).isEmpty();
        a.register(h1, PROCESS);
        a.exchange.run();
        b.exchange.run();
        assertThat(b.helpers.live())
                .as("one that was only stopped is heard again")
                .containsExactly(h1);
    }

    private static void refused(ErrorCode code, ThrowingCallable call) {
        CloudMwException failure = catchThrowableOfType(CloudMwException.class, call);
        assertThat(failure).as("refusal").isNotNull();
        assertThat(failure.code()).as(failure.getMessage()).isEqualTo(code);
    }

    private static HelperAddress address(String id) {
        return new HelperAddress(new HelperId(id), "127.0.0.1:1", "127.0.0.1:2");
    }

    /** A wrapper that counts calls. */
    private static final class CountingBoard implements FleetReports {
        private final FleetReports board;
        private int calls;

        CountingBoard(FleetReports board) {
            this.board = board;
        }

        @Override
        public Optional<HelperRegistration> registration(HelperId helper) throws CloudMwException {
            calls++;
            return board.registration(helper);
        }

        @Override
        public boolean register(OptionalLong before, HelperRegistration next) throws CloudMwException {
            calls++;
            return board.register(before, next);
        }

        @Override
        public void publish(SightingReport report) throws CloudMwException {
            calls++;
            board.publish(report);
        }

        @Override
        public List<SightingReport> reports() throws CloudMwException {
            calls++;
            return board.reports();
        }

        @Override
        public void withdraw(String coordinator) throws CloudMwException {
            calls++;
            board.withdraw(coordinator);
        }
    }
}
