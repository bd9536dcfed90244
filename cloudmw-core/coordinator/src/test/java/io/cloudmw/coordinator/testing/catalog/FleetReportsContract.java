package io.cloudmw.coordinator.testing.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.FleetReports;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.DiskUsage;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.HelperRegistration;
import io.cloudmw.core.model.fleet.HelperSighting;
import io.cloudmw.core.model.fleet.SightingReport;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Contract of a catalog that coordinators share. A small subclass per implementation opens it. */
public abstract class FleetReportsContract {
    private static final HelperId H1 = new HelperId("h1");

    private Catalog catalog;
    private FleetReports board;

    /** Opens an empty catalog that may be shared; the suite closes it. */
    protected abstract Catalog open() throws Exception;

    @BeforeEach
    void openIt() throws Exception {
        catalog = open();
        board = catalog.fleet().orElseThrow();
    }

    @AfterEach
    void closeIt() {
        catalog.close();
    }

    @Test
    void idBelongsToTheRegistrationThatReplacedTheOneBefore() throws Exception {
        assertThat(board.registration(H1)).isEmpty();
        assertThat(board.register(OptionalLong.of(1), registration(5))).isFalse();
        assertThat(board.register(OptionalLong.empty(), registration(5))).isTrue();
        assertThat(board.register(OptionalLong.empty(), registration(6))).isFalse();
        assertThat(board.register(OptionalLong.of(4), registration(6))).isFalse();
        assertThat(board.registration(H1)).contains(registration(5));
        assertThat(board.register(OptionalLong.of(5), registration(7))).isTrue();
        assertThat(board.registration(H1)).contains(registration(7));
    }

    @Test
    void epochOfAHelperThatLeftIsKept() throws Exception {
        HelperRegistration left = registration(5).leaving();
        assertThat(board.register(OptionalLong.of(5), left)).isFalse();
        assertThat(board.register(OptionalLong.empty(), registration(5))).isTrue();
        assertThat(board.register(OptionalLong.of(4), left)).isFalse();
        assertThat(board.register(OptionalLong.of(5), left)).isTrue();
        assertThat(board.registration(H1)).contains(left);
        assertThat(board.register(OptionalLong.empty(), registration(6))).isFalse();
        assertThat(board.register(OptionalLong.of(5), registration(6))).isTrue();
        assertThat(board.registration(H1)).contains(registration(6));
    }

    @Test
    void parallelRegistrationsHaveASingleWinner() throws Exception {
        List<Callable<Boolean>> calls = new ArrayList<>();
        for (int i = 1; i <= 16; i++) {
            long epoch = i;
            calls.add(() -> board.register(OptionalLong.empty(), registration(epoch)));
        }
        assertThat(CatalogFixture.atOnce(calls)).isEqualTo(1);
    }

    @Test
    void reportReplacesTheLastOneOfItsPart() throws Exception {
        SightingReport other = new SightingReport("b", 0, 9, List.of());
        board.publish(new SightingReport("a", 0, 1, List.of(sighting("old"))));
        board.publish(new SightingReport("a", 1, 1, List.of()));
        board.publish(other);
        SightingReport newer = new SightingReport("a", 0, 2, List.of(sighting("h1"), sighting("h2")));
        board.publish(newer);
        assertThat(board.reports()).containsExactlyInAnyOrder(newer, new SightingReport("a", 1, 1, List.of()), other);
        board.withdraw("a");
        board.withdraw("unheard-of");
        assertThat(board.reports()).containsExactly(other);
    }

    /** The part has the longest names, the most disks and the most helpers. */
    @Test
    void partMayHaveTheFullLength() throws Exception {
        List<HelperSighting> sightings = new ArrayList<>();
        for (int helper = 0; helper < SightingReport.MAX_SIGHTINGS; helper++) {
            List<StoreId> disks = new ArrayList<>();
            List<DiskUsage> usage = new ArrayList<>();
            for (int disk = 0; disk < 64; disk++) {
                StoreId id = new StoreId(("d" + helper + "-" + disk + "-").concat("x".repeat(50)));
                disks.add(id);
                usage.add(new DiskUsage(id, Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE));
            }
            sightings.add(new HelperSighting(
                    new HelperRegistration(address("h" + helper), 1, disks, Long.MAX_VALUE), 1, false, usage));
        }
        SightingReport longest = new SightingReport("a", 0, 1, sightings);
        board.publish(longest);
        assertThat(board.reports()).containsExactly(longest);
        assertThatThrownBy(() -> new SightingReport("a", 0, 1, Collections.nCopies(33, sighting("h"))))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void closedCatalogReturnsNoReports() throws Exception {
        catalog.close();
        CatalogFixture.refused(ErrorCode.CANCELLED, () -> board.registration(H1));
        CatalogFixture.refused(ErrorCode.CANCELLED, () -> board.register(OptionalLong.empty(), registration(1)));
        CatalogFixture.refused(ErrorCode.CANCELLED, () -> board.publish(new SightingReport("a", 0, 1, List.of())));
        CatalogFixture.refused(ErrorCode.CANCELLED, () -> board.reports());
        CatalogFixture.refused(ErrorCode.CANCELLED, () -> board.withdraw("a"));
    }

    private static HelperRegistration registration(long epoch) {
        return new HelperRegistration(address("h1"), -7 - epoch, List.of(new StoreId("d1")), epoch);
    }

    private static HelperSighting sighting(String helper) {
        StoreId disk = new StoreId("d1");
        return new HelperSighting(
                new HelperRegistration(address(helper), 3, List.of(disk), 4),
                12,
                true,
                List.of(new DiskUsage(disk, 1, 2, 3)));
    }

    private static HelperAddress address(String id) {
        return new HelperAddress(new HelperId(id), "127.0.0.1:1", "127.0.0.1:2");
    }
}
