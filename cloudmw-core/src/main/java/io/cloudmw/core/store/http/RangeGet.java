package io.cloudmw.core.store.http;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.store.error.S3ErrorResponse;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.tls.TlsFailures;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A GET of one range of a chunk. The socket is read only as far as bytes were requested, apart from one receive buffer.
 * {@link #request} and {@link #cancel} are for any thread; the rest is confined to the connection's event loop.
 */
public final class RangeGet {
    private static final Pattern CONTENT_RANGE = Pattern.compile("bytes (\\d{1,18})-(\\d{1,18})/(\\d{1,18})");
    private static final int ERROR_BYTES = 4096;
    private static final int PARTIAL = 206;

    private enum State {
        AWAITING_HEAD,
        BODY,
        /** The answer is an error, whose text comes. */
        ERROR,
        OVER
    }

    private final HttpConnections connections;
    private final HttpOrigin origin;
    private final InetSocketAddress address;
    private final String target;
    private final ByteRange range;
    private final String what;
    private final RangeListener listener;
    private final AtomicLong requested = new AtomicLong();
    private volatile boolean cancelled;
    private volatile @Nullable HttpConnection connection;
    private State state = State.AWAITING_HEAD;
    private @Nullable HttpResponse error;
    private final StringBuilder errorText = new StringBuilder();
    private long received;
    private long movedAtNanos;
    private boolean repeated;

    /**
     * Looks up the server's name, which blocks.
     *
     * @param what the chunk and store, for messages
     */
    RangeGet(HttpConnections connections, URI url, ByteRange range, String what, RangeListener listener) {
        this.connections = connections;
        this.origin = HttpOrigin.of(url);
        this.address = new InetSocketAddress(origin.address(), origin.port());
        String path = url.getRawPath().isEmpty() ? "/" : url.getRawPath();
        this.target = url.getRawQuery() == null ? path : path + "?" + url.getRawQuery();
        this.range = range;
        this.what = what;
        this.listener = listener;
    }

    /** Requests {@code bytes} more. */
    public void request(long bytes) {
        requested.addAndGet(bytes);
        HttpConnection open = connection;
        if (open != null) {
            open.resume(this);
        }
    }

    /** Stops the GET and closes its connection if the answer is under way. Idempotent. */
    public void cancel() {
        cancelled = true;
        HttpConnection open = connection;
        if (open == null) {
            connections.forget(this);
        } else {
            open.abort(this);
        }
    }

    HttpOrigin origin() {
        return origin;
    }

    InetSocketAddress address() {
        return address;
    }

    /** The path and query of the URL, which has the signature. */
    String target() {
        return target;
    }

    String rangeHeader() {
        return "bytes=" + range.offset() + "-" + (range.end() - 1);
    }

    boolean isCancelled() {
        return cancelled;
    }

    boolean isOver() {
        return state == State.OVER;
    }

    // ---- on the event loop

    void sentOver(HttpConnection open, long nowNanos) {
        connection = open;
        movedAtNanos = nowNanos;
    }

    /** Returns whether the socket is to be read. */
    boolean wantsBytes() {
        return state != State.BODY ? state != State.OVER : received < requested.get();
    }

    /** Notes that bytes are wanted again after a pause, which is no silence of the server. */
    void resumed(long nowNanos) {
        movedAtNanos = nowNanos;
    }

    /** Returns whether the GET may be sent once more: a connection that was kept was closed before it answered. */
    boolean mayRepeat(boolean reused) {
        boolean may = reused && !repeated && state == State.AWAITING_HEAD && !cancelled;
        if (may) {
            repeated = true;
            connection = null;
        }
        return may;
    }

    /** Nanoseconds until the server counts as silent; 0 or less: it does. */
    long silentInNanos(long nowNanos) {
        long stall = connections.timeouts().stall().toNanos();
        return wantsBytes() ? movedAtNanos + stall - nowNanos : stall;
    }

    void silent() {
        fail(unavailable("not a byte in " + connections.timeouts().stall().toMillis() + " ms", null));
    }

    void head(HttpResponse head, long nowNanos) {
        movedAtNanos = nowNanos;
        if (head.status().codeClass() == HttpStatusClass.SUCCESS
                && head.status().code() != PARTIAL) {
            fail(unavailable("it ignores ranges", null));
            return;
        }
        if (head.status().code() != PARTIAL) {
            state = State.ERROR;
            error = head;
            return;
        }
        try {
            long length = checkedLength(head);
            state = State.BODY;
            if (!cancelled) {
                listener.began(length);
            }
        } catch (CloudMwException e) {
            fail(e);
        }
    }

    /** The length of the whole chunk. */
    private long checkedLength(HttpResponse head) throws CloudMwException {
        Matcher given = CONTENT_RANGE.matcher(head.headers().get("Content-Range", ""));
        if (!given.matches() || Long.parseLong(given.group(1)) != range.offset()) {
            throw unavailable("it ignores ranges", null);
        }
        long last = Long.parseLong(given.group(2));
        if (!String.valueOf(last - range.offset() + 1).equals(head.headers().get("Content-Length"))) {
            throw unavailable("its answer has another length than its range", null);
        }
        long chunkLength = Long.parseLong(given.group(3));
        if (last != range.end() - 1) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    what + ": range " + range + " (expected: within " + chunkLength + " bytes)");
        }
        return chunkLength;
    }

    /** Takes a piece of the answer; the piece belongs to the GET now. */
    void content(ByteBuf piece, long nowNanos) {
        movedAtNanos = nowNanos;
        int bytes = piece.readableBytes();
        if (state == State.BODY && bytes > 0 && !cancelled) {
            received += bytes;
            listener.data(piece);
            return;
        }
        if (state == State.ERROR) {
            int kept = Math.min(bytes, ERROR_BYTES - errorText.length());
            errorText.append(piece.toString(piece.readerIndex(), kept, StandardCharsets.ISO_8859_1));
            if (errorText.length() == ERROR_BYTES) {
                end(); // the reason is at the beginning; the rest is not read
            }
        }
        piece.release();
    }

    /** The answer has ended. */
    void end() {
        HttpResponse bad = error;
        if (state == State.ERROR && bad != null) {
            S3ErrorResponse answer = S3ErrorResponse.of(
                    bad.status().code(),
                    name -> Optional.ofNullable(bad.headers().get(name)),
                    errorText.toString(),
                    WallClock.system().millis());
            fail(HttpErrors.translate(what, answer));
        } else if (state == State.BODY) {
            state = State.OVER;
            if (!cancelled) {
                listener.ended();
            }
        }
    }

    /** The connection broke. */
    void broken(@Nullable Throwable cause) {
        String why =
                cause == null ? "" : ": " + (TlsFailures.isOne(cause) ? TlsFailures.reason(cause) : cause.getMessage());
        fail(
                state == State.AWAITING_HEAD
                        ? unavailable("no answer" + why, cause)
                        : unavailable(
                                "the answer broke off " + (range.length() - received) + " bytes early" + why, cause));
    }

    /** Fails the GET before it was sent. Any thread. */
    void notSent(String why, @Nullable Throwable cause) {
        fail(unavailable(why, cause));
    }

    void overloaded() {
        fail(new CloudMwException(ErrorCode.OVERLOADED, what + ": too many reads wait for a connection"));
    }

    /** Fails the GET, which no connection took in time. Any thread. */
    void waitedTooLong() {
        fail(new CloudMwException(
                ErrorCode.OVERLOADED,
                what + ": no connection to " + origin.host() + " was free for "
                        + connections.timeouts().turn().toMillis() + " ms (all " + HttpConnections.MAX_OPEN
                        + " read or wait for their readers)"));
    }

    private void fail(CloudMwException cause) {
        if (state != State.OVER) {
            state = State.OVER;
            if (!cancelled) {
                listener.failed(cause);
            }
        }
    }

    private CloudMwException unavailable(String why, @Nullable Throwable cause) {
        return new CloudMwException(ErrorCode.STORE_UNAVAILABLE, what + ": " + why, cause);
    }
}
