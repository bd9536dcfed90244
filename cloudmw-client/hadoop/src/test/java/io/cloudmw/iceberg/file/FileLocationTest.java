package io.cloudmw.iceberg.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Optional;
import org.apache.iceberg.exceptions.ValidationException;
import org.junit.jupiter.api.Test;

final class FileLocationTest {
    private static void assertFile(String location, Optional<String> coordinators, String file) {
        FileLocation parsed = FileLocation.parse(location);
        assertThat(parsed.clusterUri().coordinators()).isEqualTo(coordinators);
        assertThat(parsed.file().toString()).isEqualTo(file);
    }

    @Test
    void locationsNameClusterVolumeAndFile() {
        assertFile("cloudmw://h:1/lake/a/b.parquet", Optional.of("h:1"), "lake:/a/b.parquet");
        assertFile("cloudmw://h:1,g:2/lake/a", Optional.of("h:1,g:2"), "lake:/a");
        assertFile("cloudmw:///lake/a", Optional.empty(), "lake:/a");
        assertFile("cloudmw:/lake/a", Optional.empty(), "lake:/a");
        assertFile("CloudMW://h:1/lake/a", Optional.of("h:1"), "lake:/a");
        assertFile("cloudmw://lake@h:1/a/b", Optional.of("h:1"), "lake:/a/b");
    }

    @Test
    void charactersStandForThemselves() {
        assertFile("cloudmw:///lake/day=1%2F2/a b?c#d+e", Optional.empty(), "lake:/day=1%2F2/a b?c#d+e");
    }

    @Test
    void severalSlashesCountAsOne() {
        assertFile("cloudmw://h:1//lake//a///b/", Optional.of("h:1"), "lake:/a/b");
    }

    @Test
    void otherPathsHaveTheFormOfTheLocation() {
        assertThat(FileLocation.parse("cloudmw://h:1/lake/a/").of("/a/c")).isEqualTo("cloudmw://h:1/lake/a/c");
        assertThat(FileLocation.parse("cloudmw:/lake").of("/c")).isEqualTo("cloudmw:/lake/c");
        assertThat(FileLocation.parse("cloudmw://lake@h:1/").of("/c")).isEqualTo("cloudmw://lake@h:1/c");
    }

    private static void assertRefused(String location, String why) {
        assertThatThrownBy(() -> FileLocation.parse(location).file())
                .isInstanceOf(ValidationException.class)
                .hasMessageContaining(location)
                .hasMessageContaining(why)
                .hasMessageContaining("(expected: cloudmw://host:port/volume/path or cloudmw:///volume/path)");
    }

    @Test
    void otherFormsAreRefused() {
        assertRefused("s3://bucket/a", "another scheme");
        assertRefused("/lake/a", "another scheme");
        assertRefused("cloudmw://h:1/Lake/a", "volume");
        assertRefused("cloudmw://h:1", "volume");
        assertRefused("cloudmw:///lake/../a", "'..'");
        assertRefused("cloudmw:///lake", "is a directory");
    }
}
