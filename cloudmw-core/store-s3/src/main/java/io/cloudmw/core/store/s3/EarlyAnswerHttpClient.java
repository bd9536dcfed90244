package io.cloudmw.core.store.s3;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.core.time.Ticker;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.NoHttpResponseException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.http.ContentStreamProvider;
import software.amazon.awssdk.http.ExecutableHttpRequest;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.HttpExecuteResponse;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.SdkHttpResponse;

/**
 * An HTTP client that reads the response of a server which did not wait for the body. Some servers respond with an
 * error after the first bytes of a body. Servers that close then break the client's write, and the HTTP client drops
 * the response with the connection. Servers that keep the connection open without reading stall the write. In both
 * cases this client sends the same request again with only the beginning of its body. That response arrives, because
 * nothing is left to write. A server without an objection waits for the rest for {@code patience}, and stores nothing.
 * Safe for any thread.
 */
final class EarlyAnswerHttpClient implements SdkHttpClient {
    private static final Logger LOG = LoggerFactory.getLogger(EarlyAnswerHttpClient.class);

    /** More bytes than servers read before they look at a request, and fewer than any socket takes without a reader. */
    static final int BEGINNING_BYTES = 16 * 1024;

    /** The longest wait for a busy server; a retry may meet another one. */
    static final Duration LONGEST_RETRY_AFTER = Duration.ofSeconds(5);

    /** The time after which a write counts as stalled: a slow network needs that long for the buffers of a socket. */
    static final Duration STALLED = Duration.ofSeconds(2);

    private static final int ASKING_THREADS = 2;

    private static final String RETRY_AFTER = "Retry-After";

    private final SdkHttpClient client;
    private final SdkHttpClient asking;
    private final ScheduledThreadPoolExecutor stalls =
            new ScheduledThreadPoolExecutor(ASKING_THREADS, Threads.factory("cloudmw-s3-stalled-put"));

    /**
     * @param client sends whole requests
     * @param asking sends the beginnings of requests that broke or stalled; its read timeout is short. Both are closed
     *     with this one
     */
    EarlyAnswerHttpClient(SdkHttpClient client, SdkHttpClient asking) {
        this.client = client;
        this.asking = asking;
        stalls.setRemoveOnCancelPolicy(true);
    }

    @Override
    public ExecutableHttpRequest prepareRequest(HttpExecuteRequest request) {
        Optional<ContentStreamProvider> content = request.contentStreamProvider();
        if (content.isEmpty() || bodyBytes(request) == 0) {
            return new BodilessRequest(client.prepareRequest(request));
        }
        RecordedBody body = new RecordedBody(content.get(), BEGINNING_BYTES, Ticker.system());
        HttpExecuteRequest recorded = HttpExecuteRequest.builder()
                .request(request.httpRequest())
                .contentStreamProvider(body)
                .metricCollector(request.metricCollector().orElse(null))
                .build();
        return new BodyRequest(request, body, client.prepareRequest(recorded));
    }

    @Override
    public String clientName() {
        return client.clientName();
    }

    @Override
    public void close() {
        stalls.shutdownNow();
        client.close();
        asking.close();
    }

    private static boolean broke(IOException e) {
        boolean neverBegan = e instanceof ConnectException
                || e instanceof NoRouteToHostException
                || e instanceof SSLHandshakeException
                || e instanceof SSLPeerUnverifiedException;
        boolean broken = e instanceof SocketException
                || e instanceof SSLException
                || e instanceof NoHttpResponseException
                || e instanceof ConnectionClosedException;
        return broken && !neverBegan;
    }

    private static long bodyBytes(HttpExecuteRequest request) {
        return request.httpRequest()
                .firstMatchingHeader("Content-Length")
                .filter(length -> length.matches("\\d{1,18}"))
                .map(Long::parseLong)
                .orElse(0L);
    }

    /** The response with a bounded retry-after, which the SDK would obey however long it is. */
    private static HttpExecuteResponse bounded(HttpExecuteResponse answer) {
        SdkHttpResponse head = answer.httpResponse();
        boolean tooLong = head.firstMatchingHeader(RETRY_AFTER)
                .filter(seconds -> !seconds.matches("[0-9]") || seconds.compareTo(longest()) > 0)
                .isPresent();
        if (!tooLong) {
            return answer;
        }
        SdkHttpResponse.Builder shorter = head.toBuilder().putHeader(RETRY_AFTER, longest());
        HttpExecuteResponse.Builder bounded = HttpExecuteResponse.builder().response(shorter.build());
        answer.responseBody().ifPresent(bounded::responseBody);
        return bounded.build();
    }

