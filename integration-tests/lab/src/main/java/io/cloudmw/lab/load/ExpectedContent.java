package io.cloudmw.lab.load;

import io.cloudmw.lab.torture.model.Content;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.Arrays;
import java.util.Optional;

/**
 * A channel that compares a stream of bytes with what a read must deliver. The content depends on the position, so a
 * byte that comes twice or not at all makes a difference. Confined to one thread at a time.
 */
final class ExpectedContent implements WritableByteChannel {
    private static final int SHOWN_RUNS = 4;

    private final long seed;
    private final byte[] expected;
    private final long offset;
    private int received;
    private Optional<String> difference = Optional.empty();

    /**
     * Creates a channel for a part of a file.
     *
     * @param seed of the contents of the load
     */
    ExpectedContent(long seed, Content content, long offset, int length) {
        this.seed = seed;
        this.expected = content.bytes(offset, length);
        this.offset = offset;
    }

    @Override
    public int write(ByteBuffer source) {
        byte[] piece = new byte[source.remaining()];
        source.get(piece);
        if (difference.isEmpty()) {
            difference = compare(piece);
        }
        received += piece.length;
        return piece.length;
    }

    private Optional<String> compare(byte[] piece) {
        if (received + piece.length > expected.length) {
            return Optional.of("more bytes than the " + expected.length + " that were asked for");
        }
        int at = Arrays.mismatch(expected, received, received + piece.length, piece, 0, piece.length);
        return at < 0
                ? Optional.empty()
                : Optional.of("wrong byte at offset " + (offset + received + at) + ": "
                        + Content.attribution(seed, offset + received, piece, SHOWN_RUNS));
    }

    /** Returns the first difference between the received and the expected bytes; empty if there is none. */
    Optional<String> difference() {
        return difference.isEmpty() && received < expected.length
                ? Optional.of(received + " bytes instead of " + expected.length)
                : difference;
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public void close() {}
}
