package io.cloudmw.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class HadoopSettingTest {
    @Test
    void everySettingIsDocumentedWithItsDefault() throws IOException {
        Map<String, String> documented = new TreeMap<>();
        for (String line : Files.readAllLines(Path.of("..", "..", "docs", "configuration.md"))) {
            if (line.startsWith("| `" + HadoopSetting.PREFIX)) {
                List<String> cells = List.of(line.split("\\|", -1));
                String standard = cells.get(2).strip();
                documented.put(
                        cells.get(1).strip().replace("`", ""),
                        standard.startsWith("(") ? "" : standard.replace("`", ""));
            }
        }
        Map<String, String> known = new TreeMap<>();
        for (HadoopSetting setting : HadoopSetting.values()) {
            known.put(setting.key(), setting.standard());
        }
        assertThat(documented).isEqualTo(known);
    }

    @Test
    void defaultsAreWithinTheirBounds() {
        FileSystemConfig config = FileSystemConfig.read(new Configuration(false));
        assertThat(config.blockSizeBytes()).isEqualTo(128L << 20);
        assertThat(config.input().ranges().mergeBytes()).isEqualTo(128 << 10);
        assertThat(FileSystemConfig.cluster("h:1", new Configuration(false)).memoryBytes())
                .isEqualTo(64L << 20);
    }

    @ParameterizedTest
    @CsvSource({
        "fs.cloudmw.delete.parallel, 65, 1..64",
        "fs.cloudmw.vectored.parallel, 0, 1..256",
        "fs.cloudmw.checksum, md5, none or crc32c",
        "fs.cloudmw.read.policy, sideways, read policy",
        "fs.cloudmw.read.polices, random, is no setting",
    })
    void valueOutOfBoundsIsRefused(String key, String value, String expected) {
        Configuration wrong = new Configuration(false);
        wrong.set(key, value);
        assertThatThrownBy(() -> FileSystemConfig.read(wrong))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(key)
                .hasMessageContaining(expected);
    }
}
