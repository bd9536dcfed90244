package io.cloudmw.it;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.CloudMwOptions;
import io.cloudmw.client.channel.ChannelOptions;
import io.cloudmw.client.channel.FileChannels;
import io.cloudmw.core.model.FilePath;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * A process with many open channels: {@code <coordinator> <file> <count> <expected>} opens one file {@code count} times
 * and reads all channels in turn, to the end of the file. Compares each piece with {@code expected}, and exits with 0 if
 * all are equal and no more is kept than the options of the channels allow.
 */
final class ManyChannels {
    private static final int PIECE_BYTES = 64 << 10;

    private ManyChannels() {}

    public static void main(String[] arguments) throws Exception {
        FilePath file = FilePath.parse(arguments[1]);
        int count = Integer.parseInt(arguments[2]);
        ChannelOptions options = ChannelOptions.defaults();
        try (CloudMw client = CloudMw.connect(CloudMwOptions.of(arguments[0]));
                FileChannels channels = FileChannels.of(client, options);
                FileChannel expected = FileChannel.open(Path.of(arguments[3]), StandardOpenOption.READ)) {
            List<FileChannel> open = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                open.add(channels.open(file, Set.of(StandardOpenOption.READ)));
            }
            ByteBuffer wanted = ByteBuffer.allocate(PIECE_BYTES);
            ByteBuffer read = ByteBuffer.allocate(PIECE_BYTES);
            for (long at = 0; at < expected.size(); at += PIECE_BYTES) {
                int length = expected.read(wanted.clear(), at);
                wanted.flip();
                for (FileChannel channel : open) {
                    if (channel.read(read.clear()) != length || !read.flip().equals(wanted)) {
                        throw new AssertionError(file + " differs from " + arguments[3] + " at " + at);
                    }
                }
                if (channels.bufferedBytes() > options.memoryBytes()) {
                    throw new AssertionError(
                            channels.bufferedBytes() + " bytes are kept (expected: <= " + options.memoryBytes() + ")");
                }
            }
            for (FileChannel channel : open) {
                channel.close();
            }
        }
    }
}
