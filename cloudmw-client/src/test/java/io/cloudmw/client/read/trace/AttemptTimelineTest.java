package io.cloudmw.client.read.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.client.progress.Attempt;
import io.cloudmw.client.progress.AttemptState;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.mode.IssueReason;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.BlockRule;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.recording.RecordedAttempt;
import io.cloudmw.core.recording.RecordedAttempt.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class AttemptTimelineTest {
    private static final List<StoreId> STORES = List.of(new StoreId("a"), new StoreId("b"));
    private static final RacerId FIRST = new RacerId(0);
    private static final RacerId SECOND = new RacerId(1);

    private final List<TimedAttempt> settled = new ArrayList<>();
    private final List<TimedAttempt> opened = new ArrayList<>();
    private long now;
    private final AttemptTimeline timeline = new AttemptTimeline(() -> now, List.of(new AttemptListener() {
        @Override
        public void opened(TimedAttempt attempt) {
            opened.add(attempt);
        }

        @Override
        public void changed(TimedAttempt attempt) {}

        @Override
        public void settled(TimedAttempt attempt) {
            settled.add(attempt);
        }
    }));

    private static Block block(int id, long chunk, ByteRange range, RacerId racer, int replica) {
        return new Block(new BlockId(id), chunk, range, 2, List.of(new Entrant(racer, replica)), BlockRule.SOLE);
    }

    private void issue(Block block, IssueReason reason) {
        assertThat(timeline.issued(block, reason, STORES, racer -> "h" + racer.rank()))
                .isTrue();
    }

    private void report(RacerId racer, int block, int number, String store, AttemptState state, long bytes) {
        timeline.attempted(
                racer,
                new Attempt(
                        0,
                        block,
                        "h" + racer.rank(),
                        new StoreId(store),
                        number,
                        state,
                        bytes,
                        state == AttemptState.FAILED ? Optional.of(ErrorCode.REPLICA_CORRUPT) : Optional.empty()));
    }

    @Test
    void timesOfAnAttemptAreItsIssueItsBeginAndItsEnd() {
        now = 10;
        issue(block(0, 0, new ByteRange(0, 100), FIRST, 1), IssueReason.PLANNED);
        now = 20;
        report(FIRST, 0, 0, "b", AttemptState.STARTED, 0);
        now = 30;
        report(FIRST, 0, 0, "b", AttemptState.PROGRESSED, 60);
        now = 40;
        report(FIRST, 0, 0, "b", AttemptState.FINISHED, 100);
        timeline.won(FIRST, new BlockId(0), 100);
        assertThat(settled).isEmpty();
        timeline.chunkDone(0);

        assertThat(settled)
                .extracting(TimedAttempt::record)
                .containsExactly(new RecordedAttempt(
                        0,
                        0,
                        0,
                        100,
                        "h0",
                        new StoreId("b"),
                        0,
                        IssueReason.PLANNED,
                        10,
                        20,
                        40,
                        State.FINISHED,
                        100,
                        100,
                        ""));
    }

    /** The loser's end is reported after the chunk is delivered. */
    @Test
    void cancelledAttemptKnowsTheHedgeThatWon() {
        issue(block(0, 0, new ByteRange(0, 100), FIRST, 0), IssueReason.PLANNED);
        report(FIRST, 0, 0, "a", AttemptState.STARTED, 0);
        issue(block(1, 0, new ByteRange(0, 100), SECOND, 1), IssueReason.HEDGE);
        report(SECOND, 1, 0, "b", AttemptState.FINISHED, 100);
        timeline.won(SECOND, new BlockId(1), 100);
        timeline.chunkDone(0);
        assertThat(settled).extracting(TimedAttempt::state).containsExactly(State.FINISHED);
        report(FIRST, 0, 0, "a", AttemptState.CANCELLED, 30);

        TimedAttempt cancelled = settled.get(1);
        assertThat(cancelled.state()).isEqualTo(State.CANCELLED);
        assertThat(cancelled.fetchedBytes()).isEqualTo(30);
        assertThat(cancelled.winner()).contains(settled.get(0));
        assertThat(settled.get(0).winner()).isEmpty();
    }

    @Test
    void attemptAtAnotherPartOfTheChunkIsNoWinner() {
        issue(block(0, 0, new ByteRange(0, 100), FIRST, 0), IssueReason.PLANNED);
        report(FIRST, 0, 0, "a", AttemptState.STARTED, 0);
        timeline.shortened(block(0, 0, new ByteRange(0, 100), FIRST, 0), 50);
        issue(block(1, 0, new ByteRange(50, 50), SECOND, 1), IssueReason.STEAL);
        report(SECOND, 1, 0, "b", AttemptState.FINISHED, 50);
        timeline.won(SECOND, new BlockId(1), 50);
        timeline.endAll();

        assertThat(settled.get(0).winner()).isEmpty();
        assertThat(settled.get(0).record().length()).isEqualTo(50);
    }

    @Test
    void racerThatTriesAnotherReplicaMakesAnotherAttempt() {
        issue(block(0, 0, new ByteRange(0, 100), FIRST, 0), IssueReason.RETRY);
        report(FIRST, 0, 0, "a", AttemptState.FAILED, 10);
        now = 7;
        report(FIRST, 0, 1, "b", AttemptState.STARTED, 0);
        report(FIRST, 0, 1, "b", AttemptState.FINISHED, 100);
        timeline.won(FIRST, new BlockId(0), 100);

        assertThat(opened).extracting(attempt -> attempt.identity().number()).containsExactly(0, 1);
        assertThat(opened.get(0).error()).contains(ErrorCode.REPLICA_CORRUPT);
        assertThat(opened.get(0).wonBytes()).isZero();
        assertThat(opened.get(1).wonBytes()).isEqualTo(100);
        assertThat(opened.get(1).issuedNanos()).isEqualTo(7);
        assertThat(opened.get(1).reason()).isEqualTo(IssueReason.RETRY);
    }

    @Test
    void deliveredBlockCancelsWhatNeverBegan() {
        Block tied = new Block(
                new BlockId(0),
                0,
                new ByteRange(0, 100),
                2,
                List.of(new Entrant(FIRST, 0), new Entrant(SECOND, 1)),
                BlockRule.TIED);
        issue(tied, IssueReason.PLANNED);
        report(FIRST, 0, 0, "a", AttemptState.STARTED, 0);
        timeline.dropped(tied);

        assertThat(opened).extracting(TimedAttempt::state).containsExactly(State.RUNNING, State.CANCELLED);
        assertThat(opened.get(1).beganNanos()).isEqualTo(RecordedAttempt.NEVER);
    }

    @Test
    void lostRacerEndsItsAttempts() {
        issue(block(0, 0, new ByteRange(0, 100), FIRST, 0), IssueReason.PLANNED);
        issue(block(1, 1, new ByteRange(0, 100), SECOND, 0), IssueReason.PLANNED);
        timeline.racerGone(FIRST, ErrorCode.HELPER_UNAVAILABLE);

        assertThat(opened).extracting(TimedAttempt::state).containsExactly(State.FAILED, State.QUEUED);
        assertThat(opened.get(0).error()).contains(ErrorCode.HELPER_UNAVAILABLE);
    }

    /** Each plan counts its blocks from 0. */
    @Test
    void blocksOfAnotherPlanHaveOtherNumbers() {
        timeline.planBegan();
        issue(block(0, 0, new ByteRange(0, 100), FIRST, 0), IssueReason.PLANNED);
        issue(block(1, 1, new ByteRange(0, 100), FIRST, 0), IssueReason.PLANNED);
        timeline.planBegan();
        issue(block(0, 0, new ByteRange(0, 100), FIRST, 0), IssueReason.PLANNED);

        assertThat(opened).extracting(attempt -> attempt.identity().block()).containsExactly(0, 1, 2);
        assertThat(settled).extracting(TimedAttempt::state).containsExactly(State.CANCELLED, State.CANCELLED);
    }

    @Test
    void attemptsBeyondTheMostAreLeftOut() {
        for (int id = 0; id < AttemptTimeline.MAX_OPEN; id++) {
            issue(block(id, id, new ByteRange(0, 100), FIRST, 0), IssueReason.PLANNED);
        }
        assertThat(timeline.issued(
                        block(AttemptTimeline.MAX_OPEN, 0, new ByteRange(0, 100), FIRST, 0),
                        IssueReason.PLANNED,
                        STORES,
                        racer -> "h"))
                .isFalse();
        report(FIRST, AttemptTimeline.MAX_OPEN, 0, "a", AttemptState.STARTED, 0);
        assertThat(opened).hasSize(AttemptTimeline.MAX_OPEN);

        timeline.endAll();
        assertThat(settled).hasSize(AttemptTimeline.MAX_OPEN);
        issue(block(AttemptTimeline.MAX_OPEN + 1, 0, new ByteRange(0, 100), FIRST, 0), IssueReason.PLANNED);
    }
}
