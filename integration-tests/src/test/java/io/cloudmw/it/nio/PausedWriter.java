package io.cloudmw.it.nio;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.channel.ChannelOptions;
import io.cloudmw.client.channel.FileChannels;
import io.cloudmw.core.model.FilePath;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Set;

/**
 * A process that writes under a lock: {@code <coordinator> <file> <term in seconds>} locks the file, writes, says
 * {@code locked}, waits for a line of input, closes the channel and says how that ended.
 */
final class PausedWriter {
    private PausedWriter() {}

    public static void main(String[] arguments) throws IOException {
        ChannelOptions options =
                ChannelOptions.defaults().withLockTerm(Duration.ofSeconds(Long.parseLong(arguments[2])));
        try (CloudMw client = CloudMw.connect(arguments[0]);
                FileChannels channels = FileChannels.of(client, options)) {
            FileChannel channel = channels.open(
                    FilePath.parse(arguments[1]),
                    Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE));
            FileLock lock = channel.lock();
            channel.write(ByteBuffer.wrap("of the paused".getBytes(StandardCharsets.UTF_8)), 0);
            System.out.println("locked");
            int unused = System.in.read();
            System.out.println("valid: " + lock.isValid());
            try {
                channel.close();
                System.out.println("closed");
            } catch (IOException e) {
                System.out.println("failed: " + e);
            }
        }
    }
}
