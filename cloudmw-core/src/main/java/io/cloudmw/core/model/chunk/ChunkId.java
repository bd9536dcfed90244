package io.cloudmw.core.model.chunk;

import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.VersionId;
import java.util.HexFormat;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The name of a chunk: the version that first wrote it, and its index there. Its text is {@code <version>-<index, 8
 * hexadecimal digits>}.
 *
 * <p>A chunk of a small file may be a <em>slice</em> of a larger stored chunk, a pack, that holds the bytes of several
 * files. Its text goes on with {@code -<offset>-<length>}, of 10 hexadecimal digits each. Stores keep whole chunks
 * only: {@link #stored} is the chunk that holds the slice, and {@link #inStored} the range there. All else treats a
 * slice as a chunk of its own, whose bytes begin at 0.
 *
 * @param slice the bytes of the stored chunk that this one consists of; empty: all of them
 */
public record ChunkId(VersionId version, long index, Optional<ByteRange> slice) {
    /** The largest index of a chunk in one version. */
    public static final long MAX_INDEX = 0xFFFF_FFFFL;

    /** The largest offset and length of a slice. */
    public static final long MAX_SLICE_END = 0xFF_FFFF_FFFFL;

    private static final int INDEX_DIGITS = 8;
    private static final int SLICE_DIGITS = 10;
    private static final int WHOLE_CHARS = 32 + 1 + INDEX_DIGITS;
    private static final int SLICE_CHARS = WHOLE_CHARS + 2 * (1 + SLICE_DIGITS);

    public ChunkId {
        if (index < 0 || index > MAX_INDEX) {
            throw new IllegalArgumentException("index: " + index + " (expected: 0.." + MAX_INDEX + ")");
        }
        if (slice.isPresent() && (slice.get().length() == 0 || slice.get().end() > MAX_SLICE_END)) {
            throw new IllegalArgumentException(
                    "slice: " + slice.get() + " (expected: some bytes, within " + MAX_SLICE_END + ")");
        }
    }

    /** A chunk that is stored as it is. */
    public ChunkId(VersionId version, long index) {
        this(version, index, Optional.empty());
    }

    /** The chunk that consists of these bytes of this stored chunk. */
    public ChunkId slice(ByteRange bytes) {
        if (slice.isPresent()) {
            throw new IllegalArgumentException("chunk " + this + " (expected: not a slice)");
        }
        return new ChunkId(version, index, Optional.of(bytes));
    }

    /** The chunk that stores keep: this one, or the one of which it is a slice. */
    public ChunkId stored() {
        return slice.isEmpty() ? this : new ChunkId(version, index);
    }

    /**
     * The place of a range of this chunk in the {@link #stored} one.
     *
     * @throws IllegalArgumentException when the range goes beyond the slice
     */
    public ByteRange inStored(ByteRange range) {
        if (slice.isEmpty()) {
            return range;
        }
        ByteRange bytes = slice.get();
        if (range.end() > bytes.length()) {
            throw new IllegalArgumentException(
                    "chunk " + this + ": range " + range + " (expected: within " + bytes.length() + " bytes)");
        }
        return new ByteRange(bytes.offset() + range.offset(), range.length());
    }

    /**
     * Reads what {@link #toString()} wrote.
     *
     * @throws IllegalArgumentException when it is not of that form
     */
    public static ChunkId parse(String text) {
        boolean whole = text.length() == WHOLE_CHARS;
        if ((!whole && text.length() != SLICE_CHARS) || text.charAt(32) != '-') {
            throw malformed(text, null);
        }
        ChunkId id;
        try {
            id = new ChunkId(
                    new VersionId(text.substring(0, 32)),
                    Long.parseLong(text.substring(33, WHOLE_CHARS), 16),
                    whole ? Optional.empty() : Optional.of(parseSlice(text)));
        } catch (NumberFormatException e) {
            throw malformed(text, e);
        }
        if (!id.toString().equals(text)) {
            throw malformed(text, null);
        }
        return id;
    }

    private static ByteRange parseSlice(String text) {
        int second = WHOLE_CHARS + 1 + SLICE_DIGITS;
        return new ByteRange(
                Long.parseLong(text.substring(WHOLE_CHARS + 1, second), 16),
                Long.parseLong(text.substring(second + 1), 16));
    }

    private static IllegalArgumentException malformed(String text, @Nullable NumberFormatException cause) {
        return new IllegalArgumentException(
                "chunk: \"" + text + "\" (expected: <32 hex>-<8 hex>, or a slice of it: -<10 hex>-<10 hex>)", cause);
    }

    @Override
    public String toString() {
        // Every request names its chunk: a formatter would cost more than the rest of the request.
        String whole = version.value() + "-" + HexFormat.of().toHexDigits(index, INDEX_DIGITS);
        if (slice.isEmpty()) {
            return whole;
        }
        ByteRange bytes = slice.get();
        HexFormat hex = HexFormat.of();
        return whole + "-" + hex.toHexDigits(bytes.offset(), SLICE_DIGITS) + "-"
                + hex.toHexDigits(bytes.length(), SLICE_DIGITS);
    }
}
