package io.cloudmw.lab.torture.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests of the model with valid histories and with histories that have a violation, which it must find. */
final class ModelTest {
    private static final long SEED = 5;
    private static final VolumeName VOLUME = new VolumeName("v");
    private static final FilePath FILE = new FilePath(VOLUME, "/d/f");
    private static final FilePath OTHER = new FilePath(VOLUME, "/d/g");

    private final List<Finding> findings = new ArrayList<>();
    private final Model model = new Model(SEED, findings::add);
    private long write;

    /** A put that was begun. */
    private record Put(FilePath path, Mutation mutation, Content content, VersionId version) {
        Seen seen() {
            return new Seen(version, content.sizeBytes());
        }
    }

    private Put begin(FilePath path, long now) {
        Content content = new Content(SEED, write, 100 + write);
        write++;
        return new Put(path, model.beginPut(path, content, now), content, VersionId.random());
    }

    private Put put(FilePath path, long from, long to) {
        Put put = begin(path, from);
        model.acknowledgedPut(path, put.mutation(), put.version(), to);
        return put;
    }

    private Put lost(FilePath path, long from, long to) {
        Put put = begin(path, from);
        model.lostPut(path, put.mutation(), to);
        return put;
    }

    private void read(FilePath path, Put of, long from, long to) {
        model.read(
                path, of.seen(), 0, of.content().bytes(0, (int) of.content().sizeBytes()), new CallInterval(from, to));
    }

    private void missing(FilePath path, long from, long to) {
        model.absent(path, "read", new CallInterval(from, to));
    }

    private void assertFound(FindingKind... kinds) {
        assertThat(findings).extracting(Finding::kind).containsExactly(kinds);
    }

    // ---- bytes

    @Test
    void writtenContentIsReadWholeAndInPieces() {
        Put put = put(FILE, 0, 10);
        read(FILE, put, 20, 30);
        model.read(FILE, put.seen(), 17, put.content().bytes(17, 40), new CallInterval(20, 30));
        assertFound();
    }

    @Test
    void aWrongByteIsFound() {
        Put put = put(FILE, 0, 10);
        byte[] bytes = put.content().bytes(0, 100);
        bytes[57] ^= 1;
        model.read(FILE, put.seen(), 0, bytes, new CallInterval(20, 30));
        assertFound(FindingKind.WRONG_BYTES);
    }

    @Test
    void aMixtureOfTwoVersionsIsFoundAndAttributed() {
        Put first = put(FILE, 0, 10);
        Put second = put(FILE, 20, 30);
        byte[] bytes = second.content().bytes(0, 101);
        System.arraycopy(first.content().bytes(32, 32), 0, bytes, 32, 32);
        model.read(FILE, second.seen(), 0, bytes, new CallInterval(40, 50));
        assertFound(FindingKind.WRONG_BYTES);
        assertThat(findings.get(0).what()).contains("[0, 32) of write 1; [32, 64) of write 0; [64, 101) of write 1");
    }

    @Test
    void theBytesOfOneVersionUnderTheNameOfAnotherAreFound() {
        Put first = put(FILE, 0, 10);
        Put second = put(FILE, 20, 30);
        model.read(FILE, second.seen(), 0, first.content().bytes(0, 100), new CallInterval(25, 35));
        assertFound(FindingKind.WRONG_BYTES);
    }

    @Test
    void bytesOfAFailedReadMustBeAPrefix() {
        Put put = put(FILE, 0, 10);
        model.readPart(FILE, 0, put.content().bytes(0, 50), new CallInterval(20, 30));
        model.readPart(FILE, 16, put.content().bytes(16, 20), new CallInterval(20, 30));
        model.readPart(FILE, 0, new byte[0], new CallInterval(20, 30));
        assertFound();
        model.readPart(FILE, 0, put.content().bytes(16, 32), new CallInterval(20, 30));
        assertFound(FindingKind.WRONG_BYTES);
    }

    // ---- acknowledged writes

    @Test
    void anAcknowledgedWriteThatIsNotThereIsFound() {
        put(FILE, 0, 10);
        missing(FILE, 5, 15);
        assertFound();
        missing(FILE, 11, 15);
        assertFound(FindingKind.LOST_ACKNOWLEDGED_WRITE);
    }

    @Test
    void aStaleReadIsFound() {
        Put first = put(FILE, 0, 10);
        put(FILE, 20, 30);
        read(FILE, first, 25, 40);
        assertFound();
        read(FILE, first, 31, 40);
        assertFound(FindingKind.LOST_ACKNOWLEDGED_WRITE);
    }

