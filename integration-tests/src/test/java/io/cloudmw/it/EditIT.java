package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.PutOptions;
import io.cloudmw.client.file.FileChange;
import io.cloudmw.client.progress.PutReceipt;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.cost.StoreUsage;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.helper.standalone.StandaloneCluster;
import io.cloudmw.helper.standalone.StandaloneConfig;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of edits to parts of files, over real connections, compared with an array that gets the same changes. */
final class EditIT {
    private static final int MIB = 1 << 20;
    private static final int STEPS = 25;
    private static final FilePath SIZED = FilePath.parse("sized:/f");
    private static final FilePath COUNTED = FilePath.parse("counted:/f");

    @TempDir
    Path directory;

    private StandaloneCluster cluster;
    private CloudMw client;

    @BeforeEach
    void start() throws CloudMwException {
        cluster = StandaloneCluster.start(new StandaloneConfig(
                new HostPort("127.0.0.1", 0), directory.resolve("cluster"), directory.resolve("secret"), 3));
        client = CloudMw.connect(cluster.coordinator().toString());
        volume("sized", new Chunking.BySize(MIB));
        volume("counted", new Chunking.ByCount(3));
    }

    private void volume(String name, Chunking chunking) {
        List<StoreId> disks = List.of(new StoreId("disk-1"), new StoreId("disk-2"), new StoreId("disk-3"));
        client.volumes()
                .create(new Volume(new VolumeName(name), chunking, 2, disks, 2, Mode.COOPERATIVE, false, 0))
                .join();
    }

    @AfterEach
    void stop() {
        client.close();
        cluster.close();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void everyChangeLeavesTheFileAsItLeavesAnArray(long seed) throws IOException {
        for (FilePath file : List.of(SIZED, COUNTED)) {
            play(file, new SplittableRandom(seed), "seed " + seed + " " + file);
        }
    }

    private void play(FilePath file, SplittableRandom random, String what) throws IOException {
        byte[] model = new byte[0];
        for (int step = 0; step < STEPS; step++) {
            byte[] bytes = new byte[random.nextInt(4) == 0 ? random.nextInt(3 * MIB) : random.nextInt(1000)];
            random.nextBytes(bytes);
            int offset = random.nextInt(model.length + 1);
            switch (random.nextInt(step == 0 ? 1 : 4)) {
                case 0 -> {
                    client.files()
                            .append(new ByteArrayInputStream(bytes), bytes.length, file, PutOptions.defaults())
                            .join();
                    offset = model.length;
                    model = changed(model, offset, bytes);
                }
                case 1 -> {
                    client.files().truncate(file, offset, PutOptions.defaults()).join();
                    model = Arrays.copyOf(model, offset);
                }
                default -> {
                    Path source = Files.write(directory.resolve("source"), bytes);
                    client.files()
                            .write(source, file, offset, PutOptions.defaults())
                            .join();
                    model = changed(model, offset, bytes);
                }
            }
            assertThat(read(file, 0, model.length)).as("%s step %d", what, step).isEqualTo(model);
            int from = random.nextInt(model.length + 1);
            int length = random.nextInt(model.length - from + 1);
            assertThat(read(file, from, length))
                    .as("%s step %d from %d", what, step, from)
                    .isEqualTo(Arrays.copyOfRange(model, from, from + length));
        }
    }

    private static byte[] changed(byte[] model, int offset, byte[] bytes) {
        byte[] changed = Arrays.copyOf(model, Math.max(model.length, offset + bytes.length));
        System.arraycopy(bytes, 0, changed, offset, bytes.length);
        return changed;
    }

    private byte[] read(FilePath file, int offset, int length) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        GetOptions how = GetOptions.defaults().withRange(new ByteRange(offset, length));
        client.files().read(file, Channels.newChannel(bytes), how).join();
        return bytes.toByteArray();
    }

