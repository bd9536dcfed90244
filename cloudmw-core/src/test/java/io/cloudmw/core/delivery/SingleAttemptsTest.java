package io.cloudmw.core.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.hedge.IssueCounts;
import io.cloudmw.core.hedge.RedundancyBudget;
import io.cloudmw.core.hedge.SpeedEstimate;
import io.cloudmw.core.hedge.SpeedEstimates;
import io.cloudmw.core.mode.DeliveryPolicy;
import io.cloudmw.core.mode.IssueReason;
import io.cloudmw.core.mode.ModePolicy;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.RedundancyLimits;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.race.AttemptStage;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.BlockRule;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.testing.DeliveryCommand;
import io.cloudmw.core.testing.DeliveryCommand.Abandon;
import io.cloudmw.core.testing.DeliveryCommand.Accept;
import io.cloudmw.core.testing.DeliveryCommand.Acknowledge;
import io.cloudmw.core.testing.DeliveryCommand.Issue;
import io.cloudmw.core.testing.DeliveryCommand.RaceLocally;
import io.cloudmw.core.testing.DeliveryCommand.Refuse;
import io.cloudmw.core.testing.DeliveryCommand.Shorten;
import io.cloudmw.core.testing.DeliveryCommand.Withdraw;
import io.cloudmw.core.testing.DeliveryEvent;
import io.cloudmw.core.testing.DeliveryEvent.Attempted;
import io.cloudmw.core.testing.DeliveryEvent.CreditWithheld;
import io.cloudmw.core.testing.DeliveryEvent.Forfeited;
import io.cloudmw.core.testing.DeliveryEvent.LeafDelivered;
import io.cloudmw.core.testing.DeliveryEvent.LocalRacersReady;
import io.cloudmw.core.testing.DeliveryEvent.Lost;
import io.cloudmw.core.testing.DeliveryEvent.Offered;
import io.cloudmw.core.testing.DeliveryEvent.PlanEnded;
import io.cloudmw.core.testing.DeliveryEvent.Planned;
import io.cloudmw.core.testing.DeliveryEvent.RacerGone;
import io.cloudmw.core.testing.DeliveryEvent.RelayFailed;
import io.cloudmw.core.testing.DeliveryEvent.Resumed;
import io.cloudmw.core.testing.DeliveryEvent.StoresAway;
import io.cloudmw.core.testing.DeliveryEvent.TimePassed;
import io.cloudmw.core.testing.DeliveryEvent.Waits;
import io.cloudmw.core.testing.RecordedDelivery;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Single attempts: one for each block, at two helpers with one lane for planned blocks and one to spare.
 * Each chunk has two replicas, at s0 and s1, and leaves of 100 bytes; a store usually answers within 10, always within
 * 50, and brings a leaf in 10.
 */
class SingleAttemptsTest {
    private static final StoreId S0 = new StoreId("s0");
    private static final StoreId S1 = new StoreId("s1");
    private static final SpeedEstimate USUAL = new SpeedEstimate(10, 50, 1e10, 5e9);
    /** The delay of a hedge: the usual 50, stretched by the least patience. */
    private static final long LATE = 62;

    private final RedundancyBudget governor = new RedundancyBudget(new RedundancyLimits(0.05, 8, 10_000));
    private RecordedDelivery delivery = delivery(hedging(IssueReason.HEDGE, false), false, 2);
    private long now;

    /** Rules 7 to 9 of {@link Delivery}. */
    @Nested
    class Issuing {
        @Test
        void chunksAreCutIntoBlocksAndEveryFreeLaneTakesTheNext() {
            assertThat(plan(0, 500))
                    .containsExactly(
                            new Issue(sole(0, 0, 200, r(0), 0), IssueReason.PLANNED),
                            new Issue(sole(1, 200, 200, r(1), 1), IssueReason.PLANNED));
            assertThat(fetched(0, r(0), 200))
                    .containsExactly(new Issue(sole(2, 400, 100, r(0), 0), IssueReason.PLANNED));
        }

        @Test
        void helpersOfOneReplicaEachReadTheOneTheyArePlannedFor() {
            assertThat(issues(plan(0, 400))).allSatisfy(block -> {
                Entrant entrant = block.entrants().get(0);
                assertThat(entrant.replica()).isEqualTo(entrant.racer().rank());
            });
        }

        @Test
        void aSoleHelperReadsFromAllStores() {
            delivery = delivery(ModePolicy.of(Mode.CHUNKED, false), false, 1);
            List<Integer> replicas = new ArrayList<>();
            for (int chunk = 0; chunk < 4; chunk++) {
                issues(plan(chunk, 200))
                        .forEach(block -> replicas.add(block.entrants().get(0).replica()));
            }

            assertThat(replicas).containsExactlyInAnyOrder(0, 0, 1, 1);
        }

        @Test
        void aHelperWithSeveralLanesRacesForSeveralReplicasWhenHelpersAreFewer() {
            delivery = delivery(ModePolicy.of(Mode.KN, false), false, 1);

            List<Block> blocks = issues(on(planned(0, 200, Set.of(), new Entrant(r(0), 0))));

            assertThat(blocks).hasSize(1);
            assertThat(blocks.get(0).entrants()).containsExactly(new Entrant(r(0), 0), new Entrant(r(1), 1));
        }

        @Test
        void singleHasOneRacerAtWork() {
            delivery = delivery(ModePolicy.of(Mode.SINGLE, false), false, 2);

            assertThat(issues(plan(0, 200)))
                    .extracting(SingleAttemptsTest::racer)
                    .containsExactly(r(0));
            assertThat(issues(plan(1, 200)))
                    .extracting(SingleAttemptsTest::racer)
                    .containsExactly(r(0));
            on(new RacerGone(r(0)));
            assertThat(delivery.counts().retries()).isEqualTo(2);
        }

