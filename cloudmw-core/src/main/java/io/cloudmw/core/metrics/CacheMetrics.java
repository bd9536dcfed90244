package io.cloudmw.core.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** The meters of a switch's cache. Safe for any thread. */
public final class CacheMetrics {
    /** Cache hits: leaves that readers requested and the cache held. */
    public static final String HITS = "cloudmw.cache.hits";

    /** Cache misses: leaves that readers requested and the switch fetched, from a store or a switch above. */
    public static final String MISSES = "cloudmw.cache.misses";

    /** Leaves that readers requested while they were being fetched for another reader. */
    public static final String JOINED = "cloudmw.cache.joined";

    /** Bytes sent to readers. */
    public static final String SERVED = "cloudmw.cache.served";

    /** Bytes fetched from stores. */
    public static final String FETCHED = "cloudmw.cache.fetched";

    /** Leaves that were evicted. */
    public static final String EVICTIONS = "cloudmw.cache.evictions";

    /** Leaves of the disk tier that failed their check, and were dropped. */
    public static final String DAMAGED = "cloudmw.cache.damaged";

    /** Bytes in the cache. */
    public static final String HELD = "cloudmw.cache.held";

    private static final String TIER = "tier";

    /** The tiers of the cache. */
    public enum Tier {
        MEMORY,
        DISK;

        private String tag() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final MeterRegistry meters;
    private final Map<Tier, Counter> hits = new EnumMap<>(Tier.class);
    private final Map<Tier, Counter> evictions = new EnumMap<>(Tier.class);
    private final Counter misses;
    private final Counter joined;
    private final Counter served;
    private final Counter fetched;
    private final Counter damaged;
    private final Map<Tier, Supplier<Number>> held = new ConcurrentHashMap<>();

    /**
     * The counts so far.
     *
     * @param keptBytes now in the cache
     */
    public record Totals(long keptBytes, long hits, long joined, long misses, long servedBytes, long fetchedBytes) {}

    public CacheMetrics(MeterRegistry meters) {
        this.meters = meters;
        for (Tier tier : Tier.values()) {
            hits.put(tier, meters.counter(HITS, TIER, tier.tag()));
            evictions.put(tier, meters.counter(EVICTIONS, TIER, tier.tag()));
        }
        misses = meters.counter(MISSES);
        joined = meters.counter(JOINED);
        served = Counter.builder(SERVED).baseUnit("bytes").register(meters);
        fetched = Counter.builder(FETCHED).baseUnit("bytes").register(meters);
        damaged = meters.counter(DAMAGED);
    }

    /** Reports the bytes in a tier from now on. */
    public void holds(Tier tier, Supplier<Number> bytes) {
        held.put(tier, bytes);
        Gauge.builder(HELD, bytes)
                .baseUnit("bytes")
                .tag(TIER, tier.tag())
                .strongReference(true)
                .register(meters);
    }

    public Totals totals() {
        // Leaves in memory are on the disk, too, where there is one.
        Supplier<Number> kept = held.containsKey(Tier.DISK) ? held.get(Tier.DISK) : held.get(Tier.MEMORY);
        return new Totals(
                kept == null ? 0 : kept.get().longValue(),
                Math.round(hits.values().stream().mapToDouble(Counter::count).sum()),
                Math.round(joined.count()),
                Math.round(misses.count()),
                Math.round(served.count()),
                Math.round(fetched.count()));
    }

    public void hit(Tier tier) {
        of(hits, tier).increment();
    }

    public void missed() {
        misses.increment();
    }

    public void joined() {
        joined.increment();
    }

    public void served(long bytes) {
        served.increment((double) bytes);
    }

    public void fetched(long bytes) {
        fetched.increment((double) bytes);
    }

    public void evicted(Tier tier) {
        of(evictions, tier).increment();
    }

    public void damaged() {
        damaged.increment();
    }

    private static Counter of(Map<Tier, Counter> counters, Tier tier) {
        Counter counter = counters.get(tier);
        if (counter == null) {
            throw new IllegalArgumentException("tier: " + tier);
        }
        return counter;
    }
}
