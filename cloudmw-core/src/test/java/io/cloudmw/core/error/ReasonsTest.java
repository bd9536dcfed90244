package io.cloudmw.core.error;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ReasonsTest {
    @TempDir
    private Path directory;

    @Test
    void filesThatCannotBeUsed() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        assertThat(Reasons.of(catchThrowable(() -> Files.readString(directory.resolve("none")))))
                .isEqualTo("no such file or directory");
        assertThat(Reasons.of(catchThrowable(() -> Files.createFile(file)))).isEqualTo("it exists already");
        assertThat(Reasons.of(catchThrowable(() -> Files.createFile(file.resolve("below")))))
                .isEqualTo("Not a directory");
        assertThat(Reasons.of(new AccessDeniedException("/x"))).isEqualTo("permission denied");
        assertThat(Reasons.of(new FileSystemException("/x", null, "No space left on device")))
                .isEqualTo("No space left on device");
    }

    @Test
    void addressesThatCannotBeUsed() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ServerSocketChannel second = ServerSocketChannel.open()) {
            Throwable inUse = catchThrowable(() -> second.bind(taken.getLocalSocketAddress()));
            assertThat(Reasons.of(inUse)).isEqualTo("another process listens there already");
            assertThat(Reasons.of(new IOException("Failed to bind", inUse)))
                    .isEqualTo("another process listens there already");
            assertThat(Reasons.of(catchThrowable(
                            () -> second.bind(InetSocketAddress.createUnresolved("no-such-host.invalid", 1)))))
                    .isEqualTo("no such host");
        }
    }

    @Test
    void reasonsOfUnreachableAddressesAreNettysOwn() {
        assertThat(Reasons.of(
                        new IOException("finishConnect(..) failed with error(-111): Connection refused: /10.0.0.1:1")))
                .isEqualTo("connection refused");
        assertThat(Reasons.of(new IOException("recvAddress(..) failed with error(-104): Connection reset by peer")))
                .isEqualTo("connection reset");
        assertThat(Reasons.of(new IOException("finishConnect(..) failed with error(-113): No route to host")))
                .isEqualTo("no route to host");
        assertThat(Reasons.of(new IOException("connect(..) failed with error(-101): Network is unreachable")))
                .isEqualTo("network unreachable");
    }

    @Test
    void reasonNeverNamesAnIoException() {
        assertThat(Reasons.of(new IOException("disk on fire"))).isEqualTo("disk on fire");
        assertThat(Reasons.of(new UncheckedIOException(new IOException("disk on fire"))))
                .isEqualTo("disk on fire");
        assertThat(Reasons.of(new IOException())).isEqualTo("the system does not say why");
        assertThat(Reasons.of(new IllegalStateException())).contains("IllegalStateException");
    }

    @Test
    void failuresOfFuturesAreUnwrapped() {
        IOException why = new IOException("why", new IllegalStateException("what it is made of"));
        assertThat(Reasons.unwrapped(why)).isSameAs(why);
        assertThat(Reasons.unwrapped(new CompletionException(new ExecutionException(why))))
                .isSameAs(why);
        CompletionException bare = new CompletionException("bare", null);
        assertThat(Reasons.unwrapped(bare)).isSameAs(bare);
    }
}
