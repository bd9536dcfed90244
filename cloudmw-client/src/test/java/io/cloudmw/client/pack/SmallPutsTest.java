package io.cloudmw.client.pack;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.cloudmw.client.FakeCluster;
import io.cloudmw.client.FakeContext;
import io.cloudmw.client.VolumeOperations;
import io.cloudmw.client.context.ClientContext;
import io.cloudmw.client.context.ClientThreads;
import io.cloudmw.client.context.ConfinedTransfer;
import io.cloudmw.client.context.PutTerms;
import io.cloudmw.client.file.FilePut;
import io.cloudmw.client.progress.PutReceipt;
import io.cloudmw.client.rpc.FakeHelper;
import io.cloudmw.client.write.StreamPutSource;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.memory.ByteBudget;
import io.cloudmw.core.model.FilePath;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The queue of small puts, with files without bytes: their batches need no helper. */
@Timeout(60)
final class SmallPutsTest {
    private static final FilePath ONE = FilePath.parse("vol:/one");
    private static final FilePath TWO = FilePath.parse("vol:/two");

    private static final int LIMIT = 1000;
    private static final int MOST_WAITING = 3;

    /** Starts batches, or fails them before they begin. */
    private final class Transfers implements SmallPuts.Starter {
        @Override
        public <T> CompletableFuture<T> start(ConfinedTransfer<T> transfer, ToLongFunction<T> bytes, int files) {
            batches.incrementAndGet();
            if (failure.isPresent()) {
                return CompletableFuture.failedFuture(failure.get());
            }
            return gate.thenCompose(open -> {
                transfer.start();
                return transfer.result();
            });
        }
    }

    @TempDir
    private Path directory;

    private final ScheduledExecutorService calls = Executors.newSingleThreadScheduledExecutor();
    private final AtomicInteger batches = new AtomicInteger();
    private final List<FilePath> alone = new CopyOnWriteArrayList<>();
    private volatile Optional<CloudMwException> failure = Optional.empty();
    private volatile CompletableFuture<Boolean> gate = CompletableFuture.completedFuture(true);
    private Path source;
    private FakeCluster cluster;
    private ClientContext context;
    private SmallPuts puts;

    @BeforeEach
    void start() throws Exception {
        source = Files.createFile(directory.resolve("source"));
        cluster = new FakeCluster(64 << 10, 4 << 10, FakeHelper.Script.SERVE, directory.resolve("nowhere"), 8L << 20);
        context = FakeContext.of(new ClientThreads(), cluster.coordinator().address(), calls, calls);
        puts = new SmallPuts(
                context,
                new Transfers(),
                file -> putAlone(file.target()),
                new SmallPuts.Rules(LIMIT, LIMIT, Duration.ofMillis(2), Duration.ofSeconds(30), MOST_WAITING));
    }

    @AfterEach
    void close() throws Exception {
        context.close();
        cluster.close();
        calls.submit(() -> {}).get(20, SECONDS);
        calls.shutdownNow();
    }

    /** Notes that a file is put by itself, and fails. */
    private CompletableFuture<PutReceipt> putAlone(FilePath file) {
        alone.add(file);
        return CompletableFuture.failedFuture(new CloudMwException(ErrorCode.NOT_FOUND, "put alone"));
    }

    private CompletableFuture<PutReceipt> put(Path from, FilePath file) {
        return puts.put(from, file, PutTerms.NONE, LIMIT, () -> putAlone(file));
    }

    private CompletableFuture<PutReceipt> put(FilePath file) {
        return put(source, file);
    }

    /** @param reads counts the reads of the stream */
    private CompletableFuture<PutReceipt> putStream(FilePath file, AtomicInteger reads) {
        InputStream empty = new InputStream() {
            @Override
            public int read() {
                reads.incrementAndGet();
                return -1;
            }

            @Override
            public int read(byte[] target, int offset, int length) {
                return read();
            }
        };
        return puts.put(
                new StreamPutSource(empty, 0, new ByteBudget(1 << 20)), 0, file, PutTerms.NONE, kept -> putAlone(file));
    }

    /** Puts a file into a volume of its own. */
    private CompletableFuture<PutReceipt> putElsewhere(int number) {
        FilePath file = FilePath.parse("vol-" + number + ":/one");
        return puts.put(file.volume(), List.of(FilePut.of(source, file))).get(0);
    }

    private List<CompletableFuture<PutReceipt>> putBoth() {
        return puts.put(ONE.volume(), List.of(FilePut.of(source, ONE), FilePut.of(source, TWO)));
    }

