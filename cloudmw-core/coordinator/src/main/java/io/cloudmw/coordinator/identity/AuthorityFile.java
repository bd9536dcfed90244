package io.cloudmw.coordinator.identity;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.security.SecretFiles;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.tls.CertificateAuthority;
import io.cloudmw.core.tls.CertifiedKey;
import io.cloudmw.core.tls.PemFiles;
import io.cloudmw.core.tls.TlsFiles;
import io.cloudmw.core.tls.TlsMaterial;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The PEM file of the cluster's authority: its key, its certificate, and the certificates of further authorities that the
 * cluster trusts while one replaces the other. All coordinators of a cluster have the same content. Safe for any thread.
 */
public final class AuthorityFile {
    /** The default file, beside the cluster's secret. */
    public static final Path DEFAULT = SecretFiles.DIRECTORY.resolve("authority.pem");

    /** The file in messages. */
    static final String FILE = "authority file";

    private static final Logger LOG = LoggerFactory.getLogger(AuthorityFile.class);

    private final Path file;
    private final WallClock clock;
    private volatile Authorities present;

    private AuthorityFile(Path file, WallClock clock) throws CloudMwException {
        this.file = file;
        this.clock = clock;
        this.present = read(file, clock);
    }

    /**
     * The content of the file.
     *
     * @param signing the authority that signs
     * @param trusted the authorities that processes trust
     */
    public record Authorities(CertificateAuthority signing, List<X509Certificate> trusted) {
        public Authorities {
            trusted = List.copyOf(trusted);
        }
    }

    /**
     * Reads the file, or creates it with a new authority, which only its owner may read. When several coordinators do so
     * at once, one creates it and the others read it.
     *
     * @throws CloudMwException {@code LOCAL_IO} when it cannot be read or written, or others can read it; {@code
     *     INVALID_ARGUMENT} when it holds no authority
     */
    public static AuthorityFile openOrCreate(Path file, WallClock clock) throws CloudMwException {
        if (!Files.exists(file)) {
            if (create(file, clock)) {
                LOG.info(
                        "there was no authority file {}: created it with a new key (all coordinators of a cluster need the"
                                + " same file)",
                        file.toAbsolutePath());
            }
        }
        return new AuthorityFile(file, clock);
    }

    /** Creates the file with a new authority, unless there is one. Returns false when there is. */
    static boolean create(Path file, WallClock clock) throws CloudMwException {
        CertifiedKey made = CertificateAuthority.create(clock).own();
        return SecretFiles.create(FILE, file, PemFiles.text(made, List.of()));
    }

    /** The content that was read last. */
    public Authorities present() {
        return present;
    }

    /** Reads the file again; fails as {@link #openOrCreate}, and keeps the present content then. */
    public Authorities reread() throws CloudMwException {
        Authorities next = read(file, clock);
        present = next;
        return next;
    }

    private static Authorities read(Path file, WallClock clock) throws CloudMwException {
        TlsMaterial material = PemFiles.material(TlsFiles.in(file));
        return new Authorities(new CertificateAuthority(material.own().orElseThrow(), clock), material.authorities());
    }
}
