package io.cloudmw.core.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.hedge.RedundancyBudget;
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
import io.cloudmw.core.testing.DeliveryCommand.Complete;
import io.cloudmw.core.testing.DeliveryCommand.Fail;
import io.cloudmw.core.testing.DeliveryCommand.Issue;
import io.cloudmw.core.testing.DeliveryCommand.Prepare;
import io.cloudmw.core.testing.DeliveryCommand.RaceLocally;
import io.cloudmw.core.testing.DeliveryCommand.Refuse;
import io.cloudmw.core.testing.DeliveryCommand.Withdraw;
import io.cloudmw.core.testing.DeliveryEvent;
import io.cloudmw.core.testing.DeliveryEvent.Attempted;
import io.cloudmw.core.testing.DeliveryEvent.CreditGranted;
import io.cloudmw.core.testing.DeliveryEvent.CreditWithheld;
import io.cloudmw.core.testing.DeliveryEvent.Forfeited;
import io.cloudmw.core.testing.DeliveryEvent.LeafCorrupt;
import io.cloudmw.core.testing.DeliveryEvent.LeafDelivered;
import io.cloudmw.core.testing.DeliveryEvent.LocalRacersReady;
import io.cloudmw.core.testing.DeliveryEvent.Lost;
import io.cloudmw.core.testing.DeliveryEvent.Offered;
import io.cloudmw.core.testing.DeliveryEvent.PlanEnded;
import io.cloudmw.core.testing.DeliveryEvent.Planned;
import io.cloudmw.core.testing.DeliveryEvent.RacerGone;
import io.cloudmw.core.testing.DeliveryEvent.RelayFailed;
import io.cloudmw.core.testing.DeliveryEvent.TimePassed;
import io.cloudmw.core.testing.RecordedDelivery;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The destination of three helpers; every chunk has three replicas and 250 bytes: leaves of 100, 100 and 50. */
class DeliveryTest {
    private static final RacerId E0 = new RacerId(0);
    private static final RacerId E1 = new RacerId(1);
    private static final RacerId E2 = new RacerId(2);
    private static final RacerId OWN0 = new RacerId(10);
    private static final RacerId OWN1 = new RacerId(11);
    private static final List<StoreId> STORES = List.of(new StoreId("s0"), new StoreId("s1"), new StoreId("s2"));
    private static final long STALL = 1_000;
    private static final long UNOFFERED = 10_000;

    private RecordedDelivery delivery = delivery(false, 8, E0, E1, E2);
    private long now;

    /** Rules 1 and 5 of {@link Delivery}. */
    @Nested
    class Issuing {
        @Test
        void aPlannedChunkIsIssuedToItsEntrants() {
            assertThat(plan(0)).containsExactly(issue(block(0, 0, 0, E0, E1, E2)));
        }

        @Test
        void onlyAWindowOfChunksIsIssuedAheadOfTheLowestNotDelivered() {
            plan(0);
            plan(1);

            assertThat(plan(2)).isEmpty();
            deliver(7, 1, E1);
            assertThat(on(new LeafDelivered(99))).isEmpty();
            on(new Offered(8, new BlockId(0), E0));
            on(new LeafDelivered(8));
            on(new LeafDelivered(8));
            assertThat(on(new LeafDelivered(8)))
                    .containsExactly(new Acknowledge(block(0, 0, 0, E0, E1, E2)), issue(block(2, 2, 0, E0, E1, E2)));
        }

        @Test
        void noMoreChunksAreWantedThanOneWindowAheadOfTheWindow() {
            for (int chunk = 0; chunk < 4; chunk++) {
                assertThat(delivery.wantsPlan()).isTrue();
                plan(chunk);
            }

            assertThat(delivery.wantsPlan()).isFalse();
            assertThatThrownBy(() -> plan(4)).isInstanceOf(IllegalStateException.class);
            assertThat(delivery.remembered()).isEqualTo(4);
        }

        @Test
        void chunksOfAFileMayBePlannedOutOfOrder() {
            plan(3);

            assertThat(plan(1)).containsExactly(issue(block(1, 1, 0, E0, E1, E2)));
        }

        @Test
        void chunksOfAStreamOutOfOrderAreADefectOfTheCaller() {
            delivery = delivery(true, 8, E0, E1, E2);
            plan(3);

            assertThatThrownBy(() -> plan(3)).hasMessage("chunkIndex: 3 (expected: after 3)");
        }

