package io.cloudmw.core.store.s3;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.http.ExecutableHttpRequest;

/**
 * The slot by which any thread aborts another thread's HTTP request, even while that waits for a connection or the
 * first byte. The SDK's synchronous client has no handle for that: {@link AbortableHttpClient} finds the slot of the
 * calling thread instead.
 */
final class AbortSlot {
    private static final ThreadLocal<@Nullable AbortSlot> CURRENT = new ThreadLocal<>();

    @GuardedBy("this")
    private @Nullable ExecutableHttpRequest request;

    @GuardedBy("this")
    private boolean aborted;

    /** A call of the SDK. */
    interface Call<T> {
        T run();
    }

    /** Runs {@code call}; {@link #abort} ends its requests. */
    <T> T during(Call<T> call) {
        CURRENT.set(this);
        try {
            return call.run();
        } finally {
            CURRENT.remove();
        }
    }

    static @Nullable AbortSlot current() {
        return CURRENT.get();
    }

    /**
     * Notes that {@code next} is about to be sent.
     *
     * @throws AbortedException after {@link #abort}: the SDK does not retry it
     */
    void enter(ExecutableHttpRequest next) {
        synchronized (this) {
            if (!aborted) {
                request = next;
                return;
            }
        }
        throw AbortedException.create("cancelled");
    }

    synchronized boolean aborted() {
        return aborted;
    }

    /**
     * Ends the current request and prevents later ones.
     *
     * @param complete the last response was read to its end, so that its connection may be used again
     */
    void abort(boolean complete) {
        ExecutableHttpRequest inFlight;
        synchronized (this) {
            aborted = true;
            inFlight = request;
            request = null;
        }
        if (inFlight != null && !complete) {
            inFlight.abort();
        }
    }
}
