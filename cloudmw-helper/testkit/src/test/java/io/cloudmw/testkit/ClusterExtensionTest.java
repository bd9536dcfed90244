package io.cloudmw.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Events;

/** The cluster as an extension of JUnit, with the classes of {@link ClusterSamples}. */
final class ClusterExtensionTest {
    @BeforeEach
    void forget() {
        ClusterSamples.ADDRESSES.clear();
    }

    private static Events run(Class<?> sample) {
        return EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(sample))
                .execute()
                .testEvents();
    }

    @Test
    void staticFieldIsOneClusterForTheClassAndItsNestedClasses() {
        run(ClusterSamples.OfAClass.class)
                .assertStatistics(tests -> tests.succeeded(3).failed(0));

        assertThat(ClusterSamples.ADDRESSES).hasSize(4).containsOnly(ClusterSamples.ADDRESSES.get(0));
        assertThat(ClusterSamples.OfAClass.cluster.isStarted()).isFalse();
    }

    @Test
    void instanceFieldIsAClusterForEachTest() {
        run(ClusterSamples.OfAMethod.class)
                .assertStatistics(tests -> tests.succeeded(2).failed(0));

        assertThat(ClusterSamples.ADDRESSES).hasSize(2).doesNotHaveDuplicates();
    }

    @Test
    void instanceFieldOfAClassWithOneInstanceIsOneCluster() {
        run(ClusterSamples.OfOneInstance.class)
                .assertStatistics(tests -> tests.succeeded(2).failed(0));

        assertThat(ClusterSamples.ADDRESSES).hasSize(2).containsOnly(ClusterSamples.ADDRESSES.get(0));
    }

    @Test
    void clusterThatCannotStartFailsItsTestsAndLeavesNothing() {
        run(ClusterSamples.OfABadSetting.class).assertStatistics(tests -> tests.failed(2));
        assertThat(ClusterSamples.OfABadSetting.MADE).hasSize(2).noneMatch(CloudMwCluster::isStarted);
    }
}
