package io.cloudmw.client.warm;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The order in which a warm-up tells switches of blocks. A switch has a window of blocks. It is told of a block once
 * the switch above it has the whole block on its way, or has finished with it. So blocks flow down the trees while they
 * arrive, and each read of a store is made by a switch that was told. The slowest switch holds up the others when it is
 * too far behind. Decides only: no clock, no threads. Confined to its warm-up.
 */
final class WarmSchedule {
    /** Blocks that some switches have finished and others have not. */
    static final int MAX_OPEN = 256;

    /** An order to tell a switch of a block. */
    record Order(int target, int block) {}

    /** A block on its way to all switches. */
    private static final class Open {
        final int[] above;
        final BitSet late;
        /** Switches that have it on its way. */
        final BitSet underWay = new BitSet();
        /** Switches that have finished with it. */
        final BitSet ended = new BitSet();

        Open(int[] above, BitSet late) {
            this.above = above;
            this.late = late;
        }

        boolean lets(int below, int target) {
            return above[below] == target && (late.get(below) ? ended : underWay).get(target);
        }
    }

    private final Map<Integer, Open> open = new LinkedHashMap<>();
    private final List<Deque<Integer>> queues = new ArrayList<>();
    private final int[] windows;
    private final int[] given;
    private final BitSet gone = new BitSet();

    WarmSchedule(int targets) {
        windows = new int[targets];
        given = new int[targets];
        for (int target = 0; target < targets; target++) {
            queues.add(new ArrayDeque<>());
        }
    }

    /** Returns whether another block may be added. */
    boolean hasRoom() {
        return open.size() < MAX_OPEN && gone.cardinality() < windows.length;
    }

    /** Returns whether every remaining switch has finished every added block. */
    boolean isIdle() {
        return open.isEmpty();
    }

    boolean isOpen(int block) {
        return open.containsKey(block);
    }

    boolean isGone(int target) {
        return gone.get(target);
    }

    /**
     * Adds a block.
     *
     * @param above for each switch, the switch that is to have the block first; -1: none
     * @param late switches that wait until that one has finished
     */
    void add(int block, int[] above, BitSet late) {
        Open added = new Open(above, late);
        open.put(block, added);
        for (int target = 0; target < above.length; target++) {
            if (above[target] < 0 && !gone.get(target)) {
                queues.get(target).add(block);
            }
        }
        for (int target = gone.nextSetBit(0); target >= 0; target = gone.nextSetBit(target + 1)) {
            end(block, added, target);
        }
    }

    /** Sets the number of blocks that a switch accepts at once. */
    void window(int target, int blocks) {
        windows[target] = blocks;
    }

    /** The orders that are due; they count as given. */
    List<Order> next() {
        List<Order> orders = new ArrayList<>();
        for (int target = 0; target < windows.length; target++) {
            Deque<Integer> queue = queues.get(target);
            while (given[target] < windows[target] && !queue.isEmpty()) {
                given[target]++;
                orders.add(new Order(target, queue.remove()));
            }
        }
        return orders;
    }

    /** A switch has all of a block on its way. */
    void underWay(int target, int block) {
        Open one = open.get(block);
        if (one != null && !one.underWay.get(target)) {
            one.underWay.set(target);
            letBelow(block, one, target, false);
        }
    }

    /** A switch has finished with a block. */
    void ended(int target, int block) {
        given[target]--;
        Open one = open.get(block);
        if (one != null) {
            end(block, one, target);
        }
    }

    /** A switch will be told of its block again; others may take their turn meanwhile. */
    void paused(int target) {
        given[target]--;
    }

    /** Orders a block again, before all others. */
    void retry(int target, int block) {
        Open one = open.get(block);
        if (one != null && !one.ended.get(target)) {
            queues.get(target).addFirst(block);
        }
    }

    /** A switch is gone and gets no more orders. */
    void gone(int target) {
        gone.set(target);
        windows[target] = 0;
        queues.get(target).clear();
        for (Map.Entry<Integer, Open> entry : List.copyOf(open.entrySet())) {
            end(entry.getKey(), entry.getValue(), target);
        }
    }

    private void end(int block, Open one, int target) {
        if (one.ended.get(target)) {
            return;
        }
        underWay(target, block);
        one.ended.set(target);
        letBelow(block, one, target, true);
        if (one.ended.cardinality() == one.above.length) {
            open.remove(block);
        }
    }

    private void letBelow(int block, Open one, int target, boolean late) {
        for (int below = 0; below < one.above.length; below++) {
            if (one.late.get(below) == late && one.lets(below, target) && !gone.get(below)) {
                queues.get(below).add(block);
            }
        }
    }
}
