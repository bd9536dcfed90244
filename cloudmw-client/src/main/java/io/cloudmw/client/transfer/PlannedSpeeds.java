package io.cloudmw.client.transfer;

import io.cloudmw.core.hedge.SpeedEstimates;
import io.cloudmw.core.model.HelperAddress;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.monitor.ExpectedSpeed;
import io.cloudmw.core.monitor.SizeClass;
import io.cloudmw.core.monitor.Speed;
import io.cloudmw.core.monitor.SpeedBook;
import io.cloudmw.core.monitor.SpeedKey;
import io.cloudmw.core.placement.ReadPlan;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a get may expect of its stores: what its plan says helpers see, and what this client has seen where it reads by
 * itself. Where a store's median has moved of late, what is late there has moved with it: no hedge answers an outage of
 * everything. Confined to its get; figures are of the moment it was made.
 */
final class PlannedSpeeds implements SpeedEstimates {
    private final SpeedBook book;
    private final List<HelperId> helpers;
    private final Map<SpeedKey, Speed> own;
    private final Map<Way, io.cloudmw.core.hedge.SpeedEstimate> asked = new HashMap<>();

    /** A race asks for the same few ways with every leaf. */
    private record Way(StoreId store, int helper, SizeClass size) {}

    /**
     * @param own speeds this client has seen itself
     */
    PlannedSpeeds(ReadPlan plan, Map<SpeedKey, Speed> own) {
        book = plan.speeds();
        helpers = plan.helpers().stream().map(HelperAddress::id).toList();
        this.own = Map.copyOf(own);
    }

    @Override
    public io.cloudmw.core.hedge.SpeedEstimate expected(StoreId store, int helper, long sizeBytes) {
        return asked.computeIfAbsent(
                new Way(store, helper, SizeClass.of(sizeBytes)),
                way -> figures(
                        helper >= 0 && helper < helpers.size()
                                ? book.of(helpers.get(helper), store, sizeBytes)
                                : own(store, sizeBytes)));
    }

    private ExpectedSpeed own(StoreId store, long sizeBytes) {
        ExpectedSpeed seen =
                ExpectedSpeed.of(own.getOrDefault(new SpeedKey(store, SizeClass.of(sizeBytes)), Speed.UNKNOWN));
        return seen.isKnown() ? seen : book.of(store, sizeBytes);
    }

    private static io.cloudmw.core.hedge.SpeedEstimate figures(ExpectedSpeed expected) {
        if (!expected.isKnown()) {
            return io.cloudmw.core.hedge.SpeedEstimate.UNKNOWN;
        }
        return new io.cloudmw.core.hedge.SpeedEstimate(
                expected.firstByteNanos(),
                expected.lateFirstByteNanos(),
                expected.bytesPerSecond(),
                expected.slowBytesPerSecond());
    }
}
