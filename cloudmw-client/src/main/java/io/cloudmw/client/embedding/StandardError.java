package io.cloudmw.client.embedding;

/** The standard error of the application that embeds the client: it stays the application's. Safe for any thread. */
public final class StandardError {
    private static boolean started;

    private StandardError() {}

    /**
     * Starts SLF4J and Netty's native transport without their warnings, where the application has chosen neither a provider of
     * logs nor native access. Does nothing for those that have started already, nor when called again.
     */
    public static synchronized void keepQuiet() {
        if (!started) {
            started = true;
            LogProviders.keepQuiet();
            NativeTransport.keepQuiet();
        }
    }
}
