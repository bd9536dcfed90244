package io.cloudmw.client.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.cloudmw.client.file.FileEntry;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.VolumeName;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that no name of a volume leads out of a local directory. */
final class LocalNamesTest {
    private static final Path DIRECTORY = Path.of("/work/target");

    @ParameterizedTest
    @EnumSource(NameStyle.class)
    void nameThatLeadsElsewhereIsRefused(NameStyle style) {
        for (String name : new String[] {"", ".", "..", "../x", "/etc/passwd", "a/b", "a/../../b", "..\u0000"}) {
            assertThatIllegalArgumentException().as(name).isThrownBy(() -> style.onThisMachine(DIRECTORY, name));
        }
    }

    @ParameterizedTest
    @EnumSource(NameStyle.class)
    void otherNameIsAFileOfItsDirectory(NameStyle style) {
        for (String name :
                new String[] {"a", "...", "..a", "a..", "~", "~root", "-rf", "C:x", "a\\..\\b", "con", "a b "}) {
            Path path = style.onThisMachine(DIRECTORY, name);
            assertThat(path.getParent()).as(name).isEqualTo(DIRECTORY);
            assertThat(path.getFileName()).as(name).hasToString(name);
        }
        assertThat(style.onThisMachine(Path.of(""), "a")).isEqualTo(Path.of("a"));
        assertThat(style.onThisMachine(Path.of("."), "a")).isEqualTo(Path.of("./a"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a\\b",
                "..\\b",
                "\\\\host\\share",
                "C:",
                "C:b",
                "C:\\b",
                "a:stream",
                "con",
                "CON",
                "Nul.txt",
                "aux.tar.gz",
                "com1",
                "LPT9.x",
                "com\u00b9",
                "conin$",
                "prn ",
                "a.",
                "a ",
                "a?",
                "a*",
                "a<b",
                "a|b",
                "a\"b",
                "nul .txt",
                "/x",
                "..",
                ".",
                ""
            })
    void nameThatWindowsReadsDifferentlyIsRefusedThere(String name) {
        assertThatIllegalArgumentException().isThrownBy(() -> LocalNames.require(name, "\\"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "con1", "console", "a.con", "com", "com10", "nulls.txt", ".a", "..a", "é"})
    void nameThatWindowsAllowsIsAllowedThere(String name) {
        LocalNames.require(name, "\\");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "..", "/", "a/b", "/a", "../a", "a/..", "a\nb", "a\u001bb", "a\u0000"})
    void listedNameThatLeadsElsewhereBreaksTheProtocol(String name) {
        RemotePath directory = RemotePath.parse("v:/d");
        FileEntry entry = new FileEntry(name, Optional.empty(), 0, 0);
        assertThatExceptionOfType(CloudMwException.class)
                .isThrownBy(() -> directory.child(entry))
                .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL_VIOLATION));
    }

    @Test
    void listedNameIsNotNormalised() throws Exception {
        RemotePath directory = new RemotePath(new VolumeName("v"), Optional.empty(), "/");
        for (String name : new String[] {"\u00e9", "e\u0301"}) {
            assertThat(directory
                            .child(new FileEntry(name, Optional.empty(), 0, 0))
                            .path())
                    .isEqualTo("/" + name);
        }
    }
}
