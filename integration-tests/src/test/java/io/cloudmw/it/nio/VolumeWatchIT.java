package io.cloudmw.it.nio;

import static java.nio.file.StandardWatchEventKinds.ENTRY_CREATE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_DELETE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_MODIFY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.PutOptions;
import io.cloudmw.coordinator.catalog.sqlite.SqliteCatalog;
import io.cloudmw.coordinator.server.CoordinatorConfig;
import io.cloudmw.coordinator.server.CoordinatorServer;
import io.cloudmw.core.config.Settings;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.ProviderMismatchException;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Watches of directories of a volume: changes of other clients, of all kinds, and restarts of the coordinator. */
@Timeout(120)
final class VolumeWatchIT {
    private static final VolumeName VOLUME = new VolumeName("v");

    @TempDir
    private Path directory;

    private CoordinatorServer coordinator;
    private CloudMw other;
    private FileSystem volume;
    private WatchService service;
    private SeenEvents seen;

    @BeforeEach
    void start() throws Exception {
        Path data = Files.createDirectories(directory.resolve("data"));
        try (SqliteCatalog catalog = SqliteCatalog.open(data.resolve("catalog.db"))) {
            StoreId store = new StoreId("s");
            catalog.putStore(new Store(store, "d", new Store.S3("bucket", "eu-west-1", "", false, "")));
            catalog.createVolume(
                    new Volume(VOLUME, new Chunking.BySize(1 << 20), 1, List.of(store), 1, Mode.DEFAULT, false, 1));
        }
        serve(0);
        other = CloudMw.connect(coordinator.address().toString());
        volume = FileSystems.newFileSystem(URI.create("cloudmw://" + coordinator.address() + "/v/"), Map.of());
        service = volume.newWatchService();
        seen = new SeenEvents(service);
    }

    private void serve(int port) throws Exception {
        coordinator = CoordinatorServer.start(CoordinatorConfig.read(Settings.of(Map.of(
                "tls.insecure",
                "true",
                "coordinator.listen",
                "127.0.0.1:" + port,
                "coordinator.data-dir",
                directory.resolve("data").toString(),
                "cluster.secret-file",
                directory.resolve("secret").toString()))));
    }

    @AfterEach
    void stop() throws IOException {
        volume.close();
        other.close();
        coordinator.close();
    }

    private WatchKey watch(String path) throws IOException {
        return volume.getPath(path).register(service, ENTRY_CREATE, ENTRY_MODIFY, ENTRY_DELETE);
    }

    private void put(String path) {
        var unused = other.files()
                .put(InputStream.nullInputStream(), 0, new FilePath(VOLUME, path), PutOptions.defaults())
                .join();
    }

    private void remove(String path) {
        var unused = other.files().remove(new FilePath(VOLUME, path)).join();
    }

    private void rename(String from, String to) {
        var unused = other.files()
                .rename(new FilePath(VOLUME, from), new FilePath(VOLUME, to), true)
                .join();
    }

    @Test
    void directoriesThatComeAndGoWithTheirFilesAreTold() throws Exception {
        WatchKey key = watch("/");
        put("/a/b/first");
        seen.await("ENTRY_CREATE a");
        put("/a/second");
        remove("/a/b/first");
        remove("/a/second");
        seen.await("ENTRY_DELETE a");
        assertThat(seen.all()).containsExactly("ENTRY_CREATE a", "ENTRY_DELETE a");
        assertThat(key.isValid()).isTrue();
    }

    @Test
    void directoryThatGoesWithItsLastFileEndsItsKey() throws Exception {
        put("/a/f");
        WatchKey key = watch("/a");
        remove("/a/f");
        seen.awaitInvalid(key);
        assertThat(seen.all()).contains("ENTRY_DELETE f");
    }

    @Test
    void renamesIntoOutOfAndOfAWatchedDirectoryAreTold() throws Exception {
        put("/d/stays");
        put("/out/f");
        WatchKey key = watch("/d");
        rename("/out", "/d/in");
        seen.await("ENTRY_CREATE in");
        rename("/d/in/f", "/d/stays");
        seen.await("ENTRY_MODIFY stays");
        seen.await("ENTRY_DELETE in");
        var unused = other.files()
                .setAttributes(new FilePath(VOLUME, "/d/stays"), Map.of("a", "b"), Set.of())
                .join();
        rename("/d", "/elsewhere");
        seen.awaitInvalid(key);
    }

    @Test
    void watchContinuesAfterARestartOfTheCoordinator() throws Exception {
        WatchKey key = watch("/");
        int port = coordinator.port();
        put("/before");
        seen.await("ENTRY_CREATE before");
        coordinator.close();
        serve(port);
        put("/before");
        put("/after");
        seen.await("ENTRY_CREATE after");
        assertThat(seen.all()).containsExactly("ENTRY_CREATE before", "ENTRY_MODIFY before", "ENTRY_CREATE after");
        assertThat(key.isValid()).isTrue();
    }

    @Test
    void deletedVolumeEndsTheKey() throws Exception {
        WatchKey key = watch("/");
        other.volumes().delete(VOLUME, true).join();
        seen.awaitInvalid(key);
    }

    @Test
    void closedFileSystemClosesItsWatchServices() throws Exception {
        WatchKey key = watch("/");
        volume.close();
        assertThatThrownBy(service::poll).isInstanceOf(ClosedWatchServiceException.class);
        assertThat(key.isValid()).isFalse();
    }

    @Test
    void cancelledKeyEndsItsFeedAndAnotherCanBeRegistered() throws Exception {
        for (int i = 0; i < 200; i++) { // more than a client may have open at once
            WatchKey key = watch("/");
            key.cancel();
            assertThat(key.isValid()).isFalse();
        }
        WatchKey key = watch("/");
        put("/f");
        seen.await("ENTRY_CREATE f");
        assertThat(key.isValid()).isTrue();
    }

    @Test
    void serviceOfAnotherProviderIsRefused() throws Exception {
        try (WatchService local = FileSystems.getDefault().newWatchService()) {
            assertThatThrownBy(() -> volume.getPath("/").register(local, ENTRY_CREATE))
                    .isInstanceOf(ProviderMismatchException.class);
        }
    }
}
