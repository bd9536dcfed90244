package io.cloudmw.core.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.testing.store.Chunks;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class FileChunkSourceTest {
    private static final byte[] CONTENT = Chunks.bytes(3, 1000);

    @TempDir
    private Path directory;

    private FileChannel file;
    private FileChunkSource source;

    @BeforeEach
    void open() throws IOException {
        file = FileChannel.open(
                directory.resolve("chunk"),
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
        source = FileChunkSource.arriving(file, CONTENT.length);
    }

    @AfterEach
    void close() throws IOException {
        file.close();
    }

    private void arrive(int from, int to) throws IOException {
        file.write(ByteBuffer.wrap(CONTENT, from, to - from), from);
        source.arrived(to);
    }

    @Test
    void streamsGiveWhatHasArrivedAndTheLastByteWhenTheChunkIsComplete() throws IOException {
        arrive(0, 600);
        try (InputStream first = source.open();
                InputStream second = source.open()) {
            assertThat(first.readNBytes(600)).isEqualTo(Arrays.copyOf(CONTENT, 600));
            arrive(600, CONTENT.length);
            assertThat(first.readNBytes(399)).hasSize(399);
            assertThat(source.isComplete()).isFalse();
            CompletableFuture<byte[]> rest = CompletableFuture.supplyAsync(() -> all(first));
            CompletableFuture<byte[]> whole = CompletableFuture.supplyAsync(() -> all(second));
            source.complete();
            assertThat(source.isComplete()).isTrue();
            assertThat(rest).succeedsWithin(30, TimeUnit.SECONDS).isEqualTo(new byte[] {CONTENT[999]});
            assertThat(whole).succeedsWithin(30, TimeUnit.SECONDS).isEqualTo(CONTENT);
        }
    }

    @Test
    void waitingStreamsFailWithTheChunkAndLaterOnesToo() throws IOException {
        arrive(0, CONTENT.length);
        try (InputStream stream = source.open()) {
            assertThat(stream.readNBytes(999)).hasSize(999);
            CompletableFuture<byte[]> rest = CompletableFuture.supplyAsync(() -> all(stream));
            source.fail(new CloudMwException(ErrorCode.CANCELLED, "the writer stops"));
            assertThat(rest)
                    .failsWithin(30, TimeUnit.SECONDS)
                    .withThrowableThat()
                    .withRootCauseInstanceOf(CloudMwException.class)
                    .withMessageContaining("the writer stops");
        }
        file.close();
        try (InputStream stream = source.open()) {
            assertThatThrownBy(stream::read).hasMessage("the writer stops");
        }
    }

    @Test
    void interruptedStreamFails() throws IOException {
        try (InputStream stream = source.open()) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(stream::read).isInstanceOf(InterruptedIOException.class);
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    private static byte[] all(InputStream stream) {
        try {
            return stream.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
