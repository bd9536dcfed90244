package io.cloudmw.helper.page;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The token that opens the page. Immutable; safe for any thread; never printed. */
final class PageToken {
    static final int MIN_CHARACTERS = 16;
    static final int MAX_CHARACTERS = 1024;

    private static final String ALGORITHM = "HmacSHA256";
    private static final Set<PosixFilePermission> TOO_OPEN = EnumSet.of(
            PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_READ, PosixFilePermission.OTHERS_WRITE);

    private final SecretKeySpec key;
    private final String cookie;

    private PageToken(String token) {
        key = new SecretKeySpec(token.getBytes(StandardCharsets.US_ASCII), ALGORITHM);
        cookie = HexFormat.of().formatHex(sign("cloudmw page cookie 1"));
    }

    /**
     * Makes a token of this text.
     *
     * @throws IllegalArgumentException when it is shorter than {@value #MIN_CHARACTERS} characters, longer than
     *     {@value #MAX_CHARACTERS}, or has others than those of ASCII without space
     */
    static PageToken of(String token) {
        if (token.length() < MIN_CHARACTERS || token.length() > MAX_CHARACTERS) {
            throw new IllegalArgumentException("token: " + token.length() + " characters (expected: " + MIN_CHARACTERS
                    + ".." + MAX_CHARACTERS + ")");
        }
        if (!token.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
            throw new IllegalArgumentException("token: a character that is no visible one of ASCII");
        }
        return new PageToken(token);
    }

    /**
     * Reads the token from a file: all its text, without white space at its ends.
     *
     * @param setting the setting that holds the path, for messages
     * @throws CloudMwException {@code LOCAL_IO} when the file cannot be read; {@code INVALID_ARGUMENT} when it holds no
     *     token, when everybody can read it, or when others than its owner can write it
     */
    static PageToken read(String setting, Path file) throws CloudMwException {
        String where = setting + ": " + file + ": ";
        try {
            requirePrivate(where, file);
            if (Files.size(file) > 2 * MAX_CHARACTERS) {
                throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, where + "too long for a token");
            }
            return of(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).strip());
        } catch (IllegalArgumentException e) {
            throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, where + e.getMessage());
        } catch (CloudMwException e) {
            throw e;
        } catch (IOException e) {
            throw new CloudMwException(ErrorCode.LOCAL_IO, where + "cannot be read: " + Reasons.of(e), e);
        }
    }

    private static void requirePrivate(String where, Path file) throws IOException {
        if (!file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            return;
        }
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
        if (permissions.stream().anyMatch(TOO_OPEN::contains)) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    where + "its permissions are " + PosixFilePermissions.toString(permissions)
                            + " (expected: others cannot read it; chmod 600)");
        }
    }

    private byte[] sign(String text) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java runtime has " + ALGORITHM, e);
        }
    }

    /** Returns whether this text is the token. The time does not depend on how much of it is right. */
    boolean matches(String given) {
        // Digests have the same length, so that the time does not tell the token's.
        return MessageDigest.isEqual(digest(given.getBytes(StandardCharsets.UTF_8)), digest(key.getEncoded()));
    }

    private byte[] digest(byte[] text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java runtime has SHA-256", e);
        }
    }

    /** Returns the value of the cookie, from which the token cannot be computed. */
    String cookie() {
        return cookie;
    }

    /** Returns whether this is the value of the cookie. */
    boolean matchesCookie(String given) {
        return MessageDigest.isEqual(
                given.getBytes(StandardCharsets.UTF_8), cookie.getBytes(StandardCharsets.US_ASCII));
    }

    @Override
    public String toString() {
        return "PageToken[redacted]";
    }
}
