package io.cloudmw.core.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.bulk.BulkOptions;
import io.cloudmw.core.bulk.BulkTransport;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class BufferPoolsTest {
    private static final int ARENAS = 2;

    private final BufferPools pools = new BufferPools();

    @Test
    void aPoolThatWasGivenBackIsTakenAgain() {
        PooledByteBufAllocator first = pools.take(ARENAS);
        first.directBuffer(1).release();
        pools.giveBack(first);

        assertThat(pools.take(ARENAS)).isSameAs(first);
        assertThat(pools.take(ARENAS)).isNotSameAs(first);
    }

    @Test
    void aPoolWhoseBuffersAreInUseIsNotTaken() {
        PooledByteBufAllocator first = pools.take(ARENAS);
        ByteBuf inUse = first.directBuffer(1);
        pools.giveBack(first);

        assertThat(pools.take(ARENAS)).isNotSameAs(first);
        inUse.release();
        assertThat(pools.take(ARENAS)).isSameAs(first);
    }

    @Test
    void aPoolOfAnotherNumberOfArenasIsNotTaken() {
        PooledByteBufAllocator first = pools.take(ARENAS);
        pools.giveBack(first);

        assertThat(pools.take(ARENAS + 1)).isNotSameAs(first);
    }

    /** Otherwise each would keep 16 MiB until the next garbage collection, which nothing requests. */
    @Test
    void transportsThatAreOpenedAndClosedInTurnShareOnePool() {
        int threads = 3;
        Set<PooledByteBufAllocator> seen = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            try (BulkTransport transport = new BulkTransport(
                    "pools", threads, BulkOptions.defaults(), Optional.empty(), new SimpleMeterRegistry())) {
                transport.allocator().directBuffer(1 << 18).release();
                seen.add(transport.allocator());
            }
        }

        assertThat(seen).hasSize(1);
    }
}