        @Test
        void theLowestBlockPutsOneMoreRacerToWorkOnlyWithoutARoute() {
            delivery = delivery(hedging(IssueReason.HEDGE, false).withStreams(1, 2), false, 2);
            plan(0, 400);
            accepted(7, 0, r(0));
            fetched(0, r(0), 200);

            assertThat(issues(on(new RelayFailed(7, ErrorCode.HELPER_UNAVAILABLE))))
                    .containsExactly(sole(2, 0, 200, r(0), 1));
            assertThat(issues(on(new Forfeited(new BlockId(2), r(0), ErrorCode.REPLICA_MISSING))))
                    .containsExactly(sole(3, 0, 200, r(0), 0));
            assertThat(issues(on(new Forfeited(new BlockId(3), r(0), ErrorCode.REPLICA_MISSING))))
                    .extracting(SingleAttemptsTest::racer)
                    .containsExactly(r(1));
        }

        @Test
        void aBlockThatWaitsInItsLaneIsTiedToALaneOfAnotherHelper() {
            delivery = delivery(cooperative(2, true), false, 2);

            List<Block> blocks = issues(plan(0, 600));

            assertThat(blocks).extracting(Block::rule).containsExactly(BlockRule.SOLE, BlockRule.SOLE, BlockRule.TIED);
            assertThat(blocks.get(2).entrants()).extracting(Entrant::racer).containsExactly(r(0), r(1));
        }
    }

    /** Rule 11 of {@link Delivery}. The store s1 is ten times slower than s0, so no block is planned there. */
    @Nested
    class Exploring {
        private static final SpeedEstimates SPEEDS =
                (store, helper, bytes) -> store.equals(S0) ? USUAL : new SpeedEstimate(100, 500, 1e9, 5e8);

        @Test
        void aBlockInAHundredExploresASlowStoreWithTheTimeOfTheChosen() {
            delivery = delivery(hedging(IssueReason.HEDGE, false), false, 2, SPEEDS);
            List<Block> blocks = new ArrayList<>(issues(plan(0, 2 * 200 * RedundancyBudget.EXPLORED_EVERY)));
            List<Block> tried = new ArrayList<>();
            for (int next = 0; next < blocks.size() && tried.isEmpty(); next++) {
                Block block = blocks.get(next);
                if (block.entrants().get(0).replica() == 1) {
                    tried.add(block);
                } else {
                    accepted(next, block.id().value(), racer(block));
                    on(new LeafDelivered(next));
                    List<DeliveryCommand> commands = on(new LeafDelivered(next));
                    assertThat(commands).noneMatch(SingleAttemptsTest::isExtra);
                    blocks.addAll(issues(commands));
                }
            }
            assertThat(blocks)
                    .extracting(Block::range)
                    .as("no block was issued twice")
                    .doesNotHaveDuplicates();
            started(tried.get(0).id().value(), racer(tried.get(0)));
            now += LATE;

            assertThat(on(new TimePassed()))
                    .filteredOn(SingleAttemptsTest::isExtra)
                    .singleElement()
                    .satisfies(command -> {
                        Block second = ((Issue) command).block();
                        assertThat(second.range()).isEqualTo(tried.get(0).range());
                        assertThat(second.entrants().get(0).replica()).isZero();
                    });
        }

        @Test
        void aSingleBlockReadInAHundredExploresASlowStoreBesides() {
            delivery = delivery(hedging(IssueReason.HEDGE, false), false, 2, SPEEDS);
            List<Block> tried = new ArrayList<>();
            for (int read = 0; read < 2 * RedundancyBudget.EXPLORED_EVERY; read++) {
                List<DeliveryCommand> commands = plan(read, 100);
                Block block = issues(commands).get(0);
                assertThat(block.entrants().get(0).replica()).isZero();
                commands.stream()
                        .filter(command -> command instanceof Issue issue && issue.reason() == IssueReason.DUPLICATE)
                        .forEach(command -> tried.add(((Issue) command).block()));
                accepted(read, block.id().value(), racer(block));
                fetched(block.id().value(), racer(block), 100);
                on(new LeafDelivered(read));
            }

            assertThat(tried)
                    .hasSize(2)
                    .allSatisfy(block ->
                            assertThat(block.entrants().get(0).replica()).isEqualTo(1));
            assertThat(governor.spentBytes())
                    .as("the attempt did not begin before it lost")
                    .isZero();
        }

        @Test
        void storesAboutAsFastAreNotExplored() {
            for (int read = 0; read < 2 * RedundancyBudget.EXPLORED_EVERY; read++) {
                List<Block> blocks = issues(plan(read, 100));
                assertThat(blocks).hasSize(1);
                accepted(read, blocks.get(0).id().value(), racer(blocks.get(0)));
                fetched(blocks.get(0).id().value(), racer(blocks.get(0)), 100);
                on(new LeafDelivered(read));
            }
        }
    }

    /** A number of streams and a delay chosen for a deadline. */
    @Nested
    class Chosen {
        @Test
        void noMoreLanesWorkThanStreamsAreChosen() {
            delivery = delivery(cooperative(2, true).withStreams(1, 2), false, 2);

            List<Block> blocks = issues(plan(0, 600));

            assertThat(blocks)
                    .as("no second lane and no tied partner")
                    .allSatisfy(block -> assertThat(block.entrants())
                            .extracting(Entrant::racer)
                            .containsExactly(r(0)));
            assertThat(blocks).hasSize(2);
        }

        @Test
        void aSingleStreamStealsNothing() {
            delivery = delivery(cooperative(1, false).withStreams(1, 2), false, 2);
            plan(0, 500);
            on(new PlanEnded());
            accepted(7, 0, r(0));
            now = 1_000_000;
            on(new LeafDelivered(7));
            now += 10;

            assertThat(on(new LeafDelivered(7))).isEmpty();
        }

        @Test
        void aSecondAttemptComesAfterTheChosenDelayAndCountsAsNoStream() {
            delivery =
                    delivery(hedging(IssueReason.HEDGE, false).withStreams(1, 2).withDelay(30), false, 2);
            plan(0, 400);
            started(0, r(0));
            now = 29;
            assertThat(on(new TimePassed())).isEmpty();
            now = 30;

            assertThat(on(new TimePassed())).hasSize(1).first().isInstanceOfSatisfying(Issue.class, hedge -> {
                assertThat(hedge.reason()).isEqualTo(IssueReason.HEDGE);
                assertThat(hedge.block().range()).isEqualTo(new ByteRange(0, 200));
            });
        }
    }

