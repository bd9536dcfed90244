package io.cloudmw.client.transfer;

import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.error.ErrorCode;
import org.jspecify.annotations.Nullable;

/** A stream that this client opened to a peer. */
final class PeerInflow implements Inflow {
    private volatile @Nullable BulkStream stream;

    /** Before the first grant. */
    void bind(BulkStream opened) {
        stream = opened;
    }

    @Override
    public void grant(long bytes) {
        require().grant(bytes);
    }

    @Override
    public void finished() {
        require().end(new byte[0]);
    }

    @Override
    public void refuse(ErrorCode code, String message) {
        require().reset(code, message);
    }

    private BulkStream require() {
        BulkStream bound = stream;
        if (bound == null) {
            throw new IllegalStateException("not bound");
        }
        return bound;
    }
}
