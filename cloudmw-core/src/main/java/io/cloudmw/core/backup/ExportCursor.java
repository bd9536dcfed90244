package io.cloudmw.core.backup;

import java.util.List;

/**
 * Where an export goes on: nothing else is remembered of it.
 *
 * @param position changes up to here are exported once the places are
 * @param places still to be looked at, the last one first
 * @param rounds how many lists of changes were looked at
 */
public record ExportCursor(long position, List<ExportPlace> places, int rounds) {
    public ExportCursor {
        places = List.copyOf(places);
        if (position < 0 || rounds < 0) {
            throw new IllegalArgumentException("position " + position + ", rounds " + rounds + " (expected: >= 0)");
        }
    }
}