        @Test
        void aFileWithoutChunksIsCompleteWhenThePlanEnds() {
            assertThat(on(new PlanEnded())).containsExactly(new Complete());
            assertThat(on(new RacerGone(E0))).isEmpty();
        }

        @Test
        void theTransferIsCompleteWhenThePlanEndedAndEveryLeafArrived() {
            plan(0);
            on(new PlanEnded());

            assertThat(deliver(7, 0, E0)).endsWith(new Complete());
            assertThat(delivery.wakeAtNanos()).isEmpty();
        }
    }

    /** Rules 2 to 4 of {@link Delivery}. */
    @Nested
    class Arbitration {
        @Test
        void theFirstRelayOfferedIsAcceptedAndAnyOtherRefused() {
            plan(0);

            assertThat(on(new Offered(7, new BlockId(0), E1))).containsExactly(accept(7, block(0, 0, 0, E0, E1, E2)));
            assertThat(on(new Offered(8, new BlockId(0), E0))).containsExactly(new Refuse(8));
            assertThat(on(new Offered(7, new BlockId(0), E1))).isEmpty();
        }

        @Test
        void aRelayOfABlockThatIsOverUnknownOrOfAStrangerIsRefused() {
            plan(0);
            plan(1);
            deliver(7, 0, E0);

            assertThat(on(new Offered(8, new BlockId(0), E1))).containsExactly(new Refuse(8));
            assertThat(on(new Offered(9, new BlockId(77), E1))).containsExactly(new Refuse(9));
            assertThat(on(new Offered(10, new BlockId(1), new RacerId(5)))).containsExactly(new Refuse(10));
        }

        @Test
        void aFileTakesRelaysInAnyOrder() {
            plan(0);
            plan(1);

            assertThat(on(new Offered(7, new BlockId(1), E1))).hasOnlyElementsOfType(Accept.class);
            assertThat(on(new Offered(8, new BlockId(0), E2))).hasOnlyElementsOfType(Accept.class);
        }

        @Test
        void aStreamLetsARelayWaitForItsTurn() {
            delivery = delivery(true, 8, E0, E1, E2);
            plan(0);
            plan(1);

            assertThat(on(new Offered(7, new BlockId(1), E1))).isEmpty();
            assertThat(on(new Offered(6, new BlockId(1), E2))).containsExactly(new Refuse(6));
            assertThat(deliver(8, 0, E0))
                    .containsExactly(
                            new Acknowledge(block(0, 0, 0, E0, E1, E2)), accept(7, block(1, 1, 0, E0, E1, E2)));
        }
    }

    /** Rule 4 of {@link Delivery}: relays of a stream that get credit before their turn. */
    @Nested
    class Preparation {
        @Test
        void relaysThatFollowTheLowestWithoutAGapArePreparedOnce() {
            delivery = delivery(true, 8, E0, E1, E2);
            plan(0);
            plan(1);
            on(new Offered(7, new BlockId(1), E1));

            assertThat(on(new Offered(8, new BlockId(0), E0)))
                    .containsExactly(accept(8, block(0, 0, 0, E0, E1, E2)), prepare(7, block(1, 1, 0, E0, E1, E2)));
            assertThat(on(new LeafDelivered(8))).isEmpty();
        }

        @Test
        void relaysBehindAGapAreNotPrepared() {
            delivery = delivery(true, 8, E0, E1, E2);
            plan(0);
            plan(1);

            assertThat(on(new Offered(7, new BlockId(1), E1))).isEmpty();
        }

        @Test
        void theReplacementOfABrokenRelayIsPrepared() {
            delivery = delivery(true, 8, E0, E1, E2);
            plan(0);
            plan(1);
            on(new Offered(7, new BlockId(0), E0));
            on(new Offered(8, new BlockId(1), E1));
            on(new RelayFailed(8, ErrorCode.HELPER_UNAVAILABLE));

            assertThat(on(new Offered(9, new BlockId(2), E2))).containsExactly(prepare(9, block(2, 1, 0, E0, E2)));
        }

        @Test
        void relaysOfAFileAreNotPrepared() {
            plan(0);
            plan(1);
            on(new Offered(7, new BlockId(0), E0));

            assertThat(on(new Offered(8, new BlockId(1), E1))).hasOnlyElementsOfType(Accept.class);
        }
    }

