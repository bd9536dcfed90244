package io.cloudmw.core.race;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.testing.RaceCommand;
import io.cloudmw.core.testing.RaceCommand.Cancel;
import io.cloudmw.core.testing.RaceCommand.Claim;
import io.cloudmw.core.testing.RaceCommand.Deliver;
import io.cloudmw.core.testing.RaceCommand.Discard;
import io.cloudmw.core.testing.RaceCommand.Forfeit;
import io.cloudmw.core.testing.RaceCommand.ReportForfeited;
import io.cloudmw.core.testing.RaceCommand.ReportLost;
import io.cloudmw.core.testing.RaceCommand.Shorten;
import io.cloudmw.core.testing.RaceCommand.Start;
import io.cloudmw.core.testing.RaceCommand.TellStarted;
import io.cloudmw.core.testing.RaceCommand.Yield;
import io.cloudmw.core.testing.RaceEvent;
import io.cloudmw.core.testing.RaceEvent.Cancelled;
import io.cloudmw.core.testing.RaceEvent.Delivered;
import io.cloudmw.core.testing.RaceEvent.Failed;
import io.cloudmw.core.testing.RaceEvent.Finished;
import io.cloudmw.core.testing.RaceEvent.Issued;
import io.cloudmw.core.testing.RaceEvent.RivalClaimed;
import io.cloudmw.core.testing.RaceEvent.RivalForfeited;
import io.cloudmw.core.testing.RaceEvent.RivalGone;
import io.cloudmw.core.testing.RaceEvent.RivalStarted;
import io.cloudmw.core.testing.RaceEvent.RivalYielded;
import io.cloudmw.core.testing.RaceEvent.Shortened;
import io.cloudmw.core.testing.RaceEvent.TimePassed;
import io.cloudmw.core.testing.RaceEvent.Withdrawn;
import io.cloudmw.core.testing.RecordedRace;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The cooperative competition protocol (CloudMW §4.1) at the helper of rank 1 of three. */
class RaceTest {
    private static final RacerId E0 = new RacerId(0);
    private static final RacerId SELF = new RacerId(1);
    private static final RacerId E2 = new RacerId(2);
    private static final long TIMEOUT = 1_000;

    private RecordedRace race = new RecordedRace(new RacePolicy(TIMEOUT, 2), Set.of(SELF));
    private long now;

    /** Rules 1 and 11 of {@link Race}. */
    @Nested
    class Attempts {
        @Test
        void anEntrantStartsWithItsOwnReplica() {
            Block block = block(0);

            assertThat(on(new Issued(block))).containsExactly(new Start(attempt(0, 0), block, 1));
        }

        @Test
        void onlyOneAttemptRunsAtATime() {
            on(new Issued(block(0)));

            assertThat(on(new Issued(block(1)))).isEmpty();
        }

        @Test
        void racersThatShareAFewBlocksHoldFewerEach() {
            RacePolicy greedy = new RacePolicy(TIMEOUT, 64);

            assertThat(greedy.within(64, 4).maxHeldBlocks()).isEqualTo(12);
            assertThat(greedy.within(8, 8).maxHeldBlocks()).isEqualTo(1);
            assertThat(RacePolicy.rounds().within(64, 8)).isEqualTo(RacePolicy.rounds());
        }

        @Test
        void blocksAreStartedInTheOrderOfTheFileNotOfTheirIds() {
            on(new Issued(block(0)));
            on(new Issued(block(1, 7, 0)));
            on(new Issued(block(2, 3, 100)));
            Block first = block(3, 3, 50);
            on(new Issued(first));

            assertThat(on(new RivalClaimed(E0, new BlockId(0)))).endsWith(new Start(attempt(3, 0), first, 1));
        }

        @Test
        void aFailedAttemptIsFollowedByOneAtTheNextReplicaInRotation() {
            Block block = block(0);
            on(new Issued(block));

            assertThat(on(failed(0, 0, ErrorCode.REPLICA_MISSING))).containsExactly(new Start(attempt(0, 1), block, 2));
            assertThat(on(failed(0, 1, ErrorCode.STORE_UNAVAILABLE)))
                    .containsExactly(new Start(attempt(0, 2), block, 0));
        }

