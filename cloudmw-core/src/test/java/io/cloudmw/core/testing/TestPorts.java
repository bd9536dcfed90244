package io.cloudmw.core.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** Ports for servers of tests that stop and start again at the same address. */
public final class TestPorts {
    private static final int FIRST_PORT = 15_000;
    private static final int LAST_PORT = 30_000;

    private TestPorts() {}

    /**
     * Returns a free port below the range that systems use for outgoing connections, so that no connection takes it
     * while the server is stopped.
     */
    public static int free() {
        for (int tries = 0; tries < 1000; tries++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST_PORT, LAST_PORT);
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (IOException e) {
                // The port is taken.
            }
        }
        throw new IllegalStateException("no free port from " + FIRST_PORT + " to " + LAST_PORT);
    }
}