    @Test
    void anAttemptLaterThanChosenButNotThanUsualDoesNotJudgeItsStore() {
        delivery = delivery(hedging(IssueReason.HEDGE, false).withDelay(30), false, 2);
        for (int chunk = 0; chunk < 8; chunk++) {
            plan(chunk, 200);
            int block = 2 * chunk;
            started(block, r(0));
            now += 30;
            assertThat(on(new TimePassed())).hasSize(1);
            on(new Offered(chunk, new BlockId(block), r(0)));
            on(new LeafDelivered(chunk));
            on(new LeafDelivered(chunk));
        }

        assertThat(governor.isSlow(S0)).isFalse();
    }

    /** Rules 6, 9, 22 and 26 of {@link Delivery}. */
    @Nested
    class Failures {
        @Test
        void leavesAnAttemptDidNotBringAreIssuedToAnotherReplica() {
            plan(0, 200);
            accepted(7, 0, r(0));
            on(new LeafDelivered(7));

            assertThat(on(new Forfeited(new BlockId(0), r(0), ErrorCode.STORE_UNAVAILABLE)))
                    .containsExactly(
                            new Refuse(7),
                            new Withdraw(sole(0, 0, 200, r(0), 0)),
                            new Issue(sole(1, 100, 100, r(0), 1), IssueReason.RETRY));
        }

        @Test
        void aHelperThatFetchesWithoutASignOfLifeIsAbandoned() {
            plan(0, 200);
            started(0, r(0));
            now += 999;
            on(attempt(0, r(0), AttemptStage.UNDER_WAY, 0));
            now += 999;
            assertThat(on(new TimePassed())).noneMatch(DeliveryCommand.Abandon.class::isInstance);
            now += 1;

            assertThat(on(new TimePassed())).contains(new DeliveryCommand.Abandon(r(0), ErrorCode.DEADLINE_EXCEEDED));
        }

        @Test
        void theDestinationAbandonsNoHelperAfterItsOwnPause() {
            plan(0, 200);
            started(0, r(0));
            now += 60_000;
            on(new DeliveryEvent.Resumed());

            assertThat(on(new TimePassed())).noneMatch(DeliveryCommand.Abandon.class::isInstance);
            now += 1_000;
            assertThat(on(new TimePassed())).anyMatch(DeliveryCommand.Abandon.class::isInstance);
        }

        @Test
        void theLowestBlockIsIssuedWhenNoLaneIsFree() {
            delivery = delivery(hedging(IssueReason.HEDGE, false), true, 2);
            plan(0, 400);
            on(attempt(1, r(1), AttemptStage.STARTED, 0));
            on(new RacerGone(r(0)));

            assertThat(delivery.counts().retries()).isEqualTo(1);
        }
    }

    /** Stores that are away: the process that reads s0 is gone. */
    @Nested
    class Away {
        private final StoresAway away = new StoresAway(Set.of(S0));

        @Test
        void blocksReadFromAStoreThatIsAwayAreRetriedElsewhere() {
            delivery = delivery(hedging(IssueReason.HAND_OVER, false), false, 2);
            plan(0, 400);
            accepted(7, 0, r(0));
            on(new LeafDelivered(7));
            started(1, r(1));

            List<Block> again = issues(on(away));

            assertThat(again).singleElement().satisfies(block -> {
                assertThat(block.range()).as("the missing leaf").isEqualTo(new ByteRange(100, 100));
                assertThat(block.entrants().get(0).replica()).isEqualTo(1);
            });
            assertThat(delivery.counts().retries()).isEqualTo(1);
            assertThat(governor.spentRequests())
                    .as("the budget for second attempts")
                    .isZero();
        }

        @Test
        void aStoreThatIsAwayIsReadLastHoweverQuickItWas() {
            delivery = delivery(
                    hedging(IssueReason.HAND_OVER, false),
                    false,
                    2,
                    (store, helper, bytes) ->
                            store.equals(S0) ? USUAL : new SpeedEstimate(1_000_000, 2_000_000, 1e6, 1e6));
            on(away);
            assertThat(issues(plan(0, 400)))
                    .isNotEmpty()
                    .allSatisfy(block ->
                            assertThat(block.entrants().get(0).replica()).isEqualTo(1));
            assertThat(issues(on(new Forfeited(new BlockId(0), r(0), ErrorCode.REPLICA_MISSING))))
                    .anySatisfy(block -> assertThat(block.range().offset()).isZero());
        }

        @Test
        void aLateAttemptGetsNoSecondOneAtAStoreThatIsAway() {
            for (IssueReason second : List.of(IssueReason.HEDGE, IssueReason.HAND_OVER)) {
                delivery = delivery(hedging(second, true), false, 2);
                on(away);
                List<Block> blocks = issues(plan(0, 200));
                on(new PlanEnded());
                assertThat(blocks).hasSize(1);
                started(0, racer(blocks.get(0)));
                now += 4 * LATE;
                assertThat(on(new TimePassed())).as("%s", second).isEmpty();
                assertThat(delivery.counts().suppressed())
                        .as("the budget suppressed none")
                        .isZero();
            }
        }

        @Test
        void anIdleLaneStealsNothingByAStoreThatIsAway() {
            delivery = delivery(cooperative(1, false), false, 2);
            on(away);
            List<Block> blocks = new ArrayList<>(issues(plan(0, 1000)));
            on(new PlanEnded());
            for (int next = 0; next < blocks.size(); next++) {
                now += 4 * LATE;
                Block block = blocks.get(next);
                if (racer(block).equals(r(0))) {
                    started(next, r(0));
                    blocks.addAll(issues(fetched(next, r(0), block.range().length())));
                } else {
                    started(next, racer(block));
                }
                blocks.addAll(issues(on(new TimePassed())));
            }
            assertThat(blocks)
                    .flatExtracting(Block::entrants)
                    .extracting(Entrant::replica)
                    .containsOnly(1);
        }

