package io.cloudmw.client.rpc.coordinator;

import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.file.FileVersion;
import java.util.Optional;

/**
 * The coordinator's decisions about a change of part of a file.
 *
 * @param put the parameters of the whole new version
 * @param base the version that is changed; empty: there is no file
 * @param baseChunkSizeBytes the base's chunk size: versions share chunks only where the new version's is the same; 0:
 *     never
 * @param written the range of the file that takes the written bytes
 * @param sizeBytes of the new version
 */
public record EditParameters(
        PutParameters put, Optional<FileVersion> base, long baseChunkSizeBytes, ByteRange written, long sizeBytes) {}