    private static String longest() {
        return Long.toString(LONGEST_RETRY_AFTER.toSeconds());
    }

    /** A request without a body. */
    private record BodilessRequest(ExecutableHttpRequest request) implements ExecutableHttpRequest {
        @Override
        public HttpExecuteResponse call() throws IOException {
            return bounded(request.call());
        }

        @Override
        public void abort() {
            request.abort();
        }
    }

    /** A request with a body, and the question that may follow it. */
    private final class BodyRequest implements ExecutableHttpRequest {
        private final HttpExecuteRequest request;
        private final RecordedBody body;
        private final ExecutableHttpRequest whole;
        private Duration nextQuestion = STALLED;

        @GuardedBy("this")
        private Phase phase = Phase.SENDING;

        @GuardedBy("this")
        private @Nullable HttpExecuteResponse early;

        @GuardedBy("this")
        private @Nullable ExecutableHttpRequest question;

        BodyRequest(HttpExecuteRequest request, RecordedBody body, ExecutableHttpRequest whole) {
            this.request = request;
            this.body = body;
            this.whole = whole;
        }

        @Override
        public HttpExecuteResponse call() throws IOException {
            ScheduledFuture<?> watch = stalls.scheduleWithFixedDelay(
                    this::askIfStalled, STALLED.toMillis(), STALLED.toMillis(), TimeUnit.MILLISECONDS);
            try {
                HttpExecuteResponse answer = whole.call();
                return bounded(settled().orElse(answer));
            } catch (IOException | RuntimeException e) {
                Optional<HttpExecuteResponse> answer = settled();
                if (answer.isPresent()) {
                    return bounded(answer.get());
                }
                if (e instanceof IOException failure && broke(failure)) {
                    return bounded(askBroken(failure));
                }
                throw e;
            } finally {
                watch.cancel(false);
            }
        }

        /** Ends the sending; returns the early response if one was accepted before. */
        private synchronized Optional<HttpExecuteResponse> settled() {
            if (phase == Phase.SENDING) {
                phase = Phase.SETTLED;
            }
            return Optional.ofNullable(early);
        }

        /** Returns false when the request has ended; the caller then drops the response. */
        private synchronized boolean accepts(HttpExecuteResponse answer) {
            if (phase == Phase.SENDING) {
                early = answer;
            }
            return phase == Phase.SENDING;
        }

        private synchronized boolean isSending() {
            return phase == Phase.SENDING;
        }

        /** Runs on a thread of {@link #stalls}, never twice at once. */
        private void askIfStalled() {
            if (!isSending() || !body.isStalledFor(nextQuestion)) {
                return;
            }
            nextQuestion = nextQuestion.multipliedBy(2);
            try {
                byte[] beginning = body.beginning();
                HttpExecuteResponse answer = ask(() -> new ByteArrayInputStream(beginning));
                if (answer.httpResponse().isSuccessful() || !accepts(answer)) {
                    abortQuestion();
                } else {
                    whole.abort();
                }
            } catch (IOException | RuntimeException e) {
                LOG.debug("the server has no early answer to a stalled request", e);
            }
        }

        private HttpExecuteResponse askBroken(IOException broken) throws IOException {
            HttpExecuteResponse answer;
            try {
                answer = ask(this::beginning);
            } catch (IOException | RuntimeException e) {
                // Also when the body cannot be opened again: only the broken connection is known.
                broken.addSuppressed(e);
                throw broken;
            }
            if (answer.httpResponse().isSuccessful() && bodyBytes(request) > BEGINNING_BYTES) {
                abortQuestion();
                throw broken; // no server can have stored bytes that were not sent to it
            }
            return answer;
        }

        private InputStream beginning() {
            try (InputStream in = body.newStream()) {
                return new ByteArrayInputStream(in.readNBytes(BEGINNING_BYTES));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private HttpExecuteResponse ask(ContentStreamProvider beginning) throws IOException {
            ExecutableHttpRequest next = asking.prepareRequest(HttpExecuteRequest.builder()
                    .request(request.httpRequest())
                    .contentStreamProvider(beginning)
                    .build());
            synchronized (this) {
                if (phase == Phase.ABORTED) {
                    throw new IOException("the request was cancelled");
                }
                question = next;
            }
            return next.call();
        }

        private void abortQuestion() {
            ExecutableHttpRequest asked;
            synchronized (this) {
                asked = question;
            }
            if (asked != null) {
                asked.abort();
            }
        }

        @Override
        public void abort() {
            synchronized (this) {
                phase = Phase.ABORTED;
            }
            whole.abort();
            abortQuestion();
        }
    }

    private enum Phase {
        SENDING,
        SETTLED,
        ABORTED
    }
}
