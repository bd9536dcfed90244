package io.cloudmw.core.catalog;

import java.util.ArrayList;
import java.util.List;

/** The directories a path lies in. */
public final class Ancestors {
    private Ancestors() {}

    /** Of {@code /a/b/c}: {@code /a} and {@code /a/b}. */
    public static List<String> of(String path) {
        List<String> ancestors = new ArrayList<>();
        for (int slash = path.indexOf('/', 1); slash > 0; slash = path.indexOf('/', slash + 1)) {
            ancestors.add(path.substring(0, slash));
        }
        return ancestors;
    }
}
