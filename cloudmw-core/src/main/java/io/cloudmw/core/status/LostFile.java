package io.cloudmw.core.status;

import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.StoreId;
import java.util.List;

/**
 * A file with a chunk that has no copy left, since every copy was in stores that were declared lost.
 *
 * @param file the path of its commit
 * @param stores those stores
 */
public record LostFile(FilePath file, List<StoreId> stores) {
    public LostFile {
        stores = List.copyOf(stores);
    }
}
