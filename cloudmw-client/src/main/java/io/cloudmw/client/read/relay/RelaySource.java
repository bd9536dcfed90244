package io.cloudmw.client.read.relay;

import io.cloudmw.core.error.ErrorCode;

/** The source of a relay's leaves: a helper's or peer's stream, or a read by the client itself. */
public interface RelaySource {
    /** Grants {@code bytes} more. */
    void grant(long bytes);

    /** Everything came. */
    void finished();

    /** Refuses the rest. */
    void refuse(ErrorCode code, String message);
}
