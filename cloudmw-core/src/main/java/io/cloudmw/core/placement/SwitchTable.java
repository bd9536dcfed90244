package io.cloudmw.core.placement;

import io.cloudmw.core.model.ChunkId;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * To which switch each block belongs: whoever has the same list computes the same.
 *
 * <p>The algorithm: each switch has a permutation of the places of a section, from a hash of its name; in turns, each takes the
 * next place of its permutation that is free, until none is, and so on with the next section. So the numbers of their places
 * differ by one at most, and when a switch comes or goes few other places change hands. Maglev hashing; D. Eisenbud et al.,
 * "Maglev: A Fast and Reliable Software Network Load Balancer", NSDI 2016, section 3.4. Blocks that follow each other have
 * places that follow each other, so that a file is spread evenly.
 *
 * <p>Differs: Maglev has one large section, for connections come in no order. Blocks do, and a file often has fewer of them
 * than the table has places: with sections, any part of the table is dealt out about as evenly as the whole.
 */
public final class SwitchTable {
    /** Places of a section. A prime: then every step from place to place is a permutation. */
    private static final int SECTION = 47;

    static final int PLACES = 5 * SECTION;

    private final int switches;
    /** For each place, the switches by whom they come first from there on. */
    private final int[][] orders = new int[PLACES][];

    /** @param switches their names; the ranks in the answers are indexes into this list */
    public SwitchTable(List<String> switches) {
        this.switches = switches.size();
        int[] owners = this.switches == 0 ? new int[0] : owners(switches);
        for (int place = 0; place < owners.length; place++) {
            orders[place] = orderFrom(place, owners);
        }
    }

    private static int[] owners(List<String> switches) {
        int[] owners = new int[PLACES];
        Arrays.fill(owners, -1);
        for (int first = 0; first < PLACES; first += SECTION) {
            fillSection(owners, first, switches);
        }
        return owners;
    }

    /** The turns go on from section to section: otherwise those who come first would have one place more in each. */
    private static void fillSection(int[] owners, int first, List<String> switches) {
        int[] next = new int[switches.size()];
        for (int filled = first; filled < first + SECTION; filled++) {
            int rank = filled % switches.size();
            int place = place(switches.get(rank), first, next[rank]++);
            while (owners[place] >= 0) {
                place = place(switches.get(rank), first, next[rank]++);
            }
            owners[place] = rank;
        }
    }

    private static int place(String name, int first, int step) {
        long offset = Math.floorMod(Rendezvous.hash("offset" + first, name), SECTION);
        long skip = Math.floorMod(Rendezvous.hash("skip" + first, name), SECTION - 1) + 1L;
        return first + Math.toIntExact((offset + step * skip) % SECTION);
    }

    private int[] orderFrom(int place, int[] owners) {
        return IntStream.range(0, PLACES)
                .map(step -> owners[(place + step) % PLACES])
                .distinct()
                .limit(switches)
                .toArray();
    }

    /**
     * The ranks of the switches in the order in which they are asked for a block; the first is the one it belongs to. Must
     * not be changed; empty when there are none.
     *
     * @param chunk also of another version, where that wrote it
     * @param blocksPerChunk blocks the chunk has
     * @param block counts the chunk's blocks from 0
     */
    public int[] order(ChunkId chunk, long blocksPerChunk, long block) {
        if (switches == 0) {
            return new int[0];
        }
        return orders[(int) Math.floorMod(turn(chunk, blocksPerChunk, block), (long) PLACES)];
    }

    /** Counts the blocks of a version in their order, from a number of the version's on. */
    static long turn(ChunkId chunk, long blocksPerChunk, long block) {
        long start = Math.floorMod(Rendezvous.hash("version", chunk.version().value()), PLACES);
        return start + chunk.index() * blocksPerChunk + block;
    }
}
