package io.cloudmw.hadoop;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.VersionInfo;

/** A program that knows Hadoop alone: it writes, renames, reads, lists and removes a file. */
final class ShadedProgram {
    private ShadedProgram() {}

    public static void main(String[] arguments)
            throws IOException, ReflectiveOperationException, ExecutionException, InterruptedException {
        Path directory = new Path(arguments[0]);
        PrintStream out = System.out;
        out.println("hadoop: " + VersionInfo.getVersion());
        try (FileSystem files = FileSystem.newInstance(directory.toUri(), new Configuration())) {
            Path file = new Path(directory, "part/file");
            try (FSDataOutputStream stream = files.create(new Path(directory, "part/new"))) {
                stream.write(new byte[1 << 20]);
            }
            if (!files.rename(new Path(directory, "part/new"), file)) {
                throw new IOException(file + ": was not renamed");
            }
            try (FSDataInputStream stream = files.open(file)) {
                out.printf(Locale.ROOT, "read: %d%n", stream.readAllBytes().length);
            }
            try (FSDataInputStream stream = files.openFile(file)
                    .opt("fs.option.openfile.read.policy", "vector")
                    .build()
                    .get()) {
                List<FileRange> ranges =
                        List.of(FileRange.createFileRange(0, 100), FileRange.createFileRange(1 << 19, 200));
                stream.readVectored(ranges, ByteBuffer::allocate);
                out.printf(
                        Locale.ROOT,
                        "ranges: %d %d%n",
                        ranges.get(0).getData().get().remaining(),
                        ranges.get(1).getData().get().remaining());
            }
            out.println("listed: " + files.listStatus(new Path(directory, "part")).length);
            if (!files.delete(directory, true)) {
                throw new IOException(directory + ": was not deleted");
            }
        }
        Class<?> epoll = Class.forName("io.cloudmw.hadoop.shaded.io.netty.channel.epoll.Epoll");
        out.println("epoll: " + epoll.getMethod("isAvailable").invoke(null));
    }
}
