package io.cloudmw.testkit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.PutOptions;
import io.cloudmw.client.file.EntryStatus;
import io.cloudmw.client.file.FilePut;
import io.cloudmw.client.progress.PutReceipt;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.PutCondition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Many small files in a cluster: puts that share packs, and reads of single files. */
class SmallFilesTest {
    @RegisterExtension
    static final CloudMwCluster CLUSTER =
            CloudMwCluster.builder().helpers(3).volume("data").build();

    @TempDir
    Path here;

    private final Random random = new Random(1);

    @Test
    void filesOfOnePutShareAPackAndAreReadAlone(CloudMw client) throws Exception {
        List<FilePut> puts = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            puts.add(FilePut.of(file("f" + i, i == 7 ? 0 : 1 + random.nextInt(20_000)), path("/shared/f" + i)));
        }
        puts.add(FilePut.of(file("large", 700_001), path("/shared/large")));
        long before = objects();

        for (CompletableFuture<PutReceipt> put : client.files().putAll(puts)) {
            assertEquals(2, put.join().replicasStored() + put.join().replicasOwed());
        }

        for (FilePut put : puts) {
            assertSame(client, put);
        }
        assertTrue(objects() - before <= 4, () -> "objects: " + objects());
    }

    @Test
    void singlePutsThatComeCloseTogetherSharePacks(CloudMw client) throws Exception {
        List<FilePut> puts = new ArrayList<>();
        for (int i = 0; i < 150; i++) {
            puts.add(FilePut.of(file("s" + i, 1 + random.nextInt(20_000)), path("/single/s" + i)));
        }
        long before = objects();

        List<CompletableFuture<PutReceipt>> receipts = new ArrayList<>();
        for (FilePut put : puts) {
            receipts.add(client.files().put(put.source(), put.target(), PutOptions.defaults()));
        }
        receipts.forEach(CompletableFuture::join);

        for (FilePut put : puts) {
            assertSame(client, put);
        }
        long made = objects() - before;
        assertTrue(made < puts.size(), () -> "objects: " + made);
    }

    @Test
    void aFileWithABadNameFailsAlone(CloudMw client) throws Exception {
        client.files().put(file("x", 10), path("/taken"), PutOptions.defaults()).join();
        FilePut good = FilePut.of(file("good", 100), path("/alone/good"));
        FilePut bad = FilePut.of(file("bad", 100), path("/taken/below"));
        FilePut gone = FilePut.of(here.resolve("missing"), path("/alone/gone"));

        List<CompletableFuture<PutReceipt>> results = client.files().putAll(List.of(bad, good, gone));

        assertEquals(ErrorCode.ALREADY_EXISTS, failure(results.get(0)));
        assertEquals(good.version(), results.get(1).join().version().id());
        assertEquals(ErrorCode.LOCAL_IO, failure(results.get(2)));
        assertSame(client, good);
    }

    @Test
    void conditionsAndAttributesHoldForEachFile(CloudMw client) throws Exception {
        FilePath kept = path("/conditions/kept");
        VersionId first = client.files()
                .put(file("kept", 5), kept, PutOptions.defaults().withAttributes(Attributes.of(Map.of("owner", "a"))))
                .join()
                .version()
                .id();
        FilePut replaces = new FilePut(
                file("new", 6),
                kept,
                VersionId.random(),
                Optional.of(PutCondition.version(first)),
                Attributes.of(Map.of("owner", "b")),
                Map.of("mtime", "now"));
        FilePut creates = new FilePut(
                file("other", 7),
                path("/conditions/other"),
                VersionId.random(),
                Optional.of(PutCondition.ABSENT),
                Attributes.of(Map.of("owner", "b")),
                Map.of("mtime", "then"));
        FilePut refused = new FilePut(
                file("refused", 8),
                kept,
                VersionId.random(),
                Optional.of(PutCondition.ABSENT),
                Attributes.NONE,
                Map.of());

        List<CompletableFuture<PutReceipt>> results = client.files().putAll(List.of(replaces, creates, refused));

        assertEquals(ErrorCode.CONFLICT, failure(results.get(2)));
        assertEquals(6, results.get(0).join().version().sizeBytes());
        List<Optional<EntryStatus>> found = client.files()
                .statAll(List.of(kept, creates.target(), path("/none")))
                .join();
        assertEquals(
                Map.of("owner", "a", "mtime", "now"),
                found.get(0).orElseThrow().attributes().values());
        assertEquals(
                Map.of("owner", "b", "mtime", "then"),
                found.get(1).orElseThrow().attributes().values());
        assertTrue(found.get(2).isEmpty());
    }

    @Test
    void aFileInAPackIsAppendedToAndReadByRange(CloudMw client) throws Exception {
        FilePut one = FilePut.of(file("one", 3000), path("/edited/one"));
        FilePut two = FilePut.of(file("two", 300_000), path("/edited/two"));
        client.files().putAll(List.of(one, two)).forEach(CompletableFuture::join);

        client.files()
                .append(file("more", 50), one.target(), PutOptions.defaults())
                .join();

        byte[] expected = Files.readAllBytes(one.source());
        byte[] more = Files.readAllBytes(here.resolve("more"));
        byte[] all = Files.readAllBytes(got(client, one.target()));
        assertArrayEquals(expected, java.util.Arrays.copyOf(all, 3000));
        assertArrayEquals(more, java.util.Arrays.copyOfRange(all, 3000, 3050));
        assertSame(client, two);
    }

    private void assertSame(CloudMw client, FilePut put) throws IOException {
        assertArrayEquals(Files.readAllBytes(put.source()), Files.readAllBytes(got(client, put.target())));
    }

    private Path got(CloudMw client, FilePath file) {
        Path copy = here.resolve("copy");
        client.files().get(file, copy, GetOptions.defaults()).join();
        return copy;
    }

    private static ErrorCode failure(CompletableFuture<?> result) {
        CompletionException failure = assertThrows(CompletionException.class, result::join);
        return assertInstanceOf(CloudMwException.class, failure.getCause()).code();
    }

    private static FilePath path(String path) {
        return FilePath.parse("data:" + path);
    }

    private Path file(String name, int bytes) throws IOException {
        byte[] content = new byte[bytes];
        random.nextBytes(content);
        return Files.write(here.resolve(name), content);
    }

    /** The chunks on all disks. */
    private static long objects() {
        return Stream.of(1, 2, 3)
                .mapToLong(number -> chunks(CLUSTER.store(number).directory()))
                .sum();
    }

    private static long chunks(Path disk) {
        try (Stream<Path> files = Files.walk(disk.resolve("chunks"))) {
            return files.filter(Files::isRegularFile).count();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
