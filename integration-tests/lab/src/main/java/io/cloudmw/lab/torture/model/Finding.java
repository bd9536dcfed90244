package io.cloudmw.lab.torture.model;

import java.util.List;

/**
 * A violation of the model.
 *
 * @param path of the file or directory
 * @param history what the model knows of the path, oldest first
 */
public record Finding(FindingKind kind, String path, String what, List<String> history) {
    public Finding {
        history = List.copyOf(history);
    }
}
