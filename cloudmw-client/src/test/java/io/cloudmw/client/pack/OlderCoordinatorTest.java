package io.cloudmw.client.pack;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.client.FakeCluster;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.file.EntryStatus;
import io.cloudmw.client.file.FileGet;
import io.cloudmw.client.file.FilePut;
import io.cloudmw.client.progress.PutReceipt;
import io.cloudmw.client.rpc.FakeHelper;
import io.cloudmw.core.model.FilePath;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Small files with a coordinator that knows no packs: each file is put, looked up and read by itself. */
@Timeout(60)
final class OlderCoordinatorTest {
    private static final int FILES = 40;

    @TempDir
    private Path directory;

    private FakeCluster cluster;

    @BeforeEach
    void start() throws Exception {
        cluster = new FakeCluster(64 << 10, 4 << 10, FakeHelper.Script.SERVE, directory.resolve("nowhere"), 8L << 20);
        cluster.coordinator().withoutSmallFiles();
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private static FilePath path(int file) {
        return FilePath.parse("vol:/d/" + file);
    }

    @Test
    void smallFilesArePutAndReadOneByOne() throws Exception {
        List<FilePut> puts = new ArrayList<>();
        List<FileGet> gets = new ArrayList<>();
        for (int file = 0; file < FILES; file++) {
            Path source = directory.resolve("source-" + file);
            Files.writeString(source, "content of " + file);
            puts.add(FilePut.of(source, path(file)));
            gets.add(new FileGet(path(file), directory.resolve("target-" + file)));
        }
        for (CompletableFuture<PutReceipt> put : cluster.client().files().putAll(puts)) {
            put.get(40, SECONDS);
        }
        List<Optional<EntryStatus>> found = cluster.client()
                .files()
                .statAll(List.of(path(0), FilePath.parse("vol:/missing"), path(FILES - 1)))
                .get(40, SECONDS);
        assertThat(found).map(Optional::isPresent).containsExactly(true, false, true);
        for (CompletableFuture<EntryStatus> get : cluster.client().files().getAll(gets, GetOptions.defaults())) {
            get.get(40, SECONDS);
        }
        for (int file = 0; file < FILES; file++) {
            assertThat(directory.resolve("target-" + file)).hasContent("content of " + file);
        }
    }
}
