package io.cloudmw.client.read.relay;

import io.cloudmw.core.error.ErrorCode;

/** The source of a relay's leaves: a helper's or peer's stream, or a read by the client itself. */
public interface RelaySource {
    /** Lets {@code bytes} more come. */
    void grant(long bytes);

    /** Everything came. */
    void finished();

    /** Nothing more is wanted. */
    void refuse(ErrorCode code, String message);
}
