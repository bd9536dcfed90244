package io.cloudmw.core.store.disk;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Brings files into the kernel's memory and no further, so that who sends them from there does not wait for a disk. From a file to
 * the null device the kernel moves references to pages: an eighth of the cost of copying them. Any thread.
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
     * @throws IOException where there is none
     */
    public static PageCache open() throws IOException {
        return new PageCache(FileChannel.open(NULL_DEVICE, StandardOpenOption.WRITE));
    }

    /**
     * Brings at most {@code length} bytes from {@code position} on. Blocks, until {@code file} is closed.
     *
     * @return how many it were; -1 at the end of the file
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
            // Nothing was written through it: there is nothing to lose, and no one to tell.
        }
    }
}
