package io.cloudmw.core.bulk.message;

import com.google.protobuf.InvalidProtocolBufferException;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.wire.FromWire;
import java.util.ArrayList;
import java.util.List;

/**
 * The result of a write.
 *
 * @param stored the stores where the chunk is durable
 * @param owed the stores to which it is still being written
 */
public record WriteResult(List<StoreId> stored, List<StoreId> owed) {
    public WriteResult {
        stored = List.copyOf(stored);
        owed = List.copyOf(owed);
    }

    public byte[] encode() {
        return io.cloudmw.proto.v1.WriteResult.newBuilder()
                .addAllStored(stored.stream().map(StoreId::value).toList())
                .addAllOwed(owed.stream().map(StoreId::value).toList())
                .build()
                .toByteArray();
    }

    /**
     * Reads what {@code encode} wrote.
     *
     * @throws CloudMwException {@code PROTOCOL_VIOLATION} when it is no such message
     */
    public static WriteResult decode(byte[] trailer) throws CloudMwException {
        try {
            io.cloudmw.proto.v1.WriteResult message = io.cloudmw.proto.v1.WriteResult.parseFrom(trailer);
            return new WriteResult(ids(message.getStoredList()), ids(message.getOwedList()));
        } catch (InvalidProtocolBufferException e) {
            throw new CloudMwException(ErrorCode.PROTOCOL_VIOLATION, "end of a write: not a WriteResult message", e);
        }
    }

    private static List<StoreId> ids(List<String> values) throws CloudMwException {
        List<StoreId> ids = new ArrayList<>(values.size());
        for (String value : values) {
            ids.add(FromWire.storeId(value));
        }
        return ids;
    }
}
