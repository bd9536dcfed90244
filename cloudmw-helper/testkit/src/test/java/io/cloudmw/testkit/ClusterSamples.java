package io.cloudmw.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.client.CloudMw;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Classes of tests that use clusters. {@link ClusterExtensionTest} runs them. */
final class ClusterSamples {
    /** The addresses of the clusters that the tests saw. */
    static final List<String> ADDRESSES = new CopyOnWriteArrayList<>();

    private ClusterSamples() {}

    /** A sample with a cluster for all tests. */
    static final class OfAClass {
        @RegisterExtension
        static CloudMwCluster cluster =
                CloudMwCluster.builder().helpers(1).volume("v").build();

        @BeforeAll
        static void itIsStarted() {
            ADDRESSES.add(cluster.coordinatorAddress());
        }

        @AfterAll
        static void itIsStillStarted() {
            assertThat(cluster.isStarted()).isTrue();
        }

        @Test
        void one(CloudMw client) {
            ADDRESSES.add(cluster.coordinatorAddress());
            assertThat(client.volumes().list().join()).hasSize(1);
        }

        @Test
        void other(CloudMwCluster same) {
            assertThat(same).isSameAs(cluster);
            ADDRESSES.add(same.coordinatorAddress());
        }

        /** A nested class of the sample. */
        @Nested
        final class Inner {
            @Test
            void third() {
                ADDRESSES.add(cluster.coordinatorAddress());
            }
        }
    }

    /** A sample with a cluster for each test. */
    static final class OfAMethod {
        @RegisterExtension
        final CloudMwCluster cluster = CloudMwCluster.builder().helpers(1).build();

        private void use(CloudMw client) {
            assertThat(client.volumes().list().join()).isEmpty();
            assertThat(cluster.volume("v").value()).isEqualTo("v");
            ADDRESSES.add(cluster.coordinatorAddress());
        }

        @Test
        void one(CloudMw client) {
            use(client);
        }

        @Test
        void other(CloudMw client) {
            use(client);
        }
    }

    /** A sample with one instance for all tests. */
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    static final class OfOneInstance {
        @RegisterExtension
        final CloudMwCluster cluster = CloudMwCluster.builder().helpers(1).build();

        @Test
        void one() {
            ADDRESSES.add(cluster.coordinatorAddress());
        }

        @Test
        void other() {
            ADDRESSES.add(cluster.coordinatorAddress());
        }
    }

    /** A sample whose cluster cannot start. */
    static final class OfABadSetting {
        static final List<CloudMwCluster> MADE = new CopyOnWriteArrayList<>();

        @RegisterExtension
        final CloudMwCluster cluster = CloudMwCluster.builder()
                .coordinatorSetting("coordinator.unknown", "1")
                .build();

        OfABadSetting() {
            MADE.add(cluster);
        }

        @Test
        void one() {}

        @Test
        void other() {}
    }
}
