package io.cloudmw.helper.http;

import static java.net.http.HttpResponse.BodyHandlers.ofString;
import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.config.HostPort;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class HttpEndpointTest {
    private static final int MORE_THAN_THREADS = 32;
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private static HttpResponse<String> get(HttpEndpoint endpoint, String path, String accept) throws Exception {
        return CLIENT.send(request(endpoint, path, accept), ofString());
    }

    private static HttpRequest request(HttpEndpoint endpoint, String path, String accept) {
        return HttpRequest.newBuilder(URI.create("http://" + endpoint.address() + path))
                .header("Accept", accept)
                .build();
    }

    @Test
    void healthyProcessAnswersWithTheReasonWhenItIsNotReady() throws Exception {
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
            assertThat(get(endpoint, "/", "*/*").statusCode()).isEqualTo(404);
            assertThat(get(endpoint, "/", "*/*").body()).contains("/metrics, /healthz and /readyz");
        }
    }

    /**
     * A check takes seconds when the catalog hangs; an orchestrator must not take the process for dead meanwhile.
     */
    @Test
    void healthCheckAnswersWhileAReadinessCheckRuns() throws Exception {
        CountDownLatch looking = new CountDownLatch(1);
        CountDownLatch found = new CountDownLatch(1);
        Supplier<Optional<String>> hanging = () -> {
            looking.countDown();
            await(found);
            return Optional.of("the catalog hangs");
        };
        try (HttpEndpoint endpoint = endpoint(hanging)) {
            List<CompletableFuture<HttpResponse<String>>> asked = new ArrayList<>();
            for (int i = 0; i < MORE_THAN_THREADS; i++) {
                asked.add(CLIENT.sendAsync(request(endpoint, "/readyz", "*/*"), ofString()));
            }
            looking.await();
            assertThat(get(endpoint, "/healthz", "*/*").statusCode()).isEqualTo(200);
            assertThat(get(endpoint, "/metrics", "*/*").statusCode()).isEqualTo(200);
            assertThat(asked).noneMatch(CompletableFuture::isDone);
            found.countDown();
            for (CompletableFuture<HttpResponse<String>> one : asked) {
                assertThat(one.get().statusCode()).isEqualTo(503);
                assertThat(one.get().body()).isEqualTo("the catalog hangs\n");
            }
        }
    }

    @Test
    void readinessRequestsBeyondTheLimitAreAnsweredAtOnce() throws Exception {
        CountDownLatch found = new CountDownLatch(1);
        Supplier<Optional<String>> hanging = () -> {
            await(found);
            return Optional.empty();
        };
        try (HttpEndpoint endpoint = endpoint(hanging)) {
            List<CompletableFuture<HttpResponse<String>>> asked = new ArrayList<>();
            for (int i = 0; i <= ReadinessCheck.MOST_WAITING; i++) {
                asked.add(CLIENT.sendAsync(request(endpoint, "/readyz", "*/*"), ofString()));
            }
            HttpResponse<?> refused =
                    (HttpResponse<?>) CompletableFuture.anyOf(asked.toArray(CompletableFuture<?>[]::new))
                            .get();
            assertThat(refused.statusCode()).isEqualTo(503);
            assertThat(String.valueOf(refused.body())).contains("wait for the readiness check");
            found.countDown();
            long ready = 0;
            for (CompletableFuture<HttpResponse<String>> one : asked) {
                ready += one.get().statusCode() == 200 ? 1 : 0;
            }
            assertThat(ready).isEqualTo(ReadinessCheck.MOST_WAITING);
        }
    }

    @Test
    void failedReadinessCheckAnswersNotReady() throws Exception {
        try (HttpEndpoint endpoint = endpoint(() -> {
            throw new IllegalStateException("broken");
        })) {
            assertThat(get(endpoint, "/readyz", "*/*").statusCode()).isEqualTo(503);
            assertThat(get(endpoint, "/readyz", "*/*").body()).contains("broken");
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static HttpEndpoint endpoint(Supplier<Optional<String>> unready) throws Exception {
        HttpEndpoint endpoint = new HttpEndpoint("x.http.listen", new HostPort("127.0.0.1", 0));
        endpoint.serve(new PrometheusMeterRegistry(PrometheusConfig.DEFAULT), () -> true, unready);
        return endpoint;
    }
}