        @Test
        void aStoreThatIsAwayIsNotExplored() {
            SpeedEstimates slow =
                    (store, helper, bytes) -> store.equals(S0) ? new SpeedEstimate(100, 500, 1e9, 5e8) : USUAL;
            delivery = delivery(hedging(IssueReason.HEDGE, false), false, 2, slow);
            on(away);
            for (int read = 0; read < 2 * RedundancyBudget.EXPLORED_EVERY; read++) {
                List<Block> blocks = issues(plan(read, 100));
                assertThat(blocks).hasSize(1);
                assertThat(blocks.get(0).entrants().get(0).replica()).isEqualTo(1);
                accepted(read, blocks.get(0).id().value(), racer(blocks.get(0)));
                fetched(blocks.get(0).id().value(), racer(blocks.get(0)), 100);
                on(new LeafDelivered(read));
            }
        }

        @Test
        void blocksReadableNowhereElseGoOnAtAStoreThatIsAway() {
            delivery = delivery(hedging(IssueReason.HAND_OVER, false), false, 2);
            plan(0, 200, Set.of(S1));
            started(0, r(0));
            assertThat(on(away)).isEmpty();
        }
    }

    /** Rule 29 of {@link Delivery}. The replicas at s0 are bad. */
    @Nested
    class KnownToBeBad {
        private final Set<StoreId> bad = Set.of(S0);

        @ParameterizedTest
        @EnumSource(
                value = Mode.class,
                names = {"SINGLE", "CHUNKED", "HEDGED", "COOPERATIVE"})
        void aBadReplicaIsNotReadWhileAnotherIsLeft(Mode mode) {
            delivery = delivery(ModePolicy.of(mode, false), false, 2);
            List<Block> blocks = new ArrayList<>();
            for (int chunk = 0; chunk < 4; chunk++) {
                blocks.addAll(issues(plan(chunk, 400, bad)));
            }
            blocks.addAll(issues(on(new Forfeited(new BlockId(0), racer(blocks.get(0)), ErrorCode.STORE_UNAVAILABLE))));

            assertThat(blocks)
                    .hasSizeGreaterThan(1)
                    .allSatisfy(block -> assertThat(block.entrants())
                            .extracting(Entrant::replica)
                            .containsOnly(1));
        }

        @Test
        void lanesOfASoleHelperDoNotRaceForABadReplica() {
            delivery = delivery(ModePolicy.of(Mode.KN, false), false, 1);

            assertThat(issues(on(planned(0, 200, bad, new Entrant(r(0), 1)))))
                    .singleElement()
                    .satisfies(block -> assertThat(block.entrants()).containsExactly(new Entrant(r(0), 1)));
        }

        @Test
        void aLateAttemptGetsNoSecondOneAtABadReplica() {
            plan(0, 200, bad);
            started(0, r(0));
            now = 4 * LATE;

            assertThat(on(new TimePassed())).isEmpty();
            assertThat(delivery.counts().suppressed())
                    .as("the budget suppressed none")
                    .isZero();
        }

        @Test
        void aBadReplicaIsReadWhenNoOtherIsLeft() {
            plan(0, 200, bad);
            assertThat(issues(on(missing(0, r(0))))).containsExactly(barring(1, r(1)));
            assertThat(on(missing(1, r(1)))).endsWith(new RaceLocally(1));
            assertThat(issues(on(new LocalRacersReady(List.of(r(10)))))).containsExactly(barring(2, r(10)));

            assertThat(issues(on(missing(2, r(10))))).containsExactly(sole(3, 0, 200, r(0), 0));

            assertThat(issues(on(missing(3, r(0))))).containsExactly(sole(4, 0, 200, r(1), 0));
            assertThat(issues(on(missing(4, r(1))))).containsExactly(sole(5, 0, 200, r(10), 0));
            assertThat(on(missing(5, r(10)))).endsWith(new DeliveryCommand.Fail(0, ErrorCode.REPLICA_MISSING));
        }

        @Test
        void badReplicasAreReadFromTheStartWhenAllAreBad() {
            assertThat(issues(plan(0, 200, Set.of(S0, S1)))).containsExactly(sole(0, 0, 200, r(0), 0));
        }

        private Forfeited missing(int block, RacerId racer) {
            return new Forfeited(new BlockId(block), racer, ErrorCode.REPLICA_MISSING);
        }

        private Block barring(int id, RacerId racer) {
            return new Block(
                    new BlockId(id),
                    0,
                    new ByteRange(0, 200),
                    2,
                    List.of(new Entrant(racer, 1)),
                    BlockRule.SOLE,
                    Set.of(0));
        }
    }

    /** Rules 12 to 15 of {@link Delivery}. */
    @Nested
    class Hedges {
        @Test
        void aFirstByteThatIsLateGetsASecondAttemptAtAnotherStore() {
            plan(0, 200);
            started(0, r(0));
            assertThat(delivery.wakeAtNanos()).hasValue(LATE);
            now = LATE;

            assertThat(on(new TimePassed())).containsExactly(new Issue(sole(1, 0, 200, r(3), 1), IssueReason.HEDGE));
            assertThat(on(new TimePassed())).isEmpty();
        }

        @Test
        void theAttemptThatShowsTheFirstLeafGoesOn() {
            hedged();

            assertThat(on(new Offered(8, new BlockId(1), r(3))))
                    .containsExactly(
                            new Withdraw(sole(0, 0, 200, r(0), 0)),
                            new Accept(8, sole(1, 0, 200, r(3), 1), new ByteRange(0, 200)));
            assertThat(delivery.counts().hedgesWon()).isEqualTo(1);
        }

        @Test
        void aHedgeThatIsNotFirstIsWithdrawn() {
            hedged();

            assertThat(on(new Offered(7, new BlockId(0), r(0))))
                    .containsExactly(
                            new Withdraw(sole(1, 0, 200, r(3), 1)),
                            new Accept(7, sole(0, 0, 200, r(0), 0), new ByteRange(0, 200)));
            assertThat(delivery.counts().hedgesWon()).isZero();
            assertThat(governor.spentBytes()).isZero();
        }

