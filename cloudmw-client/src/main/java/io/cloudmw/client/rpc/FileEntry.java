package io.cloudmw.client.rpc;

import io.cloudmw.core.model.FileVersion;
import java.util.Optional;

/**
 * One name in a directory.
 *
 * @param version empty: a directory
 * @param attributesDigest tells what is noted of the file from whatever else could be, but for one in 2<sup>64</sup>; 0: nothing is
 */
public record FileEntry(String name, Optional<FileVersion> version, long attributesDigest) {}
