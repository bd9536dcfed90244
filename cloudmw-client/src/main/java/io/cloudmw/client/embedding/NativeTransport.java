package io.cloudmw.client.embedding;

import io.netty.channel.epoll.Epoll;
import io.netty.util.Version;
import java.lang.reflect.Method;

/**
 * A switch for Netty's native epoll transport. From JDK 24 on the JVM writes four lines to standard error when native
 * code is loaded without {@code --enable-native-access}; later JDKs will refuse it. Unless the application has granted
 * native access, epoll stays off, and bulk connections and gRPC use NIO. The application's {@code
 * -Dio.netty.transport.noNative} takes precedence.
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
