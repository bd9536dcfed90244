package io.cloudmw.client.nio;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.Change;
import io.cloudmw.core.model.file.Rename;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.WatchEvent;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class WatchedNamesTest {
    private final Set<String> present = new HashSet<>(Set.of("/d"));
    private final List<String> told = new ArrayList<>();
    private final WatchedNames names = of("/d", "known", "full");

    private WatchedNames of(String directory, String... known) {
        return new WatchedNames(directory, new HashSet<>(Set.of(known)), present::contains, new WatchedNames.Sink() {
            @Override
            public void event(WatchEvent.Kind<Path> kind, String name) {
                told.add(kind + " " + name);
            }

            @Override
            public void gone() {
                told.add("gone");
            }

            @Override
            public void unknown() {
                told.add("unknown");
            }
        });
    }

    private static FilePath file(String path) {
        return FilePath.parse("v:" + path);
    }

    private static Change put(String path) {
        return Change.put(file(path), VersionId.random(), 1);
    }

    private static Change removed(String path) {
        return Change.removed(file(path), VersionId.random(), 1);
    }

    private static Change renamed(String from, String to) {
        return Change.renamed(new Rename(file(from), file(to), true), Optional.empty(), 1);
    }

    private void told(Change change, String... expected) throws IOException {
        told.clear();
        names.apply(change);
        assertThat(told).containsExactly(expected);
    }

    @Test
    void putMakesOrModifiesAName() throws Exception {
        told(put("/d/new"), "ENTRY_CREATE new");
        told(put("/d/new"), "ENTRY_MODIFY new");
        told(put("/d/known"), "ENTRY_MODIFY known");
        told(Change.attributes(file("/d/known"), VersionId.random(), 1), "ENTRY_MODIFY known");
        told(Change.attributes(file("/d/full/f"), VersionId.random(), 1));
        told(put("/dx"));
        told(put("/other/known"));
    }

    @Test
    void putBelowMakesADirectoryOnce() throws Exception {
        told(put("/d/made/f"), "ENTRY_CREATE made");
        told(put("/d/made/g"));
        told(put("/d/full/f"));
        told(Change.directoryCreated(file("/d/made"), 1));
        told(Change.directoryCreated(file("/d/empty"), 1), "ENTRY_CREATE empty");
    }

    @Test
    void removalBelowRemovesADirectoryThatIsGone() throws Exception {
        present.add("/d/full");
        told(removed("/d/full/a/f"));
        present.remove("/d/full");
        told(removed("/d/full/a/f"), "ENTRY_DELETE full");
        told(removed("/d/full/b"));
        told(removed("/d/unknown"));
    }

    @Test
    void directoryThatLosesItsLastNameMayBeGone() throws Exception {
        told(removed("/d/full"), "ENTRY_DELETE full");
        told(removed("/d/known"), "ENTRY_DELETE known");
        told(put("/d/known"), "ENTRY_CREATE known");
        present.remove("/d");
        told(removed("/d/known"), "ENTRY_DELETE known", "gone");
    }

    @Test
    void renameRemovesAndMakesNames() throws Exception {
        told(renamed("/d/known", "/d/next"), "ENTRY_DELETE known", "ENTRY_CREATE next");
        told(renamed("/elsewhere", "/d/next"), "ENTRY_MODIFY next");
        told(renamed("/d/next", "/elsewhere"), "ENTRY_DELETE next");
        told(renamed("/a", "/b"));
    }

    @Test
    void renameOfTheDirectoryOrOneAboveEndsIt() throws Exception {
        told(renamed("/d", "/e"), "gone");
        told(Change.directoryRemoved(file("/d"), 1), "gone");
        told(Change.volumeDeleted(1), "gone");
        told(renamed("/e", "/d"), "unknown");
        WatchedNames below = of("/a/b/c");
        told.clear();
        below.apply(renamed("/a", "/x"));
        below.apply(renamed("/x", "/a/b"));
        assertThat(told).containsExactly("gone", "unknown");
    }

    @Test
    void rootIsADirectoryToo() throws Exception {
        present.add("/");
        WatchedNames root = of("/", "a");
        root.apply(put("/a"));
        root.apply(put("/b/c"));
        root.apply(removed("/a"));
        root.apply(removed("/b/c"));
        assertThat(told).containsExactly("ENTRY_MODIFY a", "ENTRY_CREATE b", "ENTRY_DELETE a", "ENTRY_DELETE b");
    }
}