    /** Rules 6, 20, 25 and 29 of {@link Delivery}. */
    @Nested
    class Reissues {
        @Test
        void leavesMissingFromABrokenRelayAreIssuedToTheOthers() {
            plan(0);
            on(new Offered(7, new BlockId(0), E1));
            on(new LeafDelivered(7));

            assertThat(on(new RelayFailed(7, ErrorCode.HELPER_UNAVAILABLE)))
                    .containsExactly(new Withdraw(block(0, 0, 0, E0, E1, E2)), again(block(1, 0, 100, E0, E2)));
        }

        @Test
        void aRacerThatRelayedACorruptLeafIsAvoidedForTheRestOfTheChunk() {
            plan(0);
            on(new Offered(7, new BlockId(0), E1));

            assertThat(on(new LeafCorrupt(7)))
                    .containsExactly(
                            new Refuse(7), new Withdraw(block(0, 0, 0, E0, E1, E2)), again(block(1, 0, 0, E0, E2)));
            assertThat(on(new LeafDelivered(7))).isEmpty();
            assertThat(plan(1)).containsExactly(issue(block(2, 1, 0, E0, E1, E2)));
        }

        @Test
        void aBlockWhoseWinnerIsGoneIsIssuedToTheRacersLeft() {
            plan(0);
            on(new Lost(new BlockId(0), E0, E2));

            assertThat(on(new RacerGone(E2)))
                    .containsExactly(new Withdraw(block(0, 0, 0, E0, E1, E2)), again(block(1, 0, 0, E0, E1)));
        }

        @Test
        void aReportThatNamesADepartedWinnerCountsToo() {
            plan(0);
            assertThat(on(new RacerGone(E2))).isEmpty();

            assertThat(on(new Lost(new BlockId(0), E0, E2))).hasAtLeastOneElementOfType(Issue.class);
        }

        @Test
        void theRelaysOfARacerThatIsGoneAreRefused() {
            plan(0);
            on(new Offered(7, new BlockId(0), E1));
            on(new LeafDelivered(7));

            assertThat(on(new RacerGone(E1)))
                    .containsExactly(
                            new Refuse(7), new Withdraw(block(0, 0, 0, E0, E1, E2)), again(block(1, 0, 100, E0, E2)));
            assertThat(on(new RacerGone(E1))).isEmpty();
        }

        @Test
        void aRacerThatIsGoneWithoutHavingWonChangesNothingForTheBlocksOthersRaceFor() {
            plan(0);

            assertThat(on(new RacerGone(E1))).isEmpty();
            assertThat(plan(1)).containsExactly(issue(block(1, 1, 0, E0, E2)));
        }

        @Test
        void aRangeIssuedTooOftenWithoutALeafArrivingFailsTheTransfer() {
            delivery = delivery(false, 1, E0, E1, E2);
            plan(4);
            relayBreaks(7, 0, E0);

            assertThat(relayBreaks(8, 1, E1)).endsWith(new Fail(4, ErrorCode.HELPER_UNAVAILABLE));
            assertThat(on(new TimePassed())).isEmpty();
        }

        @Test
        void aLeafThatArrivesStartsTheCountAgain() {
            delivery = delivery(false, 1, E0, E1, E2);
            plan(4);
            relayBreaks(7, 0, E0);
            on(new Offered(8, new BlockId(1), E1));
            on(new LeafDelivered(8));

            assertThat(on(new RelayFailed(8, ErrorCode.HELPER_UNAVAILABLE))).endsWith(again(block(2, 4, 100, E2)));
        }
    }

    /** Rules 21 to 24 of {@link Delivery}. */
    @Nested
    class Patience {
        @Test
        void anAcceptedRelayThatStallsIsGivenUpWithItsRacer() {
            plan(0);
            on(new Offered(7, new BlockId(0), E1));
            now += STALL - 1;
            on(new LeafDelivered(7));
            assertThat(delivery.wakeAtNanos()).hasValue(now + STALL);
            now += STALL - 1;
            assertThat(on(new TimePassed())).isEmpty();
            now += 1;

            assertThat(on(new TimePassed()))
                    .containsExactly(
                            new Abandon(E1, ErrorCode.DEADLINE_EXCEEDED),
                            new Refuse(7),
                            new Withdraw(block(0, 0, 0, E0, E1, E2)),
                            again(block(1, 0, 100, E0, E2)));
        }

        @Test
        void aRelayWithoutCreditCannotStall() {
            plan(0);
            on(new Offered(7, new BlockId(0), E1));
            on(new CreditWithheld(7));
            now += 10 * STALL;
            assertThat(on(new TimePassed())).isEmpty();

            on(new CreditGranted(7));
            assertThat(delivery.wakeAtNanos()).hasValue(now + STALL);
        }

