package io.cloudmw.core.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;

final class EvictingCacheTest {
    private static final int HOT = 80;
    private static final int ROOM = 100;
    private static final int SCANNED = 20_000;

    private final List<Integer> gone = new ArrayList<>();
    private final List<Integer> evicted = new ArrayList<>();

    private EvictingCache<Integer, Integer> of(long bytes) {
        return new EvictingCache<>(
                bytes, value -> value, (key, value) -> gone.add(key), () -> evicted.add(evicted.size()));
    }

    @Test
    void cacheNeverExceedsItsLimit() {
        EvictingCache<Integer, Integer> cache = of(1000);
        Random random = new Random(1);
        for (int key = 0; key < 5000; key++) {
            cache.put(key, 1 + random.nextInt(99));
            assertThat(cache.bytes()).isLessThanOrEqualTo(1000);
        }
        assertThat(evicted).hasSameSizeAs(gone).isNotEmpty();
    }

    @Test
    void aValueLongerThanTheCacheDoesNotStayAndEvictsNothing() {
        EvictingCache<Integer, Integer> cache = of(1000);
        cache.put(1, 500);
        cache.put(2, 1001);
        assertThat(cache.contains(1)).isTrue();
        assertThat(cache.contains(2)).isFalse();
        assertThat(gone).containsExactly(2);
    }

    @Test
    void aCacheWithoutRoomKeepsNothing() {
        EvictingCache<Integer, Integer> cache = of(0);
        cache.put(1, 1);
        assertThat(cache.get(1)).isEmpty();
        assertThat(gone).containsExactly(1);
    }

    @Test
    void listenerHearsOnceOfEachRemovedValue() {
        EvictingCache<Integer, Integer> cache = of(1000);
        cache.put(1, 10);
        cache.put(1, 20);
        cache.remove(1, 10);
        assertThat(cache.get(1)).contains(20);
        cache.remove(1, 20);
        cache.put(2, 5);
        cache.clear();
        assertThat(gone).containsExactly(1, 1, 2);
        assertThat(evicted).isEmpty();
        assertThat(cache.bytes()).isZero();
    }

    /** A hot set is read repeatedly; then far more values than fit are read once; then the hot set is read again. */
    @Test
    void aScanDoesNotFlushTheHotSet() {
        EvictingCache<Integer, Integer> cache = of(ROOM);
        Map<Integer, Integer> lru = leastRecentlyUsed();
        double kept = hotHitsAfterAScan(key -> cache.get(key).isPresent(), key -> cache.put(key, 1));
        double keptByLru = hotHitsAfterAScan(key -> lru.get(key) != null, key -> lru.put(key, 1));
        assertThat(keptByLru).isLessThan(0.1);
        assertThat(kept).isGreaterThan(0.9);
    }

    /** While a scan goes on beside it, the hot set is still served from the cache. */
    @Test
    void aScanBesideTheHotSetCostsItLittle() {
        EvictingCache<Integer, Integer> cache = of(ROOM);
        Random random = new Random(2);
        int hits = 0;
        int asked = 0;
        for (int step = 0; step < SCANNED; step++) {
            int hot = random.nextInt(HOT);
            boolean hit = cache.get(hot).isPresent();
            if (!hit) {
                cache.put(hot, 1);
            }
            if (step > SCANNED / 4) {
                asked++;
                hits += hit ? 1 : 0;
            }
            for (int scanned = 0; scanned < 4; scanned++) {
                cache.put(1_000_000 + 4 * step + scanned, 1);
            }
        }
        assertThat((double) hits / asked).isGreaterThan(0.85);
    }

    private interface Put {
        void put(int key);
    }

    private static double hotHitsAfterAScan(IntPredicate get, Put put) {
        Random random = new Random(3);
        for (int step = 0; step < 20 * HOT; step++) {
            read(random.nextInt(HOT), get, put);
        }
        for (int key = 0; key < SCANNED; key++) {
            read(1_000_000 + key, get, put);
        }
        int hits = 0;
        for (int key = 0; key < HOT; key++) {
            hits += get.test(key) ? 1 : 0;
        }
        return (double) hits / HOT;
    }

    private static void read(int key, IntPredicate get, Put put) {
        if (!get.test(key)) {
            put.put(key);
        }
    }

    private static Map<Integer, Integer> leastRecentlyUsed() {
        return new LinkedHashMap<>(ROOM, 0.75f, true) {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<Integer, Integer> eldest) {
                return size() > ROOM;
            }
        };
    }
}
