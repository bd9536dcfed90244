package io.cloudmw.client.cli.torture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where this process may mount nothing, that it says so. */
final class DiskMountsTest {
    private static final long MIB = 1 << 20;

    @TempDir
    private Path directory;

    @Test
    void aDiskIsFullOfBytesOrOfFilesAndHasRoomAgain() throws IOException {
        boolean possible = DiskMounts.isPossible(directory, 1);
        Path at = Files.createDirectories(directory.resolve("disk"));
        try (DiskMounts mounts = new DiskMounts(4 * MIB)) {
            if (!possible) {
                assertThatThrownBy(() -> {
                            mounts.mount(at);
                            mounts.fill(at, true);
                        })
                        .isInstanceOf(IOException.class);
                return;
            }
            mounts.mount(at);
            Files.write(at.resolve("before"), new byte[(int) MIB]);
            mounts.fill(at, false);
            assertThatThrownBy(() -> Files.write(at.resolve("bytes"), new byte[(int) MIB]))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("No space left on device");
            mounts.relieve(at);
            Files.write(at.resolve("bytes"), new byte[(int) MIB]);

            mounts.fill(at, true);
            Files.write(at.resolve("last"), new byte[1]);
            assertThatThrownBy(() -> Files.write(at.resolve("one-more"), new byte[1]))
                    .isInstanceOf(FileSystemException.class)
                    .hasMessageContaining("No space left on device");
            assertThat(Files.getFileStore(at).getUsableSpace()).isGreaterThan(MIB);
            mounts.relieve(at);
            Files.write(at.resolve("one-more"), new byte[1]);
        }
        assertThat(at).isEmptyDirectory();
    }

    @Test
    void whatThereIsNoMemoryForIsNotMounted() {
        assertThat(DiskMounts.isPossible(directory, Long.MAX_VALUE)).isFalse();
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void nothingIsMountedOnceItIsClosed() {
        DiskMounts mounts = new DiskMounts(MIB);
        mounts.close();
        assertThatThrownBy(() -> mounts.mount(directory))
                .isInstanceOf(IOException.class)
                .hasMessage("closed");
    }
}
