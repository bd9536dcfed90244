package io.cloudmw.core.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A cache of values up to a number of bytes. A new value waits in a small window. It stays only if it was requested
 * more often lately than the value it would evict, so that a scan does not flush the cache (W-TinyLFU; G. Einziger, R.
 * Friedman and B. Manes, "TinyLFU: A Highly Efficient Cache Admission Policy", 2017). It has no threads of its own:
 * puts evict. Safe for any thread.
 */
public final class EvictingCache<K, V> {
    private final Cache<K, V> cache;
    private final long limitBytes;

    /**
     * Makes an empty cache.
     *
     * @param limitBytes of all values together; 0: nothing stays
     * @param bytes the size of a value; must not change
     * @param gone called with every value that is no longer kept, for whatever reason, on the thread that removed it;
     *     must be short, and not call back
     */
    public EvictingCache(long limitBytes, ToIntFunction<V> bytes, BiConsumer<K, V> gone) {
        this(limitBytes, bytes, gone, () -> {});
    }

    /** Makes an empty cache that also runs {@code evicted} for each evicted value. */
    public EvictingCache(long limitBytes, ToIntFunction<V> bytes, BiConsumer<K, V> gone, Runnable evicted) {
        this.limitBytes = limitBytes;
        this.cache = Caffeine.newBuilder()
                .maximumWeight(limitBytes)
                .weigher((K key, V value) -> bytes.applyAsInt(value))
                .executor(Runnable::run)
                .removalListener((@Nullable K key, @Nullable V value, RemovalCause cause) -> {
                    if (key != null && value != null) {
                        if (cause.wasEvicted()) {
                            evicted.run();
                        }
                        gone.accept(key, value);
                    }
                })
                .build();
    }

    /** The value; counts as a request. */
    public Optional<V> get(K key) {
        return Optional.ofNullable(cache.getIfPresent(key));
    }

    /** The value; does not count as a request. */
    public Optional<V> peek(K key) {
        return Optional.ofNullable(cache.policy().getIfPresentQuietly(key));
    }

    /** Returns whether there is a value; does not count as a request. */
    public boolean contains(K key) {
        return cache.asMap().containsKey(key);
    }

    /** Puts {@code value}, which may be evicted at once; a former value of this key is removed. */
    public void put(K key, V value) {
        cache.put(key, value);
    }

    /** Removes the value of this key, if it is {@code value}. */
    public void remove(K key, V value) {
        cache.asMap().remove(key, value);
    }

    /** Removes everything. */
    public void clear() {
        cache.invalidateAll();
        cache.cleanUp();
    }

    /** The bytes of all values. */
    public long bytes() {
        return cache.policy()
                .eviction()
                .map(eviction -> eviction.weightedSize().orElse(0))
                .orElse(0L);
    }

    /** The most bytes it keeps. */
    public long limitBytes() {
        return limitBytes;
    }
}
