package io.cloudmw.core.monitor;

import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.status.fleet.ExpectedSpeed;
import io.cloudmw.core.status.fleet.SizeClass;
import io.cloudmw.core.status.fleet.SpeedKey;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The expected speeds of a transfer's stores. Immutable. For a reader, store and size without figures it takes near
 * ones: first the same reader and store at another size, then the store for any reader, at last {@link
 * ExpectedSpeed#DEFAULT}.
 */
public final class SpeedBook {
    /** The most lines of a book: 16 helpers, 16 stores, 4 sizes. */
    public static final int MAX_ENTRIES = 1024;

    /** An empty book. */
    public static final SpeedBook EMPTY = new SpeedBook(List.of());

    private record Line(Optional<HelperId> reader, SpeedKey key) {}

    private final List<SpeedEntry> entries;
    private final Map<Line, ExpectedSpeed> lines = new HashMap<>();

    /** Makes a book of the first {@value #MAX_ENTRIES} entries; of two for the same key, the later counts. */
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

    /** The expected speed for {@code reader} of reads of {@code bytes} from {@code store}. */
    public ExpectedSpeed of(HelperId reader, StoreId store, long bytes) {
        return find(Optional.of(reader), store, SizeClass.of(bytes))
                .or(() -> find(Optional.empty(), store, SizeClass.of(bytes)))
                .orElse(ExpectedSpeed.DEFAULT);
    }

    /** The expected speed for any reader. */
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
