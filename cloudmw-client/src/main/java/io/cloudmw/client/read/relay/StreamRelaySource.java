package io.cloudmw.client.read.relay;

import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.error.ErrorCode;

/** The source of a relay that a helper opened as a stream. */
public record StreamRelaySource(BulkStream stream) implements RelaySource {
    @Override
    public void grant(long bytes) {
        stream.grant(bytes);
    }

    @Override
    public void finished() {
        stream.end(new byte[0]);
    }

    @Override
    public void refuse(ErrorCode code, String message) {
        stream.reset(code, message);
    }
}
