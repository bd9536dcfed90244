package io.cloudmw.client.pack;

import io.cloudmw.client.write.PutSource;
import io.cloudmw.core.chunk.ChunkDigester;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.chunk.LeafDigests;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A source of the bytes of a pack: those of its files, one after the other. It keeps one file in memory at a time. A
 * file that cannot be read, or has changed, leaves a gap of zeros and fails alone; the only file of a batch fails the
 * batch. Read by one thread at a time.
 */
final class PackSource implements PutSource {
    private final List<SmallPut> puts;
    private final PackLayout layout;
    private final int leafSizeBytes;

    /** The digests of each file that was read; null: it was not, or failed. */
    private final List<@Nullable LeafDigests> digests;

    private final List<@Nullable CloudMwException> failures;
    private int kept = -1;
    private ByteBuffer content = ByteBuffer.allocate(0);

    PackSource(List<SmallPut> puts, PackLayout layout, int leafSizeBytes) {
        this.puts = puts;
        this.layout = layout;
        this.leafSizeBytes = leafSizeBytes;
        digests = new ArrayList<>(Collections.nCopies(puts.size(), null));
        failures = new ArrayList<>(Collections.nCopies(puts.size(), null));
    }

    @Override
    public OptionalLong open() {
        return OptionalLong.of(layout.bytes());
    }

    @Override
    public long measure() {
        return layout.bytes();
    }

    @Override
    public boolean isStream() {
        return false;
    }

    @Override
    public Part part(ByteRange range) {
        return Part.of(range, this::read);
    }

    private void read(long offset, ByteBuffer target) throws CloudMwException {
        ByteRange wanted = new ByteRange(offset, target.remaining());
        int start = target.position();
        for (int file : layout.files(wanted)) {
            ByteRange place = layout.range(file);
            zeros(target, start + (int) Math.max(0, place.offset() - offset));
            ByteBuffer bytes = content(file);
            long from = Math.max(place.offset(), offset);
            int count = (int) (Math.min(place.end(), wanted.end()) - from);
            target.put(bytes.slice((int) (from - place.offset()), count));
        }
        zeros(target, target.limit());
    }

    private static void zeros(ByteBuffer target, int until) {
        while (target.position() < until) {
            target.put((byte) 0);
        }
    }

    /** The bytes of a file; zeros, if it failed. */
    private ByteBuffer content(int file) throws CloudMwException {
        if (kept != file) {
            int size = (int) layout.range(file).length();
            ByteBuffer room = ByteBuffer.allocate(size);
            if (failures.get(file) == null) {
                load(file, room);
            }
            content = room.clear();
            kept = file;
        }
        return content;
    }

    /**
     * Reads a file. In a further try its bytes must be those of the first.
     *
     * @throws CloudMwException {@code LOCAL_IO} when they are not: the pack cannot be sent again
     */
    private void load(int file, ByteBuffer room) throws CloudMwException {
        LeafDigests before = digests.get(file);
        try {
            puts.get(file).source().read(room);
            LeafDigests now = ChunkDigester.digest(room.duplicate().flip(), leafSizeBytes);
            if (before != null && !before.equals(now)) {
                throw new CloudMwException(ErrorCode.LOCAL_IO, puts.get(file).source() + ": changed while it was read");
            }
            digests.set(file, now);
        } catch (CloudMwException e) {
            if (before != null || puts.size() == 1) {
                throw e;
            }
            failures.set(file, e);
            room.clear();
            zeros(room, room.limit());
        }
    }

    /** The digests of a file's bytes, once the pack was sent; empty: the file failed. */
    Optional<LeafDigests> digests(int file) {
        return failures.get(file) == null ? Optional.ofNullable(digests.get(file)) : Optional.empty();
    }

    /** The failure of a file; empty: it was read. */
    Optional<CloudMwException> failure(int file) {
        return Optional.ofNullable(failures.get(file));
    }

    @Override
    public void checkUnchanged() {}

    @Override
    public void close() {}
}
