package io.cloudmw.core.model.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.wire.ChangeWire;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class ChangeTest {
    private static final VersionId VERSION = VersionId.random();

    private static Change put(String path) {
        return Change.put(FilePath.parse("v:" + path), VERSION, 1);
    }

    private static Change renamed(String from, String to, Optional<VersionId> version) {
        Rename rename = new Rename(FilePath.parse("v:" + from), FilePath.parse("v:" + to), true);
        return Change.renamed(rename, version, 1);
    }

    @Test
    void aFileTouchesItsPathAndTheDirectoriesAbove() {
        Change change = put("/a/b");
        for (String watched : List.of("/", "/a", "/a/b")) {
            assertThat(change.touches(watched)).as(watched).isTrue();
        }
        for (String watched : List.of("/a/b/c", "/a/bc", "/b", "/a/a")) {
            assertThat(change.touches(watched)).as(watched).isFalse();
        }
        assertThat(put("/ab").touches("/a")).isFalse();
    }

    @Test
    void aRenamedFileTouchesBothPlaces() {
        Change change = renamed("/a/b", "/c/d", Optional.of(VERSION));
        for (String watched : List.of("/", "/a", "/a/b", "/c", "/c/d")) {
            assertThat(change.touches(watched)).as(watched).isTrue();
        }
        for (String watched : List.of("/a/b/c", "/c/d/e", "/e")) {
            assertThat(change.touches(watched)).as(watched).isFalse();
        }
    }

    @Test
    void aRenamedDirectoryTouchesAllThatIsOrWasOrWillBeBelowIt() {
        Change change = renamed("/a/b", "/c/d", Optional.empty());
        for (String watched : List.of("/", "/a", "/a/b", "/a/b/deep/below", "/c", "/c/d", "/c/d/deep/below")) {
            assertThat(change.touches(watched)).as(watched).isTrue();
        }
        for (String watched : List.of("/a/c", "/a/bc", "/d", "/c/dd")) {
            assertThat(change.touches(watched)).as(watched).isFalse();
        }
    }

    @Test
    void theEndOfAVolumeTouchesEverything() {
        assertThat(Change.volumeDeleted(1).touches("/a/b")).isTrue();
    }

    @Test
    void changeOfADirectoryIsARenameToItselfForOldReaders() throws Exception {
        FilePath directory = FilePath.parse("v:/a/b");
        for (Change change : List.of(
                Change.directoryCreated(directory, 1),
                Change.directoryRemoved(directory, 1),
                Change.attributes(directory, Optional.empty(), 1))) {
            io.cloudmw.proto.v1.Change message = ChangeWire.message(change);
            assertThat(ChangeWire.change(message)).isEqualTo(change);
            assertThat(ChangeWire.change(message.toBuilder().clearDirectory().build()))
                    .isEqualTo(Change.renamed(new Rename(directory, directory, true), Optional.empty(), 1));
            assertThat(change.touches("/a")).isTrue();
            assertThat(change.touches("/a/b/c")).as("nothing is in it").isFalse();
        }
    }

    @Test
    void impossibleChangesAreRefused() {
        assertThatThrownBy(() -> put("/a").at(0)).hasMessageContaining("position: 0");
        assertThatThrownBy(() -> new Change(1, 1, Change.Kind.RENAMED, "/a", Optional.empty(), Optional.of(VERSION)))
                .hasMessageContaining("from");
        assertThatThrownBy(() -> new Change(1, 1, Change.Kind.PUT, "/a", Optional.of("/b"), Optional.of(VERSION)))
                .hasMessageContaining("from");
        assertThatThrownBy(() -> new Change(1, 1, Change.Kind.PUT, "/a", Optional.empty(), Optional.empty()))
                .hasMessageContaining("version");
    }
}
