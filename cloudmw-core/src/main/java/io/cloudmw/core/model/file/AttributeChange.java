package io.cloudmw.core.model.file;

import io.cloudmw.core.model.FilePath;
import java.util.Collections;
import java.util.Map;
import java.util.Set;

/**
 * A change of the attributes of a file or a directory, made in one step. Repeating it has no further effect.
 *
 * @param file the path of the file or the directory
 * @param set new values by name; other attributes keep theirs
 * @param remove names to remove; a name without a value is no error
 */
public record AttributeChange(FilePath file, Map<String, String> set, Set<String> remove) {
    public AttributeChange {
        set = Map.copyOf(set);
        remove = Set.copyOf(remove);
        if (!Collections.disjoint(set.keySet(), remove)) {
            throw new IllegalArgumentException("attributes: the same name set and removed, in " + remove);
        }
    }
}
