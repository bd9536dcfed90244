package io.cloudmw.core.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@SuppressWarnings("try") // locks are held, not used
class LockFileTest {
    @TempDir
    Path directory;

    /** A process of its own, which exits with 0 when it got the lock. */
    static final class Locker {
        private Locker() {}

        public static void main(String[] args) throws IOException {
            boolean locked = LockFile.tryLock(Path.of(args[0])).isPresent();
            System.exit(locked ? 0 : 7);
        }
    }

    @Test
    void lockHasOneHolderUntilItIsReleased() throws IOException {
        Path file = directory.resolve("lock");
        LockFile first = LockFile.tryLock(file).orElseThrow();

        assertThat(LockFile.tryLock(file)).isEmpty();
        first.close();

        try (LockFile second = LockFile.tryLock(file).orElseThrow()) {
            first.close();
            assertThat(LockFile.tryLock(file)).isEmpty();
        }
    }

    @Test
    void aRefusalInThisProcessLeavesTheLockWithItsHolder() throws Exception {
        Path file = directory.resolve("lock");
        Path link = Files.createSymbolicLink(directory.resolve("link"), file);
        try (LockFile held = LockFile.tryLock(file).orElseThrow()) {
            assertThat(LockFile.tryLock(link)).isEmpty();

            assertThat(tryInAnotherProcess(file)).isEqualTo(7);
        }
        assertThat(tryInAnotherProcess(file)).isZero();
    }

    @Test
    void aFileThatTookItsPlaceIsAnother() throws IOException {
        Path file = directory.resolve("lock");
        try (LockFile first = LockFile.tryLock(file).orElseThrow()) {
            // Kept under another name, so that its number is not given to the next one.
            Files.move(file, directory.resolve("moved"));
            try (LockFile second = LockFile.tryLock(file).orElseThrow()) {
                assertThat(LockFile.tryLock(file)).isEmpty();
            }
        }
    }

    @Test
    void aLockThatNobodyClosesStaysWithItsFile() throws Exception {
        Path file = directory.resolve("lock");
        assertThat(LockFile.tryLock(file)).isPresent();
        System.gc();

        assertThat(tryInAnotherProcess(file)).isEqualTo(7);
    }

    private static int tryInAnotherProcess(Path file) throws Exception {
        return new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        whereIs(LockFile.class) + File.pathSeparator + whereIs(Locker.class),
                        Locker.class.getName(),
                        file.toString()))
                .inheritIO()
                .start()
                .waitFor();
    }

    private static Path whereIs(Class<?> type) throws URISyntaxException {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    }
}
