package io.cloudmw.client.read.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.client.progress.Attempt;
import io.cloudmw.client.progress.AttemptState;
import io.cloudmw.client.progress.Extras;
import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.client.progress.Win;
import io.cloudmw.core.cost.Pricing;
import io.cloudmw.core.hedge.IssueCounts;
import io.cloudmw.core.manifest.ManifestDigest;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.monitor.SpeedBook;
import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.testing.FakeTicker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class ReadLedgerTest {
    private static final RacerId ONE = new RacerId(3);
    private static final RacerId OTHER = new RacerId(4);

    private final ReadLedger ledger = new ReadLedger(TransferListener.NONE, new FakeTicker());

    @Test
    void attemptsOfLocalRacersAreDistinctDespiteTheirCommonName() {
        ledger.attempted(ONE, attempt(AttemptState.STARTED));
        ledger.attempted(OTHER, attempt(AttemptState.STARTED));
        ledger.attempted(ONE, attempt(AttemptState.FINISHED));
        assertThat(ledger.hasLiveAttempts()).isTrue();

        ledger.attempted(OTHER, attempt(AttemptState.CANCELLED));
        assertThat(ledger.hasLiveAttempts()).isFalse();
    }

    private static Attempt attempt(AttemptState state) {
        return new Attempt(0, 0, Attempt.LOCAL, new StoreId("s"), 0, state, 10, Optional.empty());
    }

    private GetReceipt receipt() {
        FileVersion version = new FileVersion(
                FilePath.parse("v:/f"), VersionId.random(), 0, 0, 0, 1 << 18, 0, new ManifestDigest().finish());
        ReadPlan plan = new ReadPlan(
                version,
                List.of(),
                List.of(),
                Mode.COOPERATIVE,
                false,
                TransferToken.of(new byte[] {1}),
                1,
                SpeedBook.EMPTY,
                Optional.empty());
        return ledger.receipt(plan, 0, Duration.ZERO, Pricing.DEFAULT, Optional.empty());
    }

    private void won(int block, String racer) {
        ledger.won(new Win(block, block, racer, new StoreId("s"), 1));
    }

    @Test
    void winnerBeforeItsReportIsAwaitedAndCountedOnce() {
        won(0, Attempt.LOCAL);
        assertThat(ledger.hasLiveAttempts()).isTrue();
        ledger.attempted(ONE, attempt(AttemptState.STARTED));
        ledger.attempted(ONE, attempt(AttemptState.FINISHED));
        assertThat(ledger.hasLiveAttempts()).isFalse();
        assertThat(receipt().attempts()).isEqualTo(1);
        assertThat(receipt().cost().total().reads()).isEqualTo(1);
    }

    @Test
    void winnerWithoutReportIsCounted() {
        won(0, "h1");
        ledger.startNextPlan(0, 0, 0);
        won(1, "h1");
        assertThat(receipt().attempts()).isEqualTo(2);
        assertThat(receipt().cost().total().reads()).isEqualTo(2);
        assertThat(receipt().cost().total().readBytes()).isEqualTo(2);
        assertThat(receipt().wastedBytes()).isEqualTo(2);
    }

    @Test
    void winnersBeyondTheRowLimitAreCounted() {
        for (int i = 0; i < GetReceipt.MAX_ROWS; i++) {
            won(i, "h1");
        }
        assertThat(receipt().winsLeftOut()).isZero();
        for (int i = 0; i < 3; i++) {
            won(GetReceipt.MAX_ROWS + i, "h2");
        }

        assertThat(receipt().wins()).hasSize(GetReceipt.MAX_ROWS);
        assertThat(receipt().winsLeftOut()).isEqualTo(3);
        assertThat(receipt().winners()).isEqualTo(Map.of("h1", (long) GetReceipt.MAX_ROWS, "h2", 3L));
    }

    @Test
    void extrasOfAllPlansAddUp() {
        ledger.tally(new IssueCounts(1, 2, 3, 4, 5, 6, 7, 8));
        ledger.tally(new IssueCounts(10, 20, 30, 40, 50, 60, 70, 80));

        assertThat(receipt().extras()).isEqualTo(new Extras(22, 33, 44, 55, 66, 77, 11, 88));
        assertThat(ledger.hindrances()).containsExactly("88 second attempts were due and refused");
    }
}
