package io.cloudmw.coordinator.catalog.change;

import io.cloudmw.core.model.file.Change;
import java.util.List;

/**
 * A page of a {@link ChangeLog}.
 *
 * @param items consecutive changes, from the one after the requested position
 * @param known false: the changes after that position were dropped, or the position was never reached; then there are
 *     no items
 * @param position of the volume's last change
 */
public record ChangePage(List<Change> items, boolean known, long position) {
    public ChangePage {
        items = List.copyOf(items);
    }

    /** Returns the page of the changes found after a position, in order, given the volume's position at that moment. */
    public static ChangePage found(long after, List<Change> items, long position) {
        boolean known = items.isEmpty() ? after == position : items.get(0).position() == after + 1;
        return new ChangePage(known ? items : List.of(), known, position);
    }
}
