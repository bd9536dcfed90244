package io.cloudmw.core.wire;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.file.FileCopy;
import io.cloudmw.proto.v1.CopyFileRequest;

/** The messages of copies. Malformed ones fail with {@code INVALID_ARGUMENT}. */
public final class EntryWire {
    private EntryWire() {}

    public static CopyFileRequest.Builder request(FileCopy copy) {
        return CopyFileRequest.newBuilder()
                .setVolume(copy.from().volume().value())
                .setFromPath(copy.from().path())
                .setToPath(copy.to().path())
                .setReplace(copy.replace());
    }

    public static FileCopy copy(CopyFileRequest message) throws CloudMwException {
        FilePath from = FromWire.file(message.getVolume(), message.getFromPath());
        FilePath to = FromWire.file(message.getVolume(), message.getToPath());
        return FromWire.valid(() -> new FileCopy(from, to, message.getReplace()));
    }
}
