package io.cloudmw.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.VersionPart;
import io.cloudmw.testkit.ClusterHelper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of which bytes a concatenation moves. Chunks of the volume have 1 MiB. */
final class ConcatenationTest {
    private static final int MIB = 1 << 20;
    private static final String VOLUME = "files";

    private final URI root =
            URI.create("cloudmw://" + VOLUME + "@" + HadoopCluster.shared().coordinatorAddress() + "/");
    private FileSystem files;

    @BeforeEach
    void open() throws IOException {
        files = FileSystem.newInstance(root, new Configuration());
    }

    @AfterEach
    void close() throws IOException {
        files.delete(new Path("/concat"), true);
        files.close();
    }

    private byte[] write(Path path, int length) throws IOException {
        byte[] content = new byte[length];
        new SplittableRandom(path.hashCode()).nextBytes(content);
        try (FSDataOutputStream out = files.create(path)) {
            out.write(content);
        }
        return content;
    }

    private byte[] read(Path path) throws IOException {
        try (FSDataInputStream in = files.open(path)) {
            return in.readAllBytes();
        }
    }

    /** Returns how many files of chunks in the disks were written for the current version of a file. */
    private static long ownChunks(Path path) throws IOException {
        VersionId version = HadoopCluster.shared()
                .client()
                .files()
                .stat(FilePath.parse(VOLUME + ":" + path.toUri().getPath()))
                .join()
                .version()
                .id();
        long found = 0;
        for (ClusterHelper helper : HadoopCluster.shared().helpers()) {
            try (Stream<java.nio.file.Path> all = Files.walk(helper.store().directory())) {
                found += all.filter(file -> file.getFileName().toString().startsWith(version.value()))
                        .count();
            }
        }
        return found;
    }

    @Test
    void alignedSourcesMoveNoBytes() throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        Path target = new Path("/concat/target");
        all.write(write(target, 2 * MIB));
        List<Path> sources = new ArrayList<>();
        for (int length : new int[] {MIB, 0, 3 * MIB, MIB + 5}) {
            Path source = new Path("/concat/source-" + sources.size());
            all.write(write(source, length));
            sources.add(source);
        }
        files.concat(target, sources.toArray(new Path[0]));
        assertThat(ownChunks(target)).isZero();
        assertThat(read(target)).isEqualTo(all.toByteArray());
        for (Path source : sources) {
            assertThat(files.exists(source)).isFalse();
        }
    }

    @Test
    void sourcesBehindAShortChunkAreWritten() throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        Path target = new Path("/concat/target");
        Path source = new Path("/concat/source");
        all.write(write(target, MIB + 1));
        all.write(write(source, 2 * MIB));
        files.concat(target, new Path[] {source});
        assertThat(ownChunks(target)).as("three chunks in two stores").isEqualTo(6);
        assertThat(read(target)).isEqualTo(all.toByteArray());
        assertThat(files.exists(source)).isFalse();
    }

    @Test
    void manySourcesAreAppendedInSeveralVersions() throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        Path target = new Path("/concat/target");
        write(target, 0);
        Path[] sources = new Path[VersionPart.MAX_PARTS + 3];
        for (int i = 0; i < sources.length; i++) {
            sources[i] = new Path("/concat/source-" + i);
            all.write(write(sources[i], i == sources.length - 1 ? 5 : MIB));
        }
        files.concat(target, sources);
        assertThat(ownChunks(target)).isZero();
        assertThat(read(target)).isEqualTo(all.toByteArray());
        assertThat(files.listStatus(new Path("/concat"))).hasSize(1);
    }
}
