package io.cloudmw.client.rpc;

import io.cloudmw.core.model.FileVersion;
import java.util.Optional;

/**
 * One name in a directory.
 *
 * @param version empty: a directory
 */
public record FileEntry(String name, Optional<FileVersion> version) {}