    @Test
    void onlyWhatChangesIsSent() throws IOException {
        byte[] first = new byte[8 * MIB + 5];
        new SplittableRandom(1).nextBytes(first);
        client.files()
                .put(Files.write(directory.resolve("first"), first), SIZED, PutOptions.defaults())
                .join();
        PutReceipt receipt = append(10, PutOptions.defaults()).join();
        assertThat(receipt.version().sizeBytes()).isEqualTo(8 * MIB + 15);
        assertThat(receipt.cost().usage().values())
                .as("the last chunk, to two stores")
                .hasSize(2)
                .allSatisfy(usage -> assertThat(usage.writtenBytes()).isEqualTo(15));
    }

    /** A part of a file: another file, with the bytes it has. */
    private static final class Piece {
        private final FilePath file;
        private final byte[] bytes;

        Piece(FilePath file, byte[] bytes) {
            this.file = file;
            this.bytes = bytes;
        }
    }

    private Piece piece(String name, int length, long seed) throws IOException {
        byte[] bytes = new byte[length];
        new SplittableRandom(seed).nextBytes(bytes);
        FilePath file = FilePath.parse("sized:/" + name);
        client.files()
                .put(Files.write(directory.resolve(name), bytes), file, PutOptions.defaults())
                .join();
        return new Piece(file, bytes);
    }

    /** Appends pieces to a file, with their bytes at hand; returns the receipt after a read of the whole. */
    private PutReceipt concatenate(Piece target, Piece... pieces) {
        FileVersion base = client.files().stat(target.file).join().version();
        byte[] all = target.bytes;
        List<FileChange.Part> parts = new ArrayList<>();
        for (Piece piece : pieces) {
            parts.add(new FileChange.Part(client.files().stat(piece.file).join().version(), all.length));
            all = changed(all, all.length, piece.bytes);
        }
        byte[] whole = all;
        ByteRange appended = new ByteRange(base.sizeBytes(), whole.length - base.sizeBytes());
        FileChange change = new FileChange(
                base,
                whole.length,
                List.of(appended),
                (into, position) -> into.put(whole, (int) position, into.remaining()),
                parts);
        PutReceipt receipt =
                client.files().change(change, PutOptions.defaults()).join();
        assertThat(read(target.file, 0, whole.length)).isEqualTo(whole);
        return receipt;
    }

    private static long sent(PutReceipt receipt) {
        return receipt.cost().usage().values().stream()
                .mapToLong(StoreUsage::writtenBytes)
                .sum();
    }

    @Test
    void wholeChunksOfPartsAreNotSent() throws IOException {
        Piece first = piece("first", 2 * MIB, 1);
        Piece second = piece("second", 3 * MIB, 2);
        Piece last = piece("last", MIB + 7, 3);
        PutReceipt receipt = concatenate(first, second, last);
        assertThat(receipt.replicasStored()).isZero();
        assertThat(sent(receipt)).isZero();
        client.files().remove(second.file).join();
        client.files().remove(last.file).join();
        append(first.file, 5).join();
        byte[] whole = changed(changed(first.bytes, 2 * MIB, second.bytes), 5 * MIB, last.bytes);
        assertThat(read(first.file, 0, whole.length)).isEqualTo(whole);
        client.snapshots().create(first.file.volume(), "appended").join();
        client.files().truncate(first.file, 3 * MIB + 5, PutOptions.defaults()).join();
        assertThat(read(first.file, MIB, 2 * MIB + 5)).isEqualTo(Arrays.copyOfRange(whole, MIB, 3 * MIB + 5));
        client.snapshots().restore("appended", first.file).join();
        assertThat(read(first.file, 0, whole.length)).isEqualTo(whole);
    }

