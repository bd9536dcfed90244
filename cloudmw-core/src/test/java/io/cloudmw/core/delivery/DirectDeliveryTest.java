package io.cloudmw.core.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.hedge.RedundancyBudget;
import io.cloudmw.core.hedge.SpeedEstimate;
import io.cloudmw.core.hedge.SpeedEstimates;
import io.cloudmw.core.mode.BlockOwners;
import io.cloudmw.core.mode.DeliveryPolicy;
import io.cloudmw.core.mode.DirectPolicy;
import io.cloudmw.core.mode.DirectUse;
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
import io.cloudmw.core.testing.DeliveryCommand;
import io.cloudmw.core.testing.DeliveryCommand.Issue;
import io.cloudmw.core.testing.DeliveryEvent;
import io.cloudmw.core.testing.DeliveryEvent.Attempted;
import io.cloudmw.core.testing.DeliveryEvent.Forfeited;
import io.cloudmw.core.testing.DeliveryEvent.LeafDelivered;
import io.cloudmw.core.testing.DeliveryEvent.LocalRacersReady;
import io.cloudmw.core.testing.DeliveryEvent.Offered;
import io.cloudmw.core.testing.DeliveryEvent.Planned;
import io.cloudmw.core.testing.DeliveryEvent.TimePassed;
import io.cloudmw.core.testing.RecordedDelivery;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A delivery whose client may read stores by itself: two helpers with two lanes each, and two own lanes. */
final class DirectDeliveryTest {
    private static final int BLOCK = 200;
    private static final int LEAF = 100;
    private static final List<StoreId> STORES = List.of(new StoreId("s0"), new StoreId("s1"));
    private static final SpeedEstimate USUAL = new SpeedEstimate(10, 50, 1e10, 5e9);
    private static final SpeedEstimate SLOW = new SpeedEstimate(1000, 5000, 1e8, 5e7);
    private static final ModePolicy MODE = new ModePolicy(
            new ModePolicy.Blocks(BLOCK, 64, 100_000),
            new ModePolicy.Lineup(1, 100, 2, 1, 2, true),
            new ModePolicy.Extras(IssueReason.HAND_OVER, 100, 1_000_000_000, 0, true));
    private static final LaneLayout LANES = MODE.lanes(2);
    private static final List<RacerId> OWN = IntStream.range(0, 5)
            .mapToObj(lane -> new RacerId(LANES.helpers() * LANES.perHelper() + lane))
            .toList();

    private RecordedDelivery delivery = delivery(DirectUse.PREFERRED, USUAL);
    private long now;
    private long relays;

    private static RecordedDelivery delivery(DirectUse start, SpeedEstimate own) {
        return new RecordedDelivery(
                new DeliveryPolicy(MODE, new DeliveryPolicy.Patience(1000, 10_000, 8), false)
                        .withDirect(new DirectPolicy(start, 2)),
                LANES,
                Set.of(new RacerId(0), new RacerId(1)),
                (store, helper, bytes) -> helper == SpeedEstimates.CLIENT ? own : USUAL,
                new RedundancyBudget(new RedundancyLimits(0.05, 8, 10_000)),
                BlockOwners.NONE);
    }

    private List<Block> on(DeliveryEvent event) {
        return commands(event).stream()
                .filter(Issue.class::isInstance)
                .map(command -> ((Issue) command).block())
                .toList();
    }

    private List<DeliveryCommand> commands(DeliveryEvent event) {
        return delivery.on(event, now);
    }

    private static DeliveryEvent planned(int blocks) {
        return planned(0, blocks);
    }

    private static DeliveryEvent planned(long index, int blocks) {
        ByteRange range = new ByteRange(0, (long) blocks * BLOCK);
        Entrant entrant = new Entrant(new RacerId(0), 0);
        return new Planned(index, range, range.length(), LEAF, STORES, Set.of(), List.of(entrant));
    }

    private static RacerId racer(Block block) {
        return block.entrants().get(0).racer();
    }

    private static boolean isOwn(Block block) {
        return block.entrants().stream().noneMatch(entrant -> LANES.isHelpers(entrant.racer()));
    }

    private static List<Block> own(List<Block> blocks) {
        return blocks.stream().filter(DirectDeliveryTest::isOwn).toList();
    }

