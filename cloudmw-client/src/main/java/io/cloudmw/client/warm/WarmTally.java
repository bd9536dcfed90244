package io.cloudmw.client.warm;

import io.cloudmw.client.progress.WarmedSwitch;
import io.cloudmw.client.rpc.link.WarmEvents;
import io.cloudmw.core.cost.StoreUsage;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.HelperAddress;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** The results that one switch reported of a warm-up. Confined to the warm-up. */
final class WarmTally {
    private final Map<StoreId, StoreUsage> usage;
    private long hadBytes;
    private long parentBytes;
    private long storeBytes;
    private long keptBytes;
    private Optional<CloudMwException> failure = Optional.empty();

    /** @param usage the sum over all switches, to which this adds */
    WarmTally(Map<StoreId, StoreUsage> usage) {
        this.usage = usage;
    }

    /**
     * Records the result of one order to cache a block.
     *
     * @param first true for the first order of the block. A later order finds leaves that earlier orders cached, so its
     *     cache hits do not count
     */
    void answered(WarmEvents.Warmed warmed, boolean first) {
        hadBytes += first ? warmed.keptBytes() : 0;
        parentBytes += warmed.parentBytes();
        warmed.stores().forEach((store, used) -> {
            storeBytes += used.readBytes();
            usage.merge(store, used, StoreUsage::plus);
        });
    }

    /** Counts bytes of a block that were found cached. */
    void found(long bytes) {
        keptBytes += bytes;
    }

    /** Records that bytes are missing; the first reason is reported. */
    void failed(CloudMwException why) {
        if (failure.isEmpty()) {
            failure = Optional.of(why);
        }
    }

    WarmedSwitch of(HelperAddress helper, long askedBytes, boolean looked) {
        return new WarmedSwitch(
                helper.id(),
                helper.location(),
                askedBytes,
                hadBytes,
                parentBytes,
                storeBytes,
                looked ? OptionalLong.of(keptBytes) : OptionalLong.empty(),
                failure);
    }
}