    @Test
    void aReadFromTheFutureIsFound() {
        Put put = put(FILE, 20, 30);
        read(FILE, put, 5, 10);
        assertFound(FindingKind.LOST_ACKNOWLEDGED_WRITE);
    }

    @Test
    void oldVersionIsForbiddenOnceTheNewOneWasSeen() {
        Put first = put(FILE, 0, 10);
        Put second = begin(FILE, 20);
        read(FILE, second, 25, 26);
        read(FILE, first, 24, 28);
        assertFound();
        read(FILE, first, 27, 28);
        assertFound(FindingKind.LOST_ACKNOWLEDGED_WRITE);
    }

    @Test
    void aFileThatComesBackAfterItsRemovalIsFound() {
        Put put = put(FILE, 0, 10);
        Mutation remove = model.beginRemove(FILE, 20);
        read(FILE, put, 21, 22);
        model.acknowledged(remove, 30);
        missing(FILE, 31, 32);
        assertFound();
        read(FILE, put, 31, 40);
        assertFound(FindingKind.LOST_ACKNOWLEDGED_WRITE);
    }

    @Test
    void lastOfConcurrentWritersStays() {
        Put first = begin(FILE, 0);
        Put second = begin(FILE, 1);
        model.acknowledgedPut(FILE, first.mutation(), first.version(), 10);
        model.acknowledgedPut(FILE, second.mutation(), second.version(), 11);
        read(FILE, second, 20, 21);
        assertFound();
        read(FILE, first, 30, 31);
        assertFound(FindingKind.LOST_ACKNOWLEDGED_WRITE);
    }

    // ---- lost answers

    @Test
    void lostWriteMayHaveHappenedUntilAnAnswerShowsIt() {
        Put first = put(FILE, 0, 10);
        Put second = lost(FILE, 20, 30);
        read(FILE, first, 40, 41);
        read(FILE, second, 50, 51);
        read(FILE, second, 60, 61);
        assertFound();
        read(FILE, first, 60, 61);
        assertFound(FindingKind.LOST_ACKNOWLEDGED_WRITE);
    }

    @Test
    void aLostWriteDoesNotOverwriteALaterOneThatWasAcknowledged() {
        put(FILE, 0, 10);
        Put second = lost(FILE, 20, 30);
        assertThat(model.isSettled(FILE)).isFalse();
        assertThat(model.mayBePut(FILE)).isTrue();
        Put third = put(FILE, 40, 50);
        assertThat(model.isSettled(FILE)).isTrue();
        read(FILE, third, 51, 52);
        assertFound();
        read(FILE, second, 51, 52);
        assertFound(FindingKind.LOST_ACKNOWLEDGED_WRITE);
    }

    /** The lost put could take effect once the path has no file again. */
    @Test
    void nameThatALostWriteMayHaveCreatedMayNotDisappear() {
        lost(FILE, 0, 10);
        put(FILE, 20, 30);
        assertThat(model.isSettled(FILE)).isFalse();
        assertThat(model.mayBePut(FILE)).isTrue();
    }

    @Test
    void lostRemovalMayTakeEffectAtAnyTimeAndForbidsPutsMeanwhile() {
        Put put = put(FILE, 0, 10);
        model.lost(model.beginRemove(FILE, 20), 30);
        assertThat(model.isSettled(FILE)).isFalse();
        assertThat(model.mayBePut(FILE)).isFalse();
        read(FILE, put, 40, 41);
        missing(FILE, 50, 51);
        missing(FILE, 60, 61);
        assertFound();
        read(FILE, put, 60, 61);
        assertFound(FindingKind.LOST_ACKNOWLEDGED_WRITE);
    }

    @Test
    void aRefusedWriteThatIsSeenIsFound() {
        put(FILE, 0, 10);
        Put refused = begin(FILE, 20);
        model.refused(refused.mutation());
        read(FILE, refused, 25, 40);
        assertFound(FindingKind.LOST_ACKNOWLEDGED_WRITE);
    }

    // ---- names

    @Test
    void aRenamedFileIsTheSameVersionUnderItsNewName() {
        Put put = put(FILE, 0, 10);
        model.acknowledged(model.beginRename(FILE, OTHER, 20), 30);
        missing(FILE, 31, 32);
        read(OTHER, put, 31, 32);
        assertFound();
        read(FILE, put, 31, 32);
        assertFound(FindingKind.LOST_ACKNOWLEDGED_WRITE);
    }

    @Test
    void aRenameThatWasLostHappensAtBothNamesOrNeither() {
        Put put = put(FILE, 0, 10);
        model.lost(model.beginRename(FILE, OTHER, 20), 30);
        missing(OTHER, 40, 41);
        read(FILE, put, 42, 43);
        missing(FILE, 50, 51);
        assertFound();
        missing(OTHER, 52, 53);
        assertFound(FindingKind.LOST_ACKNOWLEDGED_WRITE);
    }

