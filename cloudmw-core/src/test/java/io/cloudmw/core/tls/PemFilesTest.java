package io.cloudmw.core.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.security.SecretFiles;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PemFilesTest {
    private static final ProcessIdentity HELPER = new ProcessIdentity("test", ProcessRole.HELPER, "h1");

    @TempDir
    private Path directory;

    private final TestAuthority authority = new TestAuthority();
    private Path file;

    @BeforeEach
    void setUp() {
        file = directory.resolve("all.pem");
    }

    private void write(TlsMaterial material) throws Exception {
        SecretFiles.replace("PEM file", file, PemFiles.text(material.own().orElseThrow(), material.authorities()));
    }

    private TlsMaterial material() throws Exception {
        return authority.material(HELPER, Duration.ofHours(1));
    }

    @Test
    void oneFileHoldsKeyChainAndAuthorities() throws Exception {
        TlsMaterial written = material();
        write(written);

        TlsMaterial read = PemFiles.material(TlsFiles.in(file));

        assertThat(read.own().orElseThrow().key())
                .isEqualTo(written.own().orElseThrow().key());
        assertThat(read.own().orElseThrow().certificate())
                .isEqualTo(written.own().orElseThrow().certificate());
        assertThat(read.authorities()).containsExactly(authority.certificate());
        assertThat(Files.getPosixFilePermissions(file)).isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }

    @Test
    void keyThatOthersCanReadIsRefused() throws Exception {
        write(material());
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));

        CloudMwException refusal = refusal();

        assertThat(refusal.code()).isEqualTo(ErrorCode.LOCAL_IO);
        assertThat(refusal).hasMessageContaining(file.toString()).hasMessageContaining("chmod 600");
    }

    @Test
    void keyOfAnotherCertificateIsRefused() throws Exception {
        TlsMaterial one = material();
        TlsMaterial other = material();
        write(new TlsMaterial(
                java.util.Optional.of(new CertifiedKey(
                        one.own().orElseThrow().key(), other.own().orElseThrow().chain())),
                one.authorities()));

        assertThat(refusal()).hasMessageContaining("not the one of the first certificate");
    }

    @Test
    void filesWithoutThePartsAreRefused() throws Exception {
        SecretFiles.replace("PEM file", file, "nothing\n".getBytes(StandardCharsets.US_ASCII));
        assertThat(refusal()).hasMessageContaining("no private key");

        SecretFiles.replace(
                "PEM file",
                file,
                "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n".getBytes(StandardCharsets.US_ASCII));
        assertThat(refusal()).hasMessageContaining("cannot be parsed");

        Files.delete(file);
        assertThat(refusal().code()).isEqualTo(ErrorCode.LOCAL_IO);
    }

    @Test
    void sourceReadsFilesAgainWhenTheirContentChanges() throws Exception {
        TlsMaterial first = material();
        write(first);
        PemSource source = PemSource.of(TlsFiles.in(file));
        assertThat(source.next(first)).isEmpty();

        TlsMaterial second = material();
        write(second);

        assertThat(source.next(first).orElseThrow().own().orElseThrow().certificate())
                .isEqualTo(second.own().orElseThrow().certificate());
        assertThat(source.next(second)).isEmpty();
    }

    @Test
    void sourceOffersBrokenFilesAgainUntilTheyAreWhole() throws Exception {
        TlsMaterial first = material();
        write(first);
        PemSource source = PemSource.of(TlsFiles.in(file));
        SecretFiles.replace("PEM file", file, "half a".getBytes(StandardCharsets.US_ASCII));

        for (int ask = 0; ask < 2; ask++) {
            assertThat(catchThrowableOfType(CloudMwException.class, () -> source.next(first))
                            .code())
                    .isEqualTo(ErrorCode.INVALID_ARGUMENT);
        }
        write(material());
        assertThat(source.next(first)).isPresent();
    }

    @Test
    void severalAuthoritiesAreTrustedAtOnce() throws Exception {
        TestAuthority next = new TestAuthority();
        TlsMaterial own = material();
        write(new TlsMaterial(own.own(), List.of(authority.certificate(), next.certificate())));

        assertThat(PemFiles.material(TlsFiles.in(file)).authorities())
                .containsExactly(authority.certificate(), next.certificate());
    }

    @Test
    void keyOfAnotherFormIsRefusedWithTheRemedy() throws Exception {
        SecretFiles.replace(
                "PEM file",
                file,
                "-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----\n"
                        .getBytes(StandardCharsets.US_ASCII));

        assertThat(refusal()).hasMessageContaining("PKCS #8").hasMessageContaining("openssl pkcs8");
    }

    private CloudMwException refusal() {
        return catchThrowableOfType(CloudMwException.class, () -> PemFiles.material(TlsFiles.in(file)));
    }
}