        @Test
        void stalledStreamIsHedgedForItsMissingLeavesAndNoLeafIsDeliveredTwice() {
            plan(0, 200);
            accepted(7, 0, r(0));
            on(new LeafDelivered(7));
            now += LATE;
            assertThat(on(new TimePassed())).containsExactly(new Issue(sole(1, 100, 100, r(3), 1), IssueReason.HEDGE));

            assertThat(on(new Offered(8, new BlockId(1), r(3))))
                    .containsExactly(
                            new Refuse(7),
                            new Withdraw(sole(0, 0, 200, r(0), 0)),
                            new Accept(8, sole(1, 100, 100, r(3), 1), new ByteRange(100, 100)));
            assertThat(on(new LeafDelivered(7))).isEmpty();
            assertThat(on(new LeafDelivered(8))).containsExactly(new Acknowledge(sole(1, 100, 100, r(3), 1)));
        }

        @Test
        void theSoonerOfTwoMovingAttemptsGoesOn() {
            delivery = delivery(
                    new ModePolicy(
                            new ModePolicy.Blocks(1000, 16, 100_000),
                            new ModePolicy.Lineup(1, 100, 1, 1, 1, false),
                            new ModePolicy.Extras(IssueReason.HEDGE, 1, 1000, 0, false)),
                    false,
                    2);
            plan(0, 1000);
            accepted(7, 0, r(0));
            for (int leaf = 0; leaf < 8; leaf++) {
                now++;
                on(new LeafDelivered(7));
            }
            now += LATE + 1;
            assertThat(on(new TimePassed())).hasOnlyElementsOfType(Issue.class);
            on(new LeafDelivered(7));

            assertThat(on(new Offered(8, new BlockId(1), r(3))))
                    .containsExactly(new Refuse(8), new Withdraw(sole(1, 800, 200, r(3), 1)));
        }

        @Test
        void theAllowanceOfAnExtraIsSettledOnce() {
            hedged();
            on(new Offered(8, new BlockId(1), r(3)));
            on(new LeafDelivered(8));
            now += LATE;
            assertThat(on(new TimePassed())).hasOnlyElementsOfType(Issue.class);
            on(new LeafDelivered(8));

            assertThat(governor.spentBytes()).isZero();
            assertThat(delivery.counts().hedgesWon()).isEqualTo(1);
        }

        @Test
        void theAllowanceOfAnExtraIsRefundedWhenTheDeliveryCloses() {
            hedged();
            on(attempt(1, r(3), AttemptStage.UNDER_WAY, 100));
            assertThat(governor.spentBytes()).isEqualTo(200);

            delivery.close();
            delivery.close();

            assertThat(governor.spentBytes()).isEqualTo(100);
            assertThat(on(new Offered(8, new BlockId(1), r(3)))).isEmpty();
        }

        @Test
        void theAllowanceIsRefundedWhenAnExtraGoesOnAlone() {
            hedged();
            assertThat(governor.spentBytes()).isEqualTo(200);

            on(new Forfeited(new BlockId(0), r(0), ErrorCode.STORE_UNAVAILABLE));

            assertThat(governor.spentBytes()).isZero();
        }

        @Test
        void noAttemptIsLateWhileCreditIsWithheld() {
            plan(0, 200);
            accepted(7, 0, r(0));
            on(new CreditWithheld(7));
            now += 10 * LATE;

            assertThat(on(new TimePassed())).isEmpty();
        }

        @Test
        void aSuppressedSecondAttemptIsCountedAndAskedForAgainLater() {
            for (int i = 0; i < 8; i++) {
                governor.spend(S0, S1, 0);
            }
            plan(0, 200);
            started(0, r(0));
            now = 4 * LATE;
            assertThat(on(new TimePassed())).isEmpty();
            assertThat(delivery.counts().suppressed()).isEqualTo(1);

            for (int i = 0; i < 20; i++) {
                governor.usefulRequest();
            }
            assertThat(on(new TimePassed())).isEmpty();
            now += LATE;
            assertThat(on(new TimePassed())).hasOnlyElementsOfType(Issue.class).hasSize(1);
        }

        @Test
        void attemptsAreNotHedgedWhenAllStoresAreLate() {
            for (int i = 0; i < 10; i++) {
                governor.judged(S0, true);
                governor.judged(S1, true);
            }
            plan(0, 200);
            started(0, r(0));
            now = 4 * LATE;

            assertThat(on(new TimePassed())).isEmpty();
            assertThat(governor.suppressed()).isEqualTo(1);
        }

        /** No other attempt is under way, so no answer will show whether the stores are still slow. */
        @Test
        void aStalledAttemptIsHedgedAlthoughAllStoresWereLate() {
            governor.answered(S1, 10);
            governor.judged(S0, true);
            governor.judged(S1, true);
            plan(0, 200);
            started(0, r(0));
            now = 300;
            assertThat(on(new TimePassed())).isEmpty();
            assertThat(governor.suppressed()).isEqualTo(1);

            now = 400;
            assertThat(on(new TimePassed())).hasOnlyElementsOfType(Issue.class).hasSize(1);
        }

        /** The store usually brings 10 bytes a nanosecond. */
        @Test
        void aStoreWithAPromptFirstByteAndLowThroughputIsSlow() {
            plan(0, 600);
            bring(0, r(0), 21);
            assertThat(governor.isSlow(S0)).isTrue();

            bring(1, r(1), 19);
            assertThat(governor.isSlow(S1))
                    .as("a little more than half of the usual rate")
                    .isFalse();
        }

        /** Delivers 200 bytes; the second half takes this long. */
        private void bring(int block, RacerId racer, long nanos) {
            started(block, racer);
            on(attempt(block, racer, AttemptStage.UNDER_WAY, 100));
            now += nanos;
            fetched(block, racer, 200);
        }

        private void hedged() {
            plan(0, 200);
            started(0, r(0));
            now = LATE;
            on(new TimePassed());
            started(1, r(3));
        }
    }

