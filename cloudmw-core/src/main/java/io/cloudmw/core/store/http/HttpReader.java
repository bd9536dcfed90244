package io.cloudmw.core.store.http;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.store.ChunkReader;
import io.cloudmw.core.store.error.S3ErrorResponse;
import io.cloudmw.core.time.WallClock;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A ranged GET, sent at the first read. */
final class HttpReader implements ChunkReader {
    private static final Pattern CONTENT_RANGE = Pattern.compile("bytes (\\d{1,18})-(\\d{1,18})/(\\d{1,18})");

    private final HttpClient client;
    private final HttpTimeouts timeouts;
    private final URI url;
    private final ByteRange range;
    private final String what;
    private final Queue<ByteBuffer> ready = new ArrayDeque<>();
    private long left;
    private long chunkLength;

    private volatile @Nullable CompletableFuture<HttpResponse<BodyQueue>> answer;
    private volatile @Nullable BodyQueue body;
    private volatile boolean drained;
    private volatile boolean closed;

    HttpReader(HttpClient client, HttpTimeouts timeouts, URI url, ByteRange range, String what) {
        this.client = client;
        this.timeouts = timeouts;
        this.url = url;
        this.range = range;
        this.what = what;
        this.left = range.length();
    }

    @Override
    public int read(ByteBuffer target) throws CloudMwException {
        if (closed) {
            throw cancelled();
        }
        if (left == 0) {
            return -1;
        }
        BodyQueue from = body();
        while (ready.isEmpty()) {
            refill(from);
        }
        int before = target.position();
        while (!ready.isEmpty() && target.hasRemaining()) {
            ByteBuffer piece = ready.element();
            int count = Math.min(piece.remaining(), target.remaining());
            target.put(target.position(), piece, piece.position(), count);
            target.position(target.position() + count);
            piece.position(piece.position() + count);
            if (!piece.hasRemaining()) {
                ready.remove();
            }
        }
        int read = target.position() - before;
        left -= read;
        drained = left == 0;
        if (left < 0) {
            throw unavailable("it sent more than the range asked for", null);
        }
        return read;
    }

    @Override
    public void close() {
        closed = true;
        CompletableFuture<HttpResponse<BodyQueue>> waiting = answer;
        if (waiting != null) {
            waiting.cancel(true);
        }
        BodyQueue open = body;
        if (open != null && !drained) {
            open.cancel();
        }
    }

    /** The length of the whole chunk; sends the request if that was not done yet. */
    long chunkLength() throws CloudMwException {
        try {
            body();
        } catch (CloudMwException e) {
            if (e.code() != ErrorCode.INVALID_ARGUMENT) {
                throw e;
            }
            // No first byte: the chunk is empty.
            return 0;
        }
        return chunkLength;
    }

    private BodyQueue body() throws CloudMwException {
        BodyQueue open = body;
        if (open != null) {
            return open;
        }
        HttpRequest request = HttpRequest.newBuilder(url)
                .header("Range", "bytes=" + range.offset() + "-" + (range.end() - 1))
                .GET()
                .build();
        CompletableFuture<HttpResponse<BodyQueue>> sent = client.sendAsync(request, info -> new BodyQueue());
        answer = sent;
        if (closed) {
            sent.cancel(true);
        }
        HttpResponse<BodyQueue> head = await(sent);
        BodyQueue pieces = head.body();
        body = pieces;
        if (closed) {
            pieces.cancel();
            throw cancelled();
        }
        try {
            check(head);
        } catch (CloudMwException e) {
            pieces.cancel();
            throw e;
        }
        return pieces;
    }

    private HttpResponse<BodyQueue> await(CompletableFuture<HttpResponse<BodyQueue>> sent) throws CloudMwException {
        long nanos = timeouts.connect().plus(timeouts.stall()).toNanos();
        try {
            return sent.get(nanos, TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            sent.cancel(true);
            throw unavailable("no answer in " + TimeUnit.NANOSECONDS.toMillis(nanos) + " ms", e);
        } catch (CancellationException e) {
            throw cancelled();
        } catch (ExecutionException e) {
            throw closed ? cancelled() : unavailable(String.valueOf(e.getCause()), e.getCause());
        } catch (InterruptedException e) {
            sent.cancel(true);
            Thread.currentThread().interrupt();
            throw cancelled();
        }
    }

    private void refill(BodyQueue from) throws CloudMwException {
        BodyQueue.Piece piece = next(from);
        switch (piece.kind()) {
            case BYTES ->
                piece.bytes().stream().filter(ByteBuffer::hasRemaining).forEach(ready::add);
            case END -> throw unavailable("the answer ended " + left + " bytes early", null);
            case FAILED -> {
                if (closed) {
                    throw cancelled();
                }
                throw unavailable("the answer broke off " + left + " bytes early: " + piece.failure(), piece.failure());
            }
            case CANCELLED -> throw cancelled();
        }
    }

    private BodyQueue.Piece next(BodyQueue from) throws CloudMwException {
        try {
            BodyQueue.Piece piece = from.take(timeouts.stall().toNanos());
            if (piece == null) {
                from.cancel();
                throw unavailable("not a byte in " + timeouts.stall().toMillis() + " ms", null);
            }
            return piece;
        } catch (InterruptedException e) {
            from.cancel();
            Thread.currentThread().interrupt();
            throw cancelled();
        }
    }

    private void check(HttpResponse<BodyQueue> head) throws CloudMwException {
        if (head.statusCode() != 206) {
            throw HttpErrors.translate(
                    what,
                    S3ErrorResponse.of(
                            head.statusCode(),
                            head.headers()::firstValue,
                            errorText(head.body()),
                            WallClock.system().millis()));
        }
        Matcher given =
                CONTENT_RANGE.matcher(head.headers().firstValue("Content-Range").orElse(""));
        if (!given.matches() || Long.parseLong(given.group(1)) != range.offset()) {
            throw unavailable("it ignores ranges", null);
        }
        if (head.headers().firstValueAsLong("Content-Length").orElse(-1)
                != Long.parseLong(given.group(2)) - range.offset() + 1) {
            throw unavailable("its answer has another length than its range", null);
        }
        chunkLength = Long.parseLong(given.group(3));
        if (Long.parseLong(given.group(2)) != range.end() - 1) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    what + ": range " + range + " (expected: within " + chunkLength + " bytes)");
        }
    }

    /** The first piece of the error response's body; empty when none arrives in time. */
    private String errorText(BodyQueue from) throws CloudMwException {
        StringBuilder text = new StringBuilder();
        BodyQueue.Piece piece = next(from);
        for (ByteBuffer bytes : piece.bytes()) {
            text.append(StandardCharsets.ISO_8859_1.decode(bytes));
        }
        return text.toString();
    }

    private CloudMwException cancelled() {
        return new CloudMwException(ErrorCode.CANCELLED, what + ": cancelled");
    }

    private CloudMwException unavailable(String why, @Nullable Throwable cause) {
        return new CloudMwException(ErrorCode.STORE_UNAVAILABLE, what + ": " + why, cause);
    }
}
