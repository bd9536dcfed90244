package io.cloudmw.client.edit;

import io.cloudmw.client.write.PutSource;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.model.ByteRange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The source of an edited file: new bytes come from the caller's source, unchanged bytes of the same chunks from a
 * temporary file. The put asks for nothing else. Closes neither.
 */
final class EditedSource implements PutSource {
    private final PutSource source;
    private final FileChannel kept;
    private final long size;
    private final ByteRange before;
    private final ByteRange written;

    /**
     * @param kept the unchanged bytes before the written range, from the file's offset {@code before} on, then those
     *     after it
     * @param size of the whole file
     * @param written the range that takes the bytes of {@code source}
     */
    EditedSource(PutSource source, FileChannel kept, long size, ByteRange before, ByteRange written) {
        this.source = source;
        this.kept = kept;
        this.size = size;
        this.before = before;
        this.written = written;
    }

    @Override
    public OptionalLong open() {
        return OptionalLong.of(size);
    }

    @Override
    public long measure() {
        return size;
    }

    @Override
    public boolean isStream() {
        return source.isStream();
    }

    @Override
    public Part part(ByteRange range) throws CloudMwException {
        long from = Math.max(range.offset(), written.offset());
        long to = Math.min(range.end(), written.end());
        ByteRange fresh = new ByteRange(from, Math.max(0, to - from));
        return fresh.isEmpty()
                ? new Mixed(range, fresh, null)
                : new Mixed(range, fresh, source.part(new ByteRange(from - written.offset(), fresh.length())));
    }

    @Override
    public void checkUnchanged() throws CloudMwException {
        source.checkUnchanged();
    }

    @Override
    public void close() {}

    /** A chunk of kept, written, and again kept bytes. */
    private final class Mixed implements Part {
        private final ByteRange range;
        private final ByteRange fresh;
        private final @Nullable Part part;

        Mixed(ByteRange range, ByteRange fresh, @Nullable Part part) {
            this.range = range;
            this.fresh = fresh;
            this.part = part;
        }

        @Override
        public long length() {
            return range.length();
        }

        @Override
        public void read(long offset, ByteBuffer target) throws CloudMwException {
            long at = range.offset() + offset;
            int limit = target.limit();
            while (target.hasRemaining()) {
                long end = at < fresh.offset() ? fresh.offset() : at < fresh.end() ? fresh.end() : range.end();
                target.limit((int) Math.min(limit, target.position() + end - at));
                int step = target.remaining();
                if (part != null && at >= fresh.offset() && at < fresh.end()) {
                    part.read(at - fresh.offset(), target);
                } else {
                    readKept(at, target);
                }
                at += step;
                target.limit(limit);
            }
        }

        @Override
        public void close() {
            if (part != null) {
                part.close();
            }
        }
    }

    private void readKept(long offset, ByteBuffer target) throws CloudMwException {
        long at = offset < written.offset() ? offset - before.offset() : before.length() + offset - written.end();
        try {
            while (target.hasRemaining()) {
                int read = kept.read(target, at);
                if (read < 0) {
                    throw new IOException("temporary file ends at " + at);
                }
                at += read;
            }
        } catch (IOException e) {
            throw new CloudMwException(ErrorCode.LOCAL_IO, "temporary file: cannot read it: " + Reasons.of(e), e);
        }
    }
}
