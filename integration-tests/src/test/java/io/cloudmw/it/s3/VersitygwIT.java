package io.cloudmw.it.s3;

import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** The contract of S3 servers, on versitygw, which answers a put after the first bytes of its body. */
final class VersitygwIT extends S3ServerContract {
    private static Optional<S3Server> server = Optional.empty();

    @BeforeAll
    static void start(@TempDir Path directory) {
        server = Optional.of(Versitygw.start(directory));
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
    boolean checksSignatures() {
        return true;
    }

    @Override
    boolean takesChecksumTrailers() {
        return true;
    }

    @Override
    boolean confirmsEncryption() {
        return false;
    }

    @Override
    boolean checksRegions() {
        return true;
    }
}
