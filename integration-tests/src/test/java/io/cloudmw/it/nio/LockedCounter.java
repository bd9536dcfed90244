package io.cloudmw.it.nio;

import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A process that counts in a file: {@code <uri of the file> <count>} increments the number in the file as often, each time
 * under a lock, through one channel. Knows nothing but the JDK.
 */
final class LockedCounter {
    private LockedCounter() {}

    public static void main(String[] arguments) throws IOException {
        Path file = Path.of(URI.create(arguments[0]));
        count(file, Integer.parseInt(arguments[1]));
        if (!file.getFileSystem().equals(java.nio.file.FileSystems.getDefault())) {
            file.getFileSystem().close();
        }
    }

    static void count(Path file, int times) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE)) {
            for (int i = 0; i < times; i++) {
                try (FileLock lock = channel.lock()) {
                    ByteBuffer number = ByteBuffer.allocate(Long.BYTES);
                    int read = channel.read(number, 0);
                    long before = read == Long.BYTES && lock.isValid() ? number.getLong(0) : 0;
                    number.clear().putLong(0, before + 1);
                    channel.write(number, 0);
                }
            }
        }
    }
}
