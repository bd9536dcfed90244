package io.cloudmw.core.monitor;

import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * What a transfer may expect of its stores. Immutable. Where nothing is known of exactly the reader, store and size
 * asked for, what is known of something near is given: first the same reader and store at another size, then the store
 * whoever reads it, at last {@link ExpectedSpeed#DEFAULT}.
 */
public final class SpeedBook {
    /** A book has no more lines: 16 helpers, 16 stores, 4 sizes. */
    public static final int MAX_ENTRIES = 1024;

    /** Nothing known. */
    public static final SpeedBook EMPTY = new SpeedBook(List.of());

    private record Line(Optional<HelperId> reader, SpeedKey key) {}

    private final List<SpeedEntry> entries;
    private final Map<Line, ExpectedSpeed> lines = new HashMap<>();

    /** The first {@value #MAX_ENTRIES} of these; of two for the same, the later. */
    public SpeedBook(List<SpeedEntry> entries) {
        this.entries = List.copyOf(entries.subList(0, Math.min(entries.size(), MAX_ENTRIES)));
        this.entries.forEach(entry -> lines.put(new Line(entry.reader(), entry.key()), entry.speed()));
    }

    public List<SpeedEntry> entries() {
        return entries;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SpeedBook that && entries.equals(that.entries);
    }

    @Override
    public int hashCode() {
        return entries.hashCode();
    }

    @Override
    public String toString() {
        return entries.toString();
    }

    /** What {@code reader} may expect of reads of {@code bytes} from {@code store}. */
    public ExpectedSpeed of(HelperId reader, StoreId store, long bytes) {
        return find(Optional.of(reader), store, SizeClass.of(bytes))
                .or(() -> find(Optional.empty(), store, SizeClass.of(bytes)))
                .orElse(ExpectedSpeed.DEFAULT);
    }

    /** What anybody may expect. */
    public ExpectedSpeed of(StoreId store, long bytes) {
        return find(Optional.empty(), store, SizeClass.of(bytes)).orElse(ExpectedSpeed.DEFAULT);
    }

    private Optional<ExpectedSpeed> find(Optional<HelperId> reader, StoreId store, SizeClass size) {
        return size.nearestFirst().stream()
                .map(near -> lines.get(new Line(reader, new SpeedKey(store, near))))
                .filter(Objects::nonNull)
                .findFirst();
    }
}
