package io.cloudmw.core.status;

import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import java.util.Optional;

/**
 * The scope of a round.
 *
 * @param volume only copies of its files; empty: of all volumes
 * @param store only copies in it, or chunks that have one in it; empty: all stores
 */
public record RoundScope(Optional<VolumeName> volume, Optional<StoreId> store) {
    /** Every file and every store. */
    public static final RoundScope ALL = new RoundScope(Optional.empty(), Optional.empty());

    /** Returns true when the round covers the file. */
    public boolean hasFile(FilePath file) {
        return volume.isEmpty() || volume.get().equals(file.volume());
    }

    /** Returns true when the round covers the store. */
    public boolean hasStore(StoreId id) {
        return store.isEmpty() || store.get().equals(id);
    }
}
