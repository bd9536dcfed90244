package io.cloudmw.core.wire;

import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * What gRPC logs by itself, through {@code java.util.logging}: failures with their stack traces, each of which its caller
 * gets as a status besides. Safe for any thread.
 */
public final class GrpcLog {
    /** Held here: a logger that nobody holds is forgotten with its level. */
    private static final Logger GRPC = Logger.getLogger("io.grpc");

    private GrpcLog() {}

    /** For a process that says itself what failed: only defects are logged from now on. */
    public static void defectsOnly() {
        GRPC.setLevel(Level.SEVERE);
    }
}
