package io.cloudmw.core.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Keeps values up to a number of bytes. What is new waits in a small window; it stays only if it was asked for more often
 * lately than what would have to go for it, so that who reads everything once flushes nothing (W-TinyLFU; G. Einziger,
 * R. Friedman and B. Manes, "TinyLFU: A Highly Efficient Cache Admission Policy", 2017). Does nothing on threads of its own:
 * who puts evicts. Safe for any thread.
 */
public final class ByteBoundedCache<K, V> {
    private final Cache<K, V> cache;
    private final long limitBytes;

    /**
     * Starts empty.
     *
     * @param limitBytes of all values together; 0: nothing stays
     * @param bytes how many a value has; must not change
     * @param gone told of every value that is no longer kept, whatever the reason, on the thread that made it go; must be
     *     short, and not call back
     */
    public ByteBoundedCache(long limitBytes, ToIntFunction<V> bytes, BiConsumer<K, V> gone) {
        this(limitBytes, bytes, gone, () -> {});
    }

    /** As the other; {@code evicted} is run besides for each value that had to make room. */
    public ByteBoundedCache(long limitBytes, ToIntFunction<V> bytes, BiConsumer<K, V> gone, Runnable evicted) {
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

    /** The value, and a note that it was asked for. */
    public Optional<V> get(K key) {
        return Optional.ofNullable(cache.getIfPresent(key));
    }

    /** The value; says nothing about how often it is asked for. */
    public Optional<V> peek(K key) {
        return Optional.ofNullable(cache.policy().getIfPresentQuietly(key));
    }

    /** Whether there is one; says nothing about how often it is asked for. */
    public boolean contains(K key) {
        return cache.asMap().containsKey(key);
    }

    /** Keeps {@code value}, if only for a moment; one that was kept under this key goes. */
    public void put(K key, V value) {
        cache.put(key, value);
    }

    /** Lets go of what is kept under this key, if it is {@code value}. */
    public void remove(K key, V value) {
        cache.asMap().remove(key, value);
    }

    /** Lets go of everything. */
    public void clear() {
        cache.invalidateAll();
        cache.cleanUp();
    }

    /** Of all values. */
    public long bytes() {
        return cache.policy()
                .eviction()
                .map(eviction -> eviction.weightedSize().orElse(0))
                .orElse(0L);
    }

    /** Bytes it may keep. */
    public long limitBytes() {
        return limitBytes;
    }
}
