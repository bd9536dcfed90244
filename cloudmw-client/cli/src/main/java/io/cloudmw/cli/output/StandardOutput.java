package io.cloudmw.cli.output;

import java.io.BufferedOutputStream;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The standard output of a command, buffered in large blocks. It notices when its reader stops, which is no error:
 * {@code cloudmw cat vol:/big | head}. Safe for any thread.
 */
public final class StandardOutput extends PrintStream {
    private static final int BUFFER_BYTES = 64 << 10;

    private final Descriptor descriptor;
    /** True when the last bytes written are those of a file: JSON must then begin on a new line. */
    private volatile boolean midFile;

    public StandardOutput(OutputStream to) {
        this(new Descriptor(to));
    }

    private StandardOutput(Descriptor descriptor) {
        super(new BufferedOutputStream(descriptor, BUFFER_BYTES), false, StandardCharsets.UTF_8);
        this.descriptor = descriptor;
    }

    /** Returns whether the reader of this output has stopped reading. */
    public boolean abandoned() {
        return descriptor.abandoned;
    }

    /**
     * Fails unless everything printed so far was written.
     *
     * @throws IOException the failure of the system
     */
    public void requireWritten() throws IOException {
        boolean failed = checkError();
        IOException failure = descriptor.failure;
        if (failed || failure != null) {
            throw failure == null ? new IOException("it was closed") : failure;
        }
    }

    /** Prints one object on a line of its own, after a line feed when the bytes of a file come before it. */
    public void printJson(Map<String, ?> object) {
        if (midFile) {
            println();
            midFile = false;
        }
        println(Json.line(object));
    }

    /**
     * Returns a channel for the bytes of a file, which go to a descriptor of the system without a copy in between.
     * Unlike the methods of {@link PrintStream}, its writes fail once the output cannot be written.
     */
    public WritableByteChannel channel() {
        WritableByteChannel all = descriptor.direct().orElseGet(() -> Channels.newChannel(this));
        return LocalPaths.named("standard output", new WritableByteChannel() {
            @Override
            public int write(ByteBuffer bytes) throws IOException {
                midFile |= bytes.hasRemaining();
                requireWritten(); // what was printed comes first
                int written = all.write(bytes);
                requireWritten();
                return written;
            }

            @Override
            public boolean isOpen() {
                return all.isOpen();
            }

            @Override
            public void close() {
                StandardOutput.this.close();
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
                throw failed(e);
            }
        }

        /** A channel to the same descriptor, if the system has one. */
        Optional<WritableByteChannel> direct() {
            return out instanceof FileOutputStream file ? Optional.of(new Direct(file.getChannel())) : Optional.empty();
        }

        private IOException failed(IOException e) {
            // The JDK has no exception type for EPIPE, only this message.
            abandoned |= "Broken pipe".equals(e.getMessage());
            failure = e;
            return e;
        }

        /** A channel whose failures are the descriptor's. */
        private final class Direct implements WritableByteChannel {
            private final WritableByteChannel channel;

            Direct(WritableByteChannel channel) {
                this.channel = channel;
            }

            @Override
            public int write(ByteBuffer bytes) throws IOException {
                try {
                    return channel.write(bytes);
                } catch (IOException e) {
                    throw failed(e);
                }
            }

            @Override
            public boolean isOpen() {
                return channel.isOpen();
            }

            @Override
            public void close() throws IOException {
                channel.close();
            }
        }
    }
}
