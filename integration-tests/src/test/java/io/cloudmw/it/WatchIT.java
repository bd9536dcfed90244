package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.PutOptions;
import io.cloudmw.client.file.Watch;
import io.cloudmw.client.file.WatchListener;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.Change;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Chunking;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that clients see consistent names and changes while their coordinator is killed. The files are empty, since
 * bytes do not matter here.
 */
final class WatchIT {
    private static final int CLIENTS = 4;
    private static final int KILLS = 3;

    @TempDir
    private Path directory;

    private static VolumeName volume(Fleet fleet) {
        StoreId store = new StoreId("bucket");
        fleet.client()
                .stores()
                .add(new Store(store, "domain", new Store.S3("bucket", "eu-west-1", "", false, "")), false)
                .join();
        return fleet.volume("v", new Chunking.ByCount(1), 1, store);
    }

    private static FileVersion put(CloudMw client, FilePath file) {
        return client.files()
                .put(InputStream.nullInputStream(), 0, file, PutOptions.defaults())
                .join()
                .version();
    }

    @Test
    void namesAndEventsStayConsistentThroughKillsOfTheCoordinator() throws Exception {
        try (Fleet fleet = Fleet.hosted(directory, Map.of(), "coordinator")) {
            VolumeName volume = volume(fleet);
            Log log = new Log();
            try (CloudMw watching = BusyClients.connect(fleet.coordinatorAddress());
                    Watch watch = watching.files().watch(volume, "/", OptionalLong.of(0), log);
                    BusyClients clients =
                            BusyClients.start(Collections.nCopies(CLIENTS, fleet.coordinatorAddress()), volume, 0)) {
                for (int kill = 1; kill <= KILLS; kill++) {
                    clients.goOn(60);
                    fleet.coordinator().kill();
                    fleet.restart("coordinator");
                }
                clients.stop();
                VersionId last =
                        put(fleet.client(), new FilePath(volume, "/last")).id();
                await().atMost(Duration.ofMinutes(1)).until(() -> log.ends(last));
                assertThat(watch.done()).isNotDone();
                assertThat(log.lost).isEmpty();
                clients.check(log.changes.subList(0, log.changes.size() - 1));
            }
        }
    }

    @Test
    void theCommandSaysWhatHappens() throws IOException {
        try (Fleet fleet = Fleet.hosted(directory, Map.of())) {
            VolumeName volume = volume(fleet);
            put(fleet.client(), new FilePath(volume, "/a/b"));
            fleet.client()
                    .files()
                    .rename(new FilePath(volume, "/a"), new FilePath(volume, "/c"), false)
                    .join();
            CommandLine cloudmw = new CommandLine(fleet.coordinatorAddress());
            String out = cloudmw.run("watch", "v:/a/b", "--from", "0", "--count", "2")
                    .orThrow()
                    .out();
            assertThat(out.lines().map(String::strip))
                    .containsExactly("1  put            v:/a/b", "2  renamed        v:/a -> v:/c");
            assertThat(cloudmw.run("watch", "nowhere").exitCode()).isEqualTo(3);
        }
    }

    /** A record of the changes that a watch delivered. */
    private static final class Log implements WatchListener {
        private final List<Change> changes = new CopyOnWriteArrayList<>();
        private final List<Long> lost = new CopyOnWriteArrayList<>();

        @Override
        public void changed(Change change) {
            changes.add(change);
        }

        @Override
        public void lost(long position) {
            lost.add(position);
        }

        boolean ends(VersionId version) {
            return !changes.isEmpty()
                    && changes.get(changes.size() - 1).version().equals(Optional.of(version));
        }
    }
}
