package io.cloudmw.core.model.file;

import io.cloudmw.core.model.FilePath;
import java.util.Collections;
import java.util.Map;
import java.util.Set;

/**
 * A change of a file's attributes, made in one step. Repeating it changes nothing more.
 *
 * @param set new values by name; others keep theirs
 * @param remove names without a value from now on, whether they had one or not
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
