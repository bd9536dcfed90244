package io.cloudmw.client.warm;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Location;
import io.cloudmw.core.placement.ReadPlanner;
import io.cloudmw.core.placement.SwitchTree;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The switches that are to cache a version, and the switch that each of them asks for a block. The first group has
 * the switches of an ordinary plan, in the same trees. The other switches form groups of the same size, near ones
 * together, in a heap below the first group. The switches of a group ask members of the group above it, a different
 * one for each block. So a message names one group, however many there are. Immutable.
 */
final class WarmTargets {
    /** Groups below a group. */
    private static final int FANOUT = 2;

    private final List<HelperAddress> switches;
    private final int groupSize;
    /** The trees of each group that others ask. */
    private final List<SwitchTree> trees = new ArrayList<>();

    private WarmTargets(List<HelperAddress> switches, int groupSize) {
        this.switches = List.copyOf(switches);
        this.groupSize = groupSize;
        int last = above(group(switches.size() - 1));
        for (int group = 0; group <= last; group++) {
            trees.add(new SwitchTree(members(group)));
        }
    }

    /**
     * Selects the switches of a volume in a place.
     *
     * @param live helpers that are alive
     * @param owners owners of the volume's disks, for which the switches of a plan leave room
     * @param to {@link Location#NONE}: everywhere
     * @throws CloudMwException {@code NOT_FOUND} when the place has no switch; the message lists the places
     */
    static WarmTargets of(FileVersion version, Collection<HelperAddress> live, Set<HelperId> owners, Location to)
            throws CloudMwException {
        List<HelperAddress> all = live.stream()
                .filter(helper -> helper.switched().contains(version.file().volume()))
                .toList();
        List<HelperAddress> wanted =
                all.stream().filter(helper -> helper.location().isIn(to)).toList();
        if (wanted.isEmpty()) {
            throw new CloudMwException(ErrorCode.NOT_FOUND, none(version, all, to));
        }
        List<HelperAddress> first =
                ReadPlanner.switches(version.id().value(), version.file().volume(), wanted, owners);
        Stream<HelperAddress> others = wanted.stream()
                .filter(helper -> !first.contains(helper))
                .sorted(Comparator.comparing(
                                (HelperAddress helper) -> helper.location().toString())
                        .thenComparing(HelperAddress::id));
        return new WarmTargets(Stream.concat(first.stream(), others).toList(), first.size());
    }

    private static String none(FileVersion version, List<HelperAddress> all, Location to) {
        if (all.isEmpty()) {
            return "volume " + version.file().volume() + ": no helper that is alive is a switch for it";
        }
        if (all.stream().allMatch(helper -> helper.location().equals(Location.NONE))) {
            return "volume " + version.file().volume() + ": no switch is in " + to
                    + ": none states a location (helper.location does; --to all: every switch)";
        }
        Set<String> places = new TreeSet<>();
        all.forEach(helper -> places.add(
                helper.location().equals(Location.NONE)
                        ? "(" + helper.id() + " does not say)"
                        : helper.location().toString()));
        return "volume " + version.file().volume() + ": no switch is in " + to + " (there are: "
                + String.join(", ", places) + ")";
    }

    int size() {
        return switches.size();
    }

    HelperAddress at(int target) {
        return switches.get(target);
    }

    private int group(int target) {
        return target / groupSize;
    }

    /** The group that a group asks; the first asks itself. */
    private static int above(int group) {
        return group == 0 ? 0 : (group - 1) / FANOUT;
    }

    private List<HelperAddress> members(int group) {
        int first = group * groupSize;
        return switches.subList(first, Math.min(switches.size(), first + groupSize));
    }

    /** The members of the trees in which a switch asks, in rank order. */
    List<HelperAddress> asked(int target) {
        return members(above(group(target)));
    }

    /**
     * Returns whether a switch waits until the switch above it has a whole block. A switch waits when it is no member
     * of the trees of the one above. A block that still arrives by those trees is not served under other names.
     */
    boolean asksLate(int target) {
        return group(target) > 0;
    }

    /** For each switch, the switch that it asks first for a block; -1: it reads the store. */
    int[] above(ChunkId chunk, long blocksPerChunk, long block) {
        return IntStream.range(0, switches.size())
                .map(target -> above(target, chunk, blocksPerChunk, block))
                .toArray();
    }

    private int above(int target, ChunkId chunk, long blocksPerChunk, long block) {
        int asked = above(group(target));
        SwitchTree tree = trees.get(asked);
        SwitchTree.Position position = asksLate(target)
                ? tree.below(at(target).id().value(), chunk, blocksPerChunk, block)
                : tree.of(target, chunk, blocksPerChunk, block);
        return position.above().isEmpty()
                ? -1
                : asked * groupSize + position.above().get(0).rank();
    }
}
