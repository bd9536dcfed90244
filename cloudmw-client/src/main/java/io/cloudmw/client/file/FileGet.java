package io.cloudmw.client.file;

import io.cloudmw.core.model.FilePath;
import java.nio.file.Path;

/**
 * A file of a get of many files.
 *
 * @param source the file, whose current version is read
 * @param target a path on this machine, which appears or is replaced when every byte is there and verified
 */
public record FileGet(FilePath source, Path target) {}
