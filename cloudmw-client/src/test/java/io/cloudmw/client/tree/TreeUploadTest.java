package io.cloudmw.client.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.client.FakeCluster;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.PutOptions;
import io.cloudmw.client.rpc.FakeHelper;
import io.cloudmw.proto.v1.CommitFilesRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The order in which an upload stores files. */
@Timeout(120)
final class TreeUploadTest {
    private static final TreeOptions OPTIONS = new TreeOptions(
            1, false, false, false, false, PutOptions.defaults(), GetOptions.defaults(), new TreeListener() {});

    @TempDir
    private Path directory;

    /** The files are made in an order that is neither that of names nor the reverse. */
    @Test
    void packHasItsFilesInTheOrderOfAListing() throws Exception {
        List<String> names =
                IntStream.range(100, 300).mapToObj(i -> "file-" + i).toList();
        Path from = Files.createDirectory(directory.resolve("from"));
        List<String> scrambled = new ArrayList<>(names);
        Collections.shuffle(scrambled, new Random(1));
        for (String name : scrambled) {
            Files.writeString(from.resolve(name), name);
        }
        try (FakeCluster cluster =
                new FakeCluster(64 << 10, 4 << 10, FakeHelper.Script.SERVE, directory.resolve("nowhere"), 8L << 20)) {
            TreeReport report = TreeCopy.upload(cluster.client(), from, RemotePath.parse("vol:/d"), OPTIONS)
                    .run();

            assertThat(report.failures()).isEmpty();
            assertThat(cluster.coordinator().commitsOfSmallFiles().stream()
                            .map(CommitFilesRequest::getFilesList)
                            .flatMap(List::stream)
                            .map(file -> file.getVersion().getPath()))
                    .containsExactlyElementsOf(
                            names.stream().map(name -> "/d/" + name).toList());
        }
    }
}
