package io.cloudmw.core.store.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.testing.store.Chunks;
import io.cloudmw.core.testing.store.ScriptedHttpServer;
import io.cloudmw.core.time.Ticker;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Reads from a server whose certificate is for 127.0.0.1 and is signed by itself. */
@Timeout(120)
final class TlsReadTest {
    private static final String TRUST_STORE = "javax.net.ssl.trustStore";
    private static final String TRUST_STORE_PASSWORD = "javax.net.ssl.trustStorePassword";
    private static final String PASSWORD = "password";
    private static final int LENGTH = 5 << 20;

    @TempDir
    private static Path directory;

    private static Path keys;

    private final ChunkId chunk = Chunks.id();
    private final byte[] content = Chunks.bytes(5, LENGTH);
    private ScriptedHttpServer server;
    private HttpConnections connections;

    @BeforeAll
    static void makeCertificate() throws Exception {
        keys = directory.resolve("keys.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "server",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=server",
                        "-ext",
                        "san=ip:127.0.0.1",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        keys.toString(),
                        "-storepass",
                        PASSWORD)
                .redirectErrorStream(true)
                .start();
        String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(keytool.waitFor()).as(said).isZero();
    }

    @BeforeEach
    void start() throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(keys)) {
            store.load(in, PASSWORD.toCharArray());
        }
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(store, PASSWORD.toCharArray());
        SSLContext tls = SSLContext.getInstance("TLS");
        tls.init(managers.getKeyManagers(), null, null);
        server = new ScriptedHttpServer(tls).serving(Map.of("/" + chunk, content));
        connections = new HttpConnections(
                "test",
                new HttpTimeouts(Duration.ofSeconds(30), Duration.ofMinutes(5), Duration.ofMinutes(5)),
                Ticker.system());
    }

    @AfterEach
    void stop() {
        System.clearProperty(TRUST_STORE);
        System.clearProperty(TRUST_STORE_PASSWORD);
        connections.close();
        server.close();
    }

    private static void trustTheServer() {
        System.setProperty(TRUST_STORE, keys.toString());
        System.setProperty(TRUST_STORE_PASSWORD, PASSWORD);
    }

    private ChunkStore store(String host) {
        String at = server.uri().toString().replace("127.0.0.1", host);
        return new PresignedChunkStore(
                new StoreId("presigned"),
                read -> Optional.of(URI.create(at + "/" + read + "?sig=secret")),
                connections);
    }

    private CloudMwException failure(String host) {
        return catchThrowableOfType(CloudMwException.class, () -> Chunks.read(store(host), chunk, 0, 1));
    }

    @Test
    void rangesComeFromATrustedServer() throws IOException {
        trustTheServer();
        ChunkStore store = store("127.0.0.1");

        assertThat(Chunks.read(store, chunk, 0, LENGTH)).isEqualTo(content);
        assertThat(Chunks.read(store, chunk, 1000, 10)).hasSize(10);
        assertThat(server.requests()).hasSize(2);
    }

    @Test
    void serverWithAnUnknownCertificateGetsNoRequest() {
        CloudMwException failure = failure("127.0.0.1");

        assertThat(failure.code()).isEqualTo(ErrorCode.STORE_UNAVAILABLE);
        assertThat(failure).hasMessageContaining("certif");
        assertThat(failure.toString()).doesNotContain("sig=");
        assertThat(server.requests()).isEmpty();
    }

    @Test
    void serverWithACertificateForAnotherHostGetsNoRequest() {
        trustTheServer();

        CloudMwException failure = failure("localhost");

        assertThat(failure.code()).isEqualTo(ErrorCode.STORE_UNAVAILABLE);
        assertThat(failure).hasMessageContaining("localhost");
        assertThat(server.requests()).isEmpty();
    }
}
