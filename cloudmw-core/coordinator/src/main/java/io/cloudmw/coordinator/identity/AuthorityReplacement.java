package io.cloudmw.coordinator.identity;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.security.SecretFiles;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.tls.CertificateAuthority;
import io.cloudmw.core.tls.CertifiedKey;
import io.cloudmw.core.tls.PemFiles;
import io.cloudmw.core.tls.TlsFiles;
import io.cloudmw.core.tls.TlsMaterial;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;

/**
 * The replacement of a cluster's authority in three steps, each of which changes the authority's file. Coordinators read
 * the file again by themselves. Between two steps every certificate must have been renewed, which takes the life of
 * certificates: so every process trusts the next authority before it signs, and no certificate of the former one is in use when it is removed.
 * Stateless; safe for any thread; not for two replacements at once.
 */
public final class AuthorityReplacement {
    private static final String FILE = AuthorityFile.FILE;

    private AuthorityReplacement() {}

    /**
     * Creates an authority.
     *
     * @throws CloudMwException {@code ALREADY_EXISTS} when there is a file; {@code LOCAL_IO}
     */
    public static TlsMaterial create(Path file, WallClock clock) throws CloudMwException {
        if (!AuthorityFile.create(file, clock)) {
            throw new CloudMwException(ErrorCode.ALREADY_EXISTS, FILE + " " + file + ": there is one already");
        }
        return read(file);
    }

    /** The authority that signs, and all that processes trust. */
    public static TlsMaterial read(Path file) throws CloudMwException {
        return PemFiles.material(TlsFiles.in(file));
    }

    /** The file in which the next authority waits. */
    public static Path next(Path file) {
        return file.resolveSibling(file.getFileName() + ".next");
    }

    /**
     * The first step: makes the next authority. Processes trust it from their next renewal on, the present one signs.
     *
     * @throws CloudMwException {@code ALREADY_EXISTS} when a next one waits already; {@code LOCAL_IO}
     */
    public static TlsMaterial prepare(Path file, WallClock clock) throws CloudMwException {
        TlsMaterial present = read(file);
        CertifiedKey made = CertificateAuthority.create(clock).own();
        if (!SecretFiles.create(FILE, next(file), PemFiles.text(made, present.authorities()))) {
            throw new CloudMwException(
                    ErrorCode.ALREADY_EXISTS,
                    FILE + " " + next(file) + ": a replacement has begun already (expected: \"switch\", or delete it)");
        }
        List<X509Certificate> trusted = new ArrayList<>(present.authorities());
        trusted.add(made.certificate());
        SecretFiles.replace(FILE, file, PemFiles.text(present.own().orElseThrow(), trusted));
        return read(file);
    }

    /**
     * The second step: the next authority signs, and both are trusted. The former one certifies it, so that tokens which
     * name the former one are good until the third step.
     *
     * @throws CloudMwException {@code NOT_FOUND} when none waits; {@code CONFLICT} when the present file does not have
     *     it; {@code LOCAL_IO}
     */
    public static TlsMaterial switchOver(Path file, WallClock clock) throws CloudMwException {
        if (!Files.exists(next(file))) {
            throw new CloudMwException(
                    ErrorCode.NOT_FOUND, FILE + " " + next(file) + ": there is none (expected: \"prepare\" first)");
        }
        TlsMaterial present = read(file);
        TlsMaterial prepared = read(next(file));
        CertifiedKey own = prepared.own().orElseThrow();
        if (!present.authorities().contains(own.certificate())) {
            throw new CloudMwException(
                    ErrorCode.CONFLICT,
                    FILE + " " + file + ": does not have the authority of " + next(file)
                            + ", which no process would trust (expected: delete that file, and \"prepare\" again)");
        }
        CertifiedKey former = present.own().orElseThrow();
        // An earlier try may have ended between its two changes.
        if (!former.certificate().equals(own.certificate())) {
            X509Certificate successor = new CertificateAuthority(former, clock).certifySuccessor(own.certificate());
            CertifiedKey certified = new CertifiedKey(own.key(), List.of(own.certificate(), successor));
            SecretFiles.replace(FILE, file, PemFiles.text(certified, prepared.authorities()));
        }
        try {
            Files.delete(next(file));
        } catch (IOException e) {
            throw new CloudMwException(
                    ErrorCode.LOCAL_IO, FILE + " " + next(file) + ": cannot be deleted: " + Reasons.of(e), e);
        }
        return read(file);
    }

    /**
     * The third step: only the authority that signs is trusted.
     *
     * @throws CloudMwException {@code CONFLICT} when a next one waits for the second step, or only one is trusted; {@code
     *     LOCAL_IO}
     */
    public static TlsMaterial finish(Path file) throws CloudMwException {
        if (Files.exists(next(file))) {
            throw new CloudMwException(
                    ErrorCode.CONFLICT,
                    FILE + " " + next(file) + ": it does not sign yet (expected: \"switch\" first)");
        }
        TlsMaterial present = read(file);
        if (present.authorities().size() == 1) {
            throw new CloudMwException(
                    ErrorCode.CONFLICT,
                    FILE + " " + file + ": it has one authority, which no other replaces (expected: \"prepare\", then"
                            + " \"switch\")");
        }
        CertifiedKey own = present.own().orElseThrow();
        // Every certificate of the file counts as one of the key's chain.
        CertifiedKey alone = new CertifiedKey(own.key(), List.of(own.certificate()));
        SecretFiles.replace(FILE, file, PemFiles.text(alone, List.of()));
        return read(file);
    }
}
