package io.cloudmw.lab.race;

import io.cloudmw.core.model.FilePath;
import java.nio.file.Path;

/**
 * A file that contenders read.
 *
 * @param path in the cluster
 * @param object its name as an S3 object, for peers that read whole objects
 * @param source the local file with its bytes, present only while the testbed is prepared
 */
public record LabFile(FilePath path, String object, Path source, long bytes) {}
