package io.cloudmw.cli.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.client.progress.TransferCost;
import io.cloudmw.client.progress.WarmReceipt;
import io.cloudmw.client.progress.WarmedSwitch;
import io.cloudmw.core.cost.Bill;
import io.cloudmw.core.cost.StoreUsage;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Location;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Tests with the receipt of two files, both cached by one switch. */
final class WarmReceiptsTest {
    private static final BigDecimal NOTHING = BigDecimal.ZERO;

    private final WarmReceipt receipt = receipt(Map.of());

    private static WarmReceipt receipt(Map<StoreId, StoreUsage> usage) {
        return new WarmReceipt(
                2,
                0,
                10,
                List.of(new WarmedSwitch(
                        new HelperId("s"), Location.NONE, 10, 10, 0, 0, OptionalLong.of(10), Optional.empty())),
                Duration.ofSeconds(1),
                new TransferCost(usage, new Bill(NOTHING, NOTHING, NOTHING, NOTHING, "USD", "1", List.of())));
    }

    @Test
    void directoryWithoutFailuresIsComplete() {
        assertThat(WarmReceipts.ofDirectory(receipt))
                .containsEntry("complete", true)
                .containsEntry("failed", 0L);
        assertThat(WarmReceipts.lines(receipt)).anyMatch(line -> line.startsWith("2 files, "));
    }

    @Test
    void directoryWithAFailedFileIsReportedIncomplete() {
        WarmReceipt failed = receipt.withFailed(1);
        assertThat(WarmReceipts.ofDirectory(failed))
                .containsEntry("complete", false)
                .containsEntry("failed", 1L);
        assertThat(WarmReceipts.lines(failed)).anyMatch(line -> line.startsWith("2 files and 1 that failed, "));
    }

    @Test
    void receiptHasAPriceOnlyForStoreReads() {
        assertThat(WarmReceipts.lines(receipt)).noneMatch(line -> line.startsWith("price"));
        assertThat(WarmReceipts.lines(receipt(Map.of(new StoreId("s"), StoreUsage.ofReads(1, 10)))))
                .anyMatch(line -> line.startsWith("price: 0 USD"));
    }
}
