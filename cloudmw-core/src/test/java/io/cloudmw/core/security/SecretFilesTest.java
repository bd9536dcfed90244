package io.cloudmw.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SecretFilesTest {
    private static final byte[] SECRET = {1, 2, 3};

    @TempDir
    private Path directory;

    private String permissionsAfterReplacing(String former) throws Exception {
        Path file = Files.write(directory.resolve("secret"), new byte[1]);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(former));
        SecretFiles.replace("secret", file, SECRET);
        assertThat(Files.readAllBytes(file)).isEqualTo(SECRET);
        assertThat(directory).isDirectoryContaining(file::equals);
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    @Test
    void replacedFileIsReadByItsOwnerAndTheGroupOfTheFormerOne() throws Exception {
        assertThat(permissionsAfterReplacing("rw-------")).isEqualTo("rw-------");
        assertThat(permissionsAfterReplacing("rw-r-----")).isEqualTo("rw-r-----");
        assertThat(permissionsAfterReplacing("rw-rw-rw-")).isEqualTo("rw-r-----");
    }

    /** Only an administrator may give files away. */
    @Test
    void fileOfAServiceStaysItsOwnWhenAnAdministratorReplacesIt() throws Exception {
        assumeTrue(System.getProperty("user.name").equals("root"));
        Path file = Files.write(directory.resolve("secret"), new byte[1]);
        UserPrincipal service =
                file.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody");
        Files.setOwner(file, service);
        SecretFiles.replace("secret", file, SECRET);
        assertThat(Files.getOwner(file)).isEqualTo(service);
        assertThat(Files.readAllBytes(file)).isEqualTo(SECRET);
    }
}
