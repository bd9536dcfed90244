package io.cloudmw.lab.torture.model;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The bytes of one version, written by one put and possibly overwritten in part by later edits. Each cell of {@value
 * #CELL} bytes encodes its write's number and its place in the file, masked by the seed. So the origin of any bytes can
 * be recognised. Immutable.
 */
public final class Content {
    static final int CELL = 16;

    private static final int WORD = Long.BYTES;
    private static final long FACTOR = 0x9E37_79B9_7F4A_7C15L;
    private static final long INVERSE = BigInteger.valueOf(FACTOR)
            .modInverse(BigInteger.ONE.shiftLeft(Long.SIZE))
            .longValue();

    private final long seed;
    private final List<Piece> pieces;

    /**
     * A part of the content that one write wrote. It begins where the piece before it ends.
     *
     * @param end the offset in the file at which it ends
     */
    private record Piece(long write, long end) {}

    private Content(long seed, List<Piece> pieces) {
        this.seed = seed;
        this.pieces = List.copyOf(pieces);
    }

    /**
     * Creates the content of one write.
     *
     * @param seed of the whole run
     * @param write the write's number, from 0
     */
    public Content(long seed, long write, long sizeBytes) {
        this(seed, List.of(new Piece(write, sizeBytes)));
        if (write < 0 || sizeBytes < 0) {
            throw new IllegalArgumentException("write " + write + ", size " + sizeBytes + " (expected: >= 0)");
        }
    }

    public long sizeBytes() {
        return pieces.get(pieces.size() - 1).end();
    }

    /**
     * Returns this content with a part overwritten by another write. The part may extend the content; {@code offset}
     * may equal the size.
     */
    public Content written(long write, long offset, long lengthBytes) {
        if (offset > sizeBytes()) {
            throw new IllegalArgumentException("offset: " + offset + " (expected: <= " + sizeBytes() + ")");
        }
        List<Piece> changed = new ArrayList<>(before(offset));
        changed.add(new Piece(write, offset + lengthBytes));
        pieces.stream().filter(piece -> piece.end() > offset + lengthBytes).forEach(changed::add);
        return new Content(seed, changed);
    }

    /** Returns the first bytes of this content. */
    public Content cutOff(long sizeBytes) {
        if (sizeBytes > sizeBytes()) {
            throw new IllegalArgumentException("size: " + sizeBytes + " (expected: <= " + sizeBytes() + ")");
        }
        List<Piece> first = before(sizeBytes);
        return new Content(
                seed, first.isEmpty() ? List.of(new Piece(pieces.get(0).write(), 0)) : first);
    }

    private List<Piece> before(long offset) {
        List<Piece> before = new ArrayList<>();
        long from = 0;
        for (Piece piece : pieces) {
            if (from < offset) {
                before.add(new Piece(piece.write(), Math.min(piece.end(), offset)));
            }
            from = piece.end();
        }
        return before;
    }

    private static long first(long seed, long write) {
        return ((write + 1) * FACTOR) ^ (seed * INVERSE);
    }

    private static long second(long first, long cell) {
        return ((cell + 1) * FACTOR) ^ Long.rotateLeft(first, 29);
    }

    /** Returns {@code length} bytes from {@code offset}; bytes past the end are zero. */
    public byte[] bytes(long offset, int length) {
        byte[] bytes = new byte[length];
        long at = offset;
        for (Piece piece : pieces) {
            long to = Math.min(piece.end(), offset + length);
            if (to > at) {
                fill(first(seed, piece.write()), at, bytes, (int) (at - offset), (int) (to - offset));
                at = to;
            }
        }
        return bytes;
    }

    private static void fill(long first, long offset, byte[] bytes, int from, int to) {
        long word = 0;
        long wordAt = -1;
        for (int i = from; i < to; i++) {
            long at = offset + i - from;
            if (at / WORD != wordAt) {
                wordAt = at / WORD;
                word = wordAt % 2 == 0 ? first : second(first, at / CELL);
            }
            bytes[i] = (byte) (word >>> ((at % WORD) * Byte.SIZE));
        }
    }

    /** Returns whether bytes read at {@code offset} equal this content. */
    public boolean matches(long offset, byte[] found) {
        return offset + found.length <= sizeBytes() && Arrays.equals(bytes(offset, found.length), found);
    }

    /** Describes the origin of bytes found at {@code offset}, in runs of whole cells, at most {@code runs} of them. */
    public static String attribution(long seed, long offset, byte[] found, int runs) {
        List<String> said = new ArrayList<>();
        int start = (int) (-offset & (CELL - 1));
        String last = "";
        long lastFrom = offset;
        for (int i = start; i + CELL <= found.length; i += CELL) {
            String owner = owner(seed, (offset + i) / CELL, word(found, i), word(found, i + WORD));
            if (!owner.equals(last)) {
                if (!last.isEmpty()) {
                    said.add("[" + lastFrom + ", " + (offset + i) + ") " + last);
                }
                last = owner;
                lastFrom = offset + i;
            }
            if (said.size() == runs) {
                return String.join("; ", said) + "; ...";
            }
        }
        if (!last.isEmpty()) {
            said.add("[" + lastFrom + ", " + (offset + found.length) + ") " + last);
        }
        return said.isEmpty() ? found.length + " bytes, too few to tell" : String.join("; ", said);
    }

    private static String owner(long seed, long cell, long first, long second) {
        long write = (first ^ (seed * INVERSE)) * INVERSE - 1;
        long itsCell = (second ^ Long.rotateLeft(first, 29)) * INVERSE - 1;
        if (write < 0 || write > Integer.MAX_VALUE || itsCell < 0 || itsCell > Integer.MAX_VALUE) {
            return "of no write";
        }
        return itsCell == cell
                ? "of write " + write
                : "of write " + write + " but from " + (itsCell - cell) * CELL + " bytes further on";
    }

    private static long word(byte[] bytes, int at) {
        long word = 0;
        for (int i = WORD - 1; i >= 0; i--) {
            word = (word << Byte.SIZE) | (bytes[at + i] & 0xFF);
        }
        return word;
    }

    @Override
    public String toString() {
        String writes = pieces.stream()
                .map(piece -> Long.toString(piece.write()))
                .distinct()
                .collect(Collectors.joining(" and "));
        return "write " + writes + ", " + sizeBytes() + " bytes";
    }
}
