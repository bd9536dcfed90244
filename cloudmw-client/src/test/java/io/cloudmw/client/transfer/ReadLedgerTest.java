package io.cloudmw.client.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.client.progress.Attempt;
import io.cloudmw.client.progress.AttemptState;
import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.time.Ticker;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class ReadLedgerTest {
    private static final RacerId ONE = new RacerId(3);
    private static final RacerId OTHER = new RacerId(4);

    private final ReadLedger ledger = new ReadLedger(TransferListener.NONE, Ticker.system());

    @Test
    void attemptsOfInProcessRacersAreToldApartAlthoughTheyShareAName() {
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
}
