package io.cloudmw.client.transfer;

import io.cloudmw.core.error.ErrorCode;

/** Where a relay's leaves come from: a helper's stream, or what the client fetched by itself. */
interface Inflow {
    /** Lets {@code bytes} more come. */
    void grant(long bytes);

    /** Everything came. */
    void finished();

    /** Nothing more is wanted. */
    void refuse(ErrorCode code, String message);
}
