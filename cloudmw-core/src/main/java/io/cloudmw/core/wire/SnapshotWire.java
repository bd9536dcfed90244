package io.cloudmw.core.wire;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.Snapshot;

/** The messages of snapshots. */
public final class SnapshotWire {
    private SnapshotWire() {}

    public static io.cloudmw.proto.v1.Snapshot message(Snapshot snapshot) {
        return io.cloudmw.proto.v1.Snapshot.newBuilder()
                .setVolume(snapshot.volume().value())
                .setName(snapshot.name())
                .setNumber(snapshot.number())
                .setCreatedAtMillis(snapshot.createdAtMillis())
                .build();
    }

    /**
     * Reads a snapshot.
     *
     * @throws CloudMwException {@code PROTOCOL_VIOLATION} when it is malformed
     */
    public static Snapshot snapshot(io.cloudmw.proto.v1.Snapshot message) throws CloudMwException {
        try {
            return new Snapshot(
                    new VolumeName(message.getVolume()),
                    message.getName(),
                    message.getNumber(),
                    message.getCreatedAtMillis());
        } catch (IllegalArgumentException e) {
            throw new CloudMwException(ErrorCode.PROTOCOL_VIOLATION, "snapshot: " + e.getMessage(), e);
        }
    }
}
