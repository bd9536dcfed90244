package io.cloudmw.cli.output;

import io.cloudmw.client.progress.Attempt;
import io.cloudmw.client.progress.AttemptState;
import io.cloudmw.client.progress.Extras;
import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.client.progress.PutEstimate;
import io.cloudmw.client.progress.PutReceipt;
import io.cloudmw.client.progress.ReplicaFault;
import io.cloudmw.client.progress.SlaReport;
import io.cloudmw.client.progress.TransferCost;
import io.cloudmw.client.progress.Win;
import io.cloudmw.core.config.Sizes;
import io.cloudmw.core.cost.Bill;
import io.cloudmw.core.cost.StoreUsage;
import io.cloudmw.core.model.StoreId;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The receipts of transfers, as JSON and as lines for people. */
public final class Receipts {
    /** The origin of a block. */
    private record Source(long chunk, int block, String racer) {}

    private Receipts() {}

    public static Map<String, Object> json(GetReceipt receipt) {
        Map<String, Object> answer = Json.of(receipt.version());
        answer.put("bytes", receipt.bytes());
        answer.put("chunks", receipt.chunks());
        answer.put("useful_bytes", receipt.usefulBytes());
        answer.put("direct_bytes", receipt.directBytes());
        answer.put("resumed_bytes", receipt.resumedBytes());
        answer.put("peer_bytes", receipt.peerBytes());
        answer.put("wasted_bytes", receipt.wastedBytes());
        answer.put("attempts", receipt.attempts());
        answer.put("cancelled", receipt.cancelled());
        answer.put("winners", receipt.winners());
        answer.put("wins", receipt.wins().stream().map(Receipts::json).toList());
        answer.put("truncated", receipt.winsLeftOut() > 0);
        answer.put("totals", ReceiptTotals.json(receipt));
        List<Map<String, ?>> faults = new ArrayList<>();
        for (ReplicaFault fault : receipt.faults()) {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("chunk", fault.chunk().toString());
            row.put("store", fault.store().value());
            row.put("code", fault.code().name());
            faults.add(row);
        }
        answer.put("faults", faults);
        answer.put("failed_attempts", ReceiptFailures.json(receipt));
        answer.put("extras", json(receipt.extras()));
        answer.put("cost", json(receipt.cost()));
        receipt.sla().ifPresent(sla -> answer.put("sla", json(sla)));
        answer.put("seconds", receipt.elapsed().toNanos() / 1e9);
        return answer;
    }

    public static Map<String, Object> json(PutReceipt receipt) {
        Map<String, Object> answer = Json.of(receipt.version());
        answer.put("replicas_stored", receipt.replicasStored());
        answer.put("replicas_owed", receipt.replicasOwed());
        answer.put("resumed_bytes", receipt.resumedBytes());
        answer.put("totals", ReceiptTotals.json(receipt));
        answer.put("cost", json(receipt.cost()));
        answer.put("seconds", receipt.elapsed().toNanos() / 1e9);
        return answer;
    }

