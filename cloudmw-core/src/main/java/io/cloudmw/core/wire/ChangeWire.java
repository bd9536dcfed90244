package io.cloudmw.core.wire;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.Change;
import io.cloudmw.proto.v1.ChangeKind;
import io.cloudmw.proto.v1.DirectoryChange;
import java.util.Optional;

/** The messages of {@link Change}s. Reading one that breaks a rule throws {@code PROTOCOL_VIOLATION}. */
public final class ChangeWire {
    private ChangeWire() {}

    public static io.cloudmw.proto.v1.Change message(Change change) {
        DirectoryChange directory = directory(change);
        boolean ofDirectory = directory != DirectoryChange.DIRECTORY_CHANGE_UNSPECIFIED;
        return io.cloudmw.proto.v1.Change.newBuilder()
                .setPosition(change.position())
                .setAtMillis(change.atMillis())
                .setKind(ofDirectory ? ChangeKind.CHANGE_KIND_RENAMED : kind(change.kind()))
                .setPath(change.path())
                .setFromPath(ofDirectory ? change.path() : change.from().orElse(""))
                .setVersionId(change.version().map(VersionId::value).orElse(""))
                .setDirectory(directory)
                .build();
    }

    /** The kind of a change of a directory; unspecified for kinds that earlier readers know. */
    private static DirectoryChange directory(Change change) {
        return switch (change.kind()) {
            case DIRECTORY_CREATED -> DirectoryChange.DIRECTORY_CHANGE_CREATED;
            case DIRECTORY_REMOVED -> DirectoryChange.DIRECTORY_CHANGE_REMOVED;
            case ATTRIBUTES ->
                change.version().isEmpty()
                        ? DirectoryChange.DIRECTORY_CHANGE_ATTRIBUTES
                        : DirectoryChange.DIRECTORY_CHANGE_UNSPECIFIED;
            default -> DirectoryChange.DIRECTORY_CHANGE_UNSPECIFIED;
        };
    }

    public static Change change(io.cloudmw.proto.v1.Change message) throws CloudMwException {
        try {
            Change.Kind kind = kind(message);
            return new Change(
                    message.getPosition(),
                    message.getAtMillis(),
                    kind,
                    message.getPath(),
                    kind == Change.Kind.RENAMED ? optional(message.getFromPath()) : Optional.empty(),
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
            case DIRECTORY_CREATED, DIRECTORY_REMOVED ->
                throw new IllegalArgumentException("kind: " + kind + " (expected: of a file)");
        };
    }

    /** A change of a directory that this release does not know stays a rename to itself. */
    private static Change.Kind kind(io.cloudmw.proto.v1.Change message) {
        return switch (message.getDirectory()) {
            case DIRECTORY_CHANGE_CREATED -> Change.Kind.DIRECTORY_CREATED;
            case DIRECTORY_CHANGE_REMOVED -> Change.Kind.DIRECTORY_REMOVED;
            case DIRECTORY_CHANGE_ATTRIBUTES -> Change.Kind.ATTRIBUTES;
            case DIRECTORY_CHANGE_UNSPECIFIED, UNRECOGNIZED -> kind(message.getKind());
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
