package io.cloudmw.core.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.hedge.RedundancyBudget;
import io.cloudmw.core.hedge.SpeedEstimate;
import io.cloudmw.core.mode.DeliveryPolicy;
import io.cloudmw.core.mode.IssueReason;
import io.cloudmw.core.mode.ModePolicy;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.RedundancyLimits;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.race.AttemptStage;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.BlockRule;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.testing.DeliveryCommand;
import io.cloudmw.core.testing.DeliveryCommand.Accept;
import io.cloudmw.core.testing.DeliveryCommand.Issue;
import io.cloudmw.core.testing.DeliveryCommand.Withdraw;
import io.cloudmw.core.testing.DeliveryEvent;
import io.cloudmw.core.testing.DeliveryEvent.Attempted;
import io.cloudmw.core.testing.DeliveryEvent.CreditGranted;
import io.cloudmw.core.testing.DeliveryEvent.CreditWithheld;
import io.cloudmw.core.testing.DeliveryEvent.LeafDelivered;
import io.cloudmw.core.testing.DeliveryEvent.Offered;
import io.cloudmw.core.testing.DeliveryEvent.Planned;
import io.cloudmw.core.testing.DeliveryEvent.Postponed;
import io.cloudmw.core.testing.DeliveryEvent.Resumed;
import io.cloudmw.core.testing.DeliveryEvent.TimePassed;
import io.cloudmw.core.testing.DeliveryEvent.Waits;
import io.cloudmw.core.testing.RecordedDelivery;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Rules 16 to 18 of {@link Delivery}: blocks without a report. Three helpers have one lane for planned blocks and one to
 * spare; two stores that usually answer within 10 ms, always within 100 ms. Times are in milliseconds, blocks have one leaf.
 */
class SilenceTest {
    private static final StoreId S0 = new StoreId("s0");
    private static final StoreId S1 = new StoreId("s1");
    private static final long MS = 1_000_000;
    private static final SpeedEstimate USUAL = new SpeedEstimate(10 * MS, 100 * MS, 1e8, 5e7);
    private static final int LEAF = 1 << 20;
    /** The time of the first report. */
    private static final long WORD = 5;
    /** The usual 100, stretched by the least patience, and four reports are 145; a helper has 200 to report a wait. */
    private static final long LATE = 200;

    private static final long CAP = 2000;

    private final RedundancyBudget governor = new RedundancyBudget(new RedundancyLimits(0.05, 8, 64L << 20));
    private RecordedDelivery delivery = delivery(1, false, USUAL);
    private long now;
    private int nextChunk;

    @Test
    void aBlockWithoutAReportGetsASecondAttemptAtAnotherHelper() {
        plan(3);
        at(WORD);
        fetched(1, 1);
        fetched(2, 2);
        assertThat(delivery.wakeAtNanos()).hasValue(LATE * MS);
        at(LATE - 1);
        assertThat(on(new TimePassed())).isEmpty();
        at(LATE);

        List<DeliveryCommand> commands = on(new TimePassed());

        assertThat(commands).singleElement().isInstanceOfSatisfying(Issue.class, second -> {
            assertThat(second.reason()).isEqualTo(IssueReason.HAND_OVER);
            assertThat(second.block().range()).isEqualTo(new ByteRange(0, LEAF));
            assertThat(helper(second)).isNotZero();
        });
        assertThat(governor.spentRequests()).isEqualTo(1);
        assertThat(governor.isSlow(S0)).as("the store is not blamed").isFalse();
        assertThat(on(offer(9, issues(commands).get(0))))
                .hasSize(2)
                .hasAtLeastOneElementOfType(Withdraw.class)
                .hasAtLeastOneElementOfType(Accept.class);
        assertThat(delivery.counts().handOversWon()).isEqualTo(1);
        assertThat(governor.spentBytes()).isZero();
    }

    @Test
    void aBlockWithoutAReportMayTakeAFirstByteAndAReport() {
        delivery = delivery(1, false, new SpeedEstimate(100 * MS, 400 * MS, 1e8, 5e7));
        plan(3);
        at(WORD);
        fetched(1, 1);
        fetched(2, 2);
        at(500 + 4 * WORD - 1);
        assertThat(extras(on(new TimePassed()))).isEmpty();
        at(500 + 4 * WORD);

        assertThat(extras(on(new TimePassed()))).hasSize(1);
    }

    @Test
    void aBlockWithoutAReportHasTheCapWhenNoHelperWasHeard() {
        plan(1);
        at(CAP - 1);
        assertThat(on(new TimePassed())).isEmpty();
        at(CAP);

        assertThat(extras(on(new TimePassed()))).hasSize(1);
    }

    @Test
    void aHelperThatReportsAWaitForRoomIsNotSilent() {
        plan(3);
        at(WORD);
        fetched(1, 1);
        fetched(2, 2);
        on(new Waits(new BlockId(0), r(0)));
        at(LATE);

        assertThat(extras(on(new TimePassed()))).isEmpty();
    }

