package io.cloudmw.core.wire;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.Edit;
import io.cloudmw.core.model.file.VersionPart;
import io.cloudmw.proto.v1.BeginEditRequest;
import io.cloudmw.proto.v1.EditKind;
import java.util.ArrayList;
import java.util.List;

/** The messages of edits and of the parts of versions. */
public final class EditWire {
    private EditWire() {}

    public static BeginEditRequest request(FilePath file, Edit edit) {
        EditKind kind = switch (edit.kind()) {
            case APPEND -> EditKind.EDIT_KIND_APPEND;
            case WRITE -> EditKind.EDIT_KIND_WRITE;
            case TRUNCATE -> EditKind.EDIT_KIND_TRUNCATE;
        };
        return BeginEditRequest.newBuilder()
                .setVolume(file.volume().value())
                .setPath(file.path())
                .setKind(kind)
                .setOffset(edit.offset())
                .setLength(edit.lengthBytes())
                .build();
    }

    /**
     * Reads an edit.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT} when it is malformed
     */
    public static Edit edit(BeginEditRequest request) throws CloudMwException {
        try {
            return switch (request.getKind()) {
                case EDIT_KIND_APPEND -> Edit.append(request.getLength());
                case EDIT_KIND_WRITE -> Edit.write(request.getOffset(), request.getLength());
                case EDIT_KIND_TRUNCATE -> Edit.truncate(request.getOffset());
                case EDIT_KIND_UNSPECIFIED, UNRECOGNIZED ->
                    throw new IllegalArgumentException("edit: (expected: a known kind)");
            };
        } catch (IllegalArgumentException e) {
            throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, String.valueOf(e.getMessage()), e);
        }
    }

    public static io.cloudmw.proto.v1.VersionPart part(VersionPart part) {
        return io.cloudmw.proto.v1.VersionPart.newBuilder()
                .setPath(part.file().path())
                .setVersionId(part.version().value())
                .setPositionBytes(part.positionBytes())
                .build();
    }

    /**
     * Reads the parts of a version.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT} when one is malformed
     */
    public static List<VersionPart> parts(String volume, List<io.cloudmw.proto.v1.VersionPart> messages)
            throws CloudMwException {
        List<VersionPart> parts = new ArrayList<>(messages.size());
        for (io.cloudmw.proto.v1.VersionPart message : messages) {
            FilePath file = FromWire.file(volume, message.getPath());
            parts.add(FromWire.valid(
                    () -> new VersionPart(file, new VersionId(message.getVersionId()), message.getPositionBytes())));
        }
        return parts;
    }
}
