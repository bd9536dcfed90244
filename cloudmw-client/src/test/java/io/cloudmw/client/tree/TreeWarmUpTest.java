package io.cloudmw.client.tree;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.client.FakeCluster;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.PutOptions;
import io.cloudmw.client.WarmOptions;
import io.cloudmw.client.progress.WarmReceipt;
import io.cloudmw.client.rpc.FakeHelper;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Location;
import io.cloudmw.core.model.volume.VolumeSet;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two files in sequence, and one switch. */
@Timeout(120)
final class TreeWarmUpTest {
    private static final FilePath FIRST = FilePath.parse("vol:/d/a");
    private static final FilePath SECOND = FilePath.parse("vol:/d/b");
    private static final int FIRST_SIZE = 50_000;
    private static final int SECOND_SIZE = 20_000;

    @TempDir
    private Path directory;

    private FakeCluster cluster;
    private FakeHelper switched;

    @BeforeEach
    void start() throws Exception {
        cluster = new FakeCluster(64 << 10, 16 << 10, FakeHelper.Script.SERVE, directory.resolve("nowhere"), 8L << 20);
        switched = new FakeHelper("switch", FakeHelper.Script.SERVE, new ConcurrentHashMap<>());
        HelperAddress address = switched.address();
        cluster.coordinator()
                .add(new HelperAddress(
                        address.id(), address.control(), address.bulk(), VolumeSet.parse("vol"), Location.NONE));
        byte[] unusedFirst = cluster.put(FIRST, FIRST_SIZE, 1);
        byte[] unusedSecond = cluster.put(SECOND, SECOND_SIZE, 2);
    }

    @AfterEach
    void stop() {
        cluster.close();
        switched.close();
    }

    private WarmReceipt warm(TreeListener listener) throws CloudMwException {
        TreeOptions options =
                new TreeOptions(1, false, false, false, false, PutOptions.defaults(), GetOptions.defaults(), listener);
        TreeWarmUp task = new TreeWarmUp(cluster.client(), RemotePath.parse("vol:/d"), options, WarmOptions.defaults());
        TreeReport unused = task.run();
        return task.receipt().orElseThrow();
    }

    private Map<FilePath, FileVersion> files() {
        return cluster.coordinator().files();
    }

    /** A listener that removes the second file once both were listed and the first is being fetched. */
    private class Removing implements TreeListener {
        @Override
        public void progressed(long bytes) {
            files().remove(SECOND);
        }
    }

    @Test
    void warmUpCachesAllFiles() throws Exception {
        WarmReceipt receipt = warm(new TreeListener() {});
        assertThat(receipt.isComplete()).isTrue();
        assertThat(receipt.files()).isEqualTo(2);
        assertThat(receipt.failed()).isZero();
        assertThat(receipt.switches())
                .singleElement()
                .satisfies(one -> assertThat(one.keptBytes()).hasValue(FIRST_SIZE + SECOND_SIZE));
    }

    @Test
    void failedFilesAreCountedAndTheWarmUpIsIncomplete() throws Exception {
        WarmReceipt receipt = warm(new Removing());
        assertThat(receipt.isComplete()).isFalse();
        assertThat(receipt.files()).isEqualTo(1);
        assertThat(receipt.failed()).isEqualTo(1);
    }

    /** Cached bytes of that file would hide missing bytes of another one. */
    @Test
    void fileThatWasNotFetchedIsNotChecked() throws Exception {
        WarmReceipt before =
                cluster.client().files().warm(SECOND, WarmOptions.defaults()).get(60, SECONDS);
        assertThat(before.isComplete()).isTrue();
        FileVersion second = Objects.requireNonNull(files().get(SECOND));
        WarmReceipt receipt = warm(new Removing() {
            @Override
            public void failed(String file, CloudMwException why) {
                files().put(SECOND, second);
            }
        });
        assertThat(receipt.failed()).isEqualTo(1);
        assertThat(receipt.switches()).singleElement().satisfies(one -> {
            assertThat(one.askedBytes()).isEqualTo(FIRST_SIZE);
            assertThat(one.keptBytes()).hasValue(FIRST_SIZE);
        });
    }
}
