package io.cloudmw.client.edit;

import io.cloudmw.client.file.FileChange;
import io.cloudmw.client.write.PutSource;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.model.ByteRange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.OptionalLong;

/** The source of a {@link FileChange}: the caller's content, which can be read repeatedly. */
final class ChangedSource implements PutSource {
    private final FileChange change;

    ChangedSource(FileChange change) {
        this.change = change;
    }

    @Override
    public OptionalLong open() {
        return OptionalLong.of(change.sizeBytes());
    }

    @Override
    public long measure() {
        return change.sizeBytes();
    }

    @Override
    public boolean isStream() {
        return false;
    }

    @Override
    public Part part(ByteRange range) {
        return Part.of(range, this::read);
    }

    private void read(long offset, ByteBuffer target) throws CloudMwException {
        try {
            change.content().read(target, offset);
        } catch (CloudMwException e) {
            throw e;
        } catch (IOException e) {
            throw new CloudMwException(ErrorCode.LOCAL_IO, "changed file: cannot read it: " + Reasons.of(e), e);
        }
        if (target.hasRemaining()) {
            throw new CloudMwException(
                    ErrorCode.LOCAL_IO, "changed file: " + target.remaining() + " bytes are missing");
        }
    }

    @Override
    public void checkUnchanged() {}

    @Override
    public void close() {}
}
