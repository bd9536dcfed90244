package io.cloudmw.client.warm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class WarmScheduleTest {
    private static final BitSet NONE = new BitSet();

    private static WarmSchedule.Order order(int target, int block) {
        return new WarmSchedule.Order(target, block);
    }

    private static WarmSchedule ready(int targets, int window) {
        WarmSchedule schedule = new WarmSchedule(targets);
        for (int target = 0; target < targets; target++) {
            schedule.window(target, window);
        }
        return schedule;
    }

    @Test
    void switchIsToldWhenTheOneAboveHasTheBlockOnItsWay() {
        WarmSchedule schedule = ready(3, 4);
        schedule.add(0, new int[] {-1, 0, 1}, NONE);
        assertThat(schedule.next()).containsExactly(order(0, 0));
        assertThat(schedule.next()).isEmpty();
        schedule.underWay(0, 0);
        assertThat(schedule.next()).containsExactly(order(1, 0));
        schedule.ended(1, 0); // cached already: never in flight
        assertThat(schedule.next()).containsExactly(order(2, 0));
        schedule.ended(2, 0);
        assertThat(schedule.isIdle()).isFalse();
        schedule.ended(0, 0);
        assertThat(schedule.isIdle()).isTrue();
    }

    @Test
    void lateSwitchWaitsUntilTheOneAboveIsDone() {
        WarmSchedule schedule = ready(2, 4);
        BitSet late = new BitSet();
        late.set(1);
        schedule.add(0, new int[] {-1, 0}, late);
        assertThat(schedule.next()).containsExactly(order(0, 0));
        schedule.underWay(0, 0);
        assertThat(schedule.next()).isEmpty();
        schedule.ended(0, 0);
        assertThat(schedule.next()).containsExactly(order(1, 0));
    }

    @Test
    void switchGetsBlocksWithinItsWindowOnceReady() {
        WarmSchedule schedule = new WarmSchedule(1);
        IntStream.range(0, 3).forEach(block -> schedule.add(block, new int[] {-1}, NONE));
        assertThat(schedule.next()).isEmpty();
        schedule.window(0, 2);
        assertThat(schedule.next()).containsExactly(order(0, 0), order(0, 1));
        schedule.ended(0, 1);
        assertThat(schedule.next()).containsExactly(order(0, 2));
    }

    @Test
    void failedBlockIsRetriedFirstAndHoldsNoSlotMeanwhile() {
        WarmSchedule schedule = ready(1, 1);
        IntStream.range(0, 3).forEach(block -> schedule.add(block, new int[] {-1}, NONE));
        assertThat(schedule.next()).containsExactly(order(0, 0));
        schedule.paused(0);
        assertThat(schedule.next()).containsExactly(order(0, 1));
        schedule.retry(0, 0);
        schedule.ended(0, 1);
        assertThat(schedule.next()).containsExactly(order(0, 0));
    }

    @Test
    void slowestSwitchDelaysTheOthersWhenTooFarBehind() {
        WarmSchedule schedule = ready(2, WarmSchedule.MAX_OPEN + 1);
        int added = 0;
        while (schedule.hasRoom()) {
            schedule.add(added++, new int[] {-1, 0}, NONE);
        }
        assertThat(added).isEqualTo(WarmSchedule.MAX_OPEN);
        schedule.next().forEach(told -> schedule.ended(told.target(), told.block()));
        assertThat(schedule.hasRoom()).isFalse();
        schedule.next().subList(0, 1).forEach(told -> schedule.ended(told.target(), told.block()));
        assertThat(schedule.hasRoom()).isTrue();
    }

    /**
     * A random simulation of trees, windows, reports and losses: each remaining switch is told of every block, once.
     */
    @Test
    void remainingSwitchesAreToldOfEveryBlockInTreeOrder() {
        for (long seed = 0; seed < 300; seed++) {
            new Simulation(new Random(seed)).run();
        }
    }

    private static final class Simulation {
        private final Random random;
        private final int targets;
        private final int blocks;
        private final WarmSchedule schedule;
        private final List<int[]> above = new ArrayList<>();
        private final BitSet late = new BitSet();
        private final Set<WarmSchedule.Order> told = new HashSet<>();
        private final List<WarmSchedule.Order> open = new ArrayList<>();
        private final Set<WarmSchedule.Order> underWay = new HashSet<>();
        private final Set<WarmSchedule.Order> ended = new HashSet<>();
        private final int[] windows;

        Simulation(Random random) {
            this.random = random;
            targets = 1 + random.nextInt(9);
            blocks = random.nextInt(40);
            schedule = new WarmSchedule(targets);
            windows = random.ints(targets, 1, 5).toArray();
            for (int target = 0; target < targets; target++) {
                schedule.window(target, windows[target]);
                late.set(target, random.nextInt(4) == 0);
            }
        }

        /** A random tree, in which each switch has a higher number than the one above it. */
        private int[] tree() {
            List<Integer> places =
                    new ArrayList<>(IntStream.range(0, targets).boxed().toList());
            Collections.shuffle(places, random);
            int[] parents = new int[targets];
            for (int place = 0; place < targets; place++) {
                parents[places.get(place)] = place == 0 ? -1 : places.get(random.nextInt(place));
            }
            return parents;
        }

        void run() {
            while (above.size() < blocks || !schedule.isIdle()) {
                if (above.size() < blocks && random.nextBoolean()) {
                    above.add(tree());
                    schedule.add(above.size() - 1, above.get(above.size() - 1), late);
                }
                schedule.next().forEach(this::hear);
                step();
            }
            for (int target = 0; target < targets; target++) {
                for (int block = 0; block < blocks; block++) {
                    assertThat(schedule.isGone(target) || ended.contains(order(target, block)))
                            .isTrue();
                }
            }
        }

        private void hear(WarmSchedule.Order order) {
            assertThat(told.add(order)).isTrue();
            assertThat(schedule.isGone(order.target())).isFalse();
            int parent = above.get(order.block())[order.target()];
            if (parent >= 0 && !schedule.isGone(parent)) {
                assertThat(late.get(order.target()) ? ended : underWay).contains(order(parent, order.block()));
            }
            open.add(order);
            long given =
                    open.stream().filter(one -> one.target() == order.target()).count();
            assertThat(given).isLessThanOrEqualTo(windows[order.target()]);
        }

        private void step() {
            if (open.isEmpty()) {
                return;
            }
            WarmSchedule.Order one = open.get(random.nextInt(open.size()));
            switch (random.nextInt(targets > 1 ? 40 : 39)) {
                case 39 -> {
                    schedule.gone(one.target());
                    open.removeIf(order -> order.target() == one.target());
                }
                case 0, 1, 2 -> {
                    open.remove(one);
                    told.remove(one);
                    schedule.paused(one.target());
                    schedule.retry(one.target(), one.block());
                }
                default -> {
                    if (underWay.add(one) && random.nextBoolean()) {
                        schedule.underWay(one.target(), one.block());
                    } else {
                        underWay.add(one);
                        ended.add(one);
                        open.remove(one);
                        schedule.ended(one.target(), one.block());
                    }
                }
            }
        }
    }
}
