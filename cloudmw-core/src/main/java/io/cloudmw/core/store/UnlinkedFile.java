package io.cloudmw.core.store;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.UUID;

/**
 * A temporary file for bytes in transfer, readable by this user only. Where the system allows it, the file loses its
 * name as soon as it is created, so that no end of the process leaves it behind. Elsewhere it is deleted when it is
 * closed.
 */
public final class UnlinkedFile {
    private static final Set<OpenOption> NEW = Set.of(
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            StandardOpenOption.DELETE_ON_CLOSE);

    private UnlinkedFile() {}

    /** Creates an empty one in the temporary directory; the caller closes it. */
    public static FileChannel open() throws IOException {
        return open(Path.of(System.getProperty("java.io.tmpdir", "."), "cloudmw-" + UUID.randomUUID() + ".part"));
    }

    /**
     * Creates an empty one in one step, so that no failure leaves a file; the caller closes it.
     *
     * @param path its name while it has one; there must be no file yet
     */
    public static FileChannel open(Path path) throws IOException {
        boolean posix = path.getFileSystem().supportedFileAttributeViews().contains("posix");
        FileAttribute<?>[] ownerOnly = posix
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
                }
                : new FileAttribute<?>[0];
        return FileChannel.open(path, NEW, ownerOnly);
    }
}