    /** Reads a block in so many nanoseconds; returns what is issued meanwhile. */
    private List<Block> read(Block block, long nanos) {
        List<Block> issued = new ArrayList<>();
        RacerId racer = racer(block);
        long relay = ++relays;
        issued.addAll(on(new Attempted(block.id(), racer, 0, AttemptStage.STARTED, 0)));
        now += nanos;
        issued.addAll(on(new Offered(relay, block.id(), racer)));
        issued.addAll(on(new Attempted(block.id(), racer, 0, AttemptStage.FETCHED, BLOCK)));
        issued.addAll(on(new LeafDelivered(relay)));
        issued.addAll(on(new LeafDelivered(relay)));
        return issued;
    }

    @Test
    void preferredRacersAreAwaitedAndHaveEveryBlock() {
        List<DeliveryCommand> first = commands(planned(8));
        assertThat(first).hasSize(1).allMatch(DeliveryCommand.RaceLocally.class::isInstance);

        List<Block> blocks = on(new LocalRacersReady(OWN));

        assertThat(blocks).hasSize(2).allMatch(DirectDeliveryTest::isOwn);
        assertThat(read(blocks.get(0), 20)).hasSize(1).allMatch(DirectDeliveryTest::isOwn);
    }

    @Test
    void helpersReadWhenTheClientCanReachNoStore() {
        on(planned(8));
        List<Block> blocks = on(new LocalRacersReady(List.of()));

        assertThat(blocks).isNotEmpty().noneMatch(DirectDeliveryTest::isOwn);
        assertThat(delivery.directUse()).isEqualTo(DirectUse.LAST_RESORT);
    }

    @Test
    void aStoreThatTheClientCannotReadIsLeftToHelpers() {
        on(planned(8));
        List<Block> blocks = on(new LocalRacersReady(OWN, Set.of(STORES.get(0))));

        assertThat(blocks).hasSize(2).allMatch(DirectDeliveryTest::isOwn);
        assertThat(blocks)
                .allSatisfy(
                        block -> assertThat(block.entrants().get(0).replica()).isEqualTo(1));
    }

    @Test
    void helpersTakeOverAfterTwoFailuresInARow() {
        on(planned(8));
        List<Block> blocks = on(new LocalRacersReady(OWN));
        on(new Forfeited(blocks.get(0).id(), racer(blocks.get(0)), ErrorCode.STORE_UNAVAILABLE));

        List<Block> next = on(new Forfeited(blocks.get(1).id(), racer(blocks.get(1)), ErrorCode.STORE_UNAVAILABLE));

        assertThat(delivery.directUse()).isEqualTo(DirectUse.LAST_RESORT);
        assertThat(next).isNotEmpty().noneMatch(DirectDeliveryTest::isOwn);
    }

    @Test
    void aHelperMakesUpForALateDirectRead() {
        on(planned(1));
        on(new DeliveryEvent.PlanEnded());
        Block block = on(new LocalRacersReady(OWN)).get(0);
        on(new Attempted(block.id(), racer(block), 0, AttemptStage.STARTED, 0));
        now = 100_000;

        List<Block> second = on(new TimePassed());

        assertThat(second).hasSize(1);
        assertThat(second.get(0).entrants().get(0).replica())
                .isNotEqualTo(block.entrants().get(0).replica());
    }

    @Test
    void aProbeReadsOneBlockAtATimeAndNotTheFirst() {
        delivery = delivery(DirectUse.PROBING, USUAL);
        List<Block> before = on(planned(4));
        assertThat(before).hasSize(2).noneMatch(DirectDeliveryTest::isOwn);
        assertThat(before.get(0).range().offset()).isZero();

        List<Block> after = on(new LocalRacersReady(OWN));

        assertThat(after).hasSize(2);
        assertThat(own(after)).hasSize(1);
    }

    @Test
    void aProbeThatIsAsGoodAsHelpersIsPreferred() {
        assertThat(useAfterProbes(USUAL, 10)).isEqualTo(DirectUse.PREFERRED);
    }

    @Test
    void aProbeThatIsSlowerThanHelpersStaysAProbe() {
        assertThat(useAfterProbes(SLOW, 5000)).isEqualTo(DirectUse.PROBING);
    }

    private DirectUse useAfterProbes(SpeedEstimate own, long nanos) {
        delivery = delivery(DirectUse.PROBING, own);
        List<Block> open = new ArrayList<>(on(planned(0, 100)));
        open.addAll(on(new LocalRacersReady(OWN)));
        for (int probe = 0; probe < 2; probe++) {
            Block next = own(open).get(0);
            open.remove(next);
            open.addAll(read(next, nanos));
        }
        return delivery.directUse();
    }
}
