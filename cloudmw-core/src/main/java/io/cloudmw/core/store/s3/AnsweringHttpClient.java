package io.cloudmw.core.store.s3;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.time.Duration;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.NoHttpResponseException;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.http.ContentStreamProvider;
import software.amazon.awssdk.http.ExecutableHttpRequest;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.HttpExecuteResponse;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.SdkHttpResponse;

/**
 * Finds out what a server answered that did not wait for the body. Some servers answer with an error after the first bytes of a
 * body and close; the client is still writing then, its write breaks, and the HTTP client drops the answer with the connection.
 * This client then sends the same request again with the beginning of its body only, and reads the answer: it comes, because
 * nothing is left to write. A server that has no objection waits for the rest, in vain for {@code patience}, and stores
 * nothing. Safe for any thread.
 */
final class AnsweringHttpClient implements SdkHttpClient {
    /** More than servers read before they look at a request, and less than any socket takes without a reader. */
    static final int BEGINNING_BYTES = 16 * 1024;

    /** No longer than this is waited for a server that is busy; another try may meet another. */
    static final Duration LONGEST_RETRY_AFTER = Duration.ofSeconds(5);

    private static final String RETRY_AFTER = "Retry-After";

    private final SdkHttpClient client;
    private final SdkHttpClient asking;

    /**
     * @param client sends whole requests
     * @param asking sends the beginnings of those that broke; its time without an answer is short. Both are closed with this one
     */
    AnsweringHttpClient(SdkHttpClient client, SdkHttpClient asking) {
        this.client = client;
        this.asking = asking;
    }

    @Override
    public ExecutableHttpRequest prepareRequest(HttpExecuteRequest request) {
        return new Answered(request, client.prepareRequest(request));
    }

    @Override
    public String clientName() {
        return client.clientName();
    }

    @Override
    public void close() {
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
        if (request.contentStreamProvider().isEmpty()) {
            return 0;
        }
        return request.httpRequest()
                .firstMatchingHeader("Content-Length")
                .filter(length -> length.matches("\\d{1,18}"))
                .map(Long::parseLong)
                .orElse(0L);
    }

    private static ContentStreamProvider beginning(ContentStreamProvider whole) {
        return () -> {
            try (InputStream in = whole.newStream()) {
                return new ByteArrayInputStream(in.readNBytes(BEGINNING_BYTES));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
    }

    /** The SDK waits as long as a server says, however long that is. */
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

    /** A request, and the question that may follow it. */
    private final class Answered implements ExecutableHttpRequest {
        private final HttpExecuteRequest request;
        private final ExecutableHttpRequest whole;
        private volatile @Nullable ExecutableHttpRequest question;
        private volatile boolean aborted;

        Answered(HttpExecuteRequest request, ExecutableHttpRequest whole) {
            this.request = request;
            this.whole = whole;
        }

        @Override
        public HttpExecuteResponse call() throws IOException {
            try {
                return bounded(whole.call());
            } catch (IOException e) {
                if (!broke(e) || bodyBytes(request) == 0) {
                    throw e;
                }
                return bounded(ask(e));
            }
        }

        private HttpExecuteResponse ask(IOException broken) throws IOException {
            ContentStreamProvider body = request.contentStreamProvider().orElseThrow();
            ExecutableHttpRequest next = asking.prepareRequest(HttpExecuteRequest.builder()
                    .request(request.httpRequest())
                    .contentStreamProvider(beginning(body))
                    .build());
            question = next;
            if (aborted) {
                throw broken;
            }
            HttpExecuteResponse answer;
            try {
                answer = next.call();
            } catch (IOException | RuntimeException e) {
                // Also where the body cannot be opened again: what is known is that the connection broke.
                broken.addSuppressed(e);
                throw broken;
            }
            if (answer.httpResponse().isSuccessful() && bodyBytes(request) > BEGINNING_BYTES) {
                next.abort();
                throw broken; // no server can have stored what it was not sent
            }
            return answer;
        }

        @Override
        public void abort() {
            aborted = true;
            whole.abort();
            ExecutableHttpRequest asked = question;
            if (asked != null) {
                asked.abort();
            }
        }
    }
}
