package io.cloudmw.client.file;

import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.VersionPart;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.List;

/**
 * A change of several parts of a file, made as one new version. Immutable.
 *
 * @param base the version that is changed, which must be current when the change is committed
 * @param sizeBytes size of the new version; a shorter file is cut, a longer one has zeros where {@code content} does
 * @param written the ranges that differ from the base, within the new version; may overlap
 * @param content the bytes of the new version
 * @param parts versions of other files of the volume whose bytes the new version has in written ranges: in order,
 *     without overlaps, at most {@value VersionPart#MAX_PARTS}. The new version shares their chunks where both are cut
 *     alike and the position is a multiple of the chunk size; other bytes of theirs are written. A part that is shared
 *     must be current when the change is committed, or the change fails with {@code CONFLICT}.
 */
public record FileChange(FileVersion base, long sizeBytes, List<ByteRange> written, Content content, List<Part> parts) {
    public FileChange {
        if (sizeBytes < 0) {
            throw new IllegalArgumentException("sizeBytes: " + sizeBytes + " (expected: >= 0)");
        }
        written = List.copyOf(written);
        for (ByteRange range : written) {
            if (range.end() > sizeBytes) {
                throw new IllegalArgumentException(
                        "written: " + range + " (expected: within the new size, " + sizeBytes + ")");
            }
        }
        parts = List.copyOf(parts);
        check(base, written, parts);
    }

    /** A change that shares chunks with the base alone. */
    public FileChange(FileVersion base, long sizeBytes, List<ByteRange> written, Content content) {
        this(base, sizeBytes, written, content, List.of());
    }

    private static void check(FileVersion base, List<ByteRange> written, List<Part> parts) {
        if (parts.size() > VersionPart.MAX_PARTS) {
            throw new IllegalArgumentException("parts: " + parts.size() + " (expected: <= " + VersionPart.MAX_PARTS
                    + "; give the others to a change of the new version)");
        }
        long end = 0;
        for (Part part : parts) {
            if (!part.version().file().volume().equals(base.file().volume())) {
                throw new IllegalArgumentException("part: " + part.version().file() + " (expected: in volume "
                        + base.file().volume() + ")");
            }
            if (part.positionBytes() < end) {
                throw new IllegalArgumentException(
                        "part: " + part.range() + " (expected: at " + end + " or behind, in order)");
            }
            end = part.range().end();
            if (!isCovered(part.range(), written)) {
                throw new IllegalArgumentException("part: " + part.range() + " (expected: within written ranges)");
            }
        }
    }

    private static boolean isCovered(ByteRange range, List<ByteRange> written) {
        long covered = range.offset();
        for (ByteRange some : written.stream()
                .sorted(Comparator.comparingLong(ByteRange::offset))
                .toList()) {
            if (some.offset() <= covered) {
                covered = Math.max(covered, some.end());
            }
        }
        return covered >= range.end();
    }

    /**
     * The bytes of another version in the new one.
     *
     * @param positionBytes the place of its first byte in the new version
     */
    public record Part(FileVersion version, long positionBytes) {
        public Part {
            if (positionBytes < 0 || positionBytes > Long.MAX_VALUE - version.sizeBytes()) {
                throw new IllegalArgumentException("positionBytes: " + positionBytes + " (expected: >= 0)");
            }
        }

        /** The bytes of the new version that are those of the part. */
        public ByteRange range() {
            return new ByteRange(positionBytes, version.sizeBytes());
        }
    }

    /**
     * The bytes of a new version. They are asked for chunk by chunk, for changed chunks only, and may be asked for again.
     * Called by threads of the client, which may block.
     */
    @FunctionalInterface
    public interface Content {
        /**
         * Fills a buffer with bytes of the new version.
         *
         * @param position of the first byte
         * @param target belongs to the call until it returns
         * @throws IOException to fail the change with {@code LOCAL_IO}
         */
        void read(ByteBuffer target, long position) throws IOException;
    }
}
