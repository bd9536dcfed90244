package io.cloudmw.lab.torture.fault;

import java.util.Locale;
import java.util.Map;

/**
 * A store that was lost with all its copies.
 *
 * @param copies the number of lost copies, including those of former versions
 * @param secondsToFullReplication from the loss until the cluster reported that no chunk lacks good copies
 */
public record StoreLoss(String store, long copies, double secondsToFullReplication) {
    public Map<String, Object> json() {
        return Map.of(
                "store",
                store,
                "copies",
                copies,
                "seconds_to_full_replication",
                Math.round(secondsToFullReplication * 10) / 10.0);
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%s was lost with %d copies; full replication after %.1f s",
                store,
                copies,
                secondsToFullReplication);
    }
}