    @Test
    void fileMayBeRenamedBackToAFormerName() {
        Put put = put(FILE, 0, 10);
        model.acknowledged(model.beginRename(FILE, OTHER, 20), 30);
        model.acknowledged(model.beginRename(OTHER, FILE, 40), 50);
        read(FILE, put, 51, 52);
        missing(OTHER, 51, 52);
        assertFound();
        missing(FILE, 51, 52);
        assertFound(FindingKind.LOST_ACKNOWLEDGED_WRITE);
    }

    @Test
    void renamedDirectoryMovesItsFiles() {
        Put one = put(FILE, 0, 10);
        Put other = put(OTHER, 0, 10);
        model.acknowledged(model.beginRenameDirectory(VOLUME, "/d", "/e", 20), 30);
        read(new FilePath(VOLUME, "/e/f"), one, 31, 32);
        read(new FilePath(VOLUME, "/e/g"), other, 31, 32);
        missing(FILE, 31, 32);
        assertFound();
        missing(new FilePath(VOLUME, "/e/g"), 33, 34);
        assertFound(FindingKind.LOST_ACKNOWLEDGED_WRITE);
    }

    @Test
    void renamedFileThatReplacesAnotherKeepsItsAttributes() {
        put(FILE, 0, 10);
        put(OTHER, 0, 10);
        model.acknowledged(model.beginMark(FILE, "one", 11), 12);
        model.acknowledged(model.beginMark(OTHER, "two", 11), 12);
        model.acknowledged(model.beginRename(FILE, OTHER, 20), 30);
        model.marked(OTHER, "one", new CallInterval(31, 32));
        assertFound();
        model.marked(OTHER, "two", new CallInterval(31, 32));
        assertFound(FindingKind.LOST_ACKNOWLEDGED_WRITE);
    }

    // ---- listings

    private void listed(String directory, Map<String, @Nullable Seen> shown, long from, long to) {
        model.listed(VOLUME, directory, shown, new CallInterval(from, to));
    }

    private static Map<String, @Nullable Seen> directory(String name) {
        Map<String, @Nullable Seen> shown = new HashMap<>();
        shown.put(name, null);
        return shown;
    }

    @Test
    void aListingShowsEveryNameAndNoOther() {
        Put one = put(FILE, 0, 10);
        Put other = put(OTHER, 20, 30);
        listed("/d", Map.of("f", one.seen()), 15, 25);
        listed("/d", Map.of("f", one.seen(), "g", other.seen()), 31, 32);
        listed("/", directory("d"), 31, 32);
        assertFound();
    }

    @Test
    void aNameMissingFromAListingIsFound() {
        Put one = put(FILE, 0, 10);
        put(OTHER, 20, 30);
        listed("/d", Map.of("f", one.seen()), 31, 32);
        assertFound(FindingKind.LOST_ACKNOWLEDGED_WRITE);
    }

    @Test
    void aDirectoryMissingFromAListingIsFound() {
        put(FILE, 0, 10);
        listed("/", Map.of(), 11, 12);
        assertFound(FindingKind.LOST_ACKNOWLEDGED_WRITE);
    }

    @Test
    void impossibleNameInAListingIsFound() {
        Put one = put(FILE, 0, 10);
        listed("/d", Map.of("f", one.seen(), "x", one.seen()), 11, 12);
        assertFound(FindingKind.UNEXPLAINED);
    }

    @Test
    void anOldVersionInAListingIsFound() {
        Put first = put(FILE, 0, 10);
        put(FILE, 20, 30);
        listed("/d", Map.of("f", first.seen()), 31, 32);
        assertFound(FindingKind.LOST_ACKNOWLEDGED_WRITE);
    }

    // ---- what harms and judges

    @Test
    void failedReadHasCandidatesOnlyWhenAllPossibleVersionsAreKnown() {
        Put first = put(FILE, 0, 10);
        Put second = put(FILE, 20, 30);
        assertThat(model.candidates(FILE, new CallInterval(25, 26)))
                .extracting(Kept::version)
                .containsExactly(first.version(), second.version());
        assertThat(model.candidates(FILE, new CallInterval(31, 32)))
                .extracting(Kept::version)
                .containsExactly(second.version());
        lost(FILE, 40, 50);
        assertThat(model.candidates(FILE, new CallInterval(60, 61))).isEmpty();
        assertThat(model.candidates(OTHER, new CallInterval(60, 61))).isEmpty();
    }
}
