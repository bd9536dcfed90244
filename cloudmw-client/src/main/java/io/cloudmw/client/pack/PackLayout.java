package io.cloudmw.client.pack;

import io.cloudmw.core.model.ByteRange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The places of files in a pack, one after the other. A file that fills whole leaves begins with a leaf when that costs
 * little room, so that its leaves are those of the pack. Immutable.
 */
final class PackLayout {
    /** The room that may be left free before a file, as a part of its size. */
    private static final int MOST_PADDING = 16;

    private final long[] offsets;
    private final long[] sizes;
    private final long bytes;

    private PackLayout(long[] offsets, long[] sizes, long bytes) {
        this.offsets = offsets;
        this.sizes = sizes;
        this.bytes = bytes;
    }

    static PackLayout of(List<SmallPut> puts, int leafSizeBytes) {
        long[] sizes = puts.stream().mapToLong(SmallPut::sizeBytes).toArray();
        long[] offsets = new long[sizes.length];
        long end = 0;
        for (int i = 0; i < sizes.length; i++) {
            offsets[i] = end + padding(end, sizes[i], leafSizeBytes);
            end = offsets[i] + sizes[i];
        }
        return new PackLayout(offsets, sizes, end);
    }

    /** The length of a pack of so many bytes once a file of this size follows. */
    static long bytesWith(long bytes, long size, int leafSizeBytes) {
        return bytes + padding(bytes, size, leafSizeBytes) + size;
    }

    private static long padding(long end, long size, int leafSizeBytes) {
        long padding = (leafSizeBytes - end % leafSizeBytes) % leafSizeBytes;
        return size >= leafSizeBytes && padding <= size / MOST_PADDING ? padding : 0;
    }

    /** The length of the pack. */
    long bytes() {
        return bytes;
    }

    /** The place of a file; empty: it has no bytes. */
    ByteRange range(int file) {
        return new ByteRange(offsets[file], sizes[file]);
    }

    /** The files, by number, that have bytes in this range, in order. */
    List<Integer> files(ByteRange range) {
        int at = Arrays.binarySearch(offsets, range.offset());
        int first = at >= 0 ? at : Math.max(0, -at - 2);
        while (first > 0 && offsets[first - 1] == offsets[first]) {
            first--;
        }
        List<Integer> found = new ArrayList<>();
        for (int i = first; i < offsets.length && offsets[i] < range.end(); i++) {
            if (sizes[i] > 0 && offsets[i] + sizes[i] > range.offset()) {
                found.add(i);
            }
        }
        return found;
    }
}
