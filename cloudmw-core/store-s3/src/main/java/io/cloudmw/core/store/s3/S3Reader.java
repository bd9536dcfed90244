package io.cloudmw.core.store.s3;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.store.ChunkReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;

/**
 * A ranged GET, sent at the first read. Closing before the end aborts it: the connection is dropped, and the rest is
 * not downloaded.
 */
final class S3Reader implements ChunkReader {
    /** The most that the JDK reads from a socket at once. */
    private static final int BOUNCE_BYTES = 128 * 1024;

    private final S3Client client;
    private final SdkErrors errors;
    private final String what;
    private final String bucket;
    private final String key;
    private final ByteRange range;
    private final Runnable closed;
    private final AbortSlot slot = new AbortSlot();
    private long left;
    private byte @Nullable [] bounce;

    @GuardedBy("this")
    private @Nullable ResponseInputStream<GetObjectResponse> body;

    @GuardedBy("this")
    private boolean drained;

    @GuardedBy("this")
    private boolean over;

    /**
     * @param closed run once, when it is closed
     */
    S3Reader(
            S3Client client,
            SdkErrors errors,
            String what,
            String bucket,
            String key,
            ByteRange range,
            Runnable closed) {
        this.client = client;
        this.errors = errors;
        this.what = what;
        this.bucket = bucket;
        this.key = key;
        this.range = range;
        this.left = range.length();
        this.closed = closed;
    }

    @Override
    public int read(ByteBuffer target) throws CloudMwException {
        if (slot.aborted()) {
            throw cancelled();
        }
        if (left == 0) {
            return -1;
        }
        try {
            int read = transfer(stream(), target);
            left -= read;
            if (left == 0) {
                synchronized (this) {
                    drained = true;
                }
            }
            return read;
        } catch (CloudMwException e) {
            throw e;
        } catch (SdkException e) {
            throw slot.aborted() ? cancelled() : errors.translate(what, e);
        } catch (IOException e) {
            throw slot.aborted() ? cancelled() : broken(e);
        }
    }

    @Override
    public void close() {
        ResponseInputStream<GetObjectResponse> open;
        boolean reusable;
        boolean first;
        synchronized (this) {
            first = !over;
            over = true;
            open = body;
            body = null;
            reusable = drained;
        }
        if (reusable && open != null) {
            closeQuietly(open);
        }
        slot.abort(reusable);
        if (first) {
            closed.run();
        }
    }

    private ResponseInputStream<GetObjectResponse> stream() throws CloudMwException {
        synchronized (this) {
            if (body != null) {
                return body;
            }
        }
        GetObjectRequest request = GetObjectRequest.builder()
                .bucket(bucket)
                .key(key)
                .range("bytes=" + range.offset() + "-" + (range.end() - 1))
                .build();
        ResponseInputStream<GetObjectResponse> opened = slot.during(() -> client.getObject(request));
        try {
            checkAnswer(opened.response());
        } catch (CloudMwException e) {
            opened.abort();
            throw e;
        }
        synchronized (this) {
            body = opened;
        }
        if (slot.aborted()) {
            opened.abort();
            throw cancelled();
        }
        return opened;
    }

    private void checkAnswer(GetObjectResponse answer) throws CloudMwException {
        Long length = answer.contentLength();
        String given = answer.contentRange();
        if (given == null || !given.startsWith("bytes " + range.offset() + "-")) {
            throw new CloudMwException(
                    ErrorCode.STORE_UNAVAILABLE, errors.where(what) + "the store ignores ranges: " + given);
        }
        if (length == null || length != range.length()) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    errors.where(what) + "range " + range + " (expected: within the chunk; it has " + given + ")");
        }
    }

    private int transfer(ResponseInputStream<GetObjectResponse> in, ByteBuffer target) throws IOException {
        int wanted = (int) Math.min(left, target.remaining());
        if (target.hasArray()) {
            int read = in.read(target.array(), target.arrayOffset() + target.position(), wanted);
            checkRead(read);
            target.position(target.position() + read);
            return read;
        }
        if (bounce == null) {
            bounce = new byte[(int) Math.min(BOUNCE_BYTES, left)];
        }
        int read = in.read(bounce, 0, Math.min(wanted, bounce.length));
        checkRead(read);
        target.put(bounce, 0, read);
        return read;
    }

    private void checkRead(int read) throws IOException {
        if (read < 0) {
            throw new IOException("it ended " + left + " bytes early");
        }
    }

    private CloudMwException cancelled() {
        return new CloudMwException(ErrorCode.CANCELLED, errors.where(what) + "cancelled");
    }

    private CloudMwException broken(IOException e) {
        return new CloudMwException(
                ErrorCode.STORE_UNAVAILABLE,
                errors.where(what) + "the answer broke off " + left + " bytes before its end: " + e,
                e);
    }

    private static void closeQuietly(ResponseInputStream<GetObjectResponse> open) {
        try {
            open.close();
        } catch (IOException e) {
            // All bytes have arrived; only the connection is not reused.
        }
    }
}
