package io.cloudmw.client.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.config.HostPorts;
import io.cloudmw.core.security.AccessToken;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.tls.CertifiedKey;
import io.cloudmw.core.tls.ProcessIdentity;
import io.cloudmw.core.tls.ProcessRole;
import io.cloudmw.core.tls.TestAuthority;
import io.cloudmw.core.tls.TlsMaterial;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the files in which clients keep certificates. */
final class CertificateFilesTest {
    private static final HostPorts CLUSTER = HostPorts.parse("a:1,b:2");
    private static final AccessToken TOKEN = AccessToken.random("app", "0".repeat(64));

    @TempDir
    private Path home;

    private Path directory;
    private CertificateFiles files;
    private TlsMaterial material;

    @BeforeEach
    void makeFiles() throws Exception {
        directory = home.resolve(".cloudmw/certificates");
        files = new CertificateFiles(directory, WallClock.system());
        material = new TestAuthority()
                .material(new ProcessIdentity("cluster", ProcessRole.CLIENT, "app"), Duration.ofHours(1));
    }

    private void keep(AccessToken token) {
        CertifiedKey own = material.own().orElseThrow();
        files.keep(CLUSTER, token, own, material);
    }

    private List<Path> kept() throws IOException {
        try (var all = Files.list(directory)) {
            return all.toList();
        }
    }

    @Test
    void keptCertificateIsOfOneTokenAndOneCluster() {
        assertThat(files.read(CLUSTER, TOKEN)).isEmpty();
        keep(TOKEN);
        assertThat(files.read(CLUSTER, TOKEN)).contains(material);
        assertThat(files.read(HostPorts.parse("B:2,A:1"), TOKEN)).contains(material);
        assertThat(files.read(HostPorts.parse("a:1"), TOKEN)).isEmpty();
        assertThat(files.read(CLUSTER, AccessToken.random("app", TOKEN.authority())))
                .isEmpty();
        assertThat(files.read(CLUSTER, TOKEN.withAuthority("1".repeat(64)))).isEmpty();
    }

    @Test
    void onlyTheOwnerReadsThem() throws IOException {
        keep(TOKEN);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)))
                .isEqualTo("rwx------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(kept().get(0))))
                .isEqualTo("rw-------");
        Files.setPosixFilePermissions(kept().get(0), PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(files.read(CLUSTER, TOKEN)).isEmpty();
    }

    @Test
    void damagedFileIsReplaced() throws IOException {
        keep(TOKEN);
        Path file = kept().get(0);
        byte[] whole = Files.readAllBytes(file);
        for (int length = 0; length < whole.length - 1; length += 97) {
            Files.write(file, Arrays.copyOf(whole, length));
            assertThat(files.read(CLUSTER, TOKEN)).as("%d bytes", length).isEmpty();
        }
        keep(TOKEN);
        assertThat(files.read(CLUSTER, TOKEN)).contains(material);
    }

    @Test
    void directoryThatCannotBeMadeKeepsNothing() throws Exception {
        Files.createFile(home.resolve(".cloudmw"));
        keep(TOKEN);
        assertThat(files.read(CLUSTER, TOKEN)).isEmpty();
        files.clear();
    }

    @Test
    void oldFilesAreDeletedWhenOneIsWritten() throws IOException {
        keep(TOKEN);
        Path old = kept().get(0);
        Files.setLastModifiedTime(
                old,
                FileTime.fromMillis(
                        WallClock.system().millis() - Duration.ofDays(31).toMillis()));
        keep(AccessToken.random("other", TOKEN.authority()));
        assertThat(kept()).hasSize(1).doesNotContain(old);
    }

    @Test
    void clearDeletesAllCertificatesAndNothingElse() throws Exception {
        files.clear();
        keep(TOKEN);
        keep(AccessToken.random("other", TOKEN.authority()));
        Path other = Files.createFile(directory.resolve("other"));
        files.clear();
        assertThat(kept()).containsExactly(other);
    }
}
