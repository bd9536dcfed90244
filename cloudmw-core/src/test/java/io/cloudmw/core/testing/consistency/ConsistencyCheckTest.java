package io.cloudmw.core.testing.consistency;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.Change;
import io.cloudmw.core.model.file.Rename;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Tests that break each rule once, because a check that finds nothing proves nothing. */
final class ConsistencyCheckTest {
    private static final FilePath A = FilePath.parse("v:/a");
    private static final VersionId V1 = VersionId.random();
    private static final VersionId V2 = VersionId.random();

    private final List<Change> log = new ArrayList<>();
    private final List<Operation> operations = new ArrayList<>();

    private void happens(Change change) {
        log.add(change.at(log.size() + 1));
    }

    private void put(VersionId version, long began, long ended) {
        operations.add(Operation.write(
                "put " + version, began, ended, change -> change.version().equals(Optional.of(version))));
    }

    private void read(Optional<VersionId> found, long began, long ended) {
        operations.add(Operation.read("/a", found, began, ended));
    }

    private List<String> violations() {
        return ConsistencyCheck.violations(log, operations);
    }

    private void twoVersions() {
        happens(Change.put(A, V1, 1));
        happens(Change.put(A, V2, 2));
        put(V1, 1, 10);
        put(V2, 11, 20);
    }

    @Test
    void possibleHistoriesAreRight() {
        twoVersions();
        read(Optional.empty(), 1, 2);
        read(Optional.of(V1), 5, 6);
        read(Optional.of(V1), 12, 13);
        read(Optional.of(V2), 12, 14);
        read(Optional.of(V2), 21, 22);
        assertThat(violations()).isEmpty();
    }

    @Test
    void readOfAnAlreadyReplacedVersionIsFound() {
        twoVersions();
        read(Optional.of(V1), 21, 22);
        assertThat(violations()).singleElement().asString().contains("read of /a");
    }

    @Test
    void aReadThatGoesBackBehindAnotherIsFound() {
        twoVersions();
        read(Optional.of(V2), 12, 13);
        read(Optional.of(V1), 14, 15);
        assertThat(violations()).singleElement().asString().contains("read of /a");
    }

    @Test
    void readOfALaterWriteIsFound() {
        twoVersions();
        read(Optional.of(V2), 1, 5);
        assertThat(violations()).singleElement().asString().contains("put " + V2);
    }

    @Test
    void aLostWriteIsFound() {
        put(V1, 1, 2);
        assertThat(violations()).singleElement().asString().contains("not in the log");
    }

    @Test
    void aSingleChangeIsNotTwoWrites() {
        happens(Change.put(A, V1, 1));
        put(V1, 1, 2);
        put(V1, 3, 4);
        assertThat(violations()).singleElement().asString().contains("not in the log");
    }

    @Test
    void aGapIsFound() {
        log.add(Change.put(A, V1, 1).at(2));
        assertThat(violations()).singleElement().asString().contains("position 2");
    }

    @Test
    void renamedDirectoryHasItsContentAtTheNewPathOnly() {
        FilePath inside = FilePath.parse("v:/a/b");
        Rename rename = new Rename(A, FilePath.parse("v:/c"), true);
        happens(Change.put(inside, V1, 1));
        happens(Change.renamed(rename, Optional.empty(), 2));
        operations.add(Operation.read("/c/b", Optional.of(V1), 1, 2));
        operations.add(Operation.read("/a/b", Optional.empty(), 3, 4));
        assertThat(violations()).isEmpty();
        operations.add(Operation.read("/a/b", Optional.of(V1), 5, 6));
        assertThat(violations()).hasSize(1);
    }

    private void seen(VersionId version, OptionalLong notedAtMillis, long began) {
        operations.add(Operation.read("/a", Optional.of(version), notedAtMillis, began, began + 1));
    }

    @Test
    void attributesThatAreOldOrOfNobodyAreFound() {
        Rename rename = new Rename(FilePath.parse("v:/b"), A, true);
        happens(Change.put(A, V1, 1));
        happens(Change.attributes(A, V1, 7));
        happens(Change.put(A, V2, 8));
        seen(V1, OptionalLong.empty(), 1);
        seen(V1, OptionalLong.of(7), 3);
        seen(V2, OptionalLong.of(7), 5);
        assertThat(violations()).isEmpty();
        seen(V2, OptionalLong.empty(), 7);
        assertThat(violations()).singleElement().asString().contains("noted at OptionalLong.empty");
        operations.remove(operations.size() - 1);
        happens(Change.put(FilePath.parse("v:/b"), V1, 9));
        happens(Change.renamed(rename, Optional.of(V1), 10));
        seen(V1, OptionalLong.empty(), 7);
        assertThat(violations()).isEmpty();
        seen(V1, OptionalLong.of(7), 9);
        assertThat(violations()).singleElement().asString().contains("noted at OptionalLong[7]");
    }
}
