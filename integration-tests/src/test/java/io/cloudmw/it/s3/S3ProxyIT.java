package io.cloudmw.it.s3;

import io.cloudmw.core.testing.TestPorts;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** The contract of S3 servers, on S3Proxy with its storage in memory. */
final class S3ProxyIT extends S3ServerContract {
    private static Optional<S3Server> server = Optional.empty();

    @BeforeAll
    static void start(@TempDir Path directory) throws IOException {
        int port = TestPorts.free();
        Path settings = directory.resolve("s3proxy.properties");
        Files.writeString(
                settings,
                String.join(
                        "\n",
                        "s3proxy.endpoint=http://127.0.0.1:" + port,
                        "s3proxy.authorization=aws-v4",
                        "s3proxy.identity=" + S3Server.ACCESS_KEY_ID,
                        "s3proxy.credential=" + S3Server.SECRET_ACCESS_KEY,
                        "jclouds.provider=transient-nio2",
                        "jclouds.identity=none",
                        "jclouds.credential=none"));
        Path logging = Path.of("src", "test", "s3proxy", "logback.xml").toAbsolutePath();
        server = Optional.of(S3Server.startJava(
                "s3proxy",
                port,
                List.of("-Dlogback.configurationFile=" + logging),
                List.of("org.gaul.s3proxy.Main", "--properties", settings.toString())));
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
        return true;
    }

    @Override
    boolean checksRegions() {
        return false;
    }
}
