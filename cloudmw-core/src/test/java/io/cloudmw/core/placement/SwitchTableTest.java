package io.cloudmw.core.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.model.ChunkId;
import io.cloudmw.core.model.VersionId;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class SwitchTableTest {
    private static final ChunkId CHUNK = new ChunkId(new VersionId("0123456789abcdef0123456789abcdef"), 0);
    private static final int BLOCKS = 256;

    private static List<String> names(int count) {
        return IntStream.range(0, count).mapToObj(index -> "switch-" + index).toList();
    }

    private static int[] owners(SwitchTable table) {
        return IntStream.range(0, BLOCKS)
                .map(block -> table.order(CHUNK, BLOCKS, block)[0])
                .toArray();
    }

    @Test
    void aGibibyteIsSpreadEvenly() {
        for (int switches = 1; switches <= 16; switches++) {
            int[] counts = new int[switches];
            for (int owner : owners(new SwitchTable(names(switches)))) {
                counts[owner]++;
            }
            int even = BLOCKS / switches;
            for (int count : counts) {
                assertThat(count).as(switches + " switches").isBetween(even - 3, even + 4);
            }
        }
    }

    @Test
    void aPartOfTheTableIsSpreadEvenlyToo() {
        for (int switches = 2; switches <= 8; switches++) {
            SwitchTable table = new SwitchTable(names(switches));
            for (int first = 0; first < BLOCKS; first++) {
                int[] counts = new int[switches];
                for (int block = first; block < first + 100; block++) {
                    counts[table.order(CHUNK, BLOCKS, block)[0]]++;
                }
                double most = IntStream.of(counts).max().orElseThrow();
                assertThat(most * switches / 100).as(switches + " switches").isLessThan(1.45);
            }
        }
    }

    @Test
    void everySwitchIsInEachOrderOnce() {
        SwitchTable table = new SwitchTable(names(5));
        for (int block = 0; block < BLOCKS; block++) {
            assertThat(table.order(CHUNK, BLOCKS, block)).containsExactlyInAnyOrder(0, 1, 2, 3, 4);
        }
    }

    @Test
    void whenASwitchGoesFewOtherBlocksMove() {
        int[] before = owners(new SwitchTable(names(5)));
        int[] after = owners(new SwitchTable(names(4)));
        long moved = IntStream.range(0, BLOCKS)
                .filter(block -> before[block] != 4 && before[block] != after[block])
                .count();
        assertThat(moved).isLessThan(BLOCKS / 5);
        assertThat(after).doesNotContain(4);
    }

    @Test
    void blocksOfOneChunkFollowThoseOfTheChunkBefore() {
        SwitchTable table = new SwitchTable(names(3));
        ChunkId second = new ChunkId(CHUNK.version(), 1);
        assertThat(table.order(second, 10, 3)).isEqualTo(table.order(CHUNK, 10, 13));
    }

    @Test
    void withoutSwitchesNothingBelongsToAny() {
        assertThat(new SwitchTable(List.of()).order(CHUNK, 1, 0)).isEmpty();
    }
}
