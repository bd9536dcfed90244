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
 * Room on the disk for bytes on their way, readable by this user only. Where the system can, the file loses its name as
 * soon as it is made, so nothing is left however this process ends; elsewhere it is deleted when it is closed.
 */
public final class UnlinkedFile {
    private static final Set<OpenOption> NEW = Set.of(
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            StandardOpenOption.DELETE_ON_CLOSE);

    private UnlinkedFile() {}

    /** A new, empty one in the temporary directory; the caller closes it. */
    public static FileChannel open() throws IOException {
        return open(Path.of(System.getProperty("java.io.tmpdir", "."), "cloudmw-" + UUID.randomUUID() + ".part"));
    }

    /**
     * A new, empty one; the caller closes it. Made in one step: there is no moment in which a failure would leave a file.
     *
     * @param path its name as long as it has one; there must be nothing yet
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