    /** Rule 27 of {@link Delivery}. No helper; the client has three racers, one for each replica and one to spare. */
    @Nested
    class InProcess {
        @Test
        void aLateOwnAttemptGetsASecondOneByASpareRacer() {
            delivery = delivery(hedging(IssueReason.HEDGE, false), false, 0);
            assertThat(plan(0, 600)).containsExactly(new RaceLocally(1));
            assertThat(on(new LocalRacersReady(List.of(r(0), r(1), r(2)))))
                    .containsExactly(
                            new Issue(sole(0, 0, 200, r(0), 0), IssueReason.PLANNED),
                            new Issue(sole(1, 200, 200, r(1), 1), IssueReason.PLANNED));
            started(0, r(0));
            now = LATE;

            assertThat(on(new TimePassed())).containsExactly(new Issue(sole(2, 0, 200, r(2), 1), IssueReason.HEDGE));
            assertThat(on(new Offered(8, new BlockId(2), r(2))))
                    .contains(
                            new Withdraw(sole(0, 0, 200, r(0), 0)),
                            new Accept(8, sole(2, 0, 200, r(2), 1), new ByteRange(0, 200)));
            assertThat(delivery.counts().hedgesWon()).isEqualTo(1);
        }
    }

    /** Rule 19 of {@link Delivery}: blocks that wait for room at their helper. */
    @Nested
    class Waiting {
        @Test
        void aBlockWithoutRoomAtItsHelperMovesOnceAndNoStoreIsBlamed() {
            plan(0, 200);
            on(new Waits(new BlockId(0), r(0)));
            now = LATE - 1;
            assertThat(on(new TimePassed())).isEmpty();
            now = LATE;

            assertThat(on(new TimePassed()))
                    .containsExactly(
                            new Withdraw(sole(0, 0, 200, r(0), 0)),
                            new Issue(sole(1, 0, 200, r(3), 1), IssueReason.PLANNED));

            on(new Waits(new BlockId(1), r(3)));
            now += 1000;
            on(new Waits(new BlockId(1), r(3)));
            assertThat(on(new TimePassed())).isEmpty();
            assertThat(delivery.counts()).isEqualTo(new IssueCounts(0, 0, 0, 0, 0, 0, 0, 0));
            assertThat(governor.suppressed()).isZero();
        }

        /** The helper told its rival that it starts the block, and then had no room. */
        @Test
        void aTiedBlockLeftByOneEntrantMovesWhenTheOtherHasNoRoom() {
            delivery = delivery(cooperative(2, true), false, 2);
            plan(0, 600);
            started(0, r(0));
            started(1, r(1));
            fetched(0, r(0), 200);
            on(new Lost(new BlockId(2), r(1), r(0)));
            on(new Waits(new BlockId(2), r(0)));
            fetched(1, r(1), 200);
            now = LATE;

            assertThat(issues(on(new TimePassed())))
                    .singleElement()
                    .satisfies(block -> assertThat(racer(block)).isEqualTo(r(1)));
        }

        /** The block was begun just when it was taken back: an extra that the budget did not allow, and that counts. */
        @Test
        void aMovedBlockThatWasBegunNeverthelessIsCharged() {
            plan(0, 200);
            on(new Waits(new BlockId(0), r(0)));
            now = LATE;
            assertThat(on(new TimePassed())).hasAtLeastOneElementOfType(Withdraw.class);

            started(0, r(0));
            on(attempt(0, r(0), AttemptStage.UNDER_WAY, 20));
            assertThat(governor.spentRequests()).isEqualTo(1);
            assertThat(governor.spentBytes()).isZero();
            on(attempt(0, r(0), AttemptStage.STOPPED, 50));
            on(attempt(0, r(0), AttemptStage.STOPPED, 50));

            assertThat(governor.spentRequests()).isEqualTo(1);
            assertThat(governor.spentBytes()).isEqualTo(50);
        }

        @Test
        void aMovedBlockThatWasNotBegunIsNotCharged() {
            plan(0, 200);
            on(new Waits(new BlockId(0), r(0)));
            now = LATE;
            on(new TimePassed());
            on(attempt(0, r(0), AttemptStage.STOPPED, 0));

            assertThat(governor.spentRequests()).isZero();
        }

        @Test
        void aRetryThatGoesToAnotherHelperIsCountedOnce() {
            plan(0, 200);
            RacerId second = racer(issues(on(new Forfeited(new BlockId(0), r(0), ErrorCode.STORE_UNAVAILABLE)))
                    .get(0));
            on(new Waits(new BlockId(1), second));
            now = LATE;

            assertThat(on(new TimePassed()))
                    .filteredOn(Issue.class::isInstance)
                    .singleElement()
                    .satisfies(command -> assertThat(((Issue) command).reason()).isEqualTo(IssueReason.RETRY));
            assertThat(delivery.counts().retries()).isEqualTo(1);
        }

        @Test
        void aHelperNeverHeardGetsItsTimeAgainAfterTheDestinationWasAway() {
            plan(0, 200);
            now = 500;
            on(new Resumed());
            now = 10_499;
            assertThat(on(new TimePassed())).noneMatch(Abandon.class::isInstance);
            now = 10_500;
            assertThat(on(new TimePassed())).contains(new Abandon(r(0), ErrorCode.DEADLINE_EXCEEDED));
        }

        @Test
        void aBlockWithoutRoomAtTheOnlyHelperIsWaitedFor() {
            delivery = delivery(hedging(IssueReason.HEDGE, false), false, 1);
            plan(0, 200);
            for (int i = 0; i < 100; i++) {
                now += 900;
                on(new Waits(new BlockId(0), r(0)));
                assertThat(on(new TimePassed())).isEmpty();
            }
            assertThat(on(new Forfeited(new BlockId(0), r(0), ErrorCode.OVERLOADED)))
                    .contains(new Withdraw(sole(0, 0, 200, r(0), 0)));
        }

        @Test
        void aFetchedBlockWithoutAStreamIsWaitedForAndNotFetchedTwice() {
            plan(0, 200);
            started(0, r(0));
            fetched(0, r(0), 200);
            for (int i = 0; i < 5; i++) {
                now += 999;
                on(new Waits(new BlockId(0), r(0)));
                assertThat(on(new TimePassed())).isEmpty();
            }
            assertThat(on(new Offered(7, new BlockId(0), r(0)))).hasOnlyElementsOfType(Accept.class);
        }
    }