    /** The destination may ask elsewhere before it sends a block. */
    @Test
    void aPostponedBlockIsNotLateUntilItIsSent() {
        plan(3);
        at(WORD);
        fetched(1, 1);
        fetched(2, 2);
        on(new Postponed(new BlockId(0), true));
        at(LATE + 300);
        assertThat(extras(on(new TimePassed()))).isEmpty();
        on(new Postponed(new BlockId(0), false));
        at(LATE + 300 + LATE - 1);
        assertThat(extras(on(new TimePassed()))).isEmpty();
        at(LATE + 300 + LATE);

        assertThat(extras(on(new TimePassed()))).hasSize(1);
    }

    /** No store was read, and no attempt began. */
    @Test
    void aKeptBlockTeachesNothingAboutReports() {
        plan(3);
        at(WORD);
        on(attempt(1, r(1), AttemptStage.KEPT, LEAF));
        on(attempt(2, r(2), AttemptStage.KEPT, LEAF));
        at(CAP - 1);
        assertThat(extras(on(new TimePassed()))).isEmpty();
        at(CAP);

        assertThat(extras(on(new TimePassed()))).hasSize(1);
    }

    @Test
    void aSuppressedSecondAttemptIsCountedAndAskedForAgainLater() {
        for (int i = 0; i < 8; i++) {
            governor.spend(S0, S1, 0);
        }
        plan(3);
        at(WORD);
        fetched(1, 1);
        fetched(2, 2);
        at(1000);
        assertThat(extras(on(new TimePassed()))).isEmpty();
        assertThat(delivery.counts().suppressed()).isEqualTo(1);

        for (int i = 0; i < 100; i++) {
            governor.usefulRequest();
        }
        assertThat(extras(on(new TimePassed()))).isEmpty();
        at(1000 + 100);
        assertThat(extras(on(new TimePassed()))).hasSize(1);
    }

    @Test
    void aSilentHelperIsIssuedNothingMoreUntilItIsHeard() {
        silentAndMadeUpFor();

        assertThat(issues(plan(3))).extracting(SilenceTest::helper).containsExactlyInAnyOrder(1, 2);
        at(LATE + 1);
        assertThat(issues(on(attempt(0, r(0), AttemptStage.STOPPED, 0))))
                .extracting(SilenceTest::helper)
                .containsExactly(0);
    }

    @Test
    void aSilentHelperIsIssuedBlocksAgainAfterTheCap() {
        silentAndMadeUpFor();
        plan(3);
        at(LATE + CAP - 1);
        assertThat(issues(on(new TimePassed()))).extracting(SilenceTest::helper).doesNotContain(0);
        at(LATE + CAP);

        assertThat(issues(on(new TimePassed()))).extracting(SilenceTest::helper).contains(0);
    }

    @Test
    void bytesASilentHelperFetchedNeverthelessAreCharged() {
        silentAndMadeUpFor();
        assertThat(governor.spentBytes()).isZero();

        on(attempt(0, r(0), AttemptStage.STARTED, 0));
        on(attempt(0, r(0), AttemptStage.STOPPED, 1000));

        assertThat(governor.spentBytes()).isEqualTo(1000);
        assertThat(governor.spentRequests()).as("its request was paid for").isEqualTo(1);
    }

    @Test
    void blocksBehindASilentOneAreTakenBackAndChargedOnlyIfBegun() {
        delivery = delivery(2, false, USUAL);
        plan(6);
        at(WORD);
        fetched(1, 1);
        fetched(2, 2);
        fetched(4, 1);
        fetched(5, 2);
        at(LATE);

        List<DeliveryCommand> commands = on(new TimePassed());

        assertThat(commands)
                .filteredOn(Withdraw.class::isInstance)
                .singleElement()
                .satisfies(withdraw ->
                        assertThat(((Withdraw) withdraw).block().id()).isEqualTo(new BlockId(3)));
        assertThat(issues(commands))
                .allSatisfy(issue -> assertThat(helper(issue)).isNotZero())
                .extracting(Issue::reason)
                .containsExactlyInAnyOrder(IssueReason.PLANNED, IssueReason.HAND_OVER);
        assertThat(governor.spentRequests()).isEqualTo(1);
        on(attempt(3, r(0), AttemptStage.STARTED, 0));
        assertThat(governor.spentRequests()).isEqualTo(2);
    }

    /** Block 3 was issued to r0 behind block 0, which arrived at 120. */
    @Test
    void aBlockIsNotLateBeforeItsTurn() {
        delivery = delivery(2, false, USUAL);
        plan(4);
        at(WORD);
        fetched(1, 1);
        fetched(2, 2);
        on(attempt(0, r(0), AttemptStage.STARTED, 0));
        at(120);
        fetched(0, 0);
        deliver(7, 0, 0);
        at(120 + LATE - 1);
        assertThat(extras(on(new TimePassed()))).isEmpty();
        at(120 + LATE);

        assertThat(extras(on(new TimePassed()))).hasSize(1);
    }

