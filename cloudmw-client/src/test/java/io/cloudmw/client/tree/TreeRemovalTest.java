package io.cloudmw.client.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.client.FakeCluster;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.PutOptions;
import io.cloudmw.client.rpc.FakeHelper;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
final class TreeRemovalTest {
    private static final int FILES = 12;

    @TempDir
    private Path directory;

    private FakeCluster cluster;

    @BeforeEach
    void start() throws Exception {
        cluster = new FakeCluster(64 << 10, 16 << 10, FakeHelper.Script.SERVE, directory.resolve("nowhere"), 8L << 20);
        for (int i = 0; i < FILES; i++) {
            cluster.put(FilePath.parse("vol:/d/" + i), 10, i);
        }
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    private TreeReport remove(TreeListener listener) throws CloudMwException {
        TreeOptions options =
                new TreeOptions(2, false, false, false, false, PutOptions.defaults(), GetOptions.defaults(), listener);
        return new TreeRemoval(cluster.client(), RemotePath.parse("vol:/d"), options).run();
    }

    @Test
    void interruptedRemovalContinuesWhenRepeated() throws Exception {
        AtomicInteger begun = new AtomicInteger();
        TreeListener interrupting = new TreeListener() {
            @Override
            public void deletes(String file) {
                if (begun.incrementAndGet() == 5) {
                    Thread.currentThread().interrupt();
                }
            }
        };
        assertThatThrownBy(() -> remove(interrupting))
                .isInstanceOfSatisfying(
                        CloudMwException.class, why -> assertThat(why.code()).isEqualTo(ErrorCode.CANCELLED));
        assertThat(Thread.interrupted()).isTrue();
        assertThat(begun).hasValue(5);
        int left = cluster.coordinator().files().size();
        assertThat(left).isBetween(FILES - 5, FILES);

        // A cancelled removal may have succeeded all the same.
        assertThat(remove(new TreeListener() {}).deleted()).isBetween(FILES - 5L, (long) left);
        assertThat(cluster.coordinator().files()).isEmpty();
    }
}
