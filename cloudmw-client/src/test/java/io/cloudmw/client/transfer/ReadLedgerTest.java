package io.cloudmw.client.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.client.progress.Win;
import io.cloudmw.core.cost.Pricing;
import io.cloudmw.core.manifest.ManifestDigest;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.FileVersion;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.monitor.SpeedBook;
import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.testing.FakeTicker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class ReadLedgerTest {
    private final ReadLedger ledger = new ReadLedger(TransferListener.NONE, new FakeTicker());

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
    void winnersAreCountedBeyondTheRowsThatAreKept() {
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
}
