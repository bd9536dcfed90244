package io.cloudmw.core.cache;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.testing.store.Chunks;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class BoundedFetchCacheTest {
    private static final int LEAF = 100;

    private final ChunkId chunk = Chunks.id();
    private final BoundedFetchCache<LeafKey> window = new BoundedFetchCache<>(3L * LEAF);
    /** Fetches in flight, by the leaf's number. */
    private final Map<Integer, CompletableFuture<byte[]>> asked = new LinkedHashMap<>();

    private int fetches;

    @CanIgnoreReturnValue
    private CompletableFuture<byte[]> get(int leaf) {
        return get(leaf, LEAF);
    }

    @CanIgnoreReturnValue
    private CompletableFuture<byte[]> get(int leaf, int length) {
        return window.get(new LeafKey(chunk, leaf), length, result -> {
            fetches++;
            asked.put(leaf, result);
        });
    }

    private void arrives(int leaf) {
        Objects.requireNonNull(asked.remove(leaf)).complete(new byte[] {(byte) leaf});
    }

    private void getAndArrive(int leaf) {
        get(leaf);
        arrives(leaf);
    }

    @Test
    void blockIsEvictedAndGivenBackWhenNobodyUsesIt() {
        List<Integer> given = new ArrayList<>();
        BoundedFetchCache<String> blocks = new BoundedFetchCache<>(2, block -> given.add((int) block[0]));
        assertThat(blocks.use("1", block -> {})).isFalse();
        var unused1 = blocks.get("1", 1, result -> result.complete(new byte[] {1}));
        var unused2 = blocks.get("2", 1, result -> result.complete(new byte[] {2}));
        List<CompletableFuture<byte[]>> asked = new ArrayList<>();
        boolean used = blocks.use("1", block -> {
            assertThat(blocks.use("2", other -> {
                        var unused3 = blocks.get("3", 1, asked::add);
                        var unused4 = blocks.get("4", 1, asked::add);
                        assertThat(asked).hasSize(1); // alone beyond the limit, as nothing else is in flight
                    }))
                    .isTrue();
            assertThat(given).containsExactly(2);
        });
        assertThat(used).isTrue();
        assertThat(given).containsExactly(2, 1);
        assertThat(asked).hasSize(2);
        assertThat(blocks.use("3", block -> {})).isFalse();
        asked.get(0).complete(new byte[] {3});
        assertThat(blocks.use("3", block -> assertThat(block).containsExactly(3)))
                .isTrue();
    }

    @Test
    void presentOrPendingLeafIsNotFetchedAgain() {
        CompletableFuture<byte[]> first = get(7);
        CompletableFuture<byte[]> second = get(7);
        assertThat(first).isNotDone();
        arrives(7);
        assertThat(first).isCompletedWithValueMatching(bytes -> bytes[0] == 7);
        assertThat(second).isCompletedWithValueMatching(bytes -> bytes[0] == 7);
        assertThat(get(7)).isCompletedWithValueMatching(bytes -> bytes[0] == 7);
        assertThat(fetches).isEqualTo(1);
    }

    @Test
    void leastRecentlyUsedLeafIsEvictedFirst() {
        for (int leaf = 0; leaf < 3; leaf++) {
            getAndArrive(leaf);
        }
        get(0);
        getAndArrive(3);
        assertThat(window.usedBytes()).isEqualTo(3 * LEAF);
        get(0);
        get(2);
        get(3);
        assertThat(fetches).isEqualTo(4);
        get(1);
        assertThat(fetches).isEqualTo(5);
    }

    @Test
    void fetchWithoutRoomWaitsForAnotherToEnd() {
        for (int leaf = 0; leaf < 5; leaf++) {
            get(leaf);
        }
        CompletableFuture<byte[]> again = get(4);
        assertThat(asked.keySet()).containsExactly(0, 1, 2);
        arrives(1);
        assertThat(asked.keySet()).containsExactly(0, 2, 3);
        assertThat(window.usedBytes()).isEqualTo(3 * LEAF);
        arrives(2);
        arrives(4);
        assertThat(again).isDone();
    }

    @Test
    void leafLongerThanTheLimitIsFetchedAlone() {
        getAndArrive(0);
        CompletableFuture<byte[]> large = get(1, 10 * LEAF);
        get(2);
        assertThat(asked.keySet()).containsExactly(1);
        arrives(1);
        assertThat(large).isDone();
        assertThat(asked.keySet()).containsExactly(2);
        assertThat(window.usedBytes()).isEqualTo(LEAF);
    }

    @Test
    void failedFetchFailsAllWaitersAndTheNextFetchesAgain() {
        CompletableFuture<byte[]> first = get(0);
        CompletableFuture<byte[]> second = get(0);
        Objects.requireNonNull(asked.remove(0))
                .completeExceptionally(new CloudMwException(ErrorCode.STORE_UNAVAILABLE, "no"));
        assertThat(first).isCompletedExceptionally();
        assertThat(second).isCompletedExceptionally();
        assertThat(window.usedBytes()).isZero();
        assertThat(get(0)).isNotDone();
        assertThat(fetches).isEqualTo(2);
    }

    @Test
    void fetchesBeyondTheLimitsWaitOrAreRefused() {
        BoundedFetchCache<LeafKey> large = new BoundedFetchCache<>(1 << 30);
        List<CompletableFuture<byte[]>> begun = new ArrayList<>();
        List<CompletableFuture<byte[]>> wanted = new ArrayList<>();
        int most = BoundedFetchCache.MAX_RUNNING + BoundedFetchCache.MAX_WAITING;
        for (int leaf = 0; leaf < most; leaf++) {
            wanted.add(large.get(new LeafKey(chunk, leaf), LEAF, begun::add));
        }
        assertThat(begun).hasSize(BoundedFetchCache.MAX_RUNNING);
        assertThat(large.get(new LeafKey(chunk, most), LEAF, begun::add))
                .isCompletedExceptionally()
                .matches(refused -> refused.handle((bytes, failure) ->
                                failure instanceof CloudMwException known && known.code() == ErrorCode.OVERLOADED)
                        .join());
        for (int i = 0; i < begun.size(); i++) {
            begun.get(i).complete(new byte[LEAF]);
        }
        assertThat(wanted).allMatch(CompletableFuture::isDone);
    }
}
