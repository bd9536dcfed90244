package io.cloudmw.core.store.s3;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.time.Ticker;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.ChecksumAlgorithm;

/**
 * The knowledge whether an endpoint takes the checksum of a body after the body, as a trailer. AWS does. Another server
 * is asked once, by a small object that is deleted again: some servers refuse trailers, and some would keep the framing
 * of the body as part of the object. Safe for any thread.
 */
final class ChecksumTrailers {
    private static final Logger LOG = LoggerFactory.getLogger(ChecksumTrailers.class);

    private static final byte[] CONTENT =
            "cloudmw checks whether a checksum may follow its body".getBytes(StandardCharsets.UTF_8);
    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    /** The pause after a check that found out nothing. */
    private static final Duration PAUSE = Duration.ofMinutes(1);

    private enum State {
        UNKNOWN,
        CHECKING,
        TAKEN,
        REFUSED
    }

    private final Ticker ticker;

    @GuardedBy("this")
    private State state;

    @GuardedBy("this")
    private long nextCheckNanos;

    private ChecksumTrailers(State state, Ticker ticker) {
        this.state = state;
        this.ticker = ticker;
        this.nextCheckNanos = ticker.nanos();
    }

    /** @param uri the endpoint; empty: that of AWS */
    static ChecksumTrailers of(String uri, Ticker ticker) {
        return new ChecksumTrailers(uri.isEmpty() ? State.TAKEN : State.UNKNOWN, ticker);
    }

    /** Returns whether the endpoint is known to take trailers. */
    synchronized boolean areTaken() {
        return state == State.TAKEN;
    }

    /** Asks the endpoint if it was not asked; returns whether it takes trailers. Blocks for a few small requests. */
    boolean check(S3Client client, Store.S3 bucket) {
        synchronized (this) {
            if (state != State.UNKNOWN || ticker.nanos() - nextCheckNanos < 0) {
                return state == State.TAKEN;
            }
            state = State.CHECKING;
        }
        State found = State.UNKNOWN;
        try {
            found = ask(client, bucket);
        } finally {
            synchronized (this) {
                state = found;
                nextCheckNanos = ticker.nanos() + PAUSE.toNanos();
            }
        }
        return found == State.TAKEN;
    }

    private static State ask(S3Client client, Store.S3 bucket) {
        String key = S3Probe.newKey(bucket);
        try {
            client.putObject(
                    request -> S3Encryption.of(bucket)
                            .ask(request.bucket(bucket.bucket()).key(key))
                            .checksumAlgorithm(ChecksumAlgorithm.CRC32_C)
                            .overrideConfiguration(c -> c.apiCallTimeout(TIMEOUT)),
                    RequestBody.fromContentProvider(
                            () -> new ByteArrayInputStream(CONTENT), CONTENT.length, "text/plain"));
            long kept = client.headObject(request -> request.bucket(bucket.bucket())
                            .key(key)
                            .overrideConfiguration(c -> c.apiCallTimeout(TIMEOUT)))
                    .contentLength();
            delete(client, bucket, key);
            return kept == CONTENT.length ? State.TAKEN : State.REFUSED;
        } catch (AwsServiceException e) {
            LOG.debug("bucket={}: no checksums in trailers", bucket.bucket(), e);
            boolean busy = e.statusCode() >= 500 && e.statusCode() != 501;
            return busy ? State.UNKNOWN : State.REFUSED;
        } catch (SdkException e) {
            LOG.debug("bucket={}: cannot ask for checksums in trailers", bucket.bucket(), e);
            return State.UNKNOWN;
        }
    }

    /** Deletes the object; a later probe of the bucket deletes what stays. */
    private static void delete(S3Client client, Store.S3 bucket, String key) {
        try {
            client.deleteObject(request ->
                    request.bucket(bucket.bucket()).key(key).overrideConfiguration(c -> c.apiCallTimeout(TIMEOUT)));
        } catch (SdkException e) {
            LOG.debug("bucket={}: {} stays until the next probe", bucket.bucket(), key, e);
        }
    }
}