        @Test
        void aReplicaThatIsBarredIsNotTried() {
            Block block = new Block(
                    new BlockId(0),
                    0,
                    new ByteRange(0, 50),
                    3,
                    block(0).entrants().subList(0, 2),
                    BlockRule.RACE,
                    Set.of(2));
            on(new Issued(block));

            assertThat(on(failed(0, 0, ErrorCode.REPLICA_MISSING))).containsExactly(new Start(attempt(0, 1), block, 0));
            assertThat(on(failed(0, 1, ErrorCode.STORE_UNAVAILABLE)))
                    .endsWith(new ReportForfeited(new BlockId(0), SELF, ErrorCode.STORE_UNAVAILABLE));
        }

        @Test
        void aReplicaThatMayAnswerASecondTimeIsTriedTwiceAndNotThrice() {
            Block block = block(0);
            on(new Issued(block));

            assertThat(on(failed(0, 0, ErrorCode.QUORUM_NOT_MET))).containsExactly(new Start(attempt(0, 1), block, 1));
            assertThat(on(failed(0, 1, ErrorCode.QUORUM_NOT_MET))).containsExactly(new Start(attempt(0, 2), block, 2));
        }

        @Test
        void racerOutOfReplicasForfeitsAndTellsRivalsAndDestination() {
            on(new Issued(block(0)));
            on(failed(0, 0, ErrorCode.REPLICA_MISSING));
            on(failed(0, 1, ErrorCode.REPLICA_MISSING));

            assertThat(on(failed(0, 2, ErrorCode.REPLICA_CORRUPT)))
                    .containsExactly(
                            new Forfeit(new BlockId(0), SELF, E0),
                            new Forfeit(new BlockId(0), SELF, E2),
                            new ReportForfeited(new BlockId(0), SELF, ErrorCode.REPLICA_CORRUPT));
        }

        @Test
        void racerThatForfeitedStartsItsNextBlockAtOnce() {
            on(new Issued(block(0)));
            on(new Issued(block(1)));
            on(failed(0, 0, ErrorCode.REPLICA_MISSING));
            on(failed(0, 1, ErrorCode.REPLICA_MISSING));

            assertThat(on(failed(0, 2, ErrorCode.REPLICA_MISSING))).endsWith(new Start(attempt(1, 0), block(1), 1));
        }

        @Test
        void anAttemptThatStoppedWithoutBeingToldToHasFailed() {
            on(new Issued(block(0)));

            assertThat(on(new Cancelled(attempt(0, 0)))).containsExactly(new Start(attempt(0, 1), block(0), 2));
        }
    }

    /** Rules 2 to 4, 6 and 12 of {@link Race}. */
    @Nested
    class Claims {
        @Test
        void racerThatHoldsABlockClaimsItAndStartsTheNext() {
            on(new Issued(block(0)));
            on(new Issued(block(1)));

            assertThat(on(finished(0)))
                    .containsExactly(
                            new Claim(new BlockId(0), SELF, E0),
                            new Claim(new BlockId(0), SELF, E2),
                            new Start(attempt(1, 0), block(1), 1));
        }

        @Test
        void anEntrantThatHearsAClaimCancelsYieldsReportsAndStartsTheNextBlockInThisOrder() {
            on(new Issued(block(0)));
            on(new Issued(block(1)));

            assertThat(on(new RivalClaimed(E2, new BlockId(0))))
                    .containsExactly(
                            new Cancel(attempt(0, 0)),
                            new Yield(new BlockId(0), SELF, E2),
                            new ReportLost(new BlockId(0), SELF, E2),
                            new Start(attempt(1, 0), block(1), 1));
        }

        @Test
        void aBlockClaimedBeforeItWasStartedIsNeverStarted() {
            on(new Issued(block(0)));
            on(new Issued(block(1)));

            assertThat(on(new RivalClaimed(E2, new BlockId(1))))
                    .containsExactly(new Yield(new BlockId(1), SELF, E2), new ReportLost(new BlockId(1), SELF, E2));
            assertThat(on(new RivalClaimed(E2, new BlockId(0)))).noneMatch(Start.class::isInstance);
        }

