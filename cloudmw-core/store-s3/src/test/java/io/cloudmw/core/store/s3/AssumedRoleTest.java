package io.cloudmw.core.store.s3;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.cloudmw.core.access.CredentialsReference;
import io.cloudmw.core.access.StoreFault;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Store;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of roles that are assumed at a scripted STS. */
final class AssumedRoleTest {
    private static final String ENDPOINT = "aws.endpointUrlSts";
    private static final String ARN = "arn:aws:iam::123456789012:role/reader";

    private final S3Stores stores = S3Stores.open(S3Settings.DEFAULT, "base", "secret");
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private ScriptedBucket bucket;
    private HttpServer sts;

    @BeforeEach
    void start() throws IOException {
        bucket = new ScriptedBucket();
        sts = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        sts.createContext("/", this::answer);
        sts.start();
        System.setProperty(ENDPOINT, "http://127.0.0.1:" + sts.getAddress().getPort());
    }

    @AfterEach
    void stop() {
        System.clearProperty(ENDPOINT);
        stores.close();
        sts.stop(0);
        bucket.close();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String form = URLDecoder.decode(
                    new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8),
                    StandardCharsets.UTF_8);
            asked.add(exchange.getRequestHeaders().getFirst("Authorization") + " " + form);
            boolean right = form.contains("ExternalId=ext-1");
            byte[] body = (right
                            ? "<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>assumed</AccessKeyId>"
                                    + "<SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken>"
                                    + "<Expiration>2099-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult>"
                                    + "</AssumeRoleResponse>"
                            : "<ErrorResponse><Error><Code>AccessDenied</Code><Message>not you</Message></Error>"
                                    + "</ErrorResponse>")
                    .getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(right ? 200 : 403, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    private Store store(String externalId) {
        return new Store(
                new StoreId("s"),
                "z",
                new Store.S3(
                        "bucket",
                        "us-east-1",
                        bucket.endpoint(),
                        true,
                        "",
                        new CredentialsReference.Role(ARN, externalId)));
    }

    @Test
    void requestsUseTheKeysOfARoleThatIsAssumedOnce() throws Exception {
        bucket.admit("assumed");
        assertThat(stores.look(store("ext-1"), Duration.ofMinutes(1))).isEmpty();
        assertThat(stores.look(store("ext-1"), Duration.ofMinutes(1))).isEmpty();
        assertThat(asked)
                .hasSize(1)
                .allSatisfy(request -> assertThat(request)
                        .contains("Credential=base/")
                        .contains("Action=AssumeRole")
                        .contains("RoleArn=" + ARN)
                        .contains("ExternalId=ext-1"));
    }

    @Test
    void refusedRoleIsReported() throws Exception {
        assertThat(stores.look(store(""), Duration.ofMinutes(1))).hasValueSatisfying(fault -> {
            assertThat(fault.kind()).isEqualTo(StoreFault.Kind.NO_CREDENTIALS);
            assertThat(fault.reason()).contains(ARN).contains("not you");
        });
    }
}