    /** Rule 10 of {@link Delivery}. */
    @Nested
    class IdleLanes {
        @Test
        void anIdleLaneSplitsABlockSoThatBothPartsEndTogether() {
            delivery = delivery(cooperative(1, false), false, 2);
            plan(0, 1000);
            on(new PlanEnded());
            accepted(7, 0, r(0));
            now = 1_000_000;
            on(new LeafDelivered(7));
            on(new LeafDelivered(7));
            on(attempt(1, r(1), AttemptStage.STARTED, 0));
            now += 10;

            List<DeliveryCommand> commands = fetched(1, r(1), 500);

            assertThat(commands).hasSize(2);
            Shorten shorten = (Shorten) commands.get(0);
            Issue stolen = (Issue) commands.get(1);
            assertThat(stolen.reason()).isEqualTo(IssueReason.STEAL);
            assertThat(racer(stolen.block())).isEqualTo(r(1));
            assertThat(shorten.block().id()).isEqualTo(new BlockId(0));
            assertThat(shorten.kept().offset()).isZero();
            assertThat(stolen.block().range().offset()).isEqualTo(shorten.kept().end());
            assertThat(stolen.block().range().end()).isEqualTo(500);
            assertThat(shorten.kept().end()).isGreaterThanOrEqualTo(300).isLessThan(500);
        }

        /** Only r1 has block 1, and may have started it long before that is heard. Every store is ten times quicker by r0. */
        @Test
        void aBlockWhoseStartIsNotReportedYetIsNotTakenBack() {
            SpeedEstimate slow = new SpeedEstimate(100, 500, 1e9, 5e8);
            SpeedEstimates speeds = (store, helper, bytes) -> helper == 1 ? slow : USUAL;
            delivery = delivery(cooperative(1, false), false, 2, speeds);
            on(planned(0, 1000, Set.of(), new Entrant(r(0), 0), new Entrant(r(1), 1)));
            on(new PlanEnded());
            long spent = governor.spentRequests();
            started(0, r(0));

            List<DeliveryCommand> commands = fetched(0, r(0), 500);

            assertThat(commands).noneMatch(Withdraw.class::isInstance);
            assertThat(governor.spentRequests() - spent)
                    .isEqualTo(issues(commands).size());
        }

        @Test
        void aBlockAcceptedByAStreamIsNotSplit() {
            delivery = delivery(cooperative(1, false), true, 2);
            plan(0, 1000);
            accepted(7, 0, r(0));
            now = 1_000_000;
            on(new LeafDelivered(7));
            on(new LeafDelivered(7));
            on(attempt(1, r(1), AttemptStage.STARTED, 0));
            now += 10;

            assertThat(fetched(1, r(1), 500)).noneMatch(Shorten.class::isInstance);
        }
    }

    /** Rule 8 of {@link Delivery}. */
    @Nested
    class Tied {
        @Test
        void theFirstEntrantHeardRunsATiedBlockAndTheOtherLaneIsFree() {
            delivery = delivery(cooperative(2, true), false, 2);
            plan(0, 600);
            started(0, r(0));
            started(1, r(1));
            on(attempt(1, r(1), AttemptStage.FETCHED, 200));
            started(2, r(1));
            on(new Lost(new BlockId(2), r(0), r(1)));

            assertThat(on(new Offered(9, new BlockId(2), r(1)))).hasOnlyElementsOfType(Accept.class);
        }

        /** r1 reports nothing more after that, and is well. */
        @Test
        void anEntrantThatHadFetchedATiedBlockIsNotWaitedFor() {
            delivery = delivery(cooperative(2, true), true, 2);
            plan(0, 600);
            accepted(7, 0, r(0));
            on(new CreditWithheld(7));
            fetched(1, r(1), 200);
            on(new Offered(8, new BlockId(1), r(1)));
            started(2, r(0));
            fetched(2, r(1), 200);
            on(new Offered(9, new BlockId(2), r(1)));
            on(new Lost(new BlockId(2), r(0), r(1)));
            now = 900;
            on(new Waits(new BlockId(0), r(0)));
            now = 1500;

            assertThat(on(new TimePassed())).noneMatch(Abandon.class::isInstance);
        }

        /** An entrant had started when it heard that its rival had; its report arrives after it left. Both are well and idle. */
        @Test
        void anEntrantHeardAfterItLeftDoesNotRunATiedBlock() {
            delivery = delivery(cooperative(2, true), true, 2);
            plan(0, 600);
            accepted(7, 0, r(0));
            fetched(0, r(0), 200);
            on(new CreditWithheld(7));
            fetched(1, r(1), 200);
            on(new Offered(8, new BlockId(1), r(1)));
            on(new Lost(new BlockId(2), r(0), r(1)));
            started(2, r(0));
            started(2, r(1));
            fetched(2, r(1), 200);
            on(new Offered(9, new BlockId(2), r(1)));
            now = 1500;

            assertThat(on(new TimePassed())).noneMatch(Abandon.class::isInstance);
        }

        /** The last tied block is run at s1 by its second entrant r1, so s0 counts as idle. */
        @Test
        void theStoreOfATiedBlockIsThatOfItsRunner() {
            delivery = delivery(cooperative(2, true), false, 2);
            plan(0, 600);
            started(0, r(0));
            started(1, r(1));
            now = 20;
            fetched(1, r(1), 200);
            started(2, r(1));
            on(new Lost(new BlockId(2), r(0), r(1)));
            fetched(0, r(0), 200);

            List<Block> next = issues(plan(1, 200));

            assertThat(next)
                    .singleElement()
                    .satisfies(block -> assertThat(block.entrants()).containsExactly(new Entrant(r(0), 0)));
        }

        /** r1 took 400 for 200 bytes at s1, so s0 is better for the next block. */
        @Test
        void anEntrantThatGoesOnIsTimedFromItsFirstReport() {
            delivery = delivery(cooperative(2, true), false, 2);
            plan(0, 600);
            started(0, r(0));
            started(1, r(1));
            fetched(0, r(0), 200);
            fetched(1, r(1), 200);
            now = 100;
            started(2, r(0));
            started(2, r(1));
            now = 500;
            fetched(2, r(1), 200);
            now = 501;
            on(new Lost(new BlockId(2), r(0), r(1)));

            List<Block> next = issues(plan(1, 400));

            assertThat(next)
                    .extracting(block -> block.entrants().get(0))
                    .containsExactly(new Entrant(r(0), 0), new Entrant(r(1), 0));
        }