        @Test
        void aClaimantWinsWhenEveryOtherEntrantHasYielded() {
            claimed(0);

            assertThat(on(new RivalYielded(E0, new BlockId(0)))).isEmpty();
            assertThat(on(new RivalYielded(E2, new BlockId(0))))
                    .containsExactly(new Deliver(new BlockId(0), attempt(0, 0)));
        }

        @Test
        void forfeitsAndDepartedRivalsCountAsYields() {
            on(new Issued(block(0)));
            on(new RivalForfeited(E0, new BlockId(0)));
            on(new RivalGone(E2));

            assertThat(on(finished(0)))
                    .containsExactly(new Claim(new BlockId(0), SELF, E0), new Deliver(new BlockId(0), attempt(0, 0)));
        }

        @Test
        void aDepartedRivalIsGoneForGood() {
            on(new RivalGone(E0));
            on(new Issued(block(0)));

            assertThat(on(new RivalClaimed(E0, new BlockId(0)))).isEmpty();
            assertThat(on(finished(0))).containsExactly(new Claim(new BlockId(0), SELF, E2));
        }

        @Test
        void aRivalSilentForTheTimeoutCountsAsHavingYielded() {
            claimed(0);
            on(new RivalYielded(E0, new BlockId(0)));
            assertThat(race.wakeAtNanos()).hasValue(now + TIMEOUT);

            now += TIMEOUT - 1;
            assertThat(on(new TimePassed())).isEmpty();
            now += 1;
            assertThat(on(new TimePassed())).containsExactly(new Deliver(new BlockId(0), attempt(0, 0)));
            assertThat(race.wakeAtNanos()).isEmpty();
        }

        @Test
        void aSilentRivalIsNotWaitedForAgainUntilItIsHeard() {
            claimed(0);
            on(new RivalYielded(E0, new BlockId(0)));
            now += TIMEOUT;
            on(new TimePassed());

            claimed(1);
            assertThat(on(new RivalYielded(E0, new BlockId(1)))).hasSize(1).allMatch(Deliver.class::isInstance);

            on(new RivalYielded(E2, new BlockId(0)));
            on(new Delivered(new BlockId(0)));
            claimed(2);
            assertThat(on(new RivalYielded(E0, new BlockId(2)))).isEmpty();
        }

        @Test
        void aLoserAnswersALaterClaimWithAYield() {
            on(new Issued(block(0)));
            on(new RivalClaimed(E2, new BlockId(0)));

            assertThat(on(new RivalClaimed(E0, new BlockId(0))))
                    .containsExactly(new Yield(new BlockId(0), SELF, E0), new ReportLost(new BlockId(0), SELF, E0));
        }

        @Test
        void aClaimForABlockThatIsOverIsAnsweredWithAYield() {
            on(new Issued(block(0)));
            on(new Delivered(new BlockId(0)));

            assertThat(on(new RivalClaimed(E0, new BlockId(0)))).containsExactly(new Yield(new BlockId(0), SELF, E0));
        }
    }

    /** Round 0 prefers ranks 0, 1, 2; round 1 prefers 1, 2, 0; round 2 prefers 2, 0, 1. */
    @Nested
    class Ties {
        @Test
        void theOrderOfRanksTurnsByOnePlaceWithEveryRound() {
            for (int round = 0; round < 9; round++) {
                List<RacerId> order =
                        List.of(new RacerId(round % 3), new RacerId((round + 1) % 3), new RacerId((round + 2) % 3));
                assertThat(TieBreak.BY_ROUND_AND_RANK.beats(block(round), order.get(0), order.get(1)))
                        .isTrue();
                assertThat(TieBreak.BY_ROUND_AND_RANK.beats(block(round), order.get(1), order.get(2)))
                        .isTrue();
                assertThat(TieBreak.BY_ROUND_AND_RANK.beats(block(round), order.get(2), order.get(0)))
                        .isFalse();
            }
        }

        @Test
        void aClaimantThatHearsABetterClaimDiscardsYieldsAndReports() {
            claimed(0);

            assertThat(on(new RivalClaimed(E0, new BlockId(0))))
                    .containsExactly(
                            new Discard(attempt(0, 0)),
                            new Yield(new BlockId(0), SELF, E0),
                            new ReportLost(new BlockId(0), SELF, E0));
        }