    private static void fails(CompletableFuture<PutReceipt> put, ErrorCode code, String message) {
        assertThatThrownBy(() -> put.get(40, SECONDS))
                .cause()
                .isInstanceOfSatisfying(
                        CloudMwException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @EnumSource(
            value = ErrorCode.class,
            names = {"INTERNAL", "INVALID_ARGUMENT"})
    void filesOfABatchThatFailsByADefectBeforeItsCommitArePutAloneOnce(ErrorCode code) {
        failure = Optional.of(new CloudMwException(code, "a defect, on purpose"));

        for (CompletableFuture<PutReceipt> put : putBoth()) {
            fails(put, ErrorCode.NOT_FOUND, "put alone");
        }
        fails(put(ONE), ErrorCode.NOT_FOUND, "put alone");

        assertThat(alone).containsExactlyInAnyOrder(ONE, TWO, ONE);
    }

    @Test
    void filesOfABatchThatFailsForWantOfAHelperFailWithIt() {
        failure = Optional.of(new CloudMwException(ErrorCode.HELPER_UNAVAILABLE, "no helper, on purpose"));

        for (CompletableFuture<PutReceipt> put : putBoth()) {
            fails(put, ErrorCode.HELPER_UNAVAILABLE, "on purpose");
        }

        assertThat(alone).isEmpty();
    }

    @Test
    void filesOfABatchWhoseCommitFailsByADefectMayBeCommittedAndAreNotPutAgain() {
        cluster.coordinator().refuse("CommitFiles", ErrorCode.INTERNAL, 1);

        for (CompletableFuture<PutReceipt> put : putBoth()) {
            fails(put, ErrorCode.INTERNAL, "it may have been committed all the same");
        }

        assertThat(alone).isEmpty();
    }

    @Test
    void volumeThatIsNotFoundIsForgotten() throws Exception {
        VolumeOperations volumes = cluster.client().volumes();
        var unused = volumes.create(volumes.get(ONE.volume()).get(40, SECONDS)).get(40, SECONDS);

        fails(putElsewhere(1), ErrorCode.VOLUME_NOT_FOUND, "no such volume");
        fails(putElsewhere(2), ErrorCode.VOLUME_NOT_FOUND, "no such volume");

        assertThat(puts.volumes()).isZero();
    }

    @Test
    void idleVolumesAreForgottenWhereThereAreTooMany() throws Exception {
        CompletableFuture<Boolean> held = new CompletableFuture<>();
        gate = held;
        CompletableFuture<PutReceipt> first = putElsewhere(0);
        await().until(() -> batches.get() == 1);
        gate = CompletableFuture.completedFuture(true);
        List<CompletableFuture<PutReceipt>> others = IntStream.range(1, SmallPuts.MAX_VOLUMES)
                .mapToObj(this::putElsewhere)
                .toList();
        for (CompletableFuture<PutReceipt> put : others) {
            put.get(40, SECONDS);
        }
        assertThat(puts.volumes()).isEqualTo(SmallPuts.MAX_VOLUMES);

        putElsewhere(SmallPuts.MAX_VOLUMES).get(40, SECONDS);

        assertThat(puts.volumes())
                .as("the new one, and the one with a put on its way")
                .isEqualTo(2);
        held.complete(true);
        first.get(40, SECONDS);
        putElsewhere(0).get(40, SECONDS);
        putElsewhere(1).get(40, SECONDS);
        assertThat(puts.volumes()).isEqualTo(3);
    }

    @Test
    void singlePutsThatWaitForTheCoordinatorAreLimited() throws Exception {
        cluster.coordinator().stop();
        List<CompletableFuture<PutReceipt>> waiting = IntStream.range(0, MOST_WAITING)
                .mapToObj(i -> put(FilePath.parse("vol:/waiting-" + i)))
                .toList();
        AtomicInteger read = new AtomicInteger();

        fails(put(TWO), ErrorCode.OVERLOADED, "vol:/two: 3 small puts of this client wait");
        fails(putStream(TWO, read), ErrorCode.OVERLOADED, "vol:/two: 3 small puts of this client wait");

        assertThat(read).hasValue(0);
        assertThat(waiting).noneMatch(CompletableFuture::isDone);
        cluster.coordinator().start();
        for (CompletableFuture<PutReceipt> put : waiting) {
            put.get(40, SECONDS);
        }
        putStream(TWO, read).get(40, SECONDS);
        assertThat(read).hasPositiveValue();
    }

    @Test
    void singlePutsThatFailOrArePutAloneNoLongerWait() throws Exception {
        Path large = Files.write(directory.resolve("large"), new byte[LIMIT + 1]);
        failure = Optional.of(new CloudMwException(ErrorCode.HELPER_UNAVAILABLE, "no helper, on purpose"));
        for (int i = 0; i <= MOST_WAITING; i++) {
            fails(put(ONE), ErrorCode.HELPER_UNAVAILABLE, "on purpose");
            fails(put(source.resolveSibling("missing"), ONE), ErrorCode.LOCAL_IO, "no such file");
            fails(put(large, ONE), ErrorCode.NOT_FOUND, "put alone");
        }
    }
}
