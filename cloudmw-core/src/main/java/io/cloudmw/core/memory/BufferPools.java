package io.cloudmw.core.memory;

import io.netty.buffer.PooledByteBufAllocator;
import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The pools from which transports take their buffers. Netty returns the first piece of a pool to the operating system
 * only when the garbage collector finds the pool, and refuses memory beyond its limit without a collection. Programs
 * that open and close transports in turn would therefore run out of memory. A new transport takes the pool of a closed
 * one instead, as long as the collector has left it. Safe for any thread.
 */
public final class BufferPools {
    private static final int PAGE_BYTES = 8192;
    /**
     * The order of the 16 MiB pieces taken from the operating system: the bytes that one get has in flight. Smaller
     * pieces would be emptied, returned, taken and cleared again all the time, and a connection's own small buffer
     * keeps the first.
     */
    private static final int MAX_ORDER = 11;

    private static final int CACHED_SMALL_BUFFERS = 256;
    private static final int CACHED_NORMAL_BUFFERS = 64;

    /**
     * The alignment of buffers. The C library places large blocks 16 bytes after the start of a page, where the
     * kernel's copy instruction ({@code rep movsb}) takes twice as long on current AMD processors. Any other alignment
     * will do. Netty aligns only where it has {@code sun.misc.Unsafe}; on JDK 25 that needs {@code
     * --sun-misc-unsafe-memory-access=allow}. Without it, buffers lie where the C library places them.
     */
    private static final int ALIGNMENT_BYTES = PooledByteBufAllocator.isDirectMemoryCacheAlignmentSupported() ? 64 : 0;

    private static final int MAX_UNUSED = 16;

    private static final BufferPools SHARED = new BufferPools();

    private final Deque<Unused> unused = new ArrayDeque<>();

    /** An unused pool; the weak reference lets the garbage collector free it. */
    private record Unused(int arenas, WeakReference<PooledByteBufAllocator> pool) {}

    BufferPools() {}

    /** The pools of this process. */
    public static BufferPools shared() {
        return SHARED;
    }

    /**
     * Takes a pool without any used buffer; it is the caller's alone until it is given back.
     *
     * @param arenas its independent parts: one for each event loop
     */
    public PooledByteBufAllocator take(int arenas) {
        synchronized (unused) {
            for (var each = unused.iterator(); each.hasNext(); ) {
                Unused candidate = each.next();
                PooledByteBufAllocator pool = candidate.pool().get();
                if (pool == null) {
                    each.remove();
                } else if (candidate.arenas() == arenas && pool.pinnedDirectMemory() == 0) {
                    each.remove();
                    return pool;
                }
            }
        }
        return new PooledByteBufAllocator(
                true,
                0,
                arenas,
                PAGE_BYTES,
                MAX_ORDER,
                CACHED_SMALL_BUFFERS,
                CACHED_NORMAL_BUFFERS,
                false,
                ALIGNMENT_BYTES);
    }

    /** Hands a pool to the next transport. Buffers in use delay that, and stay valid. At most once for each take. */
    public void giveBack(PooledByteBufAllocator pool) {
        synchronized (unused) {
            if (unused.size() == MAX_UNUSED) {
                unused.removeFirst();
            }
            unused.addLast(new Unused(pool.metric().numDirectArenas(), new WeakReference<>(pool)));
        }
    }
}
