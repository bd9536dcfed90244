package io.cloudmw.core.cost;

import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Store;
import java.math.BigDecimal;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The prices by which transfers are billed, and the region of the readers.
 *
 * @param own a table given by the user; empty: the built-in one
 * @param readerRegion the region of the processes that read stores (helpers, or a client by itself): one of the
 *     stores' provider, or {@link PriceTable#INTERNET}
 */
public record Pricing(Optional<PriceTable> own, String readerRegion) {
    /** The built-in table, for readers outside of every region: the dearest case. */
    public static final Pricing DEFAULT = new Pricing(Optional.empty(), PriceTable.INTERNET);

    public Pricing {
        if (!readerRegion.matches("[a-z0-9-]{1,63}")) {
            throw new IllegalArgumentException(
                    "reader region: \"" + readerRegion + "\" (expected: like us-east-1, or internet)");
        }
        if (!readerRegion.equals(PriceTable.INTERNET)) {
            own.orElseGet(() -> BuiltIn.TABLE).requireReader(readerRegion);
        }
    }

    /** The built-in table, read when it is first needed. */
    private static final class BuiltIn {
        static final PriceTable TABLE = PriceTable.builtIn();
    }

    /** The price table: the application's own one, or the default. */
    public PriceTable table() {
        return own.orElseGet(() -> BuiltIn.TABLE);
    }

    /** The bill for the usage; see {@link Bill#of}. */
    public Bill bill(Map<StoreId, StoreUsage> usage, Collection<Store> stores, long helperNanos) {
        return Bill.of(table(), usage, stores, readerRegion, helperNanos);
    }

    /** The mean prices of reading from these stores; stores without a price cost nothing. */
    public ReadRates rates(List<Store> stores) {
        double requests = 0;
        double bytes = 0;
        for (Store store : stores) {
            requests += table().of(store)
                    .map(prices -> prices.getPer1000().doubleValue() / 1000)
                    .orElse(0.0);
            bytes += table().egressPerGb(store, readerRegion)
                            .map(BigDecimal::doubleValue)
                            .orElse(0.0)
                    / (1 << 30);
        }
        int count = Math.max(1, stores.size());
        return new ReadRates(requests / count, bytes / count);
    }
}
