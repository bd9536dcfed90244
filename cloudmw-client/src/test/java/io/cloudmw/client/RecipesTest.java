package io.cloudmw.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.cloudmw.client.channel.ChannelOptions;
import io.cloudmw.client.channel.FileChannels;
import io.cloudmw.client.file.Watch;
import io.cloudmw.client.rpc.FakeHelper;
import io.cloudmw.core.metrics.ClientMetrics;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.Change;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The recipes of {@code docs/api.md}: equal to {@link Recipes}, and run on a fake cluster. */
final class RecipesTest {
    private static final FilePath FILE = FilePath.parse("vol:/a");
    private static final VolumeName VOLUME = new VolumeName("vol");

    @TempDir
    private Path directory;

    private FakeCluster cluster;
    private CloudMw cloudMw;

    @BeforeEach
    void start() throws IOException {
        cluster = new FakeCluster(1 << 20, 64 << 10, FakeHelper.Script.SERVE, directory.resolve("nothing"), 16L << 20);
        cloudMw = cluster.client();
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    @Test
    void pageHasTheRecipesOfTheSource() throws IOException {
        Map<String, String> recipes = new LinkedHashMap<>();
        List<String> lines = Files.readAllLines(Path.of("src/test/java/io/cloudmw/client/Recipes.java"));
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).startsWith("    // recipe: ")) {
                int end = i + lines.subList(i, lines.size()).indexOf("    // end");
                StringBuilder body = new StringBuilder();
                lines.subList(i + 1, end)
                        .forEach(line -> body.append(line.isEmpty() ? "" : line.substring(4))
                                .append('\n'));
                recipes.put(lines.get(i).substring("    // recipe: ".length()), body.toString());
            }
        }
        List<String> blocks = new ArrayList<>();
        String page = Files.readString(Path.of("../docs/api.md"));
        for (String rest : page.split("```java\n", -1)) {
            blocks.add(rest.split("```", -1)[0]);
        }
        blocks.remove(0);
        assertThat(blocks).containsExactlyElementsOf(recipes.values());
    }

    @Test
    void recipesWriteReadAndList() throws Exception {
        byte[] content = FakeCluster.bytes(200_000, 7);
        assertThat(Recipes.exists(cloudMw, FILE)).isFalse();
        assertThat(Recipes.putStream(cloudMw, new ByteArrayInputStream(content), FILE))
                .isEqualTo(content.length);
        assertThat(Recipes.exists(cloudMw, FILE)).isTrue();
        assertThat(Recipes.list(cloudMw, VOLUME, "/")).containsExactly("a");
        assertThat(Recipes.readRange(cloudMw, FILE, 1000, 50_000)).isEqualTo(Arrays.copyOfRange(content, 1000, 51_000));
        assertThat(Recipes.readAt(cloudMw, FILE, 100_000))
                .isEqualTo(ByteBuffer.wrap(Arrays.copyOfRange(content, 100_000, 104_096)));
        Path copy = directory.resolve("copy");
        assertThat(Recipes.getFile(cloudMw, FILE, copy).bytes()).isEqualTo(content.length);
        assertThat(copy).hasBinaryContent(content);
    }

    /** The only store is a disk of another machine. */
    @Test
    void recipeForReadsWithoutHelpersFailsWhereTheClientReachesNoStore() throws Exception {
        byte[] unused = cluster.put(FILE, 50_000, 7);

        assertThatThrownBy(() -> Recipes.getDirectly(cloudMw, FILE, directory.resolve("direct")))
                .hasMessageContaining("STORE_UNAVAILABLE")
                .hasMessageContaining("path fleet");
    }

    @Test
    void recipeForManySmallFilesCopiesThemAll() throws Exception {
        List<Path> sources = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            sources.add(Files.writeString(directory.resolve("small" + i), "content " + i));
        }
        Path copies = Files.createDirectory(directory.resolve("copies"));
        Recipes.copyMany(cloudMw, sources, VOLUME, copies);
        for (Path source : sources) {
            assertThat(copies.resolve(source.getFileName())).hasSameBinaryContentAs(source);
        }
        assertThat(cluster.coordinator().calledSinceLastLook()).containsOnlyOnce("CommitFiles", "StatFiles");
    }

    @Test
    void recipeForTheFileSystemCopiesALocalFile() throws Exception {
        Path local = Files.writeString(directory.resolve("local"), "content");
        Path archived = Recipes.archive(cluster.coordinator().address(), "vol", local);
        assertThat(archived).hasContent("content");
        archived.getFileSystem().close();
    }

    @Test
    void recipeForChannelsChangesTheFile() throws Exception {
        byte[] content = cluster.put(FILE, (1 << 20) + 50_000, 7);
        byte[] header = {1, 2, 3};
        try (FileChannels channels = FileChannels.of(cloudMw, ChannelOptions.defaults())) {
            Recipes.changeParts(channels, FILE, header);
        }
        System.arraycopy(header, 0, content, 0, header.length);
        Path copy = directory.resolve("changed");
        assertThat(Recipes.getFile(cloudMw, FILE, copy).bytes()).isEqualTo(1 << 20);
        assertThat(copy).hasBinaryContent(Arrays.copyOf(content, 1 << 20));
    }

    @Test
    void recipeForLocksAppendsUnderALock() throws Exception {
        cluster.put(FILE, 1000, 7);
        Recipes.addLine(cloudMw, FILE, "line");
        assertThat(cloudMw.files().stat(FILE).join().version().sizeBytes()).isEqualTo(1004);
        await().until(() -> cluster.coordinator().locks().held().isEmpty());
    }

    @Test
    void recipeForCancellingLeavesNoTransferRunning() throws Exception {
        cluster.put(FILE, 200_000, 7);
        assertThat(Recipes.getWithin(cloudMw, FILE, directory.resolve("copy"), Duration.ofMinutes(1))
                        .bytes())
                .isEqualTo(200_000);
        assertThatThrownBy(() -> Recipes.getWithin(
                cloudMw, FilePath.parse("vol:/none"), directory.resolve("none"), Duration.ofMinutes(1)));
        await().until(() -> cloudMw.runningTransfers() == 0);
    }

    @Test
    void recipeForWatchingGetsChanges() {
        List<Change> seen = new CopyOnWriteArrayList<>();
        try (Watch watch = Recipes.watch(cloudMw, VOLUME, seen::add, () -> {})) {
            cluster.coordinator().feed().add(Change.put(FILE, VersionId.random(), 1));
            await().until(() -> seen.size() == 1);
            assertThat(watch.position()).hasValue(1);
        }
    }

    @Test
    void recipeForMetersReportsInTheRegistry() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        try (CloudMw client = Recipes.connect(cluster.coordinator().address(), registry)) {
            assertThat(client.runningTransfers()).isZero();
            assertThat(registry.get(ClientMetrics.RUNNING).gauge().value()).isZero();
        }
        assertThat(registry.getMeters()).isEmpty();
    }
}
