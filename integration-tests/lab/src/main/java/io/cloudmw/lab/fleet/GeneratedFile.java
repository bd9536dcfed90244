package io.cloudmw.lab.fleet;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.SplittableRandom;

/** Generated files with random bytes, and their digests. */
public final class GeneratedFile {
    private static final int PIECE = 1 << 16;

    private GeneratedFile() {}

    /** Writes {@code size} incompressible bytes, the same for the same seed. */
    public static void generate(Path file, long size, long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        byte[] piece = new byte[PIECE];
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), PIECE)) {
            for (long left = size; left > 0; left -= piece.length) {
                random.nextBytes(piece);
                out.write(piece, 0, (int) Math.min(left, piece.length));
            }
        }
    }

    /** Returns the SHA-256 of a file, in hexadecimal. */
    public static String sha256(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            byte[] piece = new byte[PIECE];
            for (int read = in.read(piece); read >= 0; read = in.read(piece)) {
                digest.update(piece, 0, read);
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
