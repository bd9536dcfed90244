package io.cloudmw.core.store.disk;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The loader of files into the kernel's page cache, so that sending them does not wait for a disk. From a file to the
 * null device the kernel moves references to pages, which costs much less than copying them. Any thread.
 */
public final class PageCache implements Closeable {
    private static final Path NULL_DEVICE = Path.of("/dev/null");

    private final FileChannel nowhere;

    private PageCache(FileChannel nowhere) {
        this.nowhere = nowhere;
    }

    /**
     * Opens the null device.
     *
     * @throws IOException when there is none
     */
    public static PageCache open() throws IOException {
        return new PageCache(FileChannel.open(NULL_DEVICE, StandardOpenOption.WRITE));
    }

    /**
     * Loads at most {@code length} bytes from {@code position} on. Blocks, until {@code file} is closed.
     *
     * @return the number of bytes; -1 at the end of the file
     */
    public int load(FileChannel file, long position, int length) throws IOException {
        long moved = file.transferTo(position, length, nowhere);
        return moved == 0 ? -1 : (int) moved;
    }

    @Override
    public void close() {
        try {
            nowhere.close();
        } catch (IOException e) {
            // Nothing was written through it: a failure to close loses nothing.
        }
    }
}
