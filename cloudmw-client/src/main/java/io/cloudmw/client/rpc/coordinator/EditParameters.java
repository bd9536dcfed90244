package io.cloudmw.client.rpc.coordinator;

import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FileVersion;
import java.util.Optional;

/**
 * How a change of part of a file is to be written.
 *
 * @param put of the whole new version
 * @param base what is changed; empty: there is no file
 * @param baseChunkSizeBytes chunks are shared only where the new version's is the same; 0: none can be
 * @param written where in the file the written bytes go
 * @param sizeBytes of the new version
 */
public record EditParameters(
        PutParameters put, Optional<FileVersion> base, long baseChunkSizeBytes, ByteRange written, long sizeBytes) {}