    /** Block 3 was issued to r0, which holds block 0 until the destination takes it. */
    @Test
    void aRacerThatHoldsAnUndeliveredBlockMayLetOthersWait() {
        delivery = delivery(1, true, USUAL);
        plan(4);
        at(WORD);
        fetched(0, 0);
        fetched(1, 1);
        fetched(2, 2);
        on(new Offered(7, new BlockId(0), r(0)));
        on(new CreditWithheld(7));
        at(1000);
        assertThat(extras(on(new TimePassed()))).isEmpty();

        on(new CreditGranted(7));
        on(new LeafDelivered(7));
        at(1000 + LATE - 1);
        assertThat(extras(on(new TimePassed()))).isEmpty();
        at(1000 + LATE);
        assertThat(extras(on(new TimePassed()))).hasSize(1);
    }

    @Test
    void theDestinationWaitsAnewAfterItsOwnAbsence() {
        plan(3);
        at(WORD);
        fetched(1, 1);
        fetched(2, 2);
        at(1000);
        on(new Resumed());
        assertThat(extras(on(new TimePassed()))).isEmpty();
        at(1000 + LATE);

        assertThat(extras(on(new TimePassed()))).hasSize(1);
    }

    /** Block 3 is tied: r1 waits until r0 has started or left it. */
    @Test
    void theFirstEntrantOfATiedBlockDoesNotKeepItWithSilence() {
        delivery = delivery(mode(2, true), false, USUAL);
        List<Issue> issued = issues(plan(4));
        assertThat(issued.get(3).block().rule()).isEqualTo(BlockRule.TIED);
        assertThat(issued.get(3).block().entrants()).extracting(Entrant::racer).containsExactly(r(0), r(1));
        at(WORD);
        fetched(0, 0);
        fetched(1, 1);
        fetched(2, 2);
        deliver(7, 0, 0);
        at(WORD + LATE);

        List<Issue> extras = extras(on(new TimePassed()));

        assertThat(extras)
                .singleElement()
                .satisfies(second -> assertThat(helper(second)).isNotZero());
        assertThat(on(offer(9, extras.get(0))))
                .contains(new Withdraw(issued.get(3).block()));
    }

    /** r0 reports nothing about block 0, and r1 or r2 brings it at 200. */
    private void silentAndMadeUpFor() {
        plan(3);
        at(WORD);
        fetched(1, 1);
        fetched(2, 2);
        at(LATE);
        Issue second = extras(on(new TimePassed())).get(0);
        on(offer(9, second));
        on(attempt(second.block().id().value(), racer(second), AttemptStage.FETCHED, LEAF));
        on(new LeafDelivered(9));
    }

    private void at(long millis) {
        now = millis * MS;
    }

    /** Plans and delivers so many more blocks. */
    private List<DeliveryCommand> plan(int blocks) {
        long bytes = (long) blocks * LEAF;
        return on(new Planned(
                nextChunk++,
                new ByteRange(0, bytes),
                bytes,
                LEAF,
                List.of(S0, S1),
                Set.of(),
                List.of(new Entrant(r(0), 0), new Entrant(r(1), 1))));
    }

    private void fetched(int block, int racer) {
        on(attempt(block, r(racer), AttemptStage.STARTED, 0));
        on(attempt(block, r(racer), AttemptStage.FETCHED, LEAF));
    }

    private void deliver(long relay, int block, int racer) {
        on(new Offered(relay, new BlockId(block), r(racer)));
        on(new LeafDelivered(relay));
    }

    private static Offered offer(long relay, Issue issue) {
        return new Offered(relay, issue.block().id(), racer(issue));
    }

    private static Attempted attempt(int block, RacerId racer, AttemptStage stage, long bytes) {
        return new Attempted(new BlockId(block), racer, 0, stage, bytes);
    }

    private List<DeliveryCommand> on(DeliveryEvent event) {
        return delivery.on(event, now);
    }

    private static List<Issue> issues(List<DeliveryCommand> commands) {
        return commands.stream()
                .filter(Issue.class::isInstance)
                .map(Issue.class::cast)
                .toList();
    }

    private static List<Issue> extras(List<DeliveryCommand> commands) {
        return issues(commands).stream()
                .filter(issue -> issue.reason().isExtra())
                .toList();
    }

    private static RacerId racer(Issue issue) {
        return issue.block().entrants().get(0).racer();
    }

    private static int helper(Issue issue) {
        return racer(issue).rank() % 3;
    }

    private static RacerId r(int rank) {
        return new RacerId(rank);
    }

    private static ModePolicy mode(int queue, boolean tied) {
        return new ModePolicy(
                new ModePolicy.Blocks(LEAF, 64, 64L << 20),
                new ModePolicy.Lineup(1, 100, 1, 1, queue, tied),
                new ModePolicy.Extras(IssueReason.HAND_OVER, 20 * MS, CAP * MS, 0, false));
    }

    private RecordedDelivery delivery(int queue, boolean inOrder, SpeedEstimate usual) {
        return delivery(mode(queue, false), inOrder, usual);
    }

    private RecordedDelivery delivery(ModePolicy mode, boolean inOrder, SpeedEstimate usual) {
        return new RecordedDelivery(
                new DeliveryPolicy(mode, DeliveryPolicy.Patience.DEFAULT, inOrder),
                mode.lanes(3),
                Set.of(r(0), r(1), r(2)),
                (store, helper, bytes) -> usual,
                governor);
    }
}