        /** r1 had started too, at 10, and has brought nothing by 72, so r2 gets a second attempt. */
        @Test
        void theOtherStartedEntrantIsWatchedWhenTheRunnerIsGone() {
            delivery = delivery(cooperative(2, true), false, 3);
            plan(0, 800);
            deliver(7, 0, r(0));
            deliver(8, 1, r(1));
            deliver(9, 2, r(2));
            now = 10;
            started(3, r(0));
            started(3, r(1));
            now = 20;
            on(new RacerGone(r(0)));
            now = 10 + LATE;

            assertThat(on(new TimePassed()))
                    .containsExactly(new Issue(sole(4, 600, 200, r(2), 0), IssueReason.HAND_OVER));
        }

        @Test
        void aTiedBlockLeftToADepartedEntrantIsIssuedAnew() {
            delivery = delivery(cooperative(2, true), false, 2);
            plan(0, 600);
            started(2, r(1));
            on(new Lost(new BlockId(2), r(0), r(1)));

            assertThat(issues(on(new RacerGone(r(1))))).isNotEmpty();
        }

        /** r1 was heard before, so its silence counts after 1000; r0 has forfeited and is not waited for. */
        @Test
        void onlyTheSilentEntrantIsGivenUpWhenTheFirstForfeited() {
            delivery = delivery(cooperative(2, true), false, 2);
            plan(0, 600);
            on(new PlanEnded());
            deliver(7, 0, r(0));
            deliver(8, 1, r(1));
            now = 100;
            started(2, r(0));
            on(new Forfeited(new BlockId(2), r(0), ErrorCode.REPLICA_CORRUPT));
            now = 1000;

            List<DeliveryCommand> commands = on(new TimePassed());

            assertThat(commands)
                    .filteredOn(Abandon.class::isInstance)
                    .containsExactly(new Abandon(r(1), ErrorCode.DEADLINE_EXCEEDED));
            assertThat(issues(commands)).extracting(SingleAttemptsTest::racer).containsExactly(r(0));
        }

        @Test
        void theSecondCopyRemainsWhenTheFirstEntrantIsGone() {
            delivery = delivery(cooperative(2, true), false, 2);
            plan(0, 600);
            on(new RacerGone(r(0)));

            assertThat(on(new Offered(9, new BlockId(2), r(1)))).hasOnlyElementsOfType(Accept.class);
        }
    }

    private List<DeliveryCommand> plan(long chunk, long bytes) {
        return plan(chunk, bytes, Set.of());
    }

    private List<DeliveryCommand> plan(long chunk, long bytes, Set<StoreId> bad) {
        return on(planned(chunk, bytes, bad, new Entrant(r(0), 0), new Entrant(r(1), 1)));
    }

    private static Planned planned(long chunk, long bytes, Set<StoreId> bad, Entrant... entrants) {
        return new Planned(chunk, new ByteRange(0, bytes), bytes, 100, List.of(S0, S1), bad, List.of(entrants));
    }

    private void started(int block, RacerId racer) {
        on(attempt(block, racer, AttemptStage.STARTED, 0));
    }

    private void accepted(long relay, int block, RacerId racer) {
        started(block, racer);
        assertThat(on(new Offered(relay, new BlockId(block), racer))).anyMatch(Accept.class::isInstance);
    }

    /** Delivers a whole block of two leaves. */
    private void deliver(long relay, int block, RacerId racer) {
        accepted(relay, block, racer);
        fetched(block, racer, 200);
        on(new LeafDelivered(relay));
        on(new LeafDelivered(relay));
    }

    private List<DeliveryCommand> fetched(int block, RacerId racer, long bytes) {
        return on(attempt(block, racer, AttemptStage.FETCHED, bytes));
    }

    private static Attempted attempt(int block, RacerId racer, AttemptStage stage, long bytes) {
        return new Attempted(new BlockId(block), racer, 0, stage, bytes);
    }

    private List<DeliveryCommand> on(DeliveryEvent event) {
        return delivery.on(event, now);
    }

    private static List<Block> issues(List<DeliveryCommand> commands) {
        return commands.stream()
                .filter(Issue.class::isInstance)
                .map(command -> ((Issue) command).block())
                .toList();
    }

    private static boolean isExtra(DeliveryCommand command) {
        return command instanceof Issue issue && issue.reason().isExtra();
    }

    private static RacerId racer(Block block) {
        return block.entrants().get(0).racer();
    }

    private static RacerId r(int rank) {
        return new RacerId(rank);
    }

    private static Block sole(int id, long offset, long length, RacerId racer, int replica) {
        return new Block(
                new BlockId(id),
                0,
                new ByteRange(offset, length),
                2,
                List.of(new Entrant(racer, replica)),
                BlockRule.SOLE);
    }

    private static ModePolicy hedging(IssueReason reason, boolean steals) {
        return new ModePolicy(
                new ModePolicy.Blocks(200, 16, 100_000),
                new ModePolicy.Lineup(1, 100, 1, 1, 1, false),
                new ModePolicy.Extras(reason, 1, 1000, 0, steals));
    }

    private static ModePolicy cooperative(int queue, boolean tied) {
        return new ModePolicy(
                new ModePolicy.Blocks(tied ? 200 : 500, 16, 100_000),
                new ModePolicy.Lineup(1, 100, 1, 0, queue, tied),
                new ModePolicy.Extras(IssueReason.HAND_OVER, 1, 1_000_000_000, 0, true));
    }

    private RecordedDelivery delivery(ModePolicy mode, boolean inOrder, int helpers) {
        return delivery(mode, inOrder, helpers, (store, helper, bytes) -> USUAL);
    }

    private RecordedDelivery delivery(ModePolicy mode, boolean inOrder, int helpers, SpeedEstimates speeds) {
        Set<RacerId> reachable =
                IntStream.range(0, helpers).mapToObj(RacerId::new).collect(Collectors.toSet());
        DeliveryPolicy.Patience patience = new DeliveryPolicy.Patience(1000, 10_000, 8);
        return new RecordedDelivery(
                new DeliveryPolicy(mode, patience, inOrder), mode.lanes(helpers), reachable, speeds, governor);
    }
}