        @Test
        void aWorseClaimCountsAsAnAnswerAndIsNotYieldedTo() {
            claimed(0);

            assertThat(on(new RivalClaimed(E2, new BlockId(0)))).isEmpty();
            assertThat(on(new RivalYielded(E0, new BlockId(0))))
                    .containsExactly(new Deliver(new BlockId(0), attempt(0, 0)));
        }

        @Test
        void aWinnerLeavesALateClaimToTheDestination() {
            won(0);

            assertThat(on(new RivalClaimed(E0, new BlockId(0)))).isEmpty();
        }
    }

    @Nested
    class EarlyClaims {
        @Test
        void aClaimHeardBeforeTheBlockWasIssuedIsYieldedToAtOnceAndHonouredLater() {
            assertThat(on(new RivalClaimed(E0, new BlockId(5)))).containsExactly(new Yield(new BlockId(5), SELF, E0));

            assertThat(on(new Issued(block(5)))).containsExactly(new ReportLost(new BlockId(5), SELF, E0));
        }

        @Test
        void earlyClaimsAreKeptForTheSixtyFourLowestBlocks() {
            for (int id = 1_000; id >= 0; id--) {
                on(new RivalClaimed(E0, new BlockId(id)));
            }

            assertThat(race.remembered()).isEqualTo(Race.MAX_EARLY);
            assertThat(on(new Issued(block(63)))).containsExactly(new ReportLost(new BlockId(63), SELF, E0));
            assertThat(on(new Issued(block(64)))).hasAtLeastOneElementOfType(Start.class);
            assertThat(race.remembered()).isEqualTo(2);
        }
    }

    /** Rule 13 of {@link Race}. */
    @Nested
    class Limits {
        @Test
        void aRacerThatHoldsItsLimitPausesUntilOneIsDelivered() {
            won(0);
            won(1);

            assertThat(on(new Issued(block(2)))).isEmpty();
            assertThat(on(new Delivered(new BlockId(0))))
                    .containsExactly(new Discard(attempt(0, 0)), new Start(attempt(2, 0), block(2), 1));
        }

        @Test
        void aBlockBeforeEverythingItHoldsIsStartedAllTheSame() {
            Block later = block(0, 8, 0);
            Block latest = block(1, 9, 0);
            on(new Issued(later));
            on(finished(0));
            on(new Issued(latest));
            on(finished(1));
            Block first = block(2, 7, 0);

            assertThat(on(new Issued(first))).containsExactly(new Start(attempt(2, 0), first, 1));
        }

        @Test
        void aClaimedBlockCountsAsHeld() {
            claimed(0);
            claimed(1);

            assertThat(on(new Issued(block(2)))).isEmpty();
        }

        @Test
        void moreBlocksThanOneDestinationMayOpenAreForfeitedAtOnce() {
            for (int id = 0; id < Race.MAX_BLOCKS; id++) {
                on(new Issued(block(id)));
            }
            BlockId tooMany = new BlockId(Race.MAX_BLOCKS);

            assertThat(on(new Issued(block(tooMany.value()))))
                    .containsExactly(new ReportForfeited(tooMany, SELF, ErrorCode.OVERLOADED));
            assertThat(race.remembered()).isEqualTo(Race.MAX_BLOCKS);
        }
    }

    /** Rule 15 of {@link Race}. */
    @Nested
    class Endings {
        @Test
        void aWithdrawnBlocksAttemptIsCancelledAndTheNextBlockStarted() {
            on(new Issued(block(0)));
            on(new Issued(block(1)));

            assertThat(on(new Withdrawn(new BlockId(0))))
                    .containsExactly(new Cancel(attempt(0, 0)), new Start(attempt(1, 0), block(1), 1));
        }

        @Test
        void aWithdrawnBlockThatIsHeldIsDiscarded() {
            claimed(0);

            assertThat(on(new Withdrawn(new BlockId(0)))).containsExactly(new Discard(attempt(0, 0)));
        }

        @Test
        void theWinnerKeepsTheBlockUntilItIsDelivered() {
            won(0);

            assertThat(on(new Delivered(new BlockId(0)))).containsExactly(new Discard(attempt(0, 0)));
            assertThat(race.remembered()).isZero();
        }

