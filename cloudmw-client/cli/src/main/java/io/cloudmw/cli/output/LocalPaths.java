package io.cloudmw.cli.output;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** Functions for paths and streams of the local machine. */
public final class LocalPaths {
    private LocalPaths() {}

    /** Returns whether the path is a pipe or a device. Such a path has no length, and a get must not replace it. */
    public static boolean isSpecial(Path path) {
        return Files.exists(path) && !Files.isRegularFile(path) && !Files.isDirectory(path);
    }

    public static CloudMwException failed(Object path, String what, IOException e) {
        return new CloudMwException(ErrorCode.LOCAL_IO, path + ": cannot " + what + " it: " + Reasons.of(e), e);
    }

    /** Returns a view of the stream whose failures contain its name. */
    public static InputStream named(Object name, InputStream in) {
        return new FilterInputStream(in) {
            @Override
            public int read() throws IOException {
                try {
                    return super.read();
                } catch (IOException e) {
                    throw failed(name, "read", e);
                }
            }

            @Override
            public int read(byte[] into, int offset, int length) throws IOException {
                try {
                    return super.read(into, offset, length);
                } catch (IOException e) {
                    throw failed(name, "read", e);
                }
            }
        };
    }

    /** Returns a view of the channel whose failures contain its name. */
    public static WritableByteChannel named(Object name, WritableByteChannel out) {
        return new WritableByteChannel() {
            @Override
            public int write(ByteBuffer bytes) throws IOException {
                try {
                    return out.write(bytes);
                } catch (IOException e) {
                    throw failed(name, "write to", e);
                }
            }

            @Override
            public boolean isOpen() {
                return out.isOpen();
            }

            @Override
            public void close() throws IOException {
                out.close();
            }
        };
    }
}
