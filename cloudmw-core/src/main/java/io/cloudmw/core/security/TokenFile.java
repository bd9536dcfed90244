package io.cloudmw.core.security;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The file of a token, which only its owner may read. Stateless; safe for any thread. */
public final class TokenFile {
    /** The administrator's token of a cluster on this machine, which commands of the same user find here. */
    public static final Path OF_ADMINISTRATOR = SecretFiles.DIRECTORY.resolve("admin.token");

    /** The token of this machine's user, which {@code cloudmw login} writes. */
    public static final Path OF_USER = SecretFiles.DIRECTORY.resolve("token");

    private static final String FILE = "token file";

    private TokenFile() {}

    /**
     * Reads a token.
     *
     * @throws CloudMwException {@code LOCAL_IO} when the file cannot be read, or others can read it; {@code
     *     INVALID_ARGUMENT} when it holds no token
     */
    public static AccessToken read(Path file) throws CloudMwException {
        if (!Files.exists(file)) {
            throw new CloudMwException(
                    ErrorCode.LOCAL_IO,
                    FILE + " " + file
                            + ": there is none (expected: a token, which says for whom a client acts: \"cloudmw"
                            + " login\" keeps one, --token-file or CLOUDMW_TOKEN_FILE names one; or --insecure, for a"
                            + " cluster in plain text)");
        }
        byte[] text = SecretFiles.read(FILE, file, AccessToken.MAX_CHARACTERS);
        try {
            return AccessToken.parse(new String(text, StandardCharsets.US_ASCII));
        } catch (IllegalArgumentException e) {
            throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, FILE + " " + file + ": " + e.getMessage());
        }
    }

    /** Writes a new file, unless there is one. Returns false when there is. */
    public static boolean create(Path file, AccessToken token) throws CloudMwException {
        return SecretFiles.create(FILE, file, bytes(token));
    }

    /** Writes a file, and replaces the one that is there. */
    public static void replace(Path file, AccessToken token) throws CloudMwException {
        SecretFiles.replace(FILE, file, bytes(token));
    }

    private static byte[] bytes(AccessToken token) {
        return (token.text() + "\n").getBytes(StandardCharsets.US_ASCII);
    }
}