        @Test
        void eventsThatAreLateRepeatedOrUnknownAreIgnored() {
            on(new Issued(block(3)));
            on(new RivalClaimed(E0, new BlockId(3)));

            List<RaceEvent> stale = List.of(
                    new Issued(block(3)),
                    new Issued(block(2)),
                    finished(3),
                    failed(3, 0, ErrorCode.INTERNAL),
                    new Cancelled(attempt(3, 0)),
                    new RivalClaimed(E0, new BlockId(3)),
                    new RivalClaimed(SELF, new BlockId(3)),
                    new RivalClaimed(new RacerId(9), new BlockId(3)),
                    new RivalYielded(E0, new BlockId(3)),
                    new RivalYielded(E0, new BlockId(77)),
                    new RivalForfeited(new RacerId(9), new BlockId(3)),
                    new RivalGone(SELF),
                    new Withdrawn(new BlockId(77)),
                    new Delivered(new BlockId(2)),
                    finished(77),
                    new TimePassed());
            for (RaceEvent event : stale) {
                assertThat(on(event)).as("%s", event).isEmpty();
            }
            assertThat(race.remembered()).isOne();
        }
    }

    @Nested
    class InProcess {
        private final Set<RacerId> all = Set.of(E0, SELF, E2);

        @Test
        void allRacersStartAtOnceEachWithItsReplica() {
            race = new RecordedRace(RacePolicy.rounds(), all);

            assertThat(on(new Issued(block(0))))
                    .containsExactlyInAnyOrder(
                            new Start(new AttemptId(new BlockId(0), E0, 0), block(0), 0),
                            new Start(new AttemptId(new BlockId(0), SELF, 0), block(0), 1),
                            new Start(new AttemptId(new BlockId(0), E2, 0), block(0), 2));
        }

        @Test
        void theFirstToFinishWinsAtOnceWithoutAMessage() {
            race = new RecordedRace(RacePolicy.rounds(), all);
            on(new Issued(block(0)));

            assertThat(on(finished(0)))
                    .containsExactly(
                            new Cancel(new AttemptId(new BlockId(0), E0, 0)),
                            new ReportLost(new BlockId(0), E0, SELF),
                            new Cancel(new AttemptId(new BlockId(0), E2, 0)),
                            new ReportLost(new BlockId(0), E2, SELF),
                            new Deliver(new BlockId(0), attempt(0, 0)));
        }
    }

    /** Rules 7 to 10 of {@link Race}. */
    @Nested
    class CutThrough {
        @Test
        void aSoleEntrantRelaysFromTheStartAndClaimsNothing() {
            Block block = cutThrough(0, BlockRule.SOLE, SELF);

            assertThat(on(new Issued(block)))
                    .containsExactly(new Start(attempt(0, 0), block, 1), new Deliver(new BlockId(0), attempt(0, 0)));
            assertThat(on(finished(0))).isEmpty();
            assertThat(on(new Delivered(new BlockId(0)))).containsExactly(new Discard(attempt(0, 0)));
        }

        @Test
        void aFailedCutThroughAttemptForfeitsAtOnce() {
            on(new Issued(cutThrough(0, BlockRule.SOLE, SELF)));

            assertThat(on(failed(0, 0, ErrorCode.STORE_UNAVAILABLE)))
                    .containsExactly(new ReportForfeited(new BlockId(0), SELF, ErrorCode.STORE_UNAVAILABLE));
        }

        @Test
        void anAttemptIsShortenedWhenAnotherRacerGetsTheEndOfItsBlock() {
            on(new Issued(cutThrough(0, BlockRule.SOLE, SELF)));
            on(new Issued(cutThrough(1, BlockRule.SOLE, SELF)));

            assertThat(on(new Shortened(new BlockId(0), 20))).containsExactly(new Shorten(attempt(0, 0), 20));
            assertThat(on(new Shortened(new BlockId(1), 30))).isEmpty();
            assertThat(on(finished(0))).contains(new Shorten(attempt(1, 0), 30));
        }

        @Test
        void aRacerThatStartsATiedBlockTellsItsRival() {
            assertThat(on(new Issued(cutThrough(0, BlockRule.TIED, SELF, E0))))
                    .contains(new TellStarted(new BlockId(0), SELF, E0), new Deliver(new BlockId(0), attempt(0, 0)));
        }

