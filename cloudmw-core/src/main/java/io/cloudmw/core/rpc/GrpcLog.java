package io.cloudmw.core.rpc;

import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * The level and form of gRPC's own log, which uses {@code java.util.logging}. It prints failures with stack traces,
 * although each caller also gets them as a status. Safe for any thread.
 */
public final class GrpcLog {
    /** Kept here: a logger without a reference is collected, and its level with it. */
    private static final Logger GRPC = Logger.getLogger("io.grpc");

    private static final String FORM_PROPERTY = "java.util.logging.SimpleFormatter.format";

    private GrpcLog() {}

    /**
     * ISO 8601 with offset, level, logger and message, like the processes' own lines. Read when the first line is
     * written.
     */
    private static final String FORM = "%1$tFT%1$tT.%1$tL%1$tz %4$-5s %3$s %5$s%6$s%n";

    /** Lets only defects be logged, in a process that reports failures itself. */
    public static void defectsOnly() {
        if (System.getProperty(FORM_PROPERTY) == null) {
            System.setProperty(FORM_PROPERTY, FORM);
        }
        GRPC.setLevel(Level.SEVERE);
    }
}
