package io.cloudmw.cli.output;

import io.cloudmw.client.progress.Attempt;
import io.cloudmw.client.progress.AttemptState;
import io.cloudmw.client.progress.GetReceipt;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The failed attempts of a get by store and error code, as far as the receipt has rows. */
final class ReceiptFailures {
    private ReceiptFailures() {}

    /** Returns a line that names stores and errors; none when no attempt failed. */
    static List<String> lines(GetReceipt receipt) {
        SortedMap<String, SortedMap<String, Long>> failed = byStore(receipt);
        if (failed.isEmpty()) {
            return List.of();
        }
        List<String> texts = new ArrayList<>();
        failed.forEach((store, codes) -> codes.forEach(
                (code, count) -> texts.add(Receipts.count(count, "attempt") + " from " + store + " (" + code + ")")));
        return List.of("failed: " + String.join(", ", texts));
    }

    static List<Map<String, ?>> json(GetReceipt receipt) {
        List<Map<String, ?>> rows = new ArrayList<>();
        byStore(receipt)
                .forEach((store, codes) -> codes.forEach((code, count) -> {
                    Map<String, Object> row = new LinkedHashMap<>();
                    row.put("store", store);
                    row.put("code", code);
                    row.put("attempts", count);
                    rows.add(row);
                }));
        return rows;
    }

    private static SortedMap<String, SortedMap<String, Long>> byStore(GetReceipt receipt) {
        return receipt.rows().stream()
                .filter(attempt -> attempt.state() == AttemptState.FAILED)
                .collect(Collectors.groupingBy(
                        attempt -> attempt.store().value(),
                        TreeMap::new,
                        Collectors.groupingBy(ReceiptFailures::code, TreeMap::new, Collectors.counting())));
    }

    private static String code(Attempt attempt) {
        return attempt.error().map(Enum::name).orElse("no reason given");
    }
}
