package io.cloudmw.coordinator.catalog;

import io.cloudmw.core.model.file.Change;
import java.util.List;

/**
 * A piece of a {@link ChangeLog}.
 *
 * @param items one after the other, from the one that follows the position that was asked for
 * @param known false: what follows that position is no longer kept, or that position was never reached; then there are no items
 * @param position of the volume's last change
 */
public record Changes(List<Change> items, boolean known, long position) {
    public Changes {
        items = List.copyOf(items);
    }

    /** Made of what was found after a position, in order, and the volume's position at that moment. */
    public static Changes found(long after, List<Change> items, long position) {
        boolean known = items.isEmpty() ? after == position : items.get(0).position() == after + 1;
        return new Changes(known ? items : List.of(), known, position);
    }
}
