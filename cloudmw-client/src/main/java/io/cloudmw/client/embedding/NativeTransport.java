package io.cloudmw.client.embedding;

import io.netty.channel.epoll.Epoll;
import io.netty.util.Version;
import java.lang.reflect.Method;

/**
 * Netty's epoll transport is native code. From JDK 24 on the JVM writes four lines to standard error when such code is loaded
 * without {@code --enable-native-access}, and later JDKs will refuse it. Where the application has not granted native access,
 * epoll therefore stays off, and the NIO transport serves bulk connections and gRPC. The application's own word,
 * {@code -Dio.netty.transport.noNative}, goes first.
 */
final class NativeTransport {
    /** JEP 472. */
    private static final int FIRST_JDK_THAT_WARNS = 24;

    private static final String NO_NATIVE = "io.netty.transport.noNative";

    private NativeTransport() {}

    static void keepQuiet() {
        if (Runtime.version().feature() >= FIRST_JDK_THAT_WARNS && !isNativeAccessEnabled()) {
            // Netty reads the property once, when this class starts.
            TemporaryProperty.set(NO_NATIVE, "true", Epoll::isAvailable);
        }
    }

    /**
     * True if the module that loads Netty's native code may do so. The method is there from JDK 22 on; this is
     * compiled for 17.
     */
    private static boolean isNativeAccessEnabled() {
        try {
            Method asked = Module.class.getMethod("isNativeAccessEnabled");
            return (boolean) asked.invoke(Version.class.getModule());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(
                    "a JDK of " + FIRST_JDK_THAT_WARNS + " or later without " + e.getMessage(), e);
        }
    }
}
