package io.cloudmw.core.wire;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.Change;
import io.cloudmw.proto.v1.ChangeKind;
import java.util.Optional;

/** The messages of {@link Change}s. Reading one that breaks a rule throws {@code PROTOCOL_VIOLATION}. */
public final class ChangeWire {
    private ChangeWire() {}

    public static io.cloudmw.proto.v1.Change message(Change change) {
        return io.cloudmw.proto.v1.Change.newBuilder()
                .setPosition(change.position())
                .setAtMillis(change.atMillis())
                .setKind(kind(change.kind()))
                .setPath(change.path())
                .setFromPath(change.from().orElse(""))
                .setVersionId(change.version().map(VersionId::value).orElse(""))
                .build();
    }

    public static Change change(io.cloudmw.proto.v1.Change message) throws CloudMwException {
        try {
            return new Change(
                    message.getPosition(),
                    message.getAtMillis(),
                    kind(message.getKind()),
                    message.getPath(),
                    optional(message.getFromPath()),
                    optional(message.getVersionId()).map(VersionId::new));
        } catch (IllegalArgumentException e) {
            throw new CloudMwException(ErrorCode.PROTOCOL_VIOLATION, "change: " + e.getMessage(), e);
        }
    }

    private static Optional<String> optional(String text) {
        return text.isEmpty() ? Optional.empty() : Optional.of(text);
    }

    private static ChangeKind kind(Change.Kind kind) {
        return switch (kind) {
            case PUT -> ChangeKind.CHANGE_KIND_PUT;
            case REMOVED -> ChangeKind.CHANGE_KIND_REMOVED;
            case RENAMED -> ChangeKind.CHANGE_KIND_RENAMED;
            case ATTRIBUTES -> ChangeKind.CHANGE_KIND_ATTRIBUTES;
            case VOLUME_DELETED -> ChangeKind.CHANGE_KIND_VOLUME_DELETED;
        };
    }

    private static Change.Kind kind(ChangeKind kind) {
        return switch (kind) {
            case CHANGE_KIND_PUT -> Change.Kind.PUT;
            case CHANGE_KIND_REMOVED -> Change.Kind.REMOVED;
            case CHANGE_KIND_RENAMED -> Change.Kind.RENAMED;
            case CHANGE_KIND_ATTRIBUTES -> Change.Kind.ATTRIBUTES;
            case CHANGE_KIND_VOLUME_DELETED -> Change.Kind.VOLUME_DELETED;
            case CHANGE_KIND_UNSPECIFIED, UNRECOGNIZED ->
                throw new IllegalArgumentException("kind: " + kind + " (expected: a known kind)");
        };
    }
}
