package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.PutOptions;
import io.cloudmw.client.file.EntryStatus;
import io.cloudmw.client.file.FileEntry;
import io.cloudmw.client.tree.RemotePath;
import io.cloudmw.client.tree.SnapshotDiff;
import io.cloudmw.client.tree.TreeCopy;
import io.cloudmw.client.tree.TreeListener;
import io.cloudmw.client.tree.TreeOptions;
import io.cloudmw.client.tree.TreeRemoval;
import io.cloudmw.client.tree.TreeReport;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.Snapshot;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.helper.standalone.StandaloneCluster;
import io.cloudmw.helper.standalone.StandaloneConfig;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of snapshots over real connections. */
final class SnapshotIT {
    private static final VolumeName VOLUME = new VolumeName("v");

    @TempDir
    Path directory;

    private StandaloneCluster cluster;
    private CloudMw client;

    @BeforeEach
    void start() throws CloudMwException {
        cluster = StandaloneCluster.start(new StandaloneConfig(
                new HostPort("127.0.0.1", 0), directory.resolve("cluster"), directory.resolve("secret"), 2));
        client = CloudMw.connect(cluster.coordinator().toString());
        List<StoreId> disks = List.of(new StoreId("disk-1"), new StoreId("disk-2"));
        client.volumes()
                .create(new Volume(VOLUME, new Chunking.BySize(1 << 20), 2, disks, 2, Mode.COOPERATIVE, false, 0))
                .join();
    }

    @AfterEach
    void stop() {
        client.close();
        cluster.close();
    }

    private void put(String path, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        client.files()
                .put(new ByteArrayInputStream(bytes), bytes.length, file(path), PutOptions.defaults())
                .join();
    }

    private static FilePath file(String path) {
        return new FilePath(VOLUME, path);
    }

    private String read(String path, GetOptions how) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        client.files().read(file(path), Channels.newChannel(bytes), how).join();
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private String readIn(String snapshot, String path) {
        var version = client.snapshots().stat(snapshot, file(path)).join().version();
        return read(
                path, GetOptions.defaults().withVersion(version.id()).withRange(new ByteRange(0, version.sizeBytes())));
    }

    private List<String> differences(String before, Optional<String> after, String path) throws CloudMwException {
        List<String> found = new ArrayList<>();
        new SnapshotDiff(client, VOLUME, before, after, difference -> {
                    found.add(difference.kind() + " " + difference.path());
                    return true;
                })
                .run(path);
        return found;
    }

    @Test
    void snapshotIsReadComparedAndRestored() throws Exception {
        put("/a", "first");
        put("/d/b", "below");
        put("/d/same", "same");
        put("/noted", "same");
        client.files()
                .setAttributes(file("/noted"), Map.of("x", "1", "y", "2"), Set.of())
                .join();
        client.snapshots().create(VOLUME, "s1").join();
        put("/a", "second");
        client.files().remove(file("/d/b")).join();
        put("/d/b/deep", "where a file was");
        client.files()
                .append(new ByteArrayInputStream(new byte[] {'!'}), 1, file("/a"), PutOptions.defaults())
                .join();
        client.files()
                .setAttributes(file("/noted"), Map.of("y", "1", "x", "2"), Set.of())
                .join();
        client.snapshots().create(VOLUME, "s2").join();
        put("/late", "");

        assertThat(readIn("s1", "/a")).isEqualTo("first");
        assertThat(readIn("s1", "/d/b")).isEqualTo("below");
        assertThat(readIn("s2", "/a")).isEqualTo("second!");
        assertThat(client.snapshots().list(VOLUME).join())
                .extracting(Snapshot::name)
                .containsExactly("s1", "s2");
        assertThat(differences("s1", Optional.of("s2"), "/"))
                .containsExactly("CHANGED /a", "ADDED /d/b/deep", "REMOVED /d/b", "ATTRIBUTES /noted");
        assertThat(differences("s1", Optional.of("s2"), "/d/b")).containsExactly("ADDED /d/b/deep");
        assertThat(differences("s2", Optional.empty(), "/")).containsExactly("ADDED /late");
        assertThat(differences("s1", Optional.of("s1"), "/")).isEmpty();
        assertThatThrownBy(() -> differences("none", Optional.empty(), "/")).isInstanceOf(CloudMwException.class);

        client.snapshots().restore("s1", file("/a")).join();
        assertThat(read("/a", GetOptions.defaults())).isEqualTo("first");
        client.files().remove(file("/d/b/deep")).join();
        client.snapshots().restore("s1", file("/d/b")).join();
        assertThat(read("/d/b", GetOptions.defaults())).isEqualTo("below");
        assertThat(differences("s1", Optional.empty(), "/")).containsExactly("ADDED /late", "ATTRIBUTES /noted");
        client.snapshots().restore("s1", file("/noted")).join();
        assertThat(client.files().stat(file("/noted")).join().attributes().values())
                .containsEntry("x", "1");
        assertThat(differences("s1", Optional.empty(), "/")).containsExactly("ADDED /late");
        client.snapshots().remove(VOLUME, "s1").join();
        client.snapshots().remove(VOLUME, "s2").join();
        assertThat(read("/a", GetOptions.defaults())).isEqualTo("first");
    }

    private static TreeOptions tree(boolean delete, TreeListener listener) {
        return new TreeOptions(1, delete, false, false, false, PutOptions.defaults(), GetOptions.defaults(), listener);
    }

