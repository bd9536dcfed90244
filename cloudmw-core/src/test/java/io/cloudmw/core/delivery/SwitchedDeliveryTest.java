package io.cloudmw.core.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.hedge.RedundancyBudget;
import io.cloudmw.core.hedge.SpeedEstimate;
import io.cloudmw.core.mode.DeliveryPolicy;
import io.cloudmw.core.mode.IssueReason;
import io.cloudmw.core.mode.LaneLayout;
import io.cloudmw.core.mode.ModePolicy;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.RedundancyLimits;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.race.AttemptStage;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.testing.DeliveryCommand.Issue;
import io.cloudmw.core.testing.DeliveryEvent;
import io.cloudmw.core.testing.DeliveryEvent.Attempted;
import io.cloudmw.core.testing.DeliveryEvent.Forfeited;
import io.cloudmw.core.testing.DeliveryEvent.Offered;
import io.cloudmw.core.testing.DeliveryEvent.Planned;
import io.cloudmw.core.testing.DeliveryEvent.RacerGone;
import io.cloudmw.core.testing.DeliveryEvent.RelayFailed;
import io.cloudmw.core.testing.DeliveryEvent.TimePassed;
import io.cloudmw.core.testing.RecordedDelivery;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A delivery with block owners: helpers 0 and 1 are switches and own blocks in turn, helper 2 is none. */
final class SwitchedDeliveryTest {
    private static final int BLOCK = 200;
    private static final List<StoreId> STORES = List.of(new StoreId("s0"), new StoreId("s1"));
    private static final SpeedEstimate USUAL = new SpeedEstimate(10, 50, 1e10, 5e9);
    private static final ModePolicy MODE = new ModePolicy(
            new ModePolicy.Blocks(BLOCK, 16, 100_000),
            new ModePolicy.Lineup(1, 100, 2, 1, 2, false),
            new ModePolicy.Extras(IssueReason.HAND_OVER, 1, 1_000_000_000, 0, false));
    private static final LaneLayout LANES = MODE.lanes(3);

    private RecordedDelivery delivery = delivery(MODE);
    private long now;

    private static RecordedDelivery delivery(ModePolicy mode) {
        return new RecordedDelivery(
                new DeliveryPolicy(mode, new DeliveryPolicy.Patience(1000, 10_000, 8), false),
                LANES,
                Set.of(new RacerId(0), new RacerId(1), new RacerId(2)),
                (store, helper, bytes) -> USUAL,
                new RedundancyBudget(new RedundancyLimits(0.05, 8, 10_000)),
                (chunk, offset) -> offset / BLOCK % 2 == 0 ? new int[] {0, 1} : new int[] {1, 0});
    }

    private List<Block> on(DeliveryEvent event) {
        return delivery.on(event, now).stream()
                .filter(Issue.class::isInstance)
                .map(command -> ((Issue) command).block())
                .toList();
    }

    private List<Block> plan(int blocks) {
        ByteRange range = new ByteRange(0, (long) blocks * BLOCK);
        Entrant entrant = new Entrant(new RacerId(2), 0);
        return on(new Planned(0, range, range.length(), 100, STORES, Set.of(), List.of(entrant)));
    }

    private static int helper(Block block) {
        return LANES.helper(block.entrants().get(0).racer());
    }

    private static List<Integer> helpers(List<Block> blocks) {
        return blocks.stream().map(SwitchedDeliveryTest::helper).toList();
    }

    @Test
    void eachBlockIsAskedOfItsOwner() {
        List<Block> blocks = plan(8);
        assertThat(blocks)
                .hasSize(8)
                .allSatisfy(block ->
                        assertThat(helper(block)).isEqualTo((int) (block.range().offset() / BLOCK % 2)));
    }

    @Test
    void anIdleSwitchTakesNoBlockOfAnother() {
        assertThat(plan(1)).hasSize(1);
        now = 5;
        assertThat(on(new DeliveryEvent.PlanEnded())).isEmpty();
    }

    @Test
    void blocksOfADepartedSwitchAreAskedOfTheNextOwner() {
        plan(2);
        assertThat(helpers(on(new RacerGone(new RacerId(1))))).containsExactly(0);
    }

    @Test
    void unissuedBlocksOfADepartedSwitchGoToAnIdleOne() {
        delivery = delivery(MODE.withStreams(1, 1));
        assertThat(helpers(plan(2))).containsExactly(0);
        assertThat(helpers(on(new RacerGone(new RacerId(1))))).containsExactly(0);
    }

    @Test
    void otherHelpersReadWhenNoSwitchIsLeft() {
        plan(2);
        on(new RacerGone(new RacerId(1)));
        assertThat(helpers(on(new RacerGone(new RacerId(0))))).containsExactly(2, 2);
    }

    @Test
    void aBlockThatFailsByEveryRouteOfItsOwnerGoesToTheNext() {
        Block block = plan(1).get(0);
        for (int failure = 0; failure < 2 * STORES.size(); failure++) {
            assertThat(helper(block)).isZero();
            RacerId racer = block.entrants().get(0).racer();
            block = on(new Forfeited(block.id(), racer, ErrorCode.STORE_UNAVAILABLE))
                    .get(0);
        }
        assertThat(helper(block)).isEqualTo(1);
    }

    /** The switch may have kept a damaged block or be cut off; none of its replicas was read. */
    @Test
    void aKeptBlockThatWasNotBroughtSpendsNoRoute() {
        Block block = plan(1).get(0);
        for (int relay = 0; relay < 3 * STORES.size(); relay++) {
            RacerId racer = block.entrants().get(0).racer();
            on(new Attempted(block.id(), racer, 0, AttemptStage.KEPT, BLOCK));
            on(new Offered(relay, block.id(), racer));
            block = on(new RelayFailed(relay, ErrorCode.HELPER_UNAVAILABLE)).get(0);
            assertThat(helper(block)).isZero();
        }
    }

    @Test
    void aLateBlockIsReadFromAnotherStoreByTheSameSwitch() {
        Block first = plan(1).get(0);
        Entrant entrant = first.entrants().get(0);
        on(new Attempted(first.id(), entrant.racer(), 0, AttemptStage.STARTED, 0));
        now = 500;
        List<Block> second = on(new TimePassed());
        assertThat(helpers(second)).containsExactly(0);
        assertThat(second.get(0).entrants().get(0).replica()).isEqualTo(1 - entrant.replica());
    }
}
