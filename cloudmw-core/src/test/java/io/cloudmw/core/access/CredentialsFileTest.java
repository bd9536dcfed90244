package io.cloudmw.core.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CredentialsFileTest {
    @TempDir
    private Path directory;

    @Test
    void keysAreReadInTheFormOfAwsAndInTheFormOfProperties() {
        AccessKeys pair = new AccessKeys("AK", "s=cret", Optional.empty());
        assertThat(CredentialsFile.parse(List.of("aws_access_key_id = AK", "aws_secret_access_key=s=cret")))
                .isEqualTo(pair);
        assertThat(CredentialsFile.parse(
                        List.of("# keys", "[main]", "aws_access_key_id=AK", "aws_secret_access_key = s=cret")))
                .isEqualTo(pair);
        assertThat(CredentialsFile.parse(List.of("accessKey: AK", "secretKey=s=cret", "! end")))
                .isEqualTo(pair);
        assertThat(CredentialsFile.parse(
                        List.of("aws.accessKeyId=AK", "aws.secretAccessKey=s=cret", "aws.sessionToken=t")))
                .isEqualTo(new AccessKeys("AK", "s=cret", Optional.of("t")));
    }

    @Test
    void theDefaultSectionCountsOfSeveral() {
        List<String> sections = List.of(
                "[other]",
                "aws_access_key_id=O",
                "aws_secret_access_key=o",
                "[default]",
                "aws_access_key_id=D",
                "aws_secret_access_key=d");
        assertThat(CredentialsFile.parse(sections).id()).isEqualTo("D");
        assertThatThrownBy(() -> CredentialsFile.parse(List.of("[a]", "accessKey=1", "[b]", "accessKey=2")))
                .hasMessageContaining("2 sections");
    }

    @Test
    void aFileWithoutAPairOfKeysIsRefusedWithoutNamingASecret() throws Exception {
        Path path = directory.resolve("keys");
        CredentialsFile file = new CredentialsFile(path);
        denied(file, "no such file or directory");
        Files.writeString(path, "aws_secret_access_key=very-secret\n");
        denied(file, "no aws_access_key_id");
        Files.writeString(path, "x".repeat(100_000));
        denied(file, "100000 bytes");
    }

    private static void denied(CredentialsFile file, String why) {
        assertThatThrownBy(file::keys)
                .isInstanceOfSatisfying(
                        CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.STORE_DENIED))
                .hasMessageContaining(why)
                .hasMessageNotContaining("very-secret");
    }

    @Test
    void aChangedFileIsReadAgain() throws Exception {
        Path path = directory.resolve("keys");
        Files.writeString(path, "accessKey=A1\nsecretKey=s1\n");
        CredentialsFile file = new CredentialsFile(path);
        assertThat(file.keys().id()).isEqualTo("A1");
        Files.writeString(path, "accessKey=A2\nsecretKey=s2\n");
        // The file has the same length, and perhaps the same time by the file system's clock.
        Files.setLastModifiedTime(path, FileTime.fromMillis(1_000_000));
        assertThat(file.keys().id()).isEqualTo("A2");
        Files.delete(path);
        denied(file, "no such file");
        Files.writeString(path, "accessKey=A3\nsecretKey=s3\n");
        assertThat(file.keys().id()).isEqualTo("A3");
    }
}