        @Test
        void aRelayThatWaitsForItsTurnCannotStall() {
            delivery = delivery(true, 8, E0, E1, E2);
            plan(0);
            plan(1);
            on(new Offered(7, new BlockId(1), E1));
            now += 5 * STALL;

            assertThat(on(new TimePassed())).isEmpty();
        }

        @Test
        void aNamedWinnerThatIsSilentAndOffersNothingIsAbandoned() {
            plan(0);
            on(new Lost(new BlockId(0), E0, E2));
            now += STALL;

            assertThat(on(new TimePassed()))
                    .containsExactly(
                            new Abandon(E2, ErrorCode.DEADLINE_EXCEEDED),
                            new Withdraw(block(0, 0, 0, E0, E1, E2)),
                            again(block(1, 0, 0, E0, E1)));
        }

        @Test
        void aNamedWinnerThatOffersNothingButIsAliveIsAvoidedForThisChunk() {
            plan(0);
            on(new Lost(new BlockId(0), E0, E2));
            now += STALL - 1;
            on(underWay(3, E2));
            now += 1;

            assertThat(on(new TimePassed()))
                    .containsExactly(new Withdraw(block(0, 0, 0, E0, E1, E2)), again(block(1, 0, 0, E0, E1)));
        }

        @Test
        void aSlowRacerIsNotAbandoned() {
            plan(0);
            for (int i = 0; i < 20; i++) {
                now += UNOFFERED - 1;
                on(underWay(0, E1));
                assertThat(on(new TimePassed())).isEmpty();
            }
        }

        @Test
        void entrantsOfALaterBlockMayBeSilentWhileTheyAreAtTheirLimit() {
            delivery = delivery(true, 8, E0, E1, E2);
            plan(0);
            plan(1);
            on(new Offered(7, new BlockId(0), E0));
            on(new CreditWithheld(7));
            now += 3 * UNOFFERED;
            assertThat(on(new TimePassed())).isEmpty();

            on(new CreditGranted(7));
            on(new LeafDelivered(7));
            on(new LeafDelivered(7));
            on(new LeafDelivered(7));
            assertThat(on(new TimePassed())).isEmpty();
            assertThat(delivery.wakeAtNanos()).hasValue(now + UNOFFERED);
        }

        @Test
        void silentEntrantsAreAllAbandonedAndTheClientRacesItself() {
            plan(0);
            assertThat(delivery.wakeAtNanos()).hasValue(UNOFFERED);
            now += UNOFFERED;

            assertThat(on(new TimePassed()))
                    .containsExactly(
                            new Abandon(E0, ErrorCode.DEADLINE_EXCEEDED),
                            new Abandon(E1, ErrorCode.DEADLINE_EXCEEDED),
                            new Abandon(E2, ErrorCode.DEADLINE_EXCEEDED),
                            new Withdraw(block(0, 0, 0, E0, E1, E2)),
                            new RaceLocally(0));
        }
    }

    /** Rules 26 to 28 and 30 of {@link Delivery}. */
    @Nested
    class InProcess {
        @Test
        void theClientRacesItselfWithoutHelpers() {
            delivery = delivery(false, 8);

            assertThat(plan(0)).containsExactly(new RaceLocally(0));
            assertThat(plan(1)).isEmpty();
            assertThat(on(new LocalRacersReady(List.of(OWN0, OWN1))))
                    .containsExactly(issue(block(0, 0, 0, OWN0, OWN1)), issue(block(1, 1, 0, OWN0, OWN1)));
        }

        @Test
        void aChunkThatEveryHelperForfeitedIsRacedForInProcess() {
            plan(0);
            on(new Forfeited(new BlockId(0), E0, ErrorCode.REPLICA_MISSING));
            on(new Forfeited(new BlockId(0), E1, ErrorCode.REPLICA_MISSING));

            assertThat(on(new Forfeited(new BlockId(0), E2, ErrorCode.REPLICA_MISSING)))
                    .containsExactly(new Withdraw(block(0, 0, 0, E0, E1, E2)), new RaceLocally(0));
            assertThat(on(new LocalRacersReady(List.of(OWN0)))).containsExactly(again(block(1, 0, 0, OWN0)));
            assertThat(plan(1)).containsExactly(issue(block(2, 1, 0, E0, E1, E2)));
        }

