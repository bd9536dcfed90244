package io.cloudmw.helper.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.memory.ByteBudget;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SpoolTest {
    @TempDir
    private Path directory;

    @Test
    void fileHasNoNameAndGivesItsRoomBackWhenClosed() throws IOException {
        Spool spool = Spool.open(directory.resolve("spool"), new ByteBudget(10));
        Spool.SpoolFile file = spool.create(10, 0);
        assertThat(file.channel().write(ByteBuffer.wrap(new byte[10]), 0)).isEqualTo(10);
        try (Stream<Path> names = Files.list(directory.resolve("spool"))) {
            assertThat(names).containsExactly(directory.resolve("spool/lock"));
        }
        file.close();
        file.close();
        assertThat(spool.budget().usedBytes()).isZero();
        spool.close();
    }

    @Test
    void fileBeyondTheLimitIsRefused() throws IOException {
        Spool spool = Spool.open(directory, new ByteBudget(10));
        try (Spool.SpoolFile file = spool.create(6, 0)) {
            assertThat(file.channel().isOpen()).isTrue();
            assertThatThrownBy(() -> spool.create(5, 1))
                    .isInstanceOfSatisfying(
                            CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.OVERLOADED));
        }
        spool.close();
    }

    @Test
    void openingRemovesOnlyTheFilesOfAnOlderProcess() throws IOException {
        Files.createFile(directory.resolve("7.spool"));
        Files.createFile(directory.resolve("precious.txt"));
        Spool spool = Spool.open(directory, new ByteBudget(10));
        assertThat(directory.resolve("7.spool")).doesNotExist();
        assertThat(directory.resolve("precious.txt")).exists();
        spool.close();
    }

    @Test
    void directoryIsLockedByOneProcessAndRemovedAtTheEnd() throws IOException {
        Path spool = directory.resolve("spool");
        Spool first = Spool.open(spool, new ByteBudget(10));
        Files.createFile(spool.resolve("7.spool"));
        assertThatThrownBy(() -> Spool.open(spool, new ByteBudget(10)))
                .isInstanceOfSatisfying(
                        CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.ALREADY_EXISTS))
                .hasMessageContaining(spool.toString());
        assertThat(spool.resolve("7.spool")).exists();
        first.share(5).close();
        Spool.open(spool, new ByteBudget(10)).close();
        assertThat(spool).doesNotExist();
    }

    @Test
    void unwritableDirectoryFailsTheFileAndTakesNoRoom() throws IOException {
        Path gone = directory.resolve("gone");
        Spool spool = Spool.open(gone, new ByteBudget(10));
        Files.delete(gone.resolve("lock"));
        Files.delete(gone);
        assertThatThrownBy(() -> spool.create(10, 0)).isInstanceOf(CloudMwException.class);
        assertThat(spool.budget().usedBytes()).isZero();
        spool.close();
    }
}
