package io.cloudmw.client.progress;

import io.cloudmw.core.cost.Usage;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BinaryOperator;

/**
 * What a warm-up did.
 *
 * @param files that it was about, but for those that could not be warmed
 * @param failed of a directory: files that could not be warmed, or looked at, and directories that could not be read
 * @param bytes of those, once
 * @param switches that were to keep them, by id
 * @param cost of what came from stores
 */
public record WarmReceipt(
        long files, long failed, long bytes, List<WarmedSwitch> switches, Duration elapsed, TransferCost cost) {
    public WarmReceipt {
        switches = List.copyOf(switches);
    }

    /** Whether every switch keeps everything, and nothing failed. */
    public boolean isComplete() {
        return failed == 0 && switches.stream().allMatch(WarmedSwitch::isComplete);
    }

    /** This and another file's, as one. The time is the longer: they may have gone on side by side. */
    public WarmReceipt plus(WarmReceipt more) {
        Map<StoreId, Usage> usage = new HashMap<>(cost.usage());
        more.cost.usage().forEach((store, used) -> usage.merge(store, used, Usage::plus));
        return new WarmReceipt(
                files + more.files,
                failed + more.failed,
                bytes + more.bytes,
                merged(more.switches, WarmedSwitch::plus),
                elapsed.compareTo(more.elapsed) < 0 ? more.elapsed : elapsed,
                new TransferCost(usage, cost.bill().plus(more.cost.bill())));
    }

    /** This, and what a later look at the same files found. */
    public WarmReceipt found(WarmReceipt look) {
        return new WarmReceipt(
                files, failed, bytes, merged(look.switches, WarmedSwitch::found), elapsed.plus(look.elapsed), cost);
    }

    /** The same, and how long it took altogether. */
    public WarmReceipt withElapsed(Duration time) {
        return new WarmReceipt(files, failed, bytes, switches, time, cost);
    }

    /** The same, and so many files with which it could not be done. */
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
