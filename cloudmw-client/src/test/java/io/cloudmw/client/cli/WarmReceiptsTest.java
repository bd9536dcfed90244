package io.cloudmw.client.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.client.progress.TransferCost;
import io.cloudmw.client.progress.WarmReceipt;
import io.cloudmw.core.cost.Bill;
import io.cloudmw.core.cost.Usage;
import io.cloudmw.core.model.StoreId;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class WarmReceiptsTest {
    private static final Bill FREE =
            new Bill(BigDecimal.ZERO, BigDecimal.ZERO, BigDecimal.ZERO, BigDecimal.ZERO, "USD", "AWS 2026", List.of());

    private static List<String> lines(Map<StoreId, Usage> usage) {
        return WarmReceipts.lines(
                new WarmReceipt(1, 1 << 20, List.of(), Duration.ofSeconds(1), new TransferCost(usage, FREE)));
    }

    @Test
    void onlyWhatCameFromAStoreHasAPrice() {
        assertThat(lines(Map.of())).noneMatch(line -> line.startsWith("price"));
        assertThat(lines(Map.of(new StoreId("s"), Usage.ofReads(1, 1 << 20))))
                .anyMatch(line -> line.startsWith("price: 0 USD"));
    }
}