    public static Map<String, Object> json(PutEstimate estimate) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("volume", estimate.volume().value());
        answer.put("size_bytes", estimate.sizeBytes());
        answer.put("chunks", estimate.chunks());
        answer.put("replicas", estimate.copies());
        answer.put("cost", json(estimate.cost()));
        return answer;
    }

    private static Map<String, Object> json(Win win) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("chunk", win.chunkIndex());
        row.put("block", win.block());
        row.put("winner", win.racer());
        row.put("store", win.store().value());
        row.put("bytes", win.bytes());
        return row;
    }

    private static Map<String, Object> json(Extras extras) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("hedges", extras.hedges());
        row.put("hedges_won", extras.hedgesWon());
        row.put("hand_overs", extras.handOvers());
        row.put("hand_overs_won", extras.handOversWon());
        row.put("steals", extras.steals());
        row.put("duplicates", extras.duplicates());
        row.put("retries", extras.retries());
        row.put("suppressed", extras.suppressed());
        return row;
    }

    public static Map<String, Object> json(TransferCost cost) {
        Bill bill = cost.bill();
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("requests", cost.total().reads() + cost.total().writes());
        Map<String, Map<String, ?>> stores = new TreeMap<>();
        cost.usage().forEach((store, usage) -> stores.put(store.value(), json(usage)));
        row.put("stores", stores);
        row.put("price", bill.total());
        row.put("price_requests", bill.requests());
        row.put("price_egress", bill.egress());
        row.put("price_helpers", bill.helpers());
        row.put("price_storage_per_month", bill.storagePerMonth());
        row.put("currency", bill.currency());
        row.put("price_version", bill.version());
        row.put("unpriced", bill.unpriced().stream().map(StoreId::value).toList());
        return row;
    }

    private static Map<String, Object> json(StoreUsage usage) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("reads", usage.reads());
        row.put("read_bytes", usage.readBytes());
        row.put("writes", usage.writes());
        row.put("written_bytes", usage.writtenBytes());
        return row;
    }

    private static Map<String, Object> json(SlaReport sla) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("deadline_seconds", sla.deadline().toNanos() / 1e9);
        row.put("quantile", sla.quantile());
        row.put("met", sla.met());
        row.put("why", sla.why());
        row.put("mode", sla.way().mode().label());
        row.put("chosen", sla.chosen());
        row.put("streams", sla.way().streams());
        sla.way().hedgeDelay().ifPresent(delay -> row.put("hedge_delay_seconds", delay.toNanos() / 1e9));
        row.put("predicted_seconds", sla.predicted().toNanos() / 1e9);
        return row;
    }

    /**
     * Returns a receipt as lines for people.
     *
     * @param blocks true for a line about each block; false for totals
     */
    public static List<String> lines(GetReceipt receipt, boolean blocks) {
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT,
                "%s: %s, %s in %.3f s",
                receipt.version().file(),
                Sizes.approximate(receipt.bytes()),
                count(receipt.chunks(), "chunk"),
                receipt.elapsed().toNanos() / 1e9));
        lines.addAll(blocks ? winLines(receipt) : ReceiptTotals.lines(receipt));
        if (blocks && receipt.winsLeftOut() > 0) {
            lines.add("and " + receipt.winsLeftOut() + " more blocks");
        }
        if (receipt.peerBytes() > 0) {
            lines.add("from peers: " + Sizes.approximate(receipt.peerBytes()));
        }
        lines.add(String.format(
                Locale.ROOT,
                "fetched: %s useful, %s wasted, in %s, %d cancelled; %s to stores",
                Sizes.approximate(receipt.usefulBytes()),
                Sizes.approximate(receipt.wastedBytes()),
                count(receipt.attempts(), "attempt"),
                receipt.cancelled(),
                count(receipt.cost().total().reads(), "request")));
        Extras extras = receipt.extras();
        lines.add(String.format(
                Locale.ROOT,
                "extras: %d hedges (%d won), %d hand-overs (%d won), %d steals, %d duplicates, %d retries, %d suppressed",
                extras.hedges(),
                extras.hedgesWon(),
                extras.handOvers(),
                extras.handOversWon(),
                extras.steals(),
                extras.duplicates(),
                extras.retries(),
                extras.suppressed()));
        lines.addAll(ReceiptFailures.lines(receipt));
        lines.addAll(lines(receipt.cost()));
        receipt.sla()
                .ifPresent(sla -> lines.add(String.format(
                        Locale.ROOT,
                        "target: p%s under %.3f s %s: %s",
                        percentile(sla.quantile()),
                        sla.deadline().toNanos() / 1e9,
                        sla.met() ? "met" : "missed",
                        sla.why())));
        return lines;
    }

    /** Returns a line for the origin of each block: a replica, or the cache of the winner, which read no store. */
    private static List<String> winLines(GetReceipt receipt) {
        Set<Source> kept = new HashSet<>();
        for (Attempt attempt : receipt.rows()) {
            if (attempt.kept() && attempt.state() == AttemptState.FINISHED) {
                kept.add(new Source(attempt.chunkIndex(), attempt.block(), attempt.racer()));
            }
        }
        List<String> lines = new ArrayList<>();
        for (Win win : receipt.wins()) {
            boolean wasKept = kept.contains(new Source(win.chunkIndex(), win.block(), win.racer()));
            lines.add("chunk " + win.chunkIndex() + ": " + Sizes.approximate(win.bytes()) + " by " + win.racer()
                    + (wasKept ? ", kept there" : " from " + win.store()));
        }
        return lines;
    }

    public static List<String> lines(PutReceipt receipt) {
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT,
                "%s: %s, %s in %.3f s",
                receipt.version().file(),
                Sizes.approximate(receipt.version().sizeBytes()),
                count(receipt.version().chunkCount(), "chunk"),
                receipt.elapsed().toNanos() / 1e9));
        lines.add("copies: " + receipt.replicasStored() + " stored, " + receipt.replicasOwed() + " owed");
        if (receipt.resumedBytes() > 0) {
            lines.add("resumed: " + Sizes.approximate(receipt.resumedBytes()) + " were stored already");
        }
        lines.addAll(ReceiptTotals.lines(receipt));
        lines.addAll(priced(receipt.cost()));
        return lines;
    }

    public static List<String> lines(PutEstimate estimate) {
        List<String> lines = new ArrayList<>();
        lines.add(estimate.volume() + ": " + Sizes.approximate(estimate.sizeBytes()) + " in "
                + count(estimate.chunks(), "chunk") + ", copies of each: " + estimate.copies()
                + "; how long it takes is not predicted");
        lines.addAll(written(estimate.cost()));
        return lines;
    }

    private static List<String> written(TransferCost cost) {
        List<String> lines = new ArrayList<>();
        new TreeMap<>(cost.usage())
                .forEach((store, usage) -> lines.add("store " + store + ": " + count(usage.writes(), "write") + ", "
                        + Sizes.approximate(usage.writtenBytes())));
        lines.addAll(priced(cost));
        return lines;
    }

    private static List<String> priced(TransferCost cost) {
        List<String> lines = new ArrayList<>(lines(cost));
        lines.add("keeping it: " + plain(cost.bill().storagePerMonth()) + " "
                + cost.bill().currency() + " a month");
        return lines;
    }

    public static List<String> lines(TransferCost cost) {
        Bill bill = cost.bill();
        List<String> lines = new ArrayList<>();
        lines.add("price: " + plain(bill.total()) + " " + bill.currency() + " (requests " + plain(bill.requests())
                + ", egress " + plain(bill.egress()) + ", helpers " + plain(bill.helpers()) + "; " + bill.version()
                + ")");
        if (!bill.unpriced().isEmpty()) {
            lines.add("without a price: " + bill.unpriced());
        }
        return lines;
    }

    /** Returns a number with its noun, like "1 chunk" or "2 chunks". */
    public static String count(long number, String thing) {
        return number + " " + thing + (number == 1 ? "" : "s");
    }

    /** Returns a quantile as a percentile: 99 for 0.99, 99.9 for 0.999. */
    public static String percentile(double quantile) {
        return BigDecimal.valueOf(Math.round(quantile * 1000), 1)
                .stripTrailingZeros()
                .toPlainString();
    }

    private static String plain(BigDecimal amount) {
        return amount.signum() == 0 ? "0" : amount.stripTrailingZeros().toPlainString();
    }
}
