package io.cloudmw.lab.demo;

import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.lab.race.Distribution;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Times of several reads of one kind.
 *
 * @param mode {@code single}, or the mode's label
 * @param reads number of the reads
 * @param medianSeconds the lower median
 * @param slowestSeconds the longest read
 * @param bytesRatio all bytes fetched, divided by all bytes wanted; 1 for an empty file
 */
public record ReadTimes(String mode, int reads, double medianSeconds, double slowestSeconds, double bytesRatio) {
    static ReadTimes of(String mode, List<GetReceipt> receipts) {
        Distribution seconds = new Distribution(receipts.stream()
                .map(receipt -> receipt.elapsed().toNanos() / 1e9)
                .toList());
        long wanted = receipts.stream().mapToLong(GetReceipt::bytes).sum();
        long fetched = receipts.stream()
                .mapToLong(receipt -> receipt.usefulBytes() + receipt.wastedBytes())
                .sum();
        return new ReadTimes(
                mode,
                receipts.size(),
                seconds.quantile(0.5),
                seconds.quantile(1),
                wanted == 0 ? 1 : (double) fetched / wanted);
    }

    Map<String, Object> json() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("mode", mode);
        fields.put("median_seconds", DemoReport.rounded(medianSeconds));
        fields.put("slowest_seconds", DemoReport.rounded(slowestSeconds));
        fields.put("bytes_ratio", DemoReport.rounded(bytesRatio));
        return fields;
    }
}
