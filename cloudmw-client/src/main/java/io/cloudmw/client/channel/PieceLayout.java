package io.cloudmw.client.channel;

import io.cloudmw.core.model.ByteRange;

/**
 * The cutting of a version into pieces of equal size, the last of which may be shorter.
 *
 * @param sizeBytes size of the version
 */
record PieceLayout(long sizeBytes) {
    /** The size of a piece. */
    static final int PIECE_BYTES = 256 << 10;

    /** The number of pieces. */
    long count() {
        return (sizeBytes + PIECE_BYTES - 1) / PIECE_BYTES;
    }

    /** The piece that has the byte at this position. */
    long indexOf(long position) {
        return position / PIECE_BYTES;
    }

    /** The bytes of a piece. */
    ByteRange range(long index) {
        long from = index * PIECE_BYTES;
        return new ByteRange(from, Math.min(PIECE_BYTES, sizeBytes - from));
    }
}
