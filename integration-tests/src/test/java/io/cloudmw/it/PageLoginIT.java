package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.client.ClientSecurity;
import io.cloudmw.client.CloudMw;
import io.cloudmw.core.grant.ClusterRole;
import io.cloudmw.core.security.AccessToken;
import io.cloudmw.core.security.TokenFile;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The web page of a coordinator under TLS, which opens for tokens of the cluster. */
final class PageLoginIT {
    private static final int OK = 200;
    private static final int SEE_OTHER = 303;
    private static final int UNAUTHORIZED = 401;
    private static final int FORBIDDEN = 403;

    private final HttpClient browser = HttpClient.newHttpClient();

    @TempDir
    private Path directory;

    private TlsCluster cluster;

    @BeforeEach
    void start() throws Exception {
        cluster = TlsCluster.start(directory);
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    private HttpResponse<String> get(String path, String header, String value)
            throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(cluster.page().resolve(path))
                .header(header, value)
                .build();
        return browser.send(request, HttpResponse.BodyHandlers.ofString());
    }

    private int statusWithToken(String token) throws IOException, InterruptedException {
        return get("/api/snapshot", "Authorization", "Bearer " + token).statusCode();
    }

    private HttpResponse<String> login(String token) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(cluster.page().resolve("/login"))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString("token=" + token))
                .build();
        return browser.send(request, HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void pageIsClosedOnLoopbackUntilAViewerLogsIn() throws Exception {
        assertThat(get("/", "Accept", "text/html").statusCode()).isEqualTo(UNAUTHORIZED);
        String admin = TokenFile.read(cluster.tokenFile()).text();
        assertThat(statusWithToken(admin)).isEqualTo(OK);
        assertThat(statusWithToken(
                        AccessToken.random("admin", AccessToken.parse(admin).authority())
                                .text()))
                .isEqualTo(UNAUTHORIZED);

        CloudMw client = cluster.client(ClientSecurity.tokenFile(cluster.tokenFile()));
        String token = client.subjects().createToken("app", Optional.empty()).join();
        assertThat(statusWithToken(token)).isEqualTo(FORBIDDEN);
        HttpResponse<String> refused = login(token);
        assertThat(refused.statusCode()).isEqualTo(FORBIDDEN);
        assertThat(refused.body()).contains("does not have the role viewer");
        var unused = client.subjects()
                .setRole("app", Optional.of(ClusterRole.VIEWER))
                .join();
        assertThat(statusWithToken(token)).isEqualTo(OK);
    }

    @Test
    void revokedTokenEndsItsLogin() throws Exception {
        CloudMw client = cluster.client(ClientSecurity.tokenFile(cluster.tokenFile()));
        String token = client.subjects().createToken("app", Optional.empty()).join();
        var unusedRole = client.subjects()
                .setRole("app", Optional.of(ClusterRole.VIEWER))
                .join();

        HttpResponse<String> answer = login(token);

        assertThat(answer.statusCode()).isEqualTo(SEE_OTHER);
        String cookie = answer.headers().firstValue("Set-Cookie").orElseThrow();
        assertThat(cookie).contains("HttpOnly", "SameSite=Strict").doesNotContain(token);
        String login = cookie.substring(0, cookie.indexOf(';'));
        assertThat(get("/api/snapshot", "Cookie", login).statusCode()).isEqualTo(OK);
        var unused = client.subjects().revokeToken("app", Optional.empty()).join();
        assertThat(get("/api/snapshot", "Cookie", login).statusCode()).isEqualTo(UNAUTHORIZED);
    }
}