        @Test
        void theTransferFailsWithTheLastCodeWhenTheClientsOwnRacersForfeit() {
            delivery = delivery(false, 8);
            plan(3);
            on(new LocalRacersReady(List.of(OWN0)));

            assertThat(on(new Forfeited(new BlockId(0), OWN0, ErrorCode.REPLICA_CORRUPT)))
                    .containsExactly(new Withdraw(block(0, 3, 0, OWN0)), new Fail(3, ErrorCode.REPLICA_CORRUPT));
        }

        @Test
        void theTransferFailsWithoutHelpersAndOwnRacers() {
            delivery = delivery(false, 8);
            plan(0);

            assertThat(on(new LocalRacersReady(List.of()))).containsExactly(new Fail(0, ErrorCode.HELPER_UNAVAILABLE));
        }

        @Test
        void aHelperWhoseRelayBrokeIsTriedAgainWhenNoOtherRacerIsLeft() {
            delivery = delivery(false, 8, E0);
            plan(0);
            assertThat(relayBreaks(7, 0, E0)).endsWith(new RaceLocally(0));

            assertThat(on(new LocalRacersReady(List.of()))).containsExactly(again(block(1, 0, 0, E0)));
        }

        @Test
        void anotherHelperStandsInWhenNoPlannedEntrantIsLeft() {
            delivery = delivery(false, 8, E0, E1);
            on(new RacerGone(E0));
            List<Entrant> onlyE0 = List.of(new Entrant(E0, 2));

            assertThat(on(new Planned(0, new ByteRange(0, 250), 250, 100, STORES, Set.of(), onlyE0)))
                    .containsExactly(
                            issue(new Block(new BlockId(0), 0, new ByteRange(0, 250), 3, List.of(new Entrant(E1, 0)))));
        }
    }

    /** Rule 29 of {@link Delivery}. The replica of each chunk at s0, which E0 is meant for, is bad. */
    @Nested
    class KnownToBeBad {
        private final Set<StoreId> bad = Set.of(STORES.get(0));

        @Test
        void aBadReplicaIsBarredFromTheRace() {
            assertThat(plan(0, bad)).containsExactly(issue(barring(0, new Entrant(E1, 1), new Entrant(E2, 2))));
        }

        @Test
        void substitutesDoNotStartWithABadReplica() {
            plan(0, bad);
            on(new RacerGone(E1));

            assertThat(on(new RacerGone(E2))).endsWith(again(barring(1, new Entrant(E0, 1))));
        }

        @Test
        void aBadReplicaIsReadByAllWhenNoOtherIsLeft() {
            plan(0, bad);
            on(new Forfeited(new BlockId(0), E1, ErrorCode.REPLICA_MISSING));
            assertThat(on(new Forfeited(new BlockId(0), E2, ErrorCode.REPLICA_MISSING)))
                    .endsWith(again(barring(1, new Entrant(E0, 1))));
            assertThat(on(new Forfeited(new BlockId(1), E0, ErrorCode.REPLICA_MISSING)))
                    .endsWith(new RaceLocally(0));
            assertThat(on(new LocalRacersReady(List.of(OWN0))))
                    .containsExactly(again(barring(2, new Entrant(OWN0, 1))));

            assertThat(on(new Forfeited(new BlockId(2), OWN0, ErrorCode.REPLICA_MISSING)))
                    .endsWith(again(block(3, 0, 0, E0, E1, E2)));

            on(new Forfeited(new BlockId(3), E0, ErrorCode.REPLICA_CORRUPT));
            on(new Forfeited(new BlockId(3), E1, ErrorCode.REPLICA_CORRUPT));
            assertThat(on(new Forfeited(new BlockId(3), E2, ErrorCode.REPLICA_CORRUPT)))
                    .endsWith(again(block(4, 0, 0, OWN0)));
            assertThat(on(new Forfeited(new BlockId(4), OWN0, ErrorCode.REPLICA_CORRUPT)))
                    .endsWith(new Fail(0, ErrorCode.REPLICA_CORRUPT));
        }

        @Test
        void aBadReplicaIsReadWhenARangeWasIssuedTooOften() {
            delivery = delivery(false, 0, E0, E1, E2);
            plan(0, bad);

            assertThat(relayBreaks(7, 0, E1)).endsWith(again(block(1, 0, 0, E0, E1, E2)));
            assertThat(relayBreaks(8, 1, E1)).endsWith(new Fail(0, ErrorCode.HELPER_UNAVAILABLE));
        }

