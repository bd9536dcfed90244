package io.cloudmw.client.progress;

import io.cloudmw.core.cost.StoreUsage;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BinaryOperator;

/**
 * The receipt of a warm-up.
 *
 * @param files files in the warm-up, without those that failed
 * @param failed in a directory: files that could not be warmed or checked, and directories that could not be read
 * @param bytes bytes of the files, counted once for all switches
 * @param switches the results of the switches, by id
 * @param cost the cost of reads from stores
 */
public record WarmReceipt(
        long files, long failed, long bytes, List<WarmedSwitch> switches, Duration elapsed, TransferCost cost) {
    public WarmReceipt {
        switches = List.copyOf(switches);
    }

    /** Returns whether every switch has everything cached, and nothing failed. */
    public boolean isComplete() {
        return failed == 0 && switches.stream().allMatch(WarmedSwitch::isComplete);
    }

    /**
     * The sum of this receipt and another file's. The time is the longer one, because the two may have run in parallel.
     */
    public WarmReceipt plus(WarmReceipt more) {
        Map<StoreId, StoreUsage> usage = new HashMap<>(cost.usage());
        more.cost.usage().forEach((store, used) -> usage.merge(store, used, StoreUsage::plus));
        return new WarmReceipt(
                files + more.files,
                failed + more.failed,
                bytes + more.bytes,
                merged(more.switches, WarmedSwitch::plus),
                elapsed.compareTo(more.elapsed) < 0 ? more.elapsed : elapsed,
                new TransferCost(usage, cost.bill().plus(more.cost.bill())));
    }

    /** This receipt, with the result of a later check of the same files. */
    public WarmReceipt found(WarmReceipt look) {
        return new WarmReceipt(
                files, failed, bytes, merged(look.switches, WarmedSwitch::found), elapsed.plus(look.elapsed), cost);
    }

    /** The same receipt with another total time. */
    public WarmReceipt withElapsed(Duration time) {
        return new WarmReceipt(files, failed, bytes, switches, time, cost);
    }

    /** The same receipt with this number of failed files. */
    public WarmReceipt withFailed(long count) {
        return new WarmReceipt(files, count, bytes, switches, elapsed, cost);
    }

    private List<WarmedSwitch> merged(List<WarmedSwitch> others, BinaryOperator<WarmedSwitch> merge) {
        Map<HelperId, WarmedSwitch> all = new TreeMap<>();
        switches.forEach(one -> all.put(one.helper(), one));
        others.forEach(one -> all.merge(one.helper(), one, merge));
        return List.copyOf(all.values());
    }
}
