package io.cloudmw.client.cli;

import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.client.progress.ReplicaFault;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A get's receipt as JSON. */
final class Receipts {
    private Receipts() {}

    static Map<String, Object> json(GetReceipt receipt) {
        Map<String, Object> answer = Json.of(receipt.version());
        answer.put("bytes", receipt.bytes());
        answer.put("chunks", receipt.chunks());
        answer.put("useful_bytes", receipt.usefulBytes());
        answer.put("wasted_bytes", receipt.wastedBytes());
        answer.put("attempts", receipt.attempts());
        answer.put("cancelled", receipt.cancelled());
        answer.put("winners", receipt.winners());
        List<Map<String, ?>> faults = new ArrayList<>();
        for (ReplicaFault fault : receipt.faults()) {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("chunk", fault.chunk().toString());
            row.put("store", fault.store().value());
            row.put("code", fault.code().name());
            faults.add(row);
        }
        answer.put("faults", faults);
        answer.put("seconds", receipt.elapsed().toNanos() / 1e9);
        return answer;
    }
}
