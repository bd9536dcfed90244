package io.cloudmw.lab.torture.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of in-memory file systems for disks, and of their refusals. */
final class DiskMountsTest {
    private static final long MIB = 1 << 20;

    @TempDir
    private Path directory;

    @Test
    void aDiskIsFullOfBytesOrOfFilesAndHasRoomAgain() throws IOException {
        Path at = directory.resolve("disk");
        try (DiskMounts mounts = new DiskMounts(4 * MIB)) {
            boolean possible = mounts.isPossible(directory, 1);
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
    void fileSystemWithoutMemoryForItIsNotMounted() {
        try (DiskMounts mounts = new DiskMounts(MIB)) {
            assertThat(mounts.isPossible(directory, Long.MAX_VALUE)).isFalse();
        }
        assertThat(directory).isEmptyDirectory();
    }

    /** An interrupted run deletes its directory after it closes the mounts, so a directory made later would stay. */
    @Test
    void closedMountsMakeNoDirectory() {
        Path deleted = directory.resolve("deleted");
        DiskMounts mounts = new DiskMounts(MIB);
        mounts.close();

        assertThatThrownBy(() -> mounts.mount(deleted.resolve("disk")))
                .isInstanceOf(IOException.class)
                .hasMessage("closed");
        assertThat(mounts.isPossible(deleted, 1)).isFalse();
        assertThat(deleted).doesNotExist();
    }
}