        @Test
        void aWaitingCopyIsDroppedWhenARivalHasStarted() {
            on(new Issued(cutThrough(0, BlockRule.SOLE, SELF)));
            on(new Issued(cutThrough(1, BlockRule.TIED, E0, SELF)));

            assertThat(on(new RivalStarted(E0, new BlockId(1))))
                    .containsExactly(new ReportLost(new BlockId(1), SELF, E0));
            assertThat(on(finished(0))).isEmpty();
        }

        @Test
        void aCopyIsNotQueuedWhenARivalHadStartedBeforeItWasIssued() {
            on(new RivalStarted(E0, new BlockId(0)));

            assertThat(on(new Issued(cutThrough(0, BlockRule.TIED, E0, SELF))))
                    .containsExactly(new ReportLost(new BlockId(0), SELF, E0));
        }

        /** E0 had started, but was silent for longer than the race waits. */
        @Test
        void theStaticRuleKeepsOneOfTwoAttemptsStartedAtOnce() {
            on(new Issued(cutThrough(0, BlockRule.TIED, E0, SELF)));
            now += TIMEOUT;
            on(new TimePassed());
            assertThat(on(new RivalStarted(E0, new BlockId(0))))
                    .containsExactly(new Cancel(attempt(0, 0)), new ReportLost(new BlockId(0), SELF, E0));

            on(new Issued(cutThrough(1, BlockRule.TIED, E0, SELF)));
            now += TIMEOUT;
            on(new TimePassed());
            assertThat(on(new RivalStarted(E0, new BlockId(1)))).isEmpty();
        }

        @Test
        void aCopyRunsWhenTheOtherIsGoneOrForfeited() {
            on(new Issued(cutThrough(0, BlockRule.SOLE, SELF)));
            on(new Issued(cutThrough(1, BlockRule.TIED, E0, SELF)));
            on(new RivalForfeited(E0, new BlockId(1)));
            on(new RivalGone(E0));

            assertThat(on(finished(0))).contains(new Deliver(new BlockId(1), attempt(1, 0)));
        }

        @Test
        void secondCopiesWaitUntilTheRacerIsIdle() {
            on(new Issued(cutThrough(0, BlockRule.SOLE, SELF)));
            on(new Issued(cutThrough(1, BlockRule.TIED, E0, SELF)));
            on(new Issued(cutThrough(2, BlockRule.TIED, SELF, E0)));

            assertThat(on(finished(0))).contains(new Deliver(new BlockId(2), attempt(2, 0)));
        }

        @Test
        void aSecondCopyIsAskedForAndStartedWhenTheFirstIsLeftToIt() {
            assertThat(on(new Issued(cutThrough(0, BlockRule.TIED, E0, SELF))))
                    .containsExactly(new Claim(new BlockId(0), SELF, E0));

            assertThat(on(new RivalYielded(E0, new BlockId(0))))
                    .contains(new TellStarted(new BlockId(0), SELF, E0), new Deliver(new BlockId(0), attempt(0, 0)));
        }

        @Test
        void aRacerAsksForASingleSecondCopyAndStartsItsOwnBlocksMeanwhile() {
            on(new Issued(cutThrough(0, BlockRule.TIED, E0, SELF)));
            assertThat(on(new Issued(cutThrough(1, BlockRule.TIED, E0, SELF)))).isEmpty();
            assertThat(on(new Issued(cutThrough(2, BlockRule.SOLE, SELF))))
                    .contains(new Deliver(new BlockId(2), attempt(2, 0)));
            assertThat(on(new RivalYielded(E0, new BlockId(0)))).isEmpty();

            assertThat(on(finished(2))).contains(new Deliver(new BlockId(0), attempt(0, 0)));
        }

        @Test
        void aSecondCopyWhoseFirstHasStartedIsDroppedAndTheNextIsAskedFor() {
            on(new Issued(cutThrough(0, BlockRule.TIED, E0, SELF)));
            on(new Issued(cutThrough(1, BlockRule.TIED, E0, SELF)));

            assertThat(on(new RivalStarted(E0, new BlockId(0))))
                    .containsExactly(new ReportLost(new BlockId(0), SELF, E0), new Claim(new BlockId(1), SELF, E0));
        }