    /** Only a part at a multiple of the chunk size can be shared, and the new version has a chunk once. */
    @Test
    void otherBytesOfPartsAreSent() throws IOException {
        Piece odd = piece("odd", MIB + 3, 1);
        Piece even = piece("even", 2 * MIB, 2);
        assertThat(sent(concatenate(odd, even)))
                .as("the last chunk of the base, and the part")
                .isEqualTo(2 * (2 * MIB + 3));
        Piece base = piece("base", MIB, 3);
        Piece fresh = piece("fresh", 2 * MIB, 6);
        assertThat(sent(concatenate(base, even, odd(4), fresh)))
                .as("the short chunk, and the part behind it")
                .isEqualTo(2 * (2 * MIB + 3));
        Piece other = piece("other", 2 * MIB, 5);
        client.files().copy(other.file, FilePath.parse("sized:/copy"), false).join();
        PutReceipt repeated = concatenate(other, new Piece(FilePath.parse("sized:/copy"), other.bytes));
        assertThat(sent(repeated)).as("chunks of the base").isEqualTo(2 * 2 * MIB);
    }

    private Piece odd(long seed) throws IOException {
        return piece("odd-" + seed, MIB + 3, seed);
    }

    @Test
    void changeWhosePartWasReplacedIsAConflict() throws IOException {
        Piece base = piece("base", MIB, 1);
        Piece part = piece("part", MIB, 2);
        FileVersion version = client.files().stat(base.file).join().version();
        FileVersion before = client.files().stat(part.file).join().version();
        piece("part", MIB, 3);
        FileChange change = new FileChange(
                version,
                2 * MIB,
                List.of(new ByteRange(MIB, MIB)),
                (into, position) -> {
                    throw new IOException("nothing is to be written");
                },
                List.of(new FileChange.Part(before, MIB)));
        refused(ErrorCode.CONFLICT, client.files().change(change, PutOptions.defaults()));
        assertThat(read(base.file, 0, MIB)).isEqualTo(base.bytes);
    }

    @Test
    void appendsAtOnceAreAllThere() throws IOException {
        List<CompletableFuture<PutReceipt>> appends = new ArrayList<>();
        for (int i = 1; i <= 6; i++) {
            byte[] block = new byte[1000];
            Arrays.fill(block, (byte) i);
            appends.add(client.files()
                    .append(Files.write(directory.resolve("block-" + i), block), SIZED, PutOptions.defaults()));
        }
        appends.forEach(CompletableFuture::join);
        byte[] all = read(SIZED, 0, 6000);
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            byte[] block = Arrays.copyOfRange(all, i * 1000, (i + 1) * 1000);
            byte[] expected = new byte[1000];
            Arrays.fill(expected, block[0]);
            assertThat(block).isEqualTo(expected);
            order.add((int) block[0]);
        }
        assertThat(order).containsExactlyInAnyOrder(1, 2, 3, 4, 5, 6);
    }

    @Test
    void conditionalEditIsNotRepeated() {
        VersionId before = append(1, PutOptions.defaults()).join().version().id();
        append(1, PutOptions.defaults()).join();
        refused(ErrorCode.CONFLICT, append(1, PutOptions.defaults().ifVersion(before)));
        refused(ErrorCode.CONFLICT, append(1, PutOptions.defaults().ifAbsent()));
        refused(ErrorCode.NOT_FOUND, client.files().truncate(COUNTED, 0, PutOptions.defaults()));
        refused(ErrorCode.INVALID_ARGUMENT, client.files().truncate(SIZED, 3, PutOptions.defaults()));
        assertThat(read(SIZED, 0, 2)).hasSize(2);
    }

    private CompletableFuture<PutReceipt> append(int bytes, PutOptions how) {
        return client.files().append(new ByteArrayInputStream(new byte[bytes]), bytes, SIZED, how);
    }

    private CompletableFuture<PutReceipt> append(FilePath file, int bytes) {
        return client.files().append(new ByteArrayInputStream(new byte[bytes]), bytes, file, PutOptions.defaults());
    }

    private static void refused(ErrorCode code, CompletableFuture<?> call) {
        assertThatThrownBy(call::join)
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        CloudMwException.class, e -> assertThat(e.code()).isEqualTo(code));
    }
}
