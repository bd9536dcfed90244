package io.cloudmw.client.embedding;

/**
 * The standard error of the embedding application, which the client keeps free of other libraries' warnings. Safe for
 * any thread.
 */
public final class StandardError {
    private static boolean started;

    private StandardError() {}

    /**
     * Starts SLF4J and Netty's native transport without their warnings, where the application has chosen neither a log
     * provider nor native access. Does nothing for libraries that have started already. Idempotent.
     */
    public static synchronized void keepQuiet() {
        if (!started) {
            started = true;
            LogProviders.keepQuiet();
            NativeTransport.keepQuiet();
        }
    }
}