        @Test
        void aSecondCopyIsStartedWhenTheFirstKeepsSilentForTooLong() {
            on(new Issued(cutThrough(0, BlockRule.TIED, E0, SELF)));
            assertThat(race.wakeAtNanos()).hasValue(TIMEOUT);
            now = TIMEOUT - 1;
            assertThat(on(new TimePassed())).isEmpty();
            now = TIMEOUT;

            assertThat(on(new TimePassed())).contains(new Deliver(new BlockId(0), attempt(0, 0)));
        }

        /** No other racer may be left to start the lowest block. */
        @Test
        void aRacerAtItsLimitAsksOnlyForEarlierBlocks() {
            on(new Issued(cutThrough(1, BlockRule.SOLE, SELF)));
            on(finished(1));
            on(new Issued(cutThrough(2, BlockRule.SOLE, SELF)));
            on(finished(2));

            assertThat(on(new Issued(cutThrough(3, BlockRule.TIED, E0, SELF)))).isEmpty();
            assertThat(on(new Issued(cutThrough(4, 0, BlockRule.TIED, E0, SELF))))
                    .containsExactly(new Claim(new BlockId(4), SELF, E0));
            assertThat(on(new RivalYielded(E0, new BlockId(4)))).contains(new Deliver(new BlockId(4), attempt(4, 0)));
        }

        @Test
        void aRacerLeavesAnUnstartedTiedBlockWhenAsked() {
            on(new Issued(cutThrough(0, BlockRule.SOLE, SELF)));
            on(new Issued(cutThrough(1, BlockRule.TIED, SELF, E0)));

            assertThat(on(new RivalClaimed(E0, new BlockId(1))))
                    .containsExactly(new ReportLost(new BlockId(1), SELF, E0), new Yield(new BlockId(1), SELF, E0));
            assertThat(on(finished(0))).isEmpty();
        }

        @Test
        void aRacerAskedForABlockItHasStartedGoesOn() {
            on(new Issued(cutThrough(0, BlockRule.TIED, SELF, E0)));

            assertThat(on(new RivalClaimed(E0, new BlockId(0)))).isEmpty();
        }

        @Test
        void aRacerAskedBeforeItWasIssuedTheBlockLeavesIt() {
            assertThat(on(new RivalClaimed(E0, new BlockId(0)))).containsExactly(new Yield(new BlockId(0), SELF, E0));

            assertThat(on(new Issued(cutThrough(0, BlockRule.TIED, SELF, E0))))
                    .containsExactly(new ReportLost(new BlockId(0), SELF, E0));
        }

        private Block cutThrough(int id, BlockRule rule, RacerId... racers) {
            return cutThrough(id, id, rule, racers);
        }

        private Block cutThrough(int id, long chunk, BlockRule rule, RacerId... racers) {
            List<Entrant> entrants =
                    Stream.of(racers).map(racer -> new Entrant(racer, 1)).toList();
            return new Block(new BlockId(id), chunk, new ByteRange(0, 50), 3, entrants, rule);
        }
    }

    private void claimed(int id) {
        on(new Issued(block(id)));
        on(finished(id));
    }

    private void won(int id) {
        claimed(id);
        on(new RivalYielded(E0, new BlockId(id)));
        assertThat(on(new RivalYielded(E2, new BlockId(id)))).contains(new Deliver(new BlockId(id), attempt(id, 0)));
    }

    private List<RaceCommand> on(RaceEvent event) {
        return race.on(event, now);
    }

    private static RaceEvent finished(int id) {
        return new Finished(attempt(id, 0));
    }

    private static RaceEvent failed(int id, int number, ErrorCode code) {
        return new Failed(attempt(id, number), code);
    }

    private static AttemptId attempt(int id, int number) {
        return new AttemptId(new BlockId(id), SELF, number);
    }

    private static Block block(int id) {
        return block(id, id, 0);
    }

    private static Block block(int id, long chunk, long offset) {
        List<Entrant> entrants = List.of(new Entrant(E0, 0), new Entrant(SELF, 1), new Entrant(E2, 2));
        return new Block(new BlockId(id), chunk, new ByteRange(offset, 50), 3, entrants);
    }
}
