package io.cloudmw.client;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cloudmw.client.context.Failures;
import io.cloudmw.client.file.FilePut;
import io.cloudmw.client.progress.PutReceipt;
import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.client.rpc.FakeCoordinator;
import io.cloudmw.client.rpc.FakeHelper;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.wire.FromWire;
import io.cloudmw.proto.v1.CommitFilesRequest;
import io.cloudmw.proto.v1.CommittedFile;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Puts of one small file each: their calls, and the packs of those that come close together. */
@Timeout(60)
final class SinglePutsTest {
    private static final int CHUNK = 64 << 10;
    private static final int LEAF = 4 << 10;

    /** The batches on their way at once; further puts wait. */
    private static final int IN_FLIGHT = 3;

    @TempDir
    private Path directory;

    private FakeCluster cluster;
    private FakeCoordinator coordinator;
    private CloudMw client;

    @BeforeEach
    void start() throws IOException {
        cluster = new FakeCluster(CHUNK, LEAF, FakeHelper.Script.SERVE, directory.resolve("nowhere"), 8L << 20);
        coordinator = cluster.coordinator();
        client = cluster.client();
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private static FilePath path(String name) {
        return FilePath.parse("vol:/d/" + name);
    }

    private static byte[] content(String name) {
        return ("content of " + name).getBytes(StandardCharsets.UTF_8);
    }

    private CompletableFuture<PutReceipt> put(String name, PutOptions options) {
        try {
            return client.files().put(Files.write(directory.resolve(name), content(name)), path(name), options);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private CompletableFuture<PutReceipt> put(String name) {
        return put(name, PutOptions.defaults());
    }

    private CompletableFuture<PutReceipt> putStream(String name, byte[] content, long length) {
        return client.files().put(new ByteArrayInputStream(content), length, path(name), PutOptions.defaults());
    }

    private static CloudMwException failure(CompletableFuture<?> put) {
        try {
            Object unexpected = put.join();
            throw new AssertionError("done: " + unexpected);
        } catch (CompletionException | java.util.concurrent.CancellationException e) {
            return Failures.of(e);
        }
    }

    private void holds(String name) throws Exception {
        Path out = directory.resolve("out");
        client.files().get(path(name), out, GetOptions.defaults()).get(60, SECONDS);
        assertThat(out).hasBinaryContent(content(name));
    }

    private ErrorCode statFailure(String name) {
        return failure(client.files().stat(path(name))).code();
    }

    private List<CommitFilesRequest> commits() {
        return coordinator.commitsOfSmallFiles();
    }

    private static List<String> paths(CommitFilesRequest commit) {
        return commit.getFilesList().stream()
                .map(file -> file.getVersion().getPath())
                .toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 5000, CHUNK})
    void lonePutHasAChunkOfItsOwn(int size) throws Exception {
        byte[] content = FakeCluster.bytes(size, size);
        PutReceipt receipt = client.files()
                .put(Files.write(directory.resolve("a"), content), path("a"), PutOptions.defaults())
                .get(60, SECONDS);
        assertThat(commits()).hasSize(1);
        assertThat(commits().get(0).hasPack()).isFalse();
        CommittedFile committed = commits().get(0).getFiles(0);
        assertThat(committed.getChunksCount()).isEqualTo(size == 0 ? 0 : 1);
        assertThat(commits().get(0).hasPlace())
                .as("a placement for the next put")
                .isEqualTo(size > 0);
        for (io.cloudmw.proto.v1.Chunk chunk : committed.getChunksList()) {
            assertThat(FromWire.chunk(chunk).id().version())
                    .isEqualTo(receipt.version().id());
            assertThat(FromWire.chunk(chunk).id().slice()).isEmpty();
        }
        assertThat(receipt.version().sizeBytes()).isEqualTo(size);
        assertThat(receipt.replicasStored()).isEqualTo(committed.getChunksCount());
        Path out = directory.resolve("out");
        client.files().get(path("a"), out, GetOptions.defaults()).get(60, SECONDS);
        assertThat(out).hasBinaryContent(content);
    }

    @Test
    void lonePutOfAStartedClientIsOneCallAndOneUpload() throws Exception {
        put("first").get(60, SECONDS);
        assertThat(coordinator.calledSinceLastLook()).containsExactly("GetVolume", "CommitFiles");
        for (int i = 1; i <= 3; i++) {
            put("file-" + i).get(60, SECONDS);
            assertThat(coordinator.calledSinceLastLook()).containsExactly("CommitFiles");
            assertThat(cluster.helper().receivedUploads()).isEqualTo(1 + i);
        }
        putStream("stream", content("stream"), content("stream").length).get(60, SECONDS);
        assertThat(coordinator.calledSinceLastLook()).containsExactly("CommitFiles");
        holds("first");
        holds("file-3");
        holds("stream");
    }

    /** A cluster whose chunks are larger than the largest put of one call. */
    private FakeCluster large() throws IOException {
        return new FakeCluster(16 << 20, 64 << 10, FakeHelper.Script.SERVE, directory.resolve("large"), 8L << 20);
    }

    @ParameterizedTest
    @ValueSource(ints = {(1 << 20) + 1, 8 << 20})
    void lonePutOfUpToABlockIsOneCallAndOneUpload(int size) throws Exception {
        try (FakeCluster large = large()) {
            CloudMw of = large.client();
            of.files()
                    .put(new ByteArrayInputStream(new byte[1]), 1, path("first"), PutOptions.defaults())
                    .get(60, SECONDS);
            var unused = large.coordinator().calledSinceLastLook();
            byte[] content = FakeCluster.bytes(size, size);
            Path source = Files.write(directory.resolve("large-file"), content);
            of.files().put(source, path("a"), PutOptions.defaults()).get(60, SECONDS);
            assertThat(large.coordinator().calledSinceLastLook()).containsExactly("CommitFiles");
            assertThat(large.helper().receivedUploads()).isEqualTo(2);
            Path out = directory.resolve("out");
            of.files().get(path("a"), out, GetOptions.defaults()).get(60, SECONDS);
            assertThat(out).hasBinaryContent(content);
        }
    }

    @Test
    void lonePutOfALargerFileHasCallsOfItsOwn() throws Exception {
        try (FakeCluster large = large()) {
            Path source = Files.write(directory.resolve("large-file"), new byte[(8 << 20) + 1]);
            large.client().files().put(source, path("a"), PutOptions.defaults()).get(60, SECONDS);
            assertThat(large.coordinator().calledSinceLastLook()).contains("CommitPut");
        }
    }

    @Test
    void putsTooLargeForAPackNeitherWaitNorShareOne() throws Exception {
        try (FakeCluster large = large()) {
            CompletableFuture<Void> gate = large.coordinator().holdCommits();
            List<CompletableFuture<PutReceipt>> puts = new ArrayList<>();
            for (int i = 0; i < 2 * IN_FLIGHT; i++) {
                Path source = Files.write(directory.resolve("large-" + i), FakeCluster.bytes(2 << 20, i));
                puts.add(large.client().files().put(source, path("large-" + i), PutOptions.defaults()));
            }
            await().until(() -> large.coordinator().commitsOfSmallFiles().size() == puts.size());
            gate.complete(null);
            for (CompletableFuture<PutReceipt> put : puts) {
                put.get(60, SECONDS);
            }
            assertThat(large.coordinator().commitsOfSmallFiles())
                    .noneMatch(CommitFilesRequest::hasPack)
                    .allMatch(commit -> commit.getFilesCount() == 1);
        }
    }

    @Test
    void placementIsRequestedWhereNoneCameAhead() throws Exception {
        coordinator.placeOnRequest();
        put("a").get(60, SECONDS);
        assertThat(coordinator.calledSinceLastLook()).containsExactly("GetVolume", "PlaceChunks", "CommitFiles");
        holds("a");
    }

    @Test
    void putsThatComeWhileOthersAreOnTheirWayShareAPackAndACommit() throws Exception {
        CompletableFuture<Void> gate = coordinator.holdCommits();
        List<CompletableFuture<PutReceipt>> puts = fillTheWay();
        List<String> names = List.of("a", "b", "c", "d");
        names.forEach(name -> puts.add(put(name)));
        puts.add(putStream("stream", content("stream"), content("stream").length));
        await().until(() -> client.files().smallPuts().waiting() == names.size() + 1);
        gate.complete(null);
        for (CompletableFuture<PutReceipt> put : puts) {
            put.get(60, SECONDS);
        }
        assertThat(commits()).hasSize(IN_FLIGHT + 1);
        assertThat(commits().subList(0, IN_FLIGHT)).noneMatch(CommitFilesRequest::hasPack);
        CommitFilesRequest shared = commits().get(IN_FLIGHT);
        assertThat(shared.hasPack()).isTrue();
        assertThat(paths(shared)).containsExactlyInAnyOrder("/d/a", "/d/b", "/d/c", "/d/d", "/d/stream");
        assertThat(cluster.helper().receivedUploads()).isEqualTo(IN_FLIGHT + 1);
        for (String name : names) {
            holds(name);
        }
        holds("stream");
    }

    @Test
    void putsOfManyFilesAreBegunAsOthersLeaveTheQueue() throws Exception {
        Path source = Files.write(directory.resolve("source"), content("source"));
        CompletableFuture<Void> gate = coordinator.holdCommits();
        List<FilePut> files = new ArrayList<>();
        for (int i = 0; i < 30_000; i++) {
            files.add(new FilePut(
                    source,
                    path("many-" + i),
                    VersionId.random(),
                    Optional.empty(),
                    Attributes.NONE,
                    Map.of(),
                    OptionalLong.of(content("source").length)));
        }

        List<CompletableFuture<PutReceipt>> puts = client.files().putAll(files);

        await().atMost(Duration.ofSeconds(40))
                .until(() -> client.files().smallPuts().waiting() > 16_000);
        assertThat(client.files().smallPuts().waiting()).isLessThanOrEqualTo(20_000);
        assertThat(puts).noneMatch(CompletableFuture::isDone);
        puts.subList(0, puts.size() - 10).forEach(put -> put.cancel(true));
        gate.complete(null);
        for (CompletableFuture<PutReceipt> put : puts.subList(puts.size() - 10, puts.size())) {
            put.get(60, SECONDS);
        }
    }

    @Test
    void packHasNoMoreLeavesThanAChunkMayHaveWithTheRoomBetweenItsFiles() throws Exception {
        int size = 60_000;
        long most = Chunking.maxChunkBytes(LEAF);
        int files = (int) (most / size);
        Path source = Files.write(directory.resolve("source"), FakeCluster.bytes(size, 3));
        List<FilePut> puts = new ArrayList<>();
        for (int i = 0; i < files; i++) {
            puts.add(FilePut.of(source, path("leaves-" + i)));
        }

        for (CompletableFuture<PutReceipt> put : client.files().putAll(puts)) {
            put.get(60, SECONDS);
        }

        assertThat((long) files * size).as("without the room").isLessThanOrEqualTo(most);
        assertThat(commits()).hasSize(2);
        long longest = 0;
        for (CommitFilesRequest commit : commits()) {
            longest = Math.max(
                    longest, FromWire.chunk(commit.getPack().getChunk()).range().length());
        }
        assertThat(longest).isBetween(most - CHUNK, most);
        assertThat(commits().get(0).getFilesCount() + commits().get(1).getFilesCount())
                .isEqualTo(files);
        Path out = directory.resolve("out");
        client.files().get(path("leaves-270"), out, GetOptions.defaults()).get(60, SECONDS);
        assertThat(out).hasSameBinaryContentAs(source);
    }

    /** Begins as many puts as may be on their way at once, one after the other. */
    private List<CompletableFuture<PutReceipt>> fillTheWay() {
        List<CompletableFuture<PutReceipt>> puts = new ArrayList<>();
        int before = commits().size();
        for (int i = 1; i <= IN_FLIGHT; i++) {
            puts.add(put("before-" + i));
            int begun = before + i;
            await().until(() -> commits().size() == begun);
        }
        return puts;
    }

    @Test
    void failureConditionAndCancellationAreOfOneFile() throws Exception {
        put("existing").get(60, SECONDS);
        VersionId version =
                client.files().stat(path("existing")).get(60, SECONDS).version().id();
        CompletableFuture<Void> gate = coordinator.holdCommits();
        List<CompletableFuture<PutReceipt>> begun = fillTheWay();
        CompletableFuture<PutReceipt> good =
                put("good", PutOptions.defaults().ifAbsent().withAttributes(Attributes.of(Map.of("colour", "red"))));
        CompletableFuture<PutReceipt> conflicting =
                put("existing", PutOptions.defaults().ifAbsent());
        CompletableFuture<PutReceipt> cancelled = put("cancelled");
        CompletableFuture<PutReceipt> missing =
                client.files().put(directory.resolve("missing"), path("missing"), PutOptions.defaults());
        CompletableFuture<PutReceipt> shortStream = putStream("short", content("short"), 1000);
        CompletableFuture<PutReceipt> longStream = putStream("long", content("long"), 2);
        assertThat(failure(missing).code()).isEqualTo(ErrorCode.LOCAL_IO);
        assertThat(failure(missing)).hasMessageContaining("no such file");
        assertThat(failure(shortStream)).hasMessageContaining("instead of 1000");
        assertThat(failure(longStream)).hasMessageContaining("has more than 2 bytes");
        await().until(() -> client.files().smallPuts().waiting() == 3);
        cancelled.cancel(true);
        gate.complete(null);
        assertThat(good.get(60, SECONDS).version().file()).isEqualTo(path("good"));
        assertThat(failure(conflicting).code()).isEqualTo(ErrorCode.CONFLICT);
        assertThat(client.files()
                        .stat(path("existing"))
                        .get(60, SECONDS)
                        .version()
                        .id())
                .isEqualTo(version);
        assertThat(statFailure("cancelled")).isEqualTo(ErrorCode.NOT_FOUND);
        assertThat(statFailure("short")).isEqualTo(ErrorCode.NOT_FOUND);
        assertThat(client.files()
                        .stat(path("good"))
                        .get(60, SECONDS)
                        .attributes()
                        .values())
                .containsEntry("colour", "red");
        for (CompletableFuture<PutReceipt> put : begun) {
            put.get(60, SECONDS);
        }
        holds("good");
    }

    @Test
    void putWithAListenerHasCallsOfItsOwn() throws Exception {
        List<Long> told = new ArrayList<>();
        put("a", PutOptions.defaults().withListener(new TransferListener() {
                    @Override
                    public void progressed(long done, long total) {
                        told.add(done);
                    }
                }))
                .get(60, SECONDS);
        assertThat(told).last().isEqualTo((long) content("a").length);
        assertThat(coordinator.calledSinceLastLook())
                .containsExactly("BeginPut", "PlaceChunks", "PutSegment", "CommitPut");
    }

    @Test
    void putWithoutAConditionReplacesWhatIsThereAtItsCommit() throws Exception {
        CompletableFuture<Void> gate = coordinator.holdCommits();
        CompletableFuture<PutReceipt> held = put("a");
        await().until(() -> commits().size() == 1);
        put("a", PutOptions.defaults().withListener(new TransferListener() {})).get(60, SECONDS);
        gate.complete(null);
        VersionId last = held.get(60, SECONDS).version().id();
        assertThat(client.files().stat(path("a")).get(60, SECONDS).version().id())
                .isEqualTo(last);
    }

    @Test
    void fileOfSeveralChunksIsPutByItself() throws Exception {
        byte[] content = FakeCluster.bytes(CHUNK + 1, 7);
        client.files()
                .put(Files.write(directory.resolve("a"), content), path("a"), PutOptions.defaults())
                .get(60, SECONDS);
        assertThat(coordinator.calledSinceLastLook()).contains("CommitPut").doesNotContain("CommitFiles");
    }

    @Test
    void commitEndsBeforeTheClientGivesItUp() throws Exception {
        long before = WallClock.system().millis();
        put("a").get(60, SECONDS);
        long after = WallClock.system().millis();
        long timeout = CloudMwOptions.of("any:1").coordinatorTimeout().toMillis();
        assertThat(commits().get(0).getUntilMillis()).isBetween(before + timeout * 8 / 10, after + timeout - 1);
    }

    @Test
    void unconditionalPutIsNotSharedWhereALateCommitCouldReplaceALaterPut() throws Exception {
        coordinator.withoutTime();
        put("a").get(60, SECONDS);
        assertThat(commits()).isEmpty();
        put("b", PutOptions.defaults().ifAbsent()).get(60, SECONDS);
        assertThat(commits()).hasSize(1);
        holds("a");
        holds("b");
    }

    @ParameterizedTest
    @EnumSource(
            value = ErrorCode.class,
            names = {"CONFLICT", "INVALID_ARGUMENT", "QUORUM_NOT_MET"})
    void refusedCommitOfOneFileIsFollowedByAPutOfItsOwn(ErrorCode code) throws Exception {
        coordinator.refuse("CommitFiles", code, 1);
        put("a").get(60, SECONDS);
        assertThat(coordinator.calledSinceLastLook()).contains("CommitFiles", "BeginPut", "CommitPut");
        holds("a");
        coordinator.refuse("CommitFiles", code, 1);
        putStream("b", content("b"), content("b").length).get(60, SECONDS);
        holds("b");
    }

    @Test
    void fileWhoseCommitCameTooLateIsPutByItself() throws Exception {
        coordinator.commitLate();
        put("a").get(60, SECONDS);
        assertThat(coordinator.calledSinceLastLook()).contains("CommitFiles", "BeginPut", "CommitPut");
        holds("a");
    }

    @Test
    void commitWithoutAnAnswerNamesTheVersionThatMayExist() throws Exception {
        client.close();
        client = CloudMw.connect(
                CloudMwOptions.of(coordinator.address()).withCoordinatorTimeout(Duration.ofMillis(500)));
        put("a").get(60, SECONDS);
        coordinator.loseAnswersTo("CommitFiles", Integer.MAX_VALUE);
        CloudMwException lost = failure(put("b"));
        assertThat(lost.code()).isEqualTo(ErrorCode.COORDINATOR_UNAVAILABLE);
        coordinator.loseAnswersTo("", 0);
        assertThat(lost)
                .hasMessageContaining("it may have been committed all the same, as version "
                        + client.files()
                                .stat(path("b"))
                                .get(60, SECONDS)
                                .version()
                                .id());
        client.close();
    }
}
