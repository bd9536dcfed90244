package io.cloudmw.client.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.config.HostPorts;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.time.Ticker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PutJournalTest {
    private static final FilePath TARGET = FilePath.parse("vol:/a/file");

    @TempDir
    private Path directory;

    private static String name(String coordinators) {
        return PutJournal.name(HostPorts.parse(coordinators), Path.of("source"), TARGET);
    }

    private Path old(String name) throws IOException {
        Path file = Files.write(directory.resolve(name), new byte[1]);
        return Files.setLastModifiedTime(file, FileTime.fromMillis(1));
    }

    private void open(Path in) {
        PutJournal.open(in.resolve(name("here:1")), "source", Ticker.system())
                .orElseThrow()
                .close();
    }

    @Test
    void abandonedJournalsAreDeletedAndNothingElse() throws Exception {
        Path journal = old("0123456789abcdef".repeat(4) + ".put");
        Path[] others = {
            old("thesis.put"),
            old(".put"),
            old("0123456789ABCDEF".repeat(4) + ".put"),
            old("0123456789abcdef".repeat(4)),
            old("0123456789abcdef".repeat(5) + ".put")
        };
        open(directory);
        assertThat(journal).doesNotExist();
        assertThat(others).allSatisfy(other -> assertThat(other).exists());
    }

    @Test
    void journalDirectoryMayBeALink() throws Exception {
        Path real = Files.createDirectory(directory.resolve("real"));
        Path link = Files.createSymbolicLink(directory.resolve("link"), real);
        open(link);
        open(link.resolve("made"));
        assertThat(real.resolve(name("here:1"))).exists();
    }

    /** The order of the coordinators does not matter. */
    @ParameterizedTest
    @ValueSource(strings = {"a:1,b:2", "b:2,a:1", " a:1 , b:2", "A:1,b:2", "a:01,b:2"})
    void journalNameDependsOnTheCluster(String coordinators) {
        assertThat(name(coordinators)).isEqualTo(name("a:1,b:2")).isNotEqualTo(name("a:1,b:3"));
    }
}
