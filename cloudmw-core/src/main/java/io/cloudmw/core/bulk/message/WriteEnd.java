package io.cloudmw.core.bulk.message;

import com.google.protobuf.InvalidProtocolBufferException;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;

/** The end of the data of a write: the CRC32C of each leaf, as cut by the writer. */
public final class WriteEnd {
    private WriteEnd() {}

    public static byte[] encode(int[] leafCrc32c) {
        io.cloudmw.proto.v1.WriteEnd.Builder end = io.cloudmw.proto.v1.WriteEnd.newBuilder();
        for (int crc : leafCrc32c) {
            end.addLeafCrc32C(crc);
        }
        return end.build().toByteArray();
    }

    /**
     * Reads what {@code encode} wrote.
     *
     * @throws CloudMwException {@code PROTOCOL_VIOLATION} when it is no such message
     */
    public static int[] decode(byte[] trailer) throws CloudMwException {
        try {
            return io.cloudmw.proto.v1.WriteEnd.parseFrom(trailer).getLeafCrc32CList().stream()
                    .mapToInt(Integer::intValue)
                    .toArray();
        } catch (InvalidProtocolBufferException e) {
            throw new CloudMwException(ErrorCode.PROTOCOL_VIOLATION, "end of a write: not a WriteEnd message", e);
        }
    }
}
