package io.cloudmw.client.warm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.manifest.ManifestDigest;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Location;
import io.cloudmw.core.model.volume.VolumeSet;
import io.cloudmw.core.placement.ReadPlanner;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class WarmTargetsTest {
    private static final FileVersion VERSION = version();

    private static FileVersion version() {
        return new FileVersion(
                FilePath.parse("v:/f"),
                new VersionId("0123456789abcdef0123456789abcdef"),
                0,
                0,
                0,
                4096,
                0,
                new ManifestDigest().finish());
    }

    private static HelperAddress at(int index, String volumes, String location) {
        return new HelperAddress(
                new HelperId("s" + index), "c" + index, "b", VolumeSet.parse(volumes), Location.parse(location));
    }

    private static List<HelperAddress> fleet(int switches) {
        return IntStream.range(0, switches)
                .mapToObj(index -> at(index, "v", "z" + index % 3 + "/h" + index))
                .toList();
    }

    private static WarmTargets all(int switches) throws CloudMwException {
        return WarmTargets.of(VERSION, fleet(switches), Set.of(), Location.NONE);
    }

    @Test
    void emptyPlaceFailsWithTheKnownPlacesOrTheSetting() {
        HelperAddress silent = new HelperAddress(new HelperId("q"), "c", "b", VolumeSet.parse("v"), Location.NONE);
        Location to = Location.parse("z7");
        assertThatThrownBy(() -> WarmTargets.of(VERSION, fleet(2), Set.of(), to))
                .hasMessage("volume v: no switch is in z7 (there are: z0/h0, z1/h1)");
        assertThatThrownBy(() -> WarmTargets.of(VERSION, List.of(silent, at(0, "v", "z0")), Set.of(), to))
                .hasMessage("volume v: no switch is in z7 (there are: (q does not say), z0)");
        assertThatThrownBy(() -> WarmTargets.of(VERSION, List.of(silent), Set.of(), to))
                .hasMessage("volume v: no switch is in z7: none states a location (helper.location does; "
                        + "--to all: every switch)");
    }

    /**
     * For any fleet size, each switch is told once and asks a member of the group it names, and all paths lead to one
     * root.
     */
    @Test
    void everySwitchOfAnyFleetGetsEachBlockFromOneRoot() throws Exception {
        for (int switches : new int[] {1, 2, 4, 31, 32, 33, 64, 65, 100, 300}) {
            WarmTargets targets = all(switches);
            assertThat(targets.size()).isEqualTo(switches);
            Set<HelperId> names = new HashSet<>();
            for (int target = 0; target < switches; target++) {
                assertThat(names.add(targets.at(target).id())).isTrue();
                assertThat(targets.asked(target)).hasSizeBetween(1, ReadPlanner.MAX_SWITCHES);
            }
            Set<Integer> roots = new HashSet<>();
            for (long block = 0; block < 64; block++) {
                int[] above = targets.above(new ChunkId(VERSION.id(), 0), 64, block);
                int root = -1;
                int longest = 0;
                for (int target = 0; target < switches; target++) {
                    int at = target;
                    int steps = 0;
                    while (above[at] >= 0) {
                        assertThat(targets.asked(at)).contains(targets.at(above[at]));
                        at = above[at];
                        steps++;
                        assertThat(steps).isLessThan(switches);
                    }
                    assertThat(root < 0 || root == at).isTrue();
                    root = at;
                    longest = Math.max(longest, steps);
                }
                roots.add(root);
                assertThat(longest).isLessThanOrEqualTo(5 + 3 * 4);
            }
            assertThat(roots.size()).isBetween(Math.min(switches, 20), Math.min(switches, ReadPlanner.MAX_SWITCHES));
        }
    }

    /** Beyond the first group, the switches of a group have about equally many below them. */
    @Test
    void noSwitchHasManyOfAnotherGroupBelowIt() throws Exception {
        WarmTargets targets = all(96);
        int[] below = new int[96];
        for (long block = 0; block < 256; block++) {
            for (int parent : targets.above(new ChunkId(VERSION.id(), 0), 256, block)) {
                if (parent >= 0) {
                    below[parent]++;
                }
            }
        }
        assertThat(Arrays.stream(below).skip(32).sum()).isZero();
        assertThat(Arrays.stream(below).limit(32).max().orElse(0)).isLessThan(256 * 5);
        assertThat(Arrays.stream(below).sum()).isEqualTo(256 * 95);
    }

    @Test
    void switchesNamedByAPlanAreInTheSameTrees() throws Exception {
        List<HelperAddress> fleet = fleet(20);
        WarmTargets targets = WarmTargets.of(VERSION, fleet, Set.of(), Location.NONE);
        assertThat(targets.asked(7))
                .isEqualTo(ReadPlanner.switches(
                        VERSION.id().value(), VERSION.file().volume(), fleet, Set.of()));
    }

    @Test
    void targetsAreOnlyTheVolumesSwitchesInThePlace() throws Exception {
        List<HelperAddress> fleet = new ArrayList<>(fleet(6));
        fleet.add(at(6, "other", "z1/h6"));
        WarmTargets targets = WarmTargets.of(VERSION, fleet, Set.of(), Location.parse("z1"));
        assertThat(IntStream.range(0, targets.size())
                        .mapToObj(target -> targets.at(target).id()))
                .containsExactlyInAnyOrder(new HelperId("s1"), new HelperId("s4"));
        assertThat(targets.asked(0)).hasSize(2);
    }

    @Test
    void placeWithoutSwitchIsRefusedWithTheKnownPlaces() {
        assertThatThrownBy(() -> WarmTargets.of(VERSION, fleet(3), Set.of(), Location.parse("z1/h7")))
                .isInstanceOfSatisfying(
                        CloudMwException.class, why -> assertThat(why.code()).isEqualTo(ErrorCode.NOT_FOUND))
                .hasMessageContaining("z1/h7")
                .hasMessageContaining("z0/h0, z1/h1, z2/h2");
        assertThatThrownBy(() -> WarmTargets.of(VERSION, List.of(at(0, "other", "z")), Set.of(), Location.NONE))
                .isInstanceOf(CloudMwException.class)
                .hasMessageContaining("volume v");
    }
}
