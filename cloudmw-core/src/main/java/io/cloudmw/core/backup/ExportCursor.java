package io.cloudmw.core.backup;

import java.util.List;

/**
 * The complete state of an export between two pieces.
 *
 * @param position the position up to which changes are exported when the places are done
 * @param places still to be read, the last one first
 * @param rounds how many pages of the log were read
 */
public record ExportCursor(long position, List<ExportPlace> places, int rounds) {
    public ExportCursor {
        places = List.copyOf(places);
        if (position < 0 || rounds < 0) {
            throw new IllegalArgumentException("position " + position + ", rounds " + rounds + " (expected: >= 0)");
        }
    }
}
