package io.cloudmw.helper.page;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.time.Ticker;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Snapshots as JSON, computed once for all who ask at about the same time. Safe for any thread. */
final class SnapshotJson {
    /** The age up to which a snapshot answers another request. */
    private static final long RECENT_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Without characters outside of ASCII, so that half a pair of surrogates in a name does not end the output. */
    private static final ObjectMapper MAPPER = new JsonMapper(
            JsonFactory.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build());

    private final PageSource source;
    private final Ticker ticker;
    private final ReentrantLock computing = new ReentrantLock();
    private volatile @Nullable Taken last;

    /** A snapshot and when it was taken. */
    private static final class Taken {
        private final byte[] json;
        private final long atNanos;

        Taken(byte[] json, long atNanos) {
            this.json = json;
            this.atNanos = atNanos;
        }
    }

    SnapshotJson(PageSource source, Ticker ticker) {
        this.source = source;
        this.ticker = ticker;
    }

    /** Returns the JSON of a value of the page. */
    static byte[] of(Object value) {
        try {
            return MAPPER.writeValueAsBytes(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("records of numbers and texts are JSON", e);
        }
    }

    /**
     * Takes a snapshot now.
     *
     * @return shared; must not be changed
     */
    byte[] take() throws CloudMwException, InterruptedException {
        computing.lockInterruptibly();
        try {
            byte[] json = of(source.snapshot());
            last = new Taken(json, ticker.nanos());
            return json;
        } finally {
            computing.unlock();
        }
    }

    /**
     * Returns a snapshot that is at most a second old.
     *
     * @return shared; must not be changed
     */
    byte[] recent() throws CloudMwException, InterruptedException {
        computing.lockInterruptibly();
        try {
            Taken known = last;
            return known != null && ticker.nanos() - known.atNanos < RECENT_NANOS ? known.json : take();
        } finally {
            computing.unlock();
        }
    }
}
