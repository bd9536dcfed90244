package io.cloudmw.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.client.progress.Attempt;
import io.cloudmw.client.progress.AttemptState;
import io.cloudmw.client.progress.Extras;
import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.client.progress.ReadShare;
import io.cloudmw.client.progress.TransferCost;
import io.cloudmw.client.progress.Win;
import io.cloudmw.core.cost.Bill;
import io.cloudmw.core.cost.StoreUsage;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.testing.Versions;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

final class ReceiptsTest {
    private static final StoreId STORE = new StoreId("d2");
    private static final int BYTES = 4 << 20;

    /** Returns a receipt of two blocks from the switch {@code s2}: a block read from its store, and a cached block. */
    private static GetReceipt fetchedAndKept() {
        return receipt(attempt(0, false), attempt(1, true));
    }

    private static GetReceipt receipt(Attempt... attempts) {
        Bill free = new Bill(
                BigDecimal.ZERO, BigDecimal.ZERO, BigDecimal.ZERO, BigDecimal.ZERO, "USD", "AWS 2026", List.of());
        return new GetReceipt(
                Versions.of("v:/f", 1),
                2L * BYTES,
                1,
                2L * BYTES,
                0,
                0,
                0,
                3,
                1,
                List.of(new Win(0, 0, "s2", STORE, BYTES), new Win(0, 1, "s2", STORE, BYTES)),
                Map.of("s2", 2L),
                List.of(ReadShare.nothing("s2", STORE)
                        .fetched(1, BYTES + 1024)
                        .fetched(0, BYTES)
                        .won(BYTES)
                        .won(BYTES)
                        .kept(BYTES)),
                List.of(attempts),
                List.of(),
                Duration.ofSeconds(1),
                Extras.NONE,
                new TransferCost(Map.of(STORE, StoreUsage.ofReads(1, BYTES)), free),
                Optional.empty());
    }

    private static Attempt attempt(int block, boolean kept) {
        return new Attempt(0, block, "s2", STORE, 0, AttemptState.FINISHED, BYTES, Optional.empty(), kept);
    }

    @Test
    void blockKeptByASwitchNamesNoStoreAndCountsNoRequest() {
        assertThat(Receipts.lines(fetchedAndKept(), true))
                .contains(
                        "chunk 0: 4.0 MiB by s2 from d2",
                        "chunk 0: 4.0 MiB by s2, kept there",
                        "fetched: 8.0 MiB useful, 0 B wasted, in 3 attempts, 1 cancelled; 1 request to stores");
        assertThat(Receipts.json(fetchedAndKept()).get("cost"))
                .asInstanceOf(InstanceOfAssertFactories.MAP)
                .containsEntry("requests", 1L);
    }

    @Test
    void aReceiptHasTotalsByHelperAndStoreInsteadOfALineForEachBlock() {
        assertThat(Receipts.lines(fetchedAndKept(), false))
                .contains(
                        "helper s2: 2 blocks, 8.0 MiB (100.0 %) (4.0 MiB in 1 block kept there), 1 request, 1.0 KiB wasted",
                        "store d2: 1 block, 4.0 MiB (50.0 %), 1 request, 1.0 KiB wasted")
                .noneMatch(line -> line.startsWith("chunk "));
        assertThat(Receipts.json(fetchedAndKept()).get("totals"))
                .asInstanceOf(InstanceOfAssertFactories.MAP)
                .extracting("stores", InstanceOfAssertFactories.MAP)
                .extracting("d2", InstanceOfAssertFactories.MAP)
                .containsEntry("blocks", 1L)
                .containsEntry("bytes", (long) BYTES)
                .containsEntry("requests", 1L)
                .containsEntry("wasted_bytes", 1024L);
    }

    @Test
    void failedAttemptsAreToldByStoreAndError() {
        GetReceipt receipt = receipt(
                failed(0, "d3", ErrorCode.STORE_UNAVAILABLE),
                failed(1, "d3", ErrorCode.STORE_UNAVAILABLE),
                failed(2, "d1", ErrorCode.REPLICA_MISSING),
                attempt(3, false));
        assertThat(Receipts.lines(receipt, false))
                .contains("failed: 1 attempt from d1 (REPLICA_MISSING), 2 attempts from d3 (STORE_UNAVAILABLE)");
        assertThat(Receipts.json(receipt).get("failed_attempts"))
                .isEqualTo(List.of(
                        Map.of("store", "d1", "code", "REPLICA_MISSING", "attempts", 1L),
                        Map.of("store", "d3", "code", "STORE_UNAVAILABLE", "attempts", 2L)));
        assertThat(Receipts.lines(fetchedAndKept(), false)).noneMatch(line -> line.startsWith("failed:"));
    }

    private static Attempt failed(int block, String store, ErrorCode code) {
        return new Attempt(0, block, "s2", new StoreId(store), 0, AttemptState.FAILED, 0, Optional.of(code));
    }

    @Test
    void storeWithoutRequestsHasNoTotal() {
        ReadShare kept =
                ReadShare.nothing("s2", STORE).fetched(0, BYTES).won(BYTES).kept(BYTES);

        assertThat(ReadShare.byStore(List.of(kept))).isEmpty();
        assertThat(ReadShare.byRacer(List.of(kept)).values())
                .extracting(ReadShare.Total::keptBlocks)
                .containsExactly(1L);
    }
}
