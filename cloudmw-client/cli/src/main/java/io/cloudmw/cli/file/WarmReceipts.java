package io.cloudmw.cli.file;

import io.cloudmw.cli.output.Receipts;
import io.cloudmw.client.progress.WarmReceipt;
import io.cloudmw.client.progress.WarmedSwitch;
import io.cloudmw.core.config.Sizes;
import io.cloudmw.core.model.fleet.Location;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToLongFunction;

/** The result of a warm-up, as lines for people and as JSON. */
final class WarmReceipts {
    private WarmReceipts() {}

    static List<String> lines(WarmReceipt receipt) {
        List<String> lines = new ArrayList<>();
        for (WarmedSwitch one : receipt.switches()) {
            String place = one.location().equals(Location.NONE) ? "" : " (" + one.location() + ")";
            lines.add(one.helper() + place + ": "
                    + (one.isComplete() ? "warm" : Sizes.approximate(one.missingBytes()) + " missing") + "; had "
                    + Sizes.approximate(one.hadBytes()) + ", from switches " + Sizes.approximate(one.parentBytes())
                    + ", from stores " + Sizes.approximate(one.storeBytes())
                    + one.failure().map(why -> "; " + why.getMessage()).orElse(""));
        }
        long warm = receipt.switches().stream().filter(WarmedSwitch::isComplete).count();
        lines.add(String.format(
                Locale.ROOT,
                "%s%s, %s: %d of %s warm, in %.3f s",
                Receipts.count(receipt.files(), "file"),
                receipt.failed() == 0 ? "" : " and " + receipt.failed() + " that failed",
                Sizes.approximate(receipt.bytes()),
                warm,
                receipt.switches().size() == 1 ? "1 switch" : receipt.switches().size() + " switches",
                receipt.elapsed().toNanos() / 1e9));
        if (!receipt.cost().usage().isEmpty()) {
            lines.addAll(Receipts.lines(receipt.cost()));
        }
        return lines;
    }

    static Map<String, Object> json(WarmReceipt receipt) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("complete", receipt.isComplete());
        json.put("files", receipt.files());
        json.put("bytes", receipt.bytes());
        addTo(json, receipt.switches());
        json.put("switches", receipt.switches().stream().map(WarmReceipts::json).toList());
        json.put("seconds", receipt.elapsed().toNanos() / 1e9);
        json.put("cost", Receipts.json(receipt.cost()));
        return json;
    }

    /**
     * Returns the receipt of a directory as JSON. Only a directory has the field {@code failed}: the warm-up of a
     * single file fails instead.
     */
    static Map<String, Object> ofDirectory(WarmReceipt receipt) {
        Map<String, Object> json = json(receipt);
        json.put("failed", receipt.failed());
        return json;
    }

    private static Map<String, Object> json(WarmedSwitch one) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("id", one.helper().value());
        json.put("location", one.location().toString());
        json.put("complete", one.isComplete());
        addTo(json, List.of(one));
        one.failure().ifPresent(why -> {
            Map<String, Object> error = new LinkedHashMap<>();
            error.put("code", why.code().name());
            error.put("message", why.getMessage());
            json.put("error", error);
        });
        return json;
    }

    /** Adds the sums over these switches. */
    private static void addTo(Map<String, Object> json, List<WarmedSwitch> switches) {
        json.put("asked_bytes", sum(switches, WarmedSwitch::askedBytes));
        json.put("had_bytes", sum(switches, WarmedSwitch::hadBytes));
        json.put("switch_bytes", sum(switches, WarmedSwitch::parentBytes));
        json.put("store_bytes", sum(switches, WarmedSwitch::storeBytes));
        json.put("missing_bytes", sum(switches, WarmedSwitch::missingBytes));
    }

    private static long sum(List<WarmedSwitch> switches, ToLongFunction<WarmedSwitch> bytes) {
        return switches.stream().mapToLong(bytes).sum();
    }
}
