package io.cloudmw.client.file;

import io.cloudmw.core.model.file.FileVersion;
import java.util.Optional;

/**
 * An entry of a directory: a file or a directory.
 *
 * @param name last element of its path
 * @param version current version of a file; empty: a directory
 * @param attributesDigest digest of the file's attributes; 0: it has none. Equal digests mean equal attributes, but for one
 *     pair in 2<sup>64</sup>
 * @param createdAtMillis commit of the file's first version, or when the directory was made to stay, in milliseconds since
 *     1970; 0: a directory that does not stay when it is empty, or unknown
 */
public record FileEntry(String name, Optional<FileVersion> version, long attributesDigest, long createdAtMillis) {}
