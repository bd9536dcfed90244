package io.cloudmw.core.placement;

import io.cloudmw.core.model.chunk.ChunkId;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The table that assigns each block to a switch. All processes with the same list of switches compute the same table.
 *
 * <p>The algorithm: places are dealt out section by section. In each, the pairs of a place and a switch are ordered by
 * a hash of both. In that order each place goes to the first switch with room left in the section. All have equally
 * much room there, but for one more by turns when the division leaves a rest. So any section, and any run of blocks
 * that begins with one, is shared evenly, and when a switch comes or goes few other places change hands. Rendezvous
 * hashing with bounded loads; V. Mirrokni, M. Thorup, M. Zadimoghaddam, "Consistent Hashing with Bounded Loads", SODA
 * 2018. Blocks that follow each other have places that follow each other.
 *
 * <p>Differs: the bound is the even share itself, and it holds for each section, not for the whole. Readers want a
 * file's blocks in order, and would wait for a switch with too many of the next ones.
 */
public final class SwitchTable {
    /** The places of a section: as many as a chunk of 64 MiB has blocks. */
    private static final int SECTION = 16;

    static final int PLACES = 15 * SECTION;

    private final int switches;
    /** The switches for each place, by the places in which they come first from there on. */
    private final int[][] orders = new int[PLACES][];

    /**
     * @param switches their names; the ranks in the results are indexes into this list
     */
    public SwitchTable(List<String> switches) {
        this.switches = switches.size();
        int[] owners = this.switches == 0 ? new int[0] : new PlaceAssignment(switches).all();
        for (int place = 0; place < owners.length; place++) {
            orders[place] = orderFrom(place, owners);
        }
    }

    /** The assignment of places to switches. */
    private static final class PlaceAssignment {
        private final long[] switches;
        /** The number of places that each has so far. */
        private final int[] counts;

        private final int[] owners = new int[PLACES];

        PlaceAssignment(List<String> names) {
            switches = names.stream()
                    .mapToLong(name -> RendezvousHash.hash("switch", name))
                    .toArray();
            counts = new int[switches.length];
        }

        int[] all() {
            Arrays.fill(owners, -1);
            for (int first = 0; first < PLACES; first += SECTION) {
                deal(first);
            }
            return owners;
        }

        private void deal(int first) {
            int[] room = room(first);
            IntStream.range(0, SECTION * switches.length)
                    .boxed()
                    .sorted(Comparator.comparingLong(
                            pair -> RendezvousHash.hash(switches[pair / SECTION], first + pair % SECTION)))
                    .forEach(pair -> {
                        int rank = pair / SECTION;
                        int place = first + pair % SECTION;
                        if (owners[place] < 0 && room[rank] > 0) {
                            owners[place] = rank;
                            room[rank]--;
                            counts[rank]++;
                        }
                    });
        }

        /** The room of each switch; those with the fewest places so far have one more. */
        private int[] room(int first) {
            int[] room = new int[switches.length];
            Arrays.fill(room, SECTION / switches.length);
            IntStream.range(0, switches.length)
                    .boxed()
                    .sorted(Comparator.<Integer>comparingInt(rank -> counts[rank])
                            .thenComparingLong(rank -> RendezvousHash.hash(switches[rank], PLACES + first)))
                    .limit(SECTION % switches.length)
                    .forEach(rank -> room[rank]++);
            return room;
        }
    }

    private int[] orderFrom(int place, int[] owners) {
        return IntStream.range(0, PLACES)
                .map(step -> owners[(place + step) % PLACES])
                .distinct()
                .limit(switches)
                .toArray();
    }

    /**
     * The ranks of the switches in the order in which they are asked for a block; the first is the one it belongs to.
     * Must not be changed; empty when there are none.
     *
     * @param chunk may be one that another version wrote
     * @param blocksPerChunk blocks the chunk has
     * @param block counts the chunk's blocks from 0
     */
    public int[] order(ChunkId chunk, long blocksPerChunk, long block) {
        if (switches == 0) {
            return new int[0];
        }
        return orders[(int) Math.floorMod(turn(chunk, blocksPerChunk, block), (long) PLACES)];
    }

    /**
     * The number of a block in its version, counted from a number drawn for the version. Chunks begin where sections
     * do, or at halves or quarters of one. So does the last chunk of a file, which only knows its own length.
     */
    static long turn(ChunkId chunk, long blocksPerChunk, long block) {
        long section =
                Math.floorMod(RendezvousHash.hash("version", chunk.version().value()), PLACES / SECTION);
        return section * SECTION + chunk.index() * turnsPerChunk(blocksPerChunk) + block;
    }

    private static long turnsPerChunk(long blocks) {
        if (blocks > SECTION) {
            return (blocks + SECTION - 1) / SECTION * SECTION;
        }
        return blocks <= 1 ? 1 : 2 * Long.highestOneBit(blocks - 1);
    }
}
