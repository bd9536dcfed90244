package io.cloudmw.client.read;

import io.cloudmw.core.hedge.SpeedEstimate;
import io.cloudmw.core.hedge.SpeedEstimates;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.monitor.Speed;
import io.cloudmw.core.monitor.SpeedBook;
import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.status.fleet.ExpectedSpeed;
import io.cloudmw.core.status.fleet.SizeClass;
import io.cloudmw.core.status.fleet.SpeedKey;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The speeds that one get expects of its stores: those in its plan for helpers, and this client's own measurements for
 * direct reads, also the latest. A store whose median has shifted is expected to be slower, so that a general slowdown causes no hedges.
 * Confined to its get; the expected figures do not change.
 */
public final class PlannedSpeeds implements SpeedEstimates {
    private final SpeedBook book;
    private final List<HelperId> helpers;
    private final Map<SpeedKey, Speed> own;
    private final Supplier<Map<SpeedKey, Speed>> live;
    private final Map<SpeedQuery, SpeedEstimate> cache = new HashMap<>();

    /** A cache key: a race asks for the same few speeds with every leaf. */
    private record SpeedQuery(StoreId store, int helper, SizeClass size) {}

    /** @param own gives the speeds that this client has measured; the get expects those of its beginning */
    public PlannedSpeeds(ReadPlan plan, Supplier<Map<SpeedKey, Speed>> own) {
        this.live = own;
        book = plan.speeds();
        helpers = plan.helpers().stream().map(HelperAddress::id).toList();
        this.own = Map.copyOf(own.get());
    }

    @Override
    public SpeedEstimate expected(StoreId store, int helper, long sizeBytes) {
        return cache.computeIfAbsent(
                new SpeedQuery(store, helper, SizeClass.of(sizeBytes)),
                query -> figures(
                        helper >= 0 && helper < helpers.size()
                                ? book.of(helpers.get(helper), store, sizeBytes)
                                : own(store, sizeBytes)));
    }

    @Override
    public SpeedEstimate measured(StoreId store, int helper, long sizeBytes) {
        return helper >= 0 && helper < helpers.size()
                ? expected(store, helper, sizeBytes)
                : figures(live.get()
                        .getOrDefault(new SpeedKey(store, SizeClass.of(sizeBytes)), Speed.UNKNOWN)
                        .expected());
    }

    private ExpectedSpeed own(StoreId store, long sizeBytes) {
        ExpectedSpeed seen = own.getOrDefault(new SpeedKey(store, SizeClass.of(sizeBytes)), Speed.UNKNOWN)
                .expected();
        return seen.isKnown() ? seen : book.of(store, sizeBytes);
    }

    private static SpeedEstimate figures(ExpectedSpeed expected) {
        if (!expected.isKnown()) {
            return SpeedEstimate.UNKNOWN;
        }
        return new SpeedEstimate(
                expected.firstByteNanos(),
                expected.lateFirstByteNanos(),
                expected.bytesPerSecond(),
                expected.slowBytesPerSecond());
    }
}
