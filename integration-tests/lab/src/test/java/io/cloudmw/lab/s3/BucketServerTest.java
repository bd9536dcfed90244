package io.cloudmw.lab.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class BucketServerTest {
    private final HttpClient http = HttpClient.newHttpClient();

    @TempDir
    private Path directory;

    private BucketServer server;

    @BeforeEach
    void start() throws IOException {
        server = new BucketServer(directory, InetAddress.getLoopbackAddress());
        Files.writeString(Files.createDirectory(directory.resolve("bucket")).resolve("object"), "0123456789");
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private HttpResponse<String> get(String key, String range) throws Exception {
        return http.send(
                HttpRequest.newBuilder(URI.create(server.endpoint() + "/bucket/" + key))
                        .header("Range", range)
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void answersARangeWithItsBytes() throws Exception {
        HttpResponse<String> answer = get("object", "bytes=3-5");
        assertThat(answer.statusCode()).isEqualTo(206);
        assertThat(answer.body()).isEqualTo("345");
        assertThat(answer.headers().firstValue("Content-Range")).hasValue("bytes 3-5/10");
    }

    @Test
    void refusedRequestIsNoDefect() throws Exception {
        assertThat(get("absent", "bytes=0-1").statusCode()).isEqualTo(404);
        assertThat(get("object", "bytes=10-11").statusCode()).isEqualTo(416);
        server.check();
    }

    @Test
    void listsKeysWithAPrefixAfterAnother() throws Exception {
        for (String key : new String[] {"p%2Fa", "p%2Fb", "p%2Fc", "q"}) {
            Files.writeString(directory.resolve("bucket").resolve(key), "x");
        }
        HttpResponse<String> answer = http.send(
                HttpRequest.newBuilder(URI.create(
                                server.endpoint() + "/bucket?list-type=2&prefix=p%2F&start-after=p%2Fa&max-keys=1"))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(answer.body())
                .contains("<Key>p/b</Key>")
                .contains("<IsTruncated>true")
                .doesNotContain("p/a<", "p/c<", "<Key>q");
    }

    @Test
    void anotherAccessKeyThanTheOneDemandedIsRefused() throws Exception {
        server.admit("known");
        assertThat(get("object", "bytes=0-1").statusCode()).isEqualTo(403);
        HttpResponse<String> answer = http.send(
                HttpRequest.newBuilder(URI.create(server.endpoint() + "/bucket/object"))
                        .header("Authorization", "AWS4-HMAC-SHA256 Credential=known/2026/x")
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(answer.body()).isEqualTo("0123456789");
    }

    /** No file can have this name, so the handler fails with an unexpected exception. */
    @Test
    void defectOfTheServerVoidsTheMeasurement() {
        assertThatThrownBy(() -> get("%00", "bytes=0-1")).isInstanceOf(IOException.class);
        assertThatThrownBy(server::check).isInstanceOf(IllegalStateException.class);
    }
}
