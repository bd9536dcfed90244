package io.cloudmw.core.tls;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * The source of material in PEM files, which are read again when their content has changed: the time of a change does
 * not count, because tools that replace a directory's link keep it. Confined to one thread.
 */
public final class PemSource implements CertificateRefresh.Source {
    private final TlsFiles files;
    private String digest;

    private PemSource(TlsFiles files, String digest) {
        this.files = files;
        this.digest = digest;
    }

    /** Makes a source that counts the files' present content as known. */
    public static PemSource of(TlsFiles files) throws CloudMwException {
        return new PemSource(files, digest(files));
    }

    /** Makes a source whose first question reads the files. */
    public static PemSource unread(TlsFiles files) {
        return new PemSource(files, "");
    }

    @Override
    public Optional<TlsMaterial> next(TlsMaterial present) throws CloudMwException {
        String now = digest(files);
        if (now.equals(digest)) {
            return Optional.empty();
        }
        TlsMaterial material = PemFiles.material(files);
        digest = now;
        return Optional.of(material);
    }

    private static String digest(TlsFiles files) throws CloudMwException {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (Path file : List.of(files.key(), files.certificate(), files.authorities())) {
                digest.update(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (IOException e) {
            throw new CloudMwException(ErrorCode.LOCAL_IO, "PEM files: cannot be read: " + Reasons.of(e), e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java runtime has SHA-256", e);
        }
    }
}
