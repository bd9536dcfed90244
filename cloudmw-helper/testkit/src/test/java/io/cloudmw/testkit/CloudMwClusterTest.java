package io.cloudmw.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.cloudmw.client.CloudMw;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A cluster that the test itself starts and closes. */
final class CloudMwClusterTest {
    /** Threads that libraries share in a JVM and end by themselves. */
    private static final Set<String> SHARED =
            Set.of("grpc-", "globalEventExecutor", "Cleaner-", "process reaper", "awaitility");

    @Test
    void filesAreWrittenAndReadWithTheFileSystemOfTheJdk() throws IOException {
        try (CloudMwCluster cluster =
                CloudMwCluster.builder().helpers(2).build().start()) {
            Path file = cluster.path("data", "/a b/file");
            Files.createDirectories(file.getParent());
            Files.writeString(file, "content");

            assertThat(cluster.uri("data", "/a b/file"))
                    .hasToString("cloudmw://" + cluster.coordinatorAddress() + "/data/a%20b/file");
            assertThat(Files.readString(file)).isEqualTo("content");
            try (CloudMw other = CloudMw.connect(cluster.coordinatorAddress())) {
                assertThat(other.volumes().list().join())
                        .extracting(volume -> volume.name().value())
                        .containsExactly("data");
            }
        }
    }

    @Test
    void clustersSideBySideKnowNothingOfEachOther() throws CloudMwException {
        try (CloudMwCluster one =
                        CloudMwCluster.builder().helpers(1).volume("v").build().start();
                CloudMwCluster other =
                        CloudMwCluster.builder().helpers(1).build().start()) {
            assertThat(one.coordinatorAddress()).isNotEqualTo(other.coordinatorAddress());
            assertThat(one.client().volumes().list().join()).hasSize(1);
            assertThat(other.client().volumes().list().join()).isEmpty();
        }
    }

    @Test
    void closedClusterLeavesNoThreadNoFileAndNoFileSystem() throws IOException {
        Set<Thread> before = threads();
        FileSystem fileSystem;
        Path directory;
        try (CloudMwCluster cluster =
                CloudMwCluster.builder().helpers(2).build().start()) {
            Files.writeString(cluster.path("data", "/file"), "content");
            fileSystem = cluster.path("data", "/").getFileSystem();
            directory = cluster.store(1).directory().getParent();
            assertThat(directory).isDirectory();
            cluster.helper(2).kill();
        }
        assertThat(directory).doesNotExist();
        assertThat(fileSystem.isOpen()).isFalse();
        noThreadIsLeft(before);
    }

    private static void noThreadIsLeft(Set<Thread> before) {
        Awaitility.await()
                .untilAsserted(() -> assertThat(threads().stream()
                                .filter(thread -> !before.contains(thread))
                                .map(Thread::getName)
                                .filter(name -> SHARED.stream().noneMatch(name::startsWith)))
                        .isEmpty());
    }

    private static Set<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(Thread::isAlive)
                .collect(Collectors.toSet());
    }

    @Test
    void clusterThatIsStartedAgainIsEmpty() throws CloudMwException {
        CloudMwCluster cluster = CloudMwCluster.builder().helpers(1).build();
        try (cluster) {
            cluster.start();
            assertThatThrownBy(cluster::start).isInstanceOf(IllegalStateException.class);
            assertThat(cluster.volume("v")).isEqualTo(new VolumeName("v"));
            cluster.close();

            assertThatThrownBy(cluster::client)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("@RegisterExtension");
            cluster.start();
            assertThat(cluster.client().volumes().list().join()).isEmpty();
        }
    }

    @Test
    void volumesHaveTheGivenSettings() throws CloudMwException {
        try (CloudMwCluster cluster =
                CloudMwCluster.builder().helpers(2).build().start()) {
            Volume wanted = new Volume(
                    new VolumeName("v"),
                    new Chunking.ByCount(3),
                    1,
                    List.of(cluster.store(2).id()),
                    1,
                    Mode.SINGLE,
                    false,
                    0);
            assertThat(cluster.volume(wanted).mode()).isEqualTo(Mode.SINGLE);
            assertThat(cluster.volume("v")).isEqualTo(wanted.name());
            assertThat(cluster.client().volumes().get(wanted.name()).join().stores())
                    .containsExactly(cluster.store(2).id());

            cluster.client().volumes().delete(wanted.name(), true).join();
            assertThat(cluster.volume("v")).isEqualTo(wanted.name());
            assertThat(cluster.client().volumes().get(wanted.name()).join().replicas())
                    .isEqualTo(2);
        }
    }

    @Test
    void settingsReachTheServers() throws CloudMwException {
        try (CloudMwCluster cluster = CloudMwCluster.builder()
                .helpers(2)
                .helperSetting("helper.switch.volumes", "v")
                .helperSetting(2, "helper.location", "zone/two")
                .build()
                .start()) {
            assertThat(cluster.client().cluster().helpers().join())
                    .anySatisfy(helper -> assertThat(helper.toString()).contains("zone/two"));
        }
    }

    @Test
    void unknownSettingIsRefusedAndLeavesNoThread() {
        Set<Thread> before = threads();
        CloudMwCluster cluster = CloudMwCluster.builder()
                .helpers(1)
                .helperSetting("helper.fetch.thread", "1")
                .build();

        assertThatThrownBy(cluster::start)
                .asInstanceOf(type(CloudMwException.class))
                .satisfies(refused -> assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .satisfies(refused -> assertThat(refused).hasMessageContaining("helper.fetch.threads"));
        noThreadIsLeft(before);
    }

    @Test
    void mistakesInBuildersAreRefusedAtOnce() {
        CloudMwCluster.Builder builder = CloudMwCluster.builder();
        assertThatThrownBy(() -> builder.helpers(0)).hasMessage("helpers: 0 (expected: 1..16)");
        assertThatThrownBy(() -> builder.volume("No")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(
                        () -> builder.helperSetting(4, "helper.location", "a").build())
                .hasMessage("helper: 4 (expected: 1..3)");
        assertThatThrownBy(() -> builder.build().helper(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new SteadyLaw(1, java.time.Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
