package io.cloudmw.core.placement;

import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Location;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The tree of switches for each block, over the same switches: it says which switch asks which for missing parts of a
 * block. All processes with the same list compute the same trees.
 *
 * <p>The algorithm: the root is the switch the block belongs to ({@link SwitchTable}), and it reads the store.
 * Switches with the same surroundings (their location without its last label) are a domain, and each domain has one
 * head for each block. The heads form a heap with {@value #FANOUT} below each; the other members of a domain form a
 * heap below its head. So a block enters a domain once. Domains, and the members of each, take turns at the places of
 * their heaps. So a switch that is an inner node in one tree is a leaf in others, and all send equally much. A
 * tree for each stripe, with nodes that are inner ones in few trees, is the idea of M. Castro et al., "SplitStream:
 * High-Bandwidth Multicast in Cooperative Environments", SOSP 2003, section 3. [1] CloudMW §4.3 calls for a hierarchy
 * for many clients.
 *
 * <p>Differs: there is no joining or leaving. A tree is computed from each plan. A switch whose parent is gone asks
 * the switches above that, and then the heirs of the root. The heirs are the first after the root; one of them reads
 * the store for all the others.
 */
public final class SwitchTree {
    /** Heads below a head, and other members of its domain below each member. */
    static final int FANOUT = 2;

    /** The number of switches to ask when the root is gone. */
    private static final int HEIRS = 2;

    private final SwitchTable table;
    /** The ranks of each domain's members. */
    private final List<int[]> domains = new ArrayList<>();
    /** The domain of each rank. */
    private final int[] domainOf;

    private final int[] indexInDomain;

    /**
     * A switch that may be asked.
     *
     * @param place among all the switches of the block's tree: the root has 0, and a switch above another has a lower
     *     one
     */
    public record Ancestor(int rank, int place) {}

    /**
     * The position of a switch in a block's tree.
     *
     * @param place see {@link Ancestor}
     * @param above the switches to ask, one after the other: its parent first
     */
    public record Position(int place, List<Ancestor> above) {
        public Position {
            above = List.copyOf(above);
        }
    }

    /**
     * @param switches in the order of the plan, at least one; the ranks in the results are indexes into this list
     */
    public SwitchTree(List<HelperAddress> switches) {
        table = new SwitchTable(
                switches.stream().map(helper -> helper.id().value()).toList());
        domainOf = new int[switches.size()];
        indexInDomain = new int[switches.size()];
        Map<String, List<Integer>> members = new TreeMap<>();
        for (int rank = 0; rank < switches.size(); rank++) {
            Location around = switches.get(rank).location().outer();
            members.computeIfAbsent(around.toString(), name -> new ArrayList<>())
                    .add(rank);
        }
        for (List<Integer> ranks : members.values()) {
            for (int index = 0; index < ranks.size(); index++) {
                domainOf[ranks.get(index)] = domains.size();
                indexInDomain[ranks.get(index)] = index;
            }
            domains.add(ranks.stream().mapToInt(Integer::intValue).toArray());
        }
    }

    /**
     * The position of a switch in the tree of a block.
     *
     * @param rank of the switch
     * @param chunk may be one that another version wrote
     * @param blocksPerChunk blocks the chunk has
     * @param block counts the chunk's blocks from 0
     */
    public Position of(int rank, ChunkId chunk, long blocksPerChunk, long block) {
        int root = table.order(chunk, blocksPerChunk, block)[0];
        return new TreeShape(root, SwitchTable.turn(chunk, blocksPerChunk, block)).of(rank);
    }

    /**
     * The position of a switch that is no member: below one of them, another one for each block, and above none.
     *
     * @param name of the switch
     */
    public Position below(String name, ChunkId chunk, long blocksPerChunk, long block) {
        long turn = SwitchTable.turn(chunk, blocksPerChunk, block);
        int rank = (int) Math.floorMod(RendezvousHash.hash("below", name) + turn, (long) domainOf.length);
        Position member = of(rank, chunk, blocksPerChunk, block);
        List<Ancestor> above = new ArrayList<>();
        above.add(new Ancestor(rank, member.place()));
        above.addAll(member.above());
        return new Position(domainOf.length, above);
    }

    /** The tree of one block: first the heads by their places, then the others, domain by domain. */
    private final class TreeShape {
        private final int[] ranks = new int[domainOf.length];
        private final int[] parents = new int[domainOf.length];

        TreeShape(int root, long turn) {
            int next = domains.size();
            for (int place = 0; place < domains.size(); place++) {
                int domain = (domainOf[root] + place) % domains.size();
                int[] members = domains.get(domain);
                int head = place == 0 ? indexInDomain[root] : (int) Math.floorMod(turn, (long) members.length);
                put(place, members[head], parent(place));
                int first = next - 1; // of the other members, counted from 1
                for (int i = 1; i < members.length; i++) {
                    int above = parent(i);
                    put(next++, members[(head + i) % members.length], above == 0 ? place : first + above);
                }
            }
        }

        private void put(int place, int rank, int parent) {
            ranks[place] = rank;
            parents[place] = parent;
        }

        Position of(int rank) {
            int place = 0;
            while (ranks[place] != rank) {
                place++;
            }
            Set<Integer> above = new LinkedHashSet<>();
            for (int up = place; up > 0; ) {
                up = parents[up];
                above.add(up);
            }
            for (int heir = 1; heir <= HEIRS && heir < place; heir++) {
                above.add(heir);
            }
            return new Position(
                    place, above.stream().map(at -> new Ancestor(ranks[at], at)).toList());
        }
    }

    /** The parent of a place in a heap, but the first. */
    private static int parent(int place) {
        return place == 0 ? 0 : (place - 1) / FANOUT;
    }
}
