package io.cloudmw.cli.output;

import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.client.progress.PutReceipt;
import io.cloudmw.client.progress.ReadShare;
import io.cloudmw.client.progress.WriteShare;
import io.cloudmw.core.config.Sizes;
import io.cloudmw.core.cost.StoreUsage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The totals of a receipt, by helper and by store. */
final class ReceiptTotals {
    private ReceiptTotals() {}

    static List<String> lines(GetReceipt receipt) {
        List<String> lines = new ArrayList<>();
        ReadShare.byRacer(receipt.shares())
                .forEach((racer, total) -> lines.add("helper " + racer + ": " + line(total, receipt.bytes())));
        ReadShare.byStore(receipt.shares())
                .forEach((store, total) -> lines.add("store " + store + ": " + line(total, receipt.bytes())));
        return lines;
    }

    private static String line(ReadShare.Total total, long allBytes) {
        String kept = total.keptBlocks() == 0
                ? ""
                : " (" + Sizes.approximate(total.keptBytes()) + " in " + Receipts.count(total.keptBlocks(), "block")
                        + " kept there)";
        return Receipts.count(total.blocks(), "block") + ", " + share(total.bytes(), allBytes) + kept + ", "
                + Receipts.count(total.requests(), "request") + ", " + Sizes.approximate(total.wastedBytes())
                + " wasted";
    }

    static List<String> lines(PutReceipt receipt) {
        List<String> lines = new ArrayList<>();
        long all =
                receipt.helpers().values().stream().mapToLong(WriteShare::bytes).sum();
        byHelper(receipt)
                .forEach((helper, share) -> lines.add("helper " + helper + ": "
                        + Receipts.count(share.chunks(), "chunk") + ", " + share(share.bytes(), all) + ", "
                        + Receipts.count(share.requests(), "request") + ", "
                        + Sizes.approximate(share.wastedBytes()) + " wasted"));
        long written = receipt.cost().total().writtenBytes();
        byStore(receipt)
                .forEach((store, usage) -> lines.add("store " + store + ": " + Receipts.count(usage.writes(), "write")
                        + ", " + share(usage.writtenBytes(), written)));
        return lines;
    }

    private static String share(long bytes, long all) {
        return String.format(
                Locale.ROOT, "%s (%.1f %%)", Sizes.approximate(bytes), all == 0 ? 0.0 : 100.0 * bytes / all);
    }

    private static Map<String, WriteShare> byHelper(PutReceipt receipt) {
        Map<String, WriteShare> shares = new TreeMap<>();
        receipt.helpers().forEach((helper, share) -> shares.put(helper.value(), share));
        return shares;
    }

    private static Map<String, StoreUsage> byStore(PutReceipt receipt) {
        Map<String, StoreUsage> stores = new TreeMap<>();
        receipt.cost().usage().forEach((store, usage) -> stores.put(store.value(), usage));
        return stores;
    }

    static Map<String, ?> json(GetReceipt receipt) {
        Map<String, Object> helpers = new LinkedHashMap<>();
        ReadShare.byRacer(receipt.shares()).forEach((racer, total) -> helpers.put(racer, json(total)));
        Map<String, Object> stores = new LinkedHashMap<>();
        ReadShare.byStore(receipt.shares()).forEach((store, total) -> stores.put(store, json(total)));
        return Map.of("helpers", helpers, "stores", stores);
    }

    private static Map<String, ?> json(ReadShare.Total total) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("blocks", total.blocks());
        row.put("bytes", total.bytes());
        row.put("kept_blocks", total.keptBlocks());
        row.put("kept_bytes", total.keptBytes());
        row.put("requests", total.requests());
        row.put("wasted_bytes", total.wastedBytes());
        return row;
    }

    static Map<String, ?> json(PutReceipt receipt) {
        Map<String, Object> helpers = new LinkedHashMap<>();
        byHelper(receipt).forEach((helper, share) -> {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("chunks", share.chunks());
            row.put("bytes", share.bytes());
            row.put("requests", share.requests());
            row.put("wasted_bytes", share.wastedBytes());
            helpers.put(helper, row);
        });
        Map<String, Object> stores = new LinkedHashMap<>();
        byStore(receipt)
                .forEach((store, usage) ->
                        stores.put(store, Map.of("requests", usage.writes(), "bytes", usage.writtenBytes())));
        return Map.of("helpers", helpers, "stores", stores);
    }
}
