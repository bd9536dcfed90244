package io.cloudmw.client.channel;

import io.cloudmw.core.model.file.Attributes;

/**
 * The way in which a channel or a stream creates a file. Immutable.
 *
 * @param attributes given to a file that is created, in the step that makes it visible; a file that exists keeps its own
 * @param inDirectory whether the directory above must exist, as in the JDK's file systems; otherwise missing directories
 *     are created with the file and disappear with it
 */
public record FileCreation(Attributes attributes, boolean inDirectory) {
    private static final FileCreation DEFAULTS = new FileCreation(Attributes.NONE, false);

    /** The defaults: no attributes, missing directories are created. */
    public static FileCreation defaults() {
        return DEFAULTS;
    }

    /** Sets the attributes of a file that is created. */
    public FileCreation withAttributes(Attributes initial) {
        return new FileCreation(initial, inDirectory);
    }

    /** Requires that the directory above exists. */
    public FileCreation onlyInDirectory() {
        return new FileCreation(attributes, true);
    }
}
