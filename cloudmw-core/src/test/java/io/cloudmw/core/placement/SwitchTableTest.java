package io.cloudmw.core.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import java.util.Arrays;
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

    private static double fullest(int[] owners, int switches) {
        int[] counts = new int[switches];
        IntStream.of(owners).forEach(owner -> counts[owner]++);
        return (double) IntStream.of(counts).max().orElseThrow() * switches / owners.length;
    }

    @Test
    void aGibibyteIsSpreadEvenly() {
        for (int switches = 1; switches <= 16; switches++) {
            double fullest = fullest(owners(new SwitchTable(names(switches))), switches);
            assertThat(fullest * BLOCKS / switches).as(switches + " switches").isLessThan(BLOCKS / switches + 3);
        }
    }

    /** 14 chunks of 16 blocks, and one of 15: no switch has more than one block more than another. */
    @Test
    void filesWithAShorterLastChunkAreSharedEvenly() {
        for (int switches = 2; switches <= 5; switches++) {
            SwitchTable table = new SwitchTable(names(switches));
            int[] owners = IntStream.range(0, 239)
                    .map(block -> {
                        ChunkId chunk = new ChunkId(CHUNK.version(), block / 16);
                        return table.order(chunk, chunk.index() < 14 ? 16 : 15, block % 16)[0];
                    })
                    .toArray();
            assertThat(fullest(owners, switches)).as(switches + " switches").isLessThan(1.02);
        }
    }

    /** Readers keep to the order of a file: the blocks they want next belong to several switches. */
    @Test
    void theNextBlocksOfAnyReadAreSharedEvenly() {
        for (int switches = 2; switches <= 8; switches++) {
            int[] owners = owners(new SwitchTable(names(switches)));
            for (int first = 0; first + 32 <= BLOCKS; first++) {
                assertThat(fullest(Arrays.copyOfRange(owners, first, first + 32), switches))
                        .as("%d of %d switches", first, switches)
                        .isLessThan(2.1);
            }
            for (int first = 0; first + 32 <= BLOCKS; first += 16) {
                assertThat(fullest(Arrays.copyOfRange(owners, first, first + 32), switches))
                        .as("%d of %d switches", first, switches)
                        .isLessThan(1.6);
            }
        }
    }

    @Test
    void eachOrderHasEverySwitchOnce() {
        SwitchTable table = new SwitchTable(names(5));
        for (int block = 0; block < BLOCKS; block++) {
            assertThat(table.order(CHUNK, BLOCKS, block)).containsExactlyInAnyOrder(0, 1, 2, 3, 4);
        }
    }

    @Test
    void fewOtherBlocksMoveWhenASwitchGoes() {
        int[] before = owners(new SwitchTable(names(5)));
        int[] after = owners(new SwitchTable(names(4)));
        long moved = IntStream.range(0, BLOCKS)
                .filter(block -> before[block] != 4 && before[block] != after[block])
                .count();
        assertThat(moved).isLessThan(BLOCKS / 8);
        assertThat(after).doesNotContain(4);
    }

    @Test
    void blocksOfOneChunkFollowThoseOfTheChunkBefore() {
        SwitchTable table = new SwitchTable(names(3));
        ChunkId second = new ChunkId(CHUNK.version(), 1);
        assertThat(table.order(second, 8, 3)).isEqualTo(table.order(CHUNK, 16, 11));
        assertThat(table.order(second, 15, 3)).isEqualTo(table.order(CHUNK, 32, 19));
    }

    @Test
    void blocksBelongToNoSwitchWithoutSwitches() {
        assertThat(new SwitchTable(List.of()).order(CHUNK, 1, 0)).isEmpty();
    }
}
