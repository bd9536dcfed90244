package io.cloudmw.core.security;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.EnumSet;
import java.util.Set;

/**
 * Files with secrets, which only their owner may read. A file appears under its name whole or not at all. Stateless;
 * safe for any thread.
 */
public final class SecretFiles {
    /** The directory of a user's own secrets, made when it is first needed. */
    public static final Path DIRECTORY = Path.of(System.getProperty("user.home", "."), ".cloudmw");

    /** The certificates that the user's clients got for tokens. */
    public static final Path CERTIFICATES = DIRECTORY.resolve("certificates");

    /** A group may read a file of secrets, as that of a service does; nobody but the owner may change it. */
    private static final Set<PosixFilePermission> REFUSED =
            Set.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_READ, PosixFilePermission.OTHERS_WRITE);

    private SecretFiles() {}

    /**
     * Reads a file, unless other users can read it.
     *
     * @param what the file's content in messages, such as {@code secret file}
     * @throws CloudMwException {@code LOCAL_IO} when it cannot be read or others can read it; {@code INVALID_ARGUMENT}
     *     when it is longer than {@code maxBytes}
     */
    public static byte[] read(String what, Path file, int maxBytes) throws CloudMwException {
        try {
            if (Files.size(file) > maxBytes) {
                throw new CloudMwException(
                        ErrorCode.INVALID_ARGUMENT, what + " " + file + ": longer than " + maxBytes + " bytes");
            }
            refuseOpen(what, file);
            return Files.readAllBytes(file);
        } catch (CloudMwException e) {
            throw e;
        } catch (IOException e) {
            throw new CloudMwException(ErrorCode.LOCAL_IO, what + " " + file + ": cannot be read: " + Reasons.of(e), e);
        }
    }

    private static void refuseOpen(String what, Path file) throws IOException {
        if (isPosix(file) && Files.getPosixFilePermissions(file).stream().anyMatch(REFUSED::contains)) {
            throw new CloudMwException(
                    ErrorCode.LOCAL_IO,
                    what + " " + file + ": other users can read or change it (expected: chmod 600 " + file + ")");
        }
    }

    /**
     * Creates a file, unless there is one. When several processes do so at once, one of them creates it.
     *
     * @return false: there was one
     * @throws CloudMwException {@code LOCAL_IO} when it cannot be written, or there is no directory for it but {@link
     *     #DIRECTORY}, which is made
     */
    public static boolean create(String what, Path file, byte[] content) throws CloudMwException {
        // A link, not a rename: the second process must not replace the file that the first already uses.
        return write(what, file, content, (temporary, target) -> Files.createLink(target, temporary));
    }

    /**
     * Writes a file, and replaces the one that is there, whose owner and group it keeps: an administrator may replace a
     * file of a service. The group may read the new one if it could read the former.
     *
     * @throws CloudMwException as {@link #create}
     */
    public static void replace(String what, Path file, byte[] content) throws CloudMwException {
        boolean unused = write(what, file, content, (temporary, target) -> {
            keepOwner(target, temporary);
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        });
    }

    private static void keepOwner(Path present, Path next) throws IOException {
        if (!isPosix(present) || !Files.exists(present)) {
            return;
        }
        PosixFileAttributes kept = Files.readAttributes(present, PosixFileAttributes.class);
        PosixFileAttributeView view = Files.getFileAttributeView(next, PosixFileAttributeView.class);
        PosixFileAttributes made = view.readAttributes();
        if (!made.group().equals(kept.group())) {
            view.setGroup(kept.group());
        }
        Set<PosixFilePermission> permissions = EnumSet.copyOf(kept.permissions());
        permissions.removeAll(REFUSED);
        view.setPermissions(permissions);
        if (!made.owner().equals(kept.owner())) {
            view.setOwner(kept.owner());
        }
    }

    /** Makes a directory that only its owner may list, and those above it, unless it exists. */
    public static void makeDirectory(Path directory) throws IOException {
        // createDirectories of JDK 17 does not accept a link to a directory.
        if (!Files.isDirectory(directory)) {
            Files.createDirectories(directory, ownerOnly(directory, "rwx------"));
        }
    }

    private static FileAttribute<?>[] ownerOnly(Path file, String permissions) {
        return isPosix(file)
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
                }
                : new FileAttribute<?>[0];
    }

    @FunctionalInterface
    private interface Publication {
        void publish(Path temporary, Path target) throws IOException;
    }

    private static boolean write(String what, Path file, byte[] content, Publication publication)
            throws CloudMwException {
        Path target = file.toAbsolutePath();
        Path parent = target.getParent();
        Path temporary =
                target.resolveSibling(target.getFileName() + ".tmp-" + Long.toHexString(new SecureRandom().nextLong()));
        try {
            if (parent != null && parent.equals(DIRECTORY.toAbsolutePath())) {
                makeDirectory(parent);
            }
            try {
                writeOwnerOnly(temporary, content);
                publication.publish(temporary, target);
                return true;
            } catch (FileAlreadyExistsException e) {
                return false;
            } finally {
                Files.deleteIfExists(temporary);
            }
        } catch (NoSuchFileException e) {
            throw new CloudMwException(
                    ErrorCode.LOCAL_IO,
                    what + " " + file + ": there is no directory " + parent
                            + " (expected: the file, or a new name in a directory that exists)",
                    e);
        } catch (IOException e) {
            throw new CloudMwException(
                    ErrorCode.LOCAL_IO, what + " " + file + ": cannot be written: " + Reasons.of(e), e);
        }
    }

    private static void writeOwnerOnly(Path file, byte[] content) throws IOException {
        Set<OpenOption> options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try (FileChannel channel = FileChannel.open(file, options, ownerOnly(file, "rw-------"))) {
            ByteBuffer buffer = ByteBuffer.wrap(content);
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
            channel.force(true);
        }
    }

    private static boolean isPosix(Path file) {
        return file.getFileSystem().supportedFileAttributeViews().contains("posix");
    }
}
