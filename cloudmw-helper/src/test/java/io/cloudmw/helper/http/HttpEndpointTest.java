package io.cloudmw.helper.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.config.HostPort;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

final class HttpEndpointTest {
    private static HttpResponse<String> get(HttpEndpoint endpoint, String path, String accept) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + endpoint.address() + path))
                .header("Accept", accept)
                .build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void aProcessMayLiveAndNotBeReadyAndSaysWhy() throws Exception {
        AtomicReference<Optional<String>> unready = new AtomicReference<>(Optional.of("no \"coordinator\""));
        PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        try (HttpEndpoint endpoint = new HttpEndpoint("x.http.listen", new HostPort("127.0.0.1", 0))) {
            endpoint.serve(meters, () -> true, unready::get);
            assertThat(get(endpoint, "/healthz", "*/*").statusCode()).isEqualTo(200);
            assertThat(get(endpoint, "/readyz", "*/*").statusCode()).isEqualTo(503);
            assertThat(get(endpoint, "/readyz", "*/*").body()).isEqualTo("no \"coordinator\"\n");
            assertThat(get(endpoint, "/readyz", "application/json").body())
                    .isEqualTo("{\"ready\":false,\"reason\":\"no \\\"coordinator\\\"\"}\n");

            unready.set(Optional.empty());
            assertThat(get(endpoint, "/readyz", "*/*").statusCode()).isEqualTo(200);
            assertThat(get(endpoint, "/readyz", "*/*").body()).isEqualTo("ready\n");
            assertThat(get(endpoint, "/readyz", "application/json").body()).isEqualTo("{\"ready\":true}\n");
        }
    }
}
