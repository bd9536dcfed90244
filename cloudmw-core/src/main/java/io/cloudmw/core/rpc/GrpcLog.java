package io.cloudmw.core.rpc;

import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * What gRPC logs by itself, through {@code java.util.logging}: failures with their stack traces, each of which its caller
 * gets as a status besides. Safe for any thread.
 */
public final class GrpcLog {
    /** Held here: a logger that nobody holds is forgotten with its level. */
    private static final Logger GRPC = Logger.getLogger("io.grpc");

    private static final String FORM_PROPERTY = "java.util.logging.SimpleFormatter.format";

    private GrpcLog() {}

    /** ISO 8601 with offset, level, logger, message: as the processes' own lines. Read when the first line is written. */
    private static final String FORM = "%1$tFT%1$tT.%1$tL%1$tz %4$-5s %3$s %5$s%6$s%n";

    /** For a process that says itself what failed: only defects are logged from now on. */
    public static void defectsOnly() {
        if (System.getProperty(FORM_PROPERTY) == null) {
            System.setProperty(FORM_PROPERTY, FORM);
        }
        GRPC.setLevel(Level.SEVERE);
    }
}
