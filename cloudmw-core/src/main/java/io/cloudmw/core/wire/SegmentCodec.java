package io.cloudmw.core.wire;

import com.google.protobuf.InvalidProtocolBufferException;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.proto.v1.ManifestSegment;
import java.util.ArrayList;
import java.util.List;

/** The encoding of manifest segments: the same chunks always give the same bytes. */
public final class SegmentCodec {
    private SegmentCodec() {}

    public static byte[] encode(List<Chunk> chunks) {
        return ManifestSegment.newBuilder()
                .addAllChunks(chunks.stream().map(ToWire::chunk).toList())
                .build()
                .toByteArray();
    }

    /**
     * Decodes the chunks of a segment.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT} when the bytes are not a segment
     */
    public static List<Chunk> decode(byte[] bytes) throws CloudMwException {
        try {
            List<io.cloudmw.proto.v1.Chunk> messages =
                    ManifestSegment.parseFrom(bytes).getChunksList();
            List<Chunk> chunks = new ArrayList<>(messages.size());
            for (io.cloudmw.proto.v1.Chunk message : messages) {
                chunks.add(FromWire.chunk(message));
            }
            return chunks;
        } catch (InvalidProtocolBufferException e) {
            throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, "manifest segment: malformed", e);
        }
    }
}
