package io.cloudmw.core.bulk.message;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.wire.FromWire;
import io.cloudmw.proto.v1.GetWriteResponse;
import java.util.ArrayList;
import java.util.List;

/**
 * An obstacle to a replica that a helper writes.
 *
 * @param code the error code of the last failed attempt
 * @param reason the same in words
 * @param tries the failed attempts
 */
public record WriteObstacle(StoreId store, ErrorCode code, String reason, int tries) {
    public static GetWriteResponse toWire(List<WriteObstacle> troubles) {
        GetWriteResponse.Builder message = GetWriteResponse.newBuilder();
        for (WriteObstacle trouble : troubles) {
            message.addTroubles(io.cloudmw.proto.v1.WriteTrouble.newBuilder()
                    .setStoreId(trouble.store.value())
                    .setError(trouble.code.name())
                    .setReason(trouble.reason)
                    .setTries(trouble.tries));
        }
        return message.build();
    }

    /**
     * Reads what {@link #toWire} wrote.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT} when it is not well formed
     */
    public static List<WriteObstacle> fromWire(GetWriteResponse message) throws CloudMwException {
        List<WriteObstacle> troubles = new ArrayList<>();
        for (io.cloudmw.proto.v1.WriteTrouble trouble : message.getTroublesList()) {
            troubles.add(FromWire.valid(() -> new WriteObstacle(
                    new StoreId(trouble.getStoreId()),
                    ErrorCode.valueOf(trouble.getError()),
                    trouble.getReason(),
                    trouble.getTries())));
        }
        return troubles;
    }
}
