package io.cloudmw.core.store.s3;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.time.Ticker;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import software.amazon.awssdk.http.ContentStreamProvider;

/**
 * The body of a request, with its first bytes and the time when the connection last took some. A single thread sends, any
 * thread asks.
 */
final class RecordedBody implements ContentStreamProvider {
    private final ContentStreamProvider body;
    private final int beginningBytes;
    private final Ticker ticker;

    @GuardedBy("this")
    private final ByteArrayOutputStream beginning = new ByteArrayOutputStream();

    @GuardedBy("this")
    private State state = State.NOT_SENDING;

    @GuardedBy("this")
    private long takenNanos;

    private enum State {
        /** The body has not begun, or was sent whole. */
        NOT_SENDING,
        /** The connection waits for bytes of the source. */
        READING_SOURCE,
        /** The connection writes the bytes it took. */
        WRITING
    }

    /**
     * @param beginningBytes the most bytes that are recorded
     */
    RecordedBody(ContentStreamProvider body, int beginningBytes, Ticker ticker) {
        this.body = body;
        this.beginningBytes = beginningBytes;
        this.ticker = ticker;
    }

    @Override
    public InputStream newStream() {
        synchronized (this) {
            beginning.reset();
        }
        return new Recorded(body.newStream());
    }

    /** Returns whether the connection has written for that long without asking for more bytes. */
    synchronized boolean isStalledFor(Duration time) {
        return state == State.WRITING && ticker.nanos() - takenNanos >= time.toNanos();
    }

    /** The first bytes that the connection took; at most {@code beginningBytes}, none before the body began. */
    synchronized byte[] beginning() {
        return beginning.toByteArray();
    }

    private synchronized void reads() {
        state = State.READING_SOURCE;
    }

    private synchronized void took(byte[] buffer, int offset, int count) {
        takenNanos = ticker.nanos();
        state = count < 0 ? State.NOT_SENDING : State.WRITING;
        int missing = beginningBytes - beginning.size();
        if (count > 0 && missing > 0) {
            beginning.write(buffer, offset, Math.min(count, missing));
        }
    }

    private synchronized void ended() {
        state = State.NOT_SENDING;
    }

    private final class Recorded extends FilterInputStream {
        Recorded(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] buffer, int offset, int length) throws IOException {
            reads();
            int count = in.read(buffer, offset, length);
            took(buffer, offset, count);
            return count;
        }

        /** Marks are unsupported: after a reset the recorded beginning would not be the beginning. */
        @Override
        public boolean markSupported() {
            return false;
        }

        @Override
        public void close() throws IOException {
            ended();
            super.close();
        }
    }
}
