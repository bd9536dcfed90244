package io.cloudmw.helper.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PageTokenTest {
    private static final String TOKEN = "a-token-of-enough-letters";

    @TempDir
    private Path directory;

    private Path file(String permissions, String text) throws Exception {
        Path file = Files.writeString(directory.resolve("token"), text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    }

    private static CloudMwException refusal(Path file) {
        CloudMwException failure = catchThrowableOfType(CloudMwException.class, () -> PageToken.read("x.token", file));
        assertThat(failure).hasMessageContaining("x.token").hasMessageContaining(file.toString());
        return failure;
    }

    @Test
    void tokenIsReadWithoutWhiteSpaceAtItsEnds() throws Exception {
        PageToken token = PageToken.read("x.token", file("rw-r-----", "  " + TOKEN + "\n"));
        assertThat(token.matches(TOKEN)).isTrue();
        assertThat(token.matches(TOKEN + "x")).isFalse();
        assertThat(token.matches("")).isFalse();
        assertThat(token.toString()).doesNotContain(TOKEN);
    }

    @Test
    void fileThatOthersCanReadIsRefused() throws Exception {
        for (String permissions : new String[] {"rw-r--r--", "rw----r--", "rw-rw----", "rw-----w-"}) {
            CloudMwException failure = refusal(file(permissions, TOKEN));
            assertThat(failure.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
            assertThat(failure).hasMessageContaining(permissions);
        }
    }

    @Test
    void fileWithoutATokenIsRefused() throws Exception {
        for (String text : new String[] {"", "short", "two words that are long", "x".repeat(5000)}) {
            assertThat(refusal(file("rw-------", text)).code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        }
        assertThat(refusal(directory.resolve("none")).code()).isEqualTo(ErrorCode.LOCAL_IO);
    }

    @Test
    void cookieBelongsToItsToken() {
        PageToken token = PageToken.of(TOKEN);
        assertThat(token.matchesCookie(token.cookie())).isTrue();
        assertThat(token.matchesCookie(PageToken.of(TOKEN + "2").cookie())).isFalse();
        assertThat(token.matchesCookie(TOKEN)).isFalse();
        assertThat(token.cookie()).doesNotContain(TOKEN).hasSize(64);
    }
}
