package io.cloudmw.client.transfer;

import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.error.ErrorCode;

/** A relay that a helper opened. */
record StreamInflow(BulkStream stream) implements Inflow {
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
