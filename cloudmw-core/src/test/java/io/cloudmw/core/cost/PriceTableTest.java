package io.cloudmw.core.cost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Store;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PriceTableTest {
    private static final Store EAST = bucket("east", "us-east-1", "");
    private static final Store MINIO = bucket("minio", "us-east-1", "http://10.0.0.5:9000");
    private static final Store DISK =
            new Store(new StoreId("d"), "rack", new Store.Disk(new HelperId("h"), Path.of("/d")));

    private final PriceTable table = PriceTable.builtIn();

    @TempDir
    private Path directory;

    @Test
    void theBuiltInTableKnowsRegionsDisksAndItsVersion() {
        assertThat(table.version()).contains("20");
        assertThat(table.currency()).isEqualTo("USD");
        assertThat(table.of(EAST).map(StorePrices::getPer1000)).contains(new BigDecimal("0.0004"));
        assertThat(table.of(bucket("x", "mars-north-1", ""))).isPresent();
        assertThat(table.of(bucket("x", "eu-west-1", "https://s3.eu-west-1.amazonaws.com")))
                .isEqualTo(table.of(bucket("x", "eu-west-1", "")));
        assertThat(table.of(DISK).map(StorePrices::getPer1000)).contains(BigDecimal.ZERO);
        assertThat(table.of(MINIO)).isEmpty();
    }

    @Test
    void egressDependsOnWhereTheReaderIs() {
        assertThat(table.egressPerGb(EAST, "us-east-1")).contains(BigDecimal.ZERO);
        assertThat(table.egressPerGb(EAST, "eu-west-1")).contains(new BigDecimal("0.02"));
        assertThat(table.egressPerGb(EAST, PriceTable.INTERNET)).contains(new BigDecimal("0.09"));
        assertThat(table.egressPerGb(MINIO, PriceTable.INTERNET)).isEmpty();
    }

    /** 1000 reads of 1 GB in all: 0.0004 + 0.09; 10 writes of 2 GB: 0.00005, and 0.046 a month. */
    @Test
    void billHasTheExpectedAmounts() {
        Map<StoreId, StoreUsage> usage = Map.of(
                EAST.id(), new StoreUsage(1000, 1L << 30, 10, 2L << 30), DISK.id(), StoreUsage.ofReads(5, 1L << 30));
        Bill bill = Bill.of(table, usage, List.of(EAST, DISK), PriceTable.INTERNET, 0);
        assertThat(bill.requests()).isEqualByComparingTo("0.00045");
        assertThat(bill.egress()).isEqualByComparingTo("0.09");
        assertThat(bill.storagePerMonth()).isEqualByComparingTo("0.046");
        assertThat(bill.total()).isEqualByComparingTo("0.09045");
        assertThat(bill.unpriced()).isEmpty();
        assertThat(bill.version()).isEqualTo(table.version());
    }

    @Test
    void storesWithoutAPriceAreNamed() {
        Bill bill = Bill.of(
                table,
                Map.of(MINIO.id(), StoreUsage.ofReads(5, 5), new StoreId("gone"), StoreUsage.ofReads(1, 1)),
                List.of(MINIO),
                PriceTable.INTERNET,
                0);
        assertThat(bill.total()).isZero();
        assertThat(bill.unpriced()).containsExactly(new StoreId("gone"), MINIO.id());
    }

    @Test
    void helpersCostTheirTime() {
        PriceTable priced = PriceTable.parse("t", "version=1\ncurrency=EUR\nhelper/*.per-hour = 0.36\n");
        Bill bill = Bill.of(priced, Map.of(), List.of(), PriceTable.INTERNET, 30_000_000_000L);
        assertThat(bill.total()).isEqualByComparingTo("0.003");
        assertThat(bill.currency()).isEqualTo("EUR");
    }

    @Test
    void priceTableOfTheUserIsReadOrRefusedWithTheReason() throws Exception {
        String good = "version = mine 1 # of today\ncurrency = USD\n\n" + prices("10.0.0.5/*", "0.1");
        Path file = Files.writeString(directory.resolve("prices"), good);
        assertThat(PriceTable.read(file).of(MINIO).map(StorePrices::putPer1000)).contains(new BigDecimal("0.1"));

        refused(good + "nonsense\n", "line 10", "nonsense");
        refused(good + "10.0.0.5/*.get-per-1000 = 1\n", "line 10", "twice");
        refused(good + "10.0.0.5/x.get-per-100 = 1\n", "get-per-100", "nearest: get-per-1000");
        refused(good + "10.0.0.5/x.get-per-1000 = 1\n", "10.0.0.5/x.put-per-1000 is missing");
        refused(good + "somewhere.get-per-1000 = 1\n", "somewhere.get-per-1000", "provider/region.item");
        refused(good + "helper/*.per-hour = -1\n", "\"-1\"", "0..1000000");
        refused(good + "helper/*.per-hour = 1e3\n", "\"1e3\"");
        refused(good + "helper/*.per-hour = 9999999\n", "\"9999999\"");
        refused(good.replace("USD", "dollars"), "currency", "like USD");
        refused("currency = USD\n", "version is missing");
        refused("version = 1\n", "currency is missing");
        assertThatExceptionOfType(CloudMwException.class)
                .isThrownBy(() -> PriceTable.read(directory.resolve("none")))
                .withMessageContaining("none: cannot be read: no such file")
                .extracting(CloudMwException::code)
                .isEqualTo(ErrorCode.LOCAL_IO);
        Path huge = Files.write(directory.resolve("huge"), new byte[PriceTable.MAX_BYTES + 1]);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PriceTable.read(huge))
                .withMessageContaining("bytes");
    }

    private static void refused(String text, String... hints) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PriceTable.parse("file", text))
                .satisfies(e -> assertThat(e.getMessage()).startsWith("file: ").contains(hints));
    }

    private static String prices(String place, String price) {
        StringBuilder text = new StringBuilder();
        for (String item : List.of(
                "get-per-1000",
                "put-per-1000",
                "storage-per-gb-month",
                "egress-same-region-per-gb",
                "egress-other-region-per-gb",
                "egress-internet-per-gb")) {
            text.append(place)
                    .append('.')
                    .append(item)
                    .append(" = ")
                    .append(price)
                    .append('\n');
        }
        return text.toString();
    }

    private static Store bucket(String id, String region, String endpoint) {
        return new Store(new StoreId(id), region, new Store.S3("b", region, endpoint, false, ""));
    }
}
