package io.cloudmw.lab.torture.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of the network simulator, between this process, named {@code me}, and an echo server. */
final class NetworkTest {
    private static final String ME = "me";
    private static final String ECHO = "echo";
    private static final Pair PAIR = new Pair(ECHO, ME);

    private final Network network =
            new Network(() -> Map.of(ProcessHandle.current().pid(), ME));
    private ServerSocket echo;
    private InetSocketAddress front;

    @BeforeEach
    void start() throws IOException {
        echo = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
        new Thread(this::serve, ECHO).start();
        front = network.forward(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                new InetSocketAddress(InetAddress.getLoopbackAddress(), echo.getLocalPort()),
                ECHO);
    }

    @AfterEach
    void stop() throws IOException {
        network.close();
        echo.close();
    }

    private void serve() {
        while (!echo.isClosed()) {
            try {
                Socket connection = echo.accept();
                new Thread(() -> answer(connection), ECHO).start();
            } catch (IOException e) {
                return;
            }
        }
    }

    private static void answer(Socket connection) {
        try (connection) {
            connection.getInputStream().transferTo(connection.getOutputStream());
        } catch (IOException e) {
            // The connection was cut.
        }
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket();
        socket.setSoTimeout(30_000);
        socket.connect(front);
        return socket;
    }

    private static int exchanged(Socket socket) throws IOException {
        socket.getOutputStream().write(42);
        return socket.getInputStream().read();
    }

    @Test
    void bytesAndTheEndOfAConnectionArrive() throws Exception {
        byte[] sent = new byte[3 << 20];
        new Random(1).nextBytes(sent);
        try (Socket socket = connect()) {
            Thread writer = new Thread(() -> {
                try {
                    socket.getOutputStream().write(sent);
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            });
            writer.start();
            assertThat(socket.getInputStream().readNBytes(sent.length)).isEqualTo(sent);
            writer.join();
        }
    }

    @Test
    void stalledConnectionContinuesWhereItStopped() throws IOException {
        try (Socket socket = connect()) {
            assertThat(exchanged(socket)).isEqualTo(42);
            network.cut(PAIR, CutKind.STALLED);
            socket.setSoTimeout(300);
            assertThatThrownBy(() -> exchanged(socket)).isInstanceOf(SocketTimeoutException.class);
            network.cut(PAIR, CutKind.NONE);
            socket.setSoTimeout(30_000);
            assertThat(socket.getInputStream().read()).isEqualTo(42);
        }
    }

    @Test
    void aNewConnectionIsStalledToo() throws IOException {
        network.cut(PAIR, CutKind.STALLED);
        try (Socket socket = connect()) {
            socket.setSoTimeout(300);
            assertThatThrownBy(() -> exchanged(socket)).isInstanceOf(SocketTimeoutException.class);
            network.cut(PAIR, CutKind.NONE);
            socket.setSoTimeout(30_000);
            assertThat(socket.getInputStream().read()).isEqualTo(42);
        }
    }

    @Test
    void resetConnectionsBreakAndSoDoNewOnes() throws IOException {
        try (Socket socket = connect()) {
            assertThat(exchanged(socket)).isEqualTo(42);
            network.cut(PAIR, CutKind.RESET);
            assertThatThrownBy(() -> exchanged(socket)).isInstanceOf(SocketException.class);
        }
        try (Socket socket = connect()) {
            assertThatThrownBy(() -> exchanged(socket)).isInstanceOf(SocketException.class);
        }
        network.cut(PAIR, CutKind.NONE);
        try (Socket socket = connect()) {
            assertThat(exchanged(socket)).isEqualTo(42);
        }
    }

    @Test
    void otherPairsAreNotCut() throws IOException {
        network.cut(new Pair(ECHO, "somebody"), CutKind.RESET);
        try (Socket socket = connect()) {
            assertThat(exchanged(socket)).isEqualTo(42);
        }
    }

    @Test
    void connectionWithoutListenerIsReset() throws IOException {
        echo.close();
        try (Socket socket = connect()) {
            assertThatThrownBy(() -> exchanged(socket)).isInstanceOf(SocketException.class);
        }
    }
}
