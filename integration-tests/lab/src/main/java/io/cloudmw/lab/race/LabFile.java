package io.cloudmw.lab.race;

import io.cloudmw.core.model.FilePath;
import java.nio.file.Path;

/**
 * A file of the laboratory.
 *
 * @param path in the cluster
 * @param object its name as an object of its own, for peers that read whole objects
 * @param source where its bytes are while the laboratory is being set up
 */
public record LabFile(FilePath path, String object, Path source, long bytes) {}
