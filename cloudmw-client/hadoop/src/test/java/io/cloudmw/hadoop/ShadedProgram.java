package io.cloudmw.hadoop;

import java.io.IOException;
import java.io.PrintStream;
import java.util.Locale;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** A program that knows Hadoop alone: it writes and reads a file. */
final class ShadedProgram {
    private ShadedProgram() {}

    public static void main(String[] arguments) throws IOException, ReflectiveOperationException {
        Path file = new Path(arguments[0]);
        PrintStream out = System.out;
        try (FileSystem files = FileSystem.newInstance(file.toUri(), new Configuration())) {
            try (FSDataOutputStream stream = files.create(file)) {
                stream.write(new byte[1 << 20]);
            }
            try (FSDataInputStream stream = files.open(file)) {
                out.printf(Locale.ROOT, "read: %d%n", stream.readAllBytes().length);
            }
        }
        Class<?> epoll = Class.forName("io.cloudmw.hadoop.shaded.io.netty.channel.epoll.Epoll");
        out.println("epoll: " + epoll.getMethod("isAvailable").invoke(null));
    }
}
