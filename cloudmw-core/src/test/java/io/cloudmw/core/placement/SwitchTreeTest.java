package io.cloudmw.core.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Location;
import io.cloudmw.core.model.volume.VolumeSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class SwitchTreeTest {
    private static final ChunkId CHUNK = new ChunkId(new VersionId("0123456789abcdef0123456789abcdef"), 0);
    private static final int BLOCKS = SwitchTable.PLACES;

    /** So many switches in so many random domains. */
    private static List<HelperAddress> fleet(Random random, int switches, int domains) {
        return IntStream.range(0, switches)
                .mapToObj(index -> at(index, "d" + random.nextInt(domains)))
                .toList();
    }

    private static HelperAddress at(int index, String domain) {
        return new HelperAddress(
                new HelperId("s" + index), "c", "b", VolumeSet.ALL, Location.parse(domain + "/h" + index));
    }

    private static int parent(SwitchTree tree, int rank, int block) {
        List<SwitchTree.Ancestor> above = tree.of(rank, CHUNK, BLOCKS, block).above();
        return above.isEmpty() ? -1 : above.get(0).rank();
    }

    @Test
    void switchesHaveASingleParentAndAllReachTheOwner() {
        Random random = new Random(1);
        for (int round = 0; round < 200; round++) {
            int switches = 1 + random.nextInt(32);
            int domains = 1 + random.nextInt(6);
            List<HelperAddress> fleet = fleet(random, switches, domains);
            SwitchTree tree = new SwitchTree(fleet);
            int block = random.nextInt(BLOCKS);
            int owner = new SwitchTable(
                            fleet.stream().map(helper -> helper.id().value()).toList())
                    .order(CHUNK, BLOCKS, block)[0];
            Set<Integer> places = new HashSet<>();
            int mostSteps = 0;
            for (int rank = 0; rank < switches; rank++) {
                assertThat(places.add(tree.of(rank, CHUNK, BLOCKS, block).place()))
                        .isTrue();
                int at = rank;
                int steps = 0;
                while (parent(tree, at, block) >= 0) {
                    at = parent(tree, at, block);
                    steps++;
                }
                assertThat(at).isEqualTo(owner);
                mostSteps = Math.max(mostSteps, steps);
            }
            assertThat(mostSteps).isLessThanOrEqualTo(log2(domains) + log2(switches));
        }
    }

    private static int log2(int number) {
        return 31 - Integer.numberOfLeadingZeros(number);
    }

    @Test
    void askedSwitchesHaveLowerPlacesAndIncludeTheRoot() {
        Random random = new Random(2);
        for (int round = 0; round < 200; round++) {
            int switches = 1 + random.nextInt(32);
            SwitchTree tree = new SwitchTree(fleet(random, switches, 1 + random.nextInt(6)));
            int block = random.nextInt(BLOCKS);
            for (int rank = 0; rank < switches; rank++) {
                SwitchTree.Position position = tree.of(rank, CHUNK, BLOCKS, block);
                assertThat(position.above()).allMatch(ancestor -> ancestor.place() < position.place());
                assertThat(position.above())
                        .allMatch(ancestor -> ancestor.place()
                                == tree.of(ancestor.rank(), CHUNK, BLOCKS, block)
                                        .place());
                assertThat(position.above()).doesNotHaveDuplicates();
                assertThat(position.place() == 0).isEqualTo(position.above().isEmpty());
                assertThat(position.place() == 0
                                || position.above().stream().anyMatch(ancestor -> ancestor.place() == 0))
                        .isTrue();
            }
        }
    }

    /**
     * When the root is gone, all other switches but one find another that has the block or will have it. That one
     * reads the store.
     */
    @Test
    void aSingleHeirReadsTheStoreWhenTheRootIsGone() {
        SwitchTree tree = new SwitchTree(fleet(new Random(3), 16, 3));
        for (int block = 0; block < BLOCKS; block++) {
            int readers = 0;
            for (int rank = 0; rank < 16; rank++) {
                SwitchTree.Position position = tree.of(rank, CHUNK, BLOCKS, block);
                boolean hasOther = position.above().stream().anyMatch(ancestor -> ancestor.place() != 0);
                readers += position.place() != 0 && !hasOther ? 1 : 0;
            }
            assertThat(readers).isEqualTo(1);
        }
    }

    @Test
    void aBlockComesIntoADomainOnce() {
        Random random = new Random(4);
        for (int round = 0; round < 100; round++) {
            List<HelperAddress> fleet = fleet(random, 2 + random.nextInt(31), 2 + random.nextInt(5));
            SwitchTree tree = new SwitchTree(fleet);
            int block = random.nextInt(BLOCKS);
            Map<Location, Integer> entries = new HashMap<>();
            for (int rank = 0; rank < fleet.size(); rank++) {
                int parent = parent(tree, rank, block);
                Location domain = fleet.get(rank).location().outer();
                boolean enters =
                        parent < 0 || !fleet.get(parent).location().outer().equals(domain);
                entries.merge(domain, enters ? 1 : 0, Integer::sum);
            }
            assertThat(entries.values()).containsOnly(1);
        }
    }

    @Test
    void switchesHaveAtMostTwoHeadsAndTwoOfTheirDomainBelow() {
        SwitchTree tree = new SwitchTree(fleet(new Random(5), 32, 5));
        for (int block = 0; block < BLOCKS; block++) {
            assertThat(children(tree, 32, block)).allMatch(count -> count <= 4);
        }
    }

    private static List<Integer> children(SwitchTree tree, int switches, int block) {
        List<Integer> children = new ArrayList<>(Collections.nCopies(switches, 0));
        for (int rank = 0; rank < switches; rank++) {
            int parent = parent(tree, rank, block);
            if (parent >= 0) {
                children.set(parent, children.get(parent) + 1);
            }
        }
        return children;
    }

    /** Over many blocks all send equally much, within one domain and over several that are equally large. */
    @Test
    void switchesSendEquallyMuchOverManyBlocks() {
        for (int domains : new int[] {1, 2, 4, 16}) {
            List<HelperAddress> fleet = IntStream.range(0, 16)
                    .mapToObj(index -> at(index, "d" + index % domains))
                    .toList();
            SwitchTree tree = new SwitchTree(fleet);
            int[] sent = new int[16];
            for (int block = 0; block < BLOCKS; block++) {
                List<Integer> children = children(tree, 16, block);
                for (int rank = 0; rank < 16; rank++) {
                    sent[rank] += children.get(rank);
                }
            }
            int most = Arrays.stream(sent).max().orElseThrow();
            assertThat(most / (15.0 * BLOCKS / 16)).as(domains + " domains").isLessThan(1.15);
        }
    }

    @Test
    void aSwitchAloneReadsTheStore() {
        SwitchTree.Position position = new SwitchTree(List.of(at(0, "d"))).of(0, CHUNK, 1, 0);
        assertThat(position.place()).isZero();
        assertThat(position.above()).isEmpty();
    }
}
