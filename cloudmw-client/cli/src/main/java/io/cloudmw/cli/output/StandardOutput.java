package io.cloudmw.cli.output;

import java.io.BufferedOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The buffered output of a command: large cats need no line buffering. Knows when its reader went away, which is
 * nobody's mistake: {@code cloudmw cat vol:/big | head}. Safe for any thread.
 */
public final class StandardOutput extends PrintStream {
    private static final int BUFFER_BYTES = 64 << 10;

    private final Descriptor descriptor;
    /** Whether a file's bytes are the last that was written: nothing may be glued to them. */
    private volatile boolean midFile;

    public StandardOutput(OutputStream to) {
        this(new Descriptor(to));
    }

    private StandardOutput(Descriptor descriptor) {
        super(new BufferedOutputStream(descriptor, BUFFER_BYTES), false, StandardCharsets.UTF_8);
        this.descriptor = descriptor;
    }

    /** Whether whoever read this has stopped reading. */
    public boolean abandoned() {
        return descriptor.abandoned;
    }

    /**
     * Everything printed so far has been written.
     *
     * @throws IOException as the system said, if something could not be
     */
    public void requireWritten() throws IOException {
        if (checkError()) {
            IOException failure = descriptor.failure;
            throw failure == null ? new IOException("it was closed") : failure;
        }
    }

    /** Prints one object on a line of its own, also after the bytes of a file: a line feed stands between them. */
    public void printJson(Map<String, ?> object) {
        if (midFile) {
            println();
            midFile = false;
        }
        println(Json.line(object));
    }

    /** For a file's bytes: unlike the methods of a {@link PrintStream}, writing fails when nothing can be written any more. */
    public WritableByteChannel channel() {
        WritableByteChannel all = Channels.newChannel(this);
        return LocalPaths.named("standard output", new WritableByteChannel() {
            @Override
            public int write(ByteBuffer bytes) throws IOException {
                midFile |= bytes.hasRemaining();
                int written = all.write(bytes);
                requireWritten();
                return written;
            }

            @Override
            public boolean isOpen() {
                return all.isOpen();
            }

            @Override
            public void close() throws IOException {
                all.close();
            }
        });
    }

    private static final class Descriptor extends FilterOutputStream {
        private volatile boolean abandoned;
        private volatile @Nullable IOException failure;

        Descriptor(OutputStream to) {
            super(to);
        }

        @Override
        public void write(int value) throws IOException {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int count) throws IOException {
            try {
                out.write(bytes, from, count);
            } catch (IOException e) {
                // What EPIPE is called: there is no exception of its own.
                abandoned |= "Broken pipe".equals(e.getMessage());
                failure = e;
                throw e;
            }
        }
    }
}
