package io.cloudmw.client.rpc;

import io.cloudmw.core.model.file.FileVersion;
import java.util.Optional;

/**
 * An entry of a directory.
 *
 * @param version empty: a directory
 * @param attributesDigest a digest of the file's attributes, which differs for different attributes but for one case in
 *     2<sup>64</sup>; 0: there are none
 */
public record FileEntry(String name, Optional<FileVersion> version, long attributesDigest) {}
