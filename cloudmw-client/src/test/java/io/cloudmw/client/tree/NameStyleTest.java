package io.cloudmw.client.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.cloudmw.core.model.FilePath;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The mapping of local names to names in a volume, and back. */
final class NameStyleTest {
    private static final int SEEDS = 20_000;
    private static final byte[] INTERESTING =
            HexFormat.of().parseHex("010a1f20252e2f413046457f80bfc3a9e282acf09f9880ff");

    @TempDir
    private Path directory;

    /** Random bytes without 0 and slash; half of them need an escape. */
    private static byte[] name(Random random) {
        byte[] name = new byte[1 + random.nextInt(40)];
        for (int i = 0; i < name.length; i++) {
            byte next = '/';
            while (next == '/' || next == 0) {
                next = random.nextBoolean()
                        ? INTERESTING[random.nextInt(INTERESTING.length)]
                        : (byte) random.nextInt(256);
            }
            name[i] = next;
        }
        boolean isDots = Arrays.equals(name, new byte[] {'.'}) || Arrays.equals(name, new byte[] {'.', '.'});
        return isDots ? new byte[] {'x'} : name;
    }

    @Test
    void everyByteNameMapsToOneVolumeNameAndBack() {
        Map<String, byte[]> seen = new HashMap<>();
        for (int seed = 0; seed < SEEDS; seed++) {
            byte[] name = name(new Random(seed));
            String escaped = NameStyle.escaped(name);

            assertThat(FilePath.parse("v:/" + escaped).name())
                    .as("seed %d", seed)
                    .isEqualTo(escaped);
            assertThat(NameStyle.unescaped(escaped))
                    .as("seed %d: %s", seed, escaped)
                    .isEqualTo(name);
            byte[] other = seen.put(escaped, name);
            assertThat(other == null || Arrays.equals(other, name))
                    .as("seed %d: %s", seed, escaped)
                    .isTrue();
        }
    }

    @Test
    void volumeNameRoundTripsOrIsRefused() {
        for (int seed = 0; seed < SEEDS; seed++) {
            String name = new String(name(new Random(seed)), StandardCharsets.ISO_8859_1);
            String back;
            try {
                back = NameStyle.escaped(NameStyle.unescaped(name));
            } catch (IllegalArgumentException e) {
                continue;
            }
            assertThat(back).as("seed %d", seed).isEqualTo(name);
        }
    }

    @Test
    void plainTextStaysUnescaped() {
        String text = "a b-é€😀.txt";
        assertThat(NameStyle.escaped(text.getBytes(StandardCharsets.UTF_8))).isEqualTo(text);
        assertThat(NameStyle.escaped("100%\n".getBytes(StandardCharsets.UTF_8))).isEqualTo("100%25%0A");
        assertThat(NameStyle.escaped(new byte[] {'c', (byte) 0xe9})).isEqualTo("c%E9");
    }

    @Test
    void nameThatEscapingNeverWritesIsRefused() {
        for (String name : new String[] {"100%", "%zz", "%2", "%2F", "%2E%2E", "%41", "%0a", "%00", "%C3%A9"}) {
            assertThatIllegalArgumentException()
                    .as(name)
                    .isThrownBy(() -> NameStyle.ESCAPED.onThisMachine(directory, name));
        }
    }

    @Test
    void localFilesKeepTheBytesOfTheirNames() throws Exception {
        for (int seed = 0; seed < 200; seed++) {
            byte[] name = name(new Random(seed));
            Path path = NameStyle.ESCAPED.onThisMachine(directory, NameStyle.escaped(name));
            assertThat(path.getParent()).isEqualTo(directory);
            Files.write(path, name);
            assertThat(NameStyle.ESCAPED.inVolume(path)).as("seed %d", seed).isEqualTo(NameStyle.escaped(name));
        }
        try (var found = Files.list(directory)) {
            for (Path path : found.toList()) {
                assertThat(NameStyle.unescaped(NameStyle.ESCAPED.inVolume(path)))
                        .as(NameStyle.shown(path))
                        .isEqualTo(Files.readAllBytes(path));
            }
        }
    }

    @Test
    void pathIsShownInOneLine() {
        Path invalid = Path.of(URI.create("file:///x/caf%E9"));
        assertThat(NameStyle.shown(invalid)).isEqualTo("/x/caf%E9");
        assertThat(NameStyle.shown(Path.of("d", "a\nb"))).isEqualTo("d/a%0Ab");
        assertThat(NameStyle.shown(Path.of("d", "100%"))).isEqualTo("d/100%");
        assertThat(NameStyle.printable("a\u001b[2J")).isEqualTo("a%1B[2J");
        assertThat(NameStyle.printable("a\u009b2Jb\u2028c\u202ed\u0085"))
                .isEqualTo("a%C2%9B2Jb%E2%80%A8c%E2%80%AEd%C2%85");
        assertThat(NameStyle.printable("a\ud800b")).isEqualTo("a%3Fb");
        assertThat(NameStyle.printable("é€😀 %41")).isEqualTo("é€😀 %41");
        assertThat(NameStyle.shown(Path.of("d", "a\u202eb"))).isEqualTo("d/a%E2%80%AEb");
    }
}