        @Test
        void badReplicasAreReadFromTheStartWhenAllAreBad() {
            assertThat(plan(0, Set.copyOf(STORES))).containsExactly(issue(block(0, 0, 0, E0, E1, E2)));
        }

        private Block barring(int id, Entrant... entrants) {
            return new Block(
                    new BlockId(id), 0, new ByteRange(0, 250), 3, List.of(entrants), BlockRule.RACE, Set.of(0));
        }
    }

    @Test
    void eventsThatAreLateRepeatedOrUnknownAreIgnored() {
        plan(0);
        relayBreaks(7, 0, E0);

        List<DeliveryEvent> stale = List.of(
                new LeafDelivered(7),
                new LeafCorrupt(7),
                new RelayFailed(7, ErrorCode.INTERNAL),
                new CreditGranted(7),
                new CreditWithheld(7),
                new Lost(new BlockId(0), E1, E2),
                new Lost(new BlockId(1), E1, E0),
                new Lost(new BlockId(1), E1, E1),
                new Forfeited(new BlockId(0), E1, ErrorCode.INTERNAL),
                new Forfeited(new BlockId(1), E0, ErrorCode.INTERNAL),
                underWay(9, new RacerId(9)),
                new RacerGone(new RacerId(9)),
                new LocalRacersReady(List.of(OWN0)),
                new TimePassed());
        for (DeliveryEvent event : stale) {
            assertThat(on(event)).as("%s", event).isEmpty();
        }
    }

    private List<DeliveryCommand> deliver(long relay, int block, RacerId racer) {
        on(new Offered(relay, new BlockId(block), racer));
        on(new LeafDelivered(relay));
        on(new LeafDelivered(relay));
        return on(new LeafDelivered(relay));
    }

    private List<DeliveryCommand> relayBreaks(long relay, int block, RacerId racer) {
        on(new Offered(relay, new BlockId(block), racer));
        return on(new RelayFailed(relay, ErrorCode.HELPER_UNAVAILABLE));
    }

    private List<DeliveryCommand> plan(long chunk) {
        return plan(chunk, Set.of());
    }

    private List<DeliveryCommand> plan(long chunk, Set<StoreId> bad) {
        List<Entrant> entrants = List.of(new Entrant(E0, 0), new Entrant(E1, 1), new Entrant(E2, 2));
        return on(new Planned(chunk, new ByteRange(0, 250), 250, 100, STORES, bad, entrants));
    }

    private List<DeliveryCommand> on(DeliveryEvent event) {
        return delivery.on(event, now);
    }

    private static RecordedDelivery delivery(boolean inOrder, int maxReissues, RacerId... racers) {
        ModePolicy rounds = ModePolicy.of(Mode.ROUNDS, false);
        ModePolicy mode = new ModePolicy(
                new ModePolicy.Blocks(Long.MAX_VALUE, 2, Long.MAX_VALUE), rounds.lineup(), rounds.extras());
        DeliveryPolicy.Patience patience = new DeliveryPolicy.Patience(STALL, UNOFFERED, maxReissues);
        return new RecordedDelivery(
                new DeliveryPolicy(mode, patience, inOrder),
                mode.lanes(3),
                Set.of(racers),
                SpeedEstimates.UNKNOWN,
                new RedundancyBudget(RedundancyLimits.DEFAULT));
    }

    private static Attempted underWay(int block, RacerId racer) {
        return new Attempted(new BlockId(block), racer, 0, AttemptStage.UNDER_WAY, 1);
    }

    private static Issue issue(Block block) {
        return new Issue(block, IssueReason.PLANNED);
    }

    private static Issue again(Block block) {
        return new Issue(block, IssueReason.RETRY);
    }

    private static Prepare prepare(long relay, Block block) {
        return new Prepare(relay, block, block.range());
    }

    private static Accept accept(long relay, Block block) {
        return new Accept(relay, block, block.range());
    }

    /** A block whose racers start with the replica of their rank, modulo ten for the client's own. */
    private static Block block(int id, long chunk, long offset, RacerId... racers) {
        List<Entrant> entrants = new ArrayList<>();
        for (RacerId racer : racers) {
            entrants.add(new Entrant(racer, racer.rank() % 10));
        }
        return new Block(new BlockId(id), chunk, new ByteRange(offset, 250 - offset), 3, entrants);
    }
}
