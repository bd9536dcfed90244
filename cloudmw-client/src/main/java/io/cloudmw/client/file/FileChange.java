package io.cloudmw.client.file;

import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.file.FileVersion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A change of several parts of a file, made as one new version. Immutable.
 *
 * @param base the version that is changed, which must be current when the change is committed
 * @param sizeBytes size of the new version; a shorter file is cut, a longer one has zeros where {@code content} does
 * @param written the ranges that differ from the base, within the new version; may overlap
 * @param content the bytes of the new version
 */
public record FileChange(FileVersion base, long sizeBytes, List<ByteRange> written, Content content) {
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