    @Test
    void emptyDirectoryOfASnapshotIsFoundAndRestored() throws Exception {
        client.files()
                .createDirectory(file("/d/empty"), true, Attributes.of(Map.of("kind", "then")))
                .join();
        put("/d/made/f", "1");
        client.snapshots().create(VOLUME, "s1").join();
        client.files().removeDirectory(file("/d/empty")).join();
        var unused = client.files().remove(file("/d/made/f")).join();

        EntryStatus then = client.snapshots().entry("s1", VOLUME, "/d/empty").join();
        assertThat(then.isDirectory()).isTrue();
        assertThat(then.stays()).isTrue();
        assertThat(then.attributes().values()).containsEntry("kind", "then");
        assertThat(client.snapshots()
                        .listFiles("s1", VOLUME, "/d/empty", "", 10)
                        .join()
                        .items())
                .isEmpty();
        assertThat(client.snapshots().entry("s1", VOLUME, "/d/made").join().stays())
                .isFalse();
        assertThatThrownBy(
                        () -> client.snapshots().entry("s1", VOLUME, "/d/none").join())
                .hasCauseInstanceOf(CloudMwException.class);

        List<String> missing = new ArrayList<>();
        new SnapshotDiff(client, VOLUME, "s1", Optional.empty(), new SnapshotDiff.Listener() {
                    @Override
                    public boolean found(SnapshotDiff.Difference difference) {
                        missing.add(difference.path());
                        return true;
                    }

                    @Override
                    public boolean missing(String path) {
                        missing.add(path + "/");
                        return true;
                    }
                })
                .run("/");
        assertThat(missing).containsExactly("/d/empty/", "/d/made/", "/d/made/f");
        assertThat(client.snapshots().restore("s1", file("/d/empty")).join()).isEmpty();
        assertThat(client.snapshots().restore("s1", file("/d/made")).join()).isEmpty();
        assertThat(client.files().entry(file("/d/empty")).join()).isEqualTo(then);
    }

    @Test
    void aDirectoryOfASnapshotIsCopiedAsItWasAndNeverChanged() throws Exception {
        put("/d/a", "first");
        put("/d/sub/b", "below");
        client.snapshots().create(VOLUME, "s1").join();
        put("/d/a", "second");
        client.files().remove(file("/d/sub/b")).join();
        put("/d/new", "");
        Path copy = directory.resolve("copy");
        RemotePath from = RemotePath.directory("v@s1:/d/");
        TreeOptions options = tree(true, new TreeListener() {});

        assertThat(TreeCopy.download(client, from, copy, options).run().copied())
                .isEqualTo(2);
        assertThat(copy.resolve("a")).hasContent("first");
        assertThat(copy.resolve("sub/b")).hasContent("below");
        assertThat(copy.resolve("new")).doesNotExist();
        Files.writeString(copy.resolve("other"), "");
        TreeReport second = TreeCopy.download(client, from, copy, options).run();
        assertThat(second.unchanged()).isEqualTo(2);
        assertThat(second.deleted()).isEqualTo(1);
        assertThat(copy.resolve("other")).doesNotExist();
        assertThatThrownBy(() -> TreeCopy.upload(client, copy, from, options))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("v@s1:/d: a snapshot cannot be changed");
        assertThatThrownBy(() -> new TreeRemoval(client, from, options)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void copyOfASnapshotRemovedMeanwhileDeletesNoFurtherFiles() throws Exception {
        put("/d/a", "first");
        client.snapshots().create(VOLUME, "s1").join();
        Path copy = Files.createDirectory(directory.resolve("copy"));
        Files.writeString(copy.resolve("other"), "");
        Files.writeString(copy.resolve("another"), "");
        TreeListener removing = new TreeListener() {
            @Override
            public void deletes(String file) {
                client.snapshots().remove(VOLUME, "s1").join();
            }
        };

        TreeReport report = TreeCopy.download(client, RemotePath.parse("v@s1:/d"), copy, tree(true, removing))
                .run();
        assertThat(report.deleted()).isEqualTo(1);
        assertThat(report.failures())
                .extracting(failure -> failure.why().code())
                .containsOnly(ErrorCode.NOT_FOUND);
        try (Stream<Path> left = Files.list(copy)) {
            assertThat(left).hasSize(2);
        }
    }

    @Test
    void removalOfADirectoryRemovesItsFilesAndNoOthers() throws Exception {
        for (int i = 0; i < 5; i++) {
            put("/d/" + i, "x");
            put("/d/sub/deep/" + i, "x");
        }
        put("/dd", "x");
        client.snapshots().create(VOLUME, "s1").join();
        TreeOptions options = tree(false, new TreeListener() {});

        TreeReport report = new TreeRemoval(client, RemotePath.parse("v:/d"), options).run();
        assertThat(report.deleted()).isEqualTo(10);
        assertThat(client.files().list(VOLUME, "/", "", 10).join().items())
                .extracting(FileEntry::name)
                .containsExactly("dd");
        assertThat(readIn("s1", "/d/sub/deep/4")).isEqualTo("x");
        assertThatThrownBy(() -> new TreeRemoval(client, RemotePath.parse("v:/d"), options).run())
                .isInstanceOfSatisfying(
                        CloudMwException.class, why -> assertThat(why.code()).isEqualTo(ErrorCode.NOT_FOUND));
    }
}
