package io.cloudmw.client.transfer;

import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.error.ErrorCode;
import org.jspecify.annotations.Nullable;

/** A stream that this client opened to a peer. */
final class PeerInflow implements Inflow {
    private volatile @Nullable StreamInflow stream;

    /** Before the first grant. */
    void bind(BulkStream opened) {
        stream = new StreamInflow(opened);
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

    private StreamInflow require() {
        StreamInflow bound = stream;
        if (bound == null) {
            throw new IllegalStateException("not bound");
        }
        return bound;
    }
}
