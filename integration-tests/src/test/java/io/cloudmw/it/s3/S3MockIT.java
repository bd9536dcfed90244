package io.cloudmw.it.s3;

import io.cloudmw.core.testing.TestPorts;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The contract of S3 servers, on Adobe's S3Mock, which checks no keys. */
final class S3MockIT extends S3ServerContract {
    private static Optional<S3Server> server = Optional.empty();

    @BeforeAll
    static void start() {
        int port = TestPorts.free();
        server = Optional.of(S3Server.startJava(
                "s3mock",
                port,
                List.of(),
                List.of(
                        "com.adobe.testing.s3mock.S3MockApplication",
                        "--http.port=" + port,
                        "--server.port=0",
                        "--com.adobe.testing.s3mock.max-payload-size=100MB")));
    }

    @AfterAll
    static void stop() {
        server.ifPresent(S3Server::close);
    }

    @Override
    URI endpoint() {
        return server.orElseThrow().endpoint();
    }

    @Override
    void createBucket(String name) {
        server.orElseThrow().createBucket(name);
    }

    @Override
    protected boolean tellsOneWriter() {
        return false;
    }

    @Override
    boolean checksSignatures() {
        return false;
    }

    @Override
    boolean takesChecksumTrailers() {
        return true;
    }

    @Override
    boolean confirmsEncryption() {
        return true;
    }

    @Override
    boolean checksRegions() {
        return false;
    }
}
