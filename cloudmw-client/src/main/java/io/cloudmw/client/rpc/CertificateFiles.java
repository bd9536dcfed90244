package io.cloudmw.client.rpc;

import io.cloudmw.core.chunk.Sha256;
import io.cloudmw.core.config.HostPorts;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.security.AccessToken;
import io.cloudmw.core.security.SecretFiles;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.tls.CertifiedKey;
import io.cloudmw.core.tls.PemFiles;
import io.cloudmw.core.tls.TlsFiles;
import io.cloudmw.core.tls.TlsMaterial;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files in which clients of one user keep the certificates that they got for tokens, so that the next client needs
 * no call for its own. A file belongs to one token at one cluster's addresses, and only its owner may read it. Safe for
 * any thread and process.
 */
public final class CertificateFiles {
    private static final Logger log = LoggerFactory.getLogger(CertificateFiles.class);

    private static final String SUFFIX = ".pem";

    /** The age from which on a file is deleted, whether its certificate is still valid or not. */
    private static final Duration KEPT = Duration.ofDays(30);

    /** The most files that are looked at when one is written. */
    private static final int MAX_SWEPT = 1000;

    private final Path directory;
    private final WallClock clock;

    /** @param directory made when the first certificate is kept */
    public CertificateFiles(Path directory, WallClock clock) {
        this.directory = directory;
        this.clock = clock;
    }

    /** Reads the certificate for a token; empty: there is none, or it cannot be used. */
    Optional<TlsMaterial> read(HostPorts coordinators, AccessToken token) {
        Path file = file(coordinators, token);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            return Optional.of(PemFiles.material(new TlsFiles(file, file, file)));
        } catch (CloudMwException | IllegalArgumentException e) {
            log.debug("{}: the certificate is not used", file, e);
            return Optional.empty();
        }
    }

    /** Keeps a certificate, unless the directory cannot be used. Deletes old files. */
    void keep(HostPorts coordinators, AccessToken token, CertifiedKey own, TlsMaterial material) {
        Path file = file(coordinators, token);
        try {
            SecretFiles.makeDirectory(directory);
            SecretFiles.replace("certificate", file, PemFiles.text(own, material.authorities()));
            long oldest = clock.millis() - KEPT.toMillis();
            for (Path other : files()) {
                if (Files.getLastModifiedTime(other).toMillis() < oldest) {
                    Files.deleteIfExists(other);
                }
            }
        } catch (IOException e) {
            log.debug("{}: the certificate is not kept", file, e);
        }
    }

    /**
     * Deletes all certificates that are kept.
     *
     * @throws CloudMwException {@code LOCAL_IO} when a file cannot be deleted
     */
    public void clear() throws CloudMwException {
        try {
            for (Path file : files()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new CloudMwException(
                    ErrorCode.LOCAL_IO, "certificates in " + directory + ": cannot be deleted: " + Reasons.of(e), e);
        }
    }

    private List<Path> files() throws IOException {
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(directory, "*" + SUFFIX)) {
            for (Path file : all) {
                if (files.size() == MAX_SWEPT) {
                    break;
                }
                files.add(file);
            }
        } catch (NoSuchFileException | NotDirectoryException e) {
            // Nothing was ever kept there.
        }
        return files;
    }

    /** The file's name is a digest of addresses and token, from which the token cannot be derived. */
    private Path file(HostPorts coordinators, AccessToken token) {
        String all = coordinators.inAnyOrder() + "\n" + token.text();
        return directory.resolve(
                HexFormat.of().formatHex(Sha256.begin().digest(all.getBytes(StandardCharsets.UTF_8))) + SUFFIX);
    }
}
