package io.cloudmw.core.cost;

import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Store;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The cost of a transfer by a price table: δ of [1] CloudMW §4.2, Table 3. <b>Differs:</b> requests and egress have
 * prices of their own where the paper has one price of S3, and helpers are priced by the transfer's time.
 *
 * @param requests for reads and writes
 * @param egress for bytes that left stores, wasted ones included
 * @param helpers for the time helpers worked on it
 * @param storagePerMonth for storing what was written, each month; not in the {@link #total}
 * @param currency of all amounts
 * @param version of the price table
 * @param unpriced stores without a price in the table; they count as free
 */
public record Bill(
        BigDecimal requests,
        BigDecimal egress,
        BigDecimal helpers,
        BigDecimal storagePerMonth,
        String currency,
        String version,
        List<StoreId> unpriced) {
    /** The digits kept after the point: a nanodollar, a four-hundredth of one S3 read. */
    public static final int SCALE = 9;

    private static final BigDecimal THOUSAND = new BigDecimal(1000);
    private static final BigDecimal GB = new BigDecimal(1L << 30);
    private static final BigDecimal HOUR_NANOS = new BigDecimal(3_600_000_000_000L);

    public Bill {
        unpriced = List.copyOf(unpriced);
    }

    /**
     * Adds up the usage.
     *
     * @param stores the stores that {@code usage} names; one that is missing has no price
     * @param readerRegion the region of the processes that read stores, or {@link PriceTable#INTERNET}
     * @param helperNanos time of all helpers together
     */
    public static Bill of(
            PriceTable table,
            Map<StoreId, StoreUsage> usage,
            Collection<Store> stores,
            String readerRegion,
            long helperNanos) {
        Map<StoreId, Store> byId = new HashMap<>();
        stores.forEach(store -> byId.put(store.id(), store));
        BigDecimal requests = BigDecimal.ZERO;
        BigDecimal egress = BigDecimal.ZERO;
        BigDecimal storage = BigDecimal.ZERO;
        List<StoreId> unpriced = new ArrayList<>();
        for (StoreId id : usage.keySet().stream().sorted().toList()) {
            StoreUsage used = usage.getOrDefault(id, StoreUsage.NONE);
            Store store = byId.get(id);
            StorePrices prices = store == null ? null : table.of(store).orElse(null);
            if (store == null || prices == null) {
                unpriced.add(id);
                continue;
            }
            requests = requests.add(per(THOUSAND, used.reads(), prices.getPer1000()))
                    .add(per(THOUSAND, used.writes(), prices.putPer1000()));
            BigDecimal perGb = table.egressPerGb(store, readerRegion).orElse(BigDecimal.ZERO);
            egress = egress.add(per(GB, used.readBytes(), perGb));
            storage = storage.add(per(GB, used.writtenBytes(), prices.storagePerGbMonth()));
        }
        BigDecimal helpers = per(HOUR_NANOS, helperNanos, table.helperPerHour());
        return new Bill(
                rounded(requests),
                rounded(egress),
                rounded(helpers),
                rounded(storage),
                table.currency(),
                table.version(),
                unpriced);
    }

    private static BigDecimal per(BigDecimal unit, long count, BigDecimal price) {
        return new BigDecimal(count).multiply(price).divide(unit, 2 * SCALE, RoundingMode.HALF_UP);
    }

    private static BigDecimal rounded(BigDecimal amount) {
        return amount.setScale(SCALE, RoundingMode.HALF_UP);
    }

    /** The sum of both bills, which must be by the same table. */
    public Bill plus(Bill more) {
        return new Bill(
                requests.add(more.requests),
                egress.add(more.egress),
                helpers.add(more.helpers),
                storagePerMonth.add(more.storagePerMonth),
                currency,
                version,
                Stream.concat(unpriced.stream(), more.unpriced.stream())
                        .distinct()
                        .sorted()
                        .toList());
    }

    /** δ: requests, egress and helpers. */
    public BigDecimal total() {
        return requests.add(egress).add(helpers);
    }
}
