package io.cloudmw.core.store.s3;

import java.io.IOException;
import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.http.ExecutableHttpRequest;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.HttpExecuteResponse;
import software.amazon.awssdk.http.SdkHttpClient;

/** An HTTP client that registers every request with the {@link AbortSlot} of the sending thread. */
final class AbortableHttpClient implements SdkHttpClient {
    private final SdkHttpClient client;

    AbortableHttpClient(SdkHttpClient client) {
        this.client = client;
    }

    @Override
    public ExecutableHttpRequest prepareRequest(HttpExecuteRequest request) {
        ExecutableHttpRequest prepared = client.prepareRequest(request);
        AbortSlot slot = AbortSlot.current();
        return slot == null ? prepared : new Abortable(prepared, slot);
    }

    @Override
    public String clientName() {
        return client.clientName();
    }

    @Override
    public void close() {
        client.close();
    }

    private record Abortable(ExecutableHttpRequest request, AbortSlot slot) implements ExecutableHttpRequest {
        @Override
        public HttpExecuteResponse call() throws IOException {
            slot.enter(request);
            try {
                return request.call();
            } catch (IOException | RuntimeException e) {
                // Also a CancellationException, for a request that still waited for a connection.
                if (slot.aborted()) {
                    throw AbortedException.create("cancelled");
                }
                throw e;
            }
        }

        @Override
        public void abort() {
            request.abort();
        }
    }
}
