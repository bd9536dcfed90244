package io.cloudmw.client.read.peer;

import io.cloudmw.client.read.relay.RelaySource;
import io.cloudmw.client.read.relay.StreamRelaySource;
import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.error.ErrorCode;
import org.jspecify.annotations.Nullable;

/** The source of a relay on a stream that this client opened to a peer. */
final class PeerRelaySource implements RelaySource {
    private volatile @Nullable StreamRelaySource stream;

    /** Sets the stream, before the first grant. */
    void bind(BulkStream opened) {
        stream = new StreamRelaySource(opened);
    }

    @Override
    public void grant(long bytes) {
        require().grant(bytes);
    }

    @Override
    public void finished() {
        require().finished();
    }

    @Override
    public void refuse(ErrorCode code, String message) {
        require().refuse(code, message);
    }

    private StreamRelaySource require() {
        StreamRelaySource bound = stream;
        if (bound == null) {
            throw new IllegalStateException("not bound");
        }
        return bound;
    }
}
