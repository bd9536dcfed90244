package io.cloudmw.core.store.s3;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.RetryVerdict;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.StoredChunk;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.store.ChunkPages;
import io.cloudmw.core.store.ChunkReader;
import io.cloudmw.core.store.ChunkSource;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.PutOutcome;
import io.cloudmw.core.store.error.S3Fault;
import io.cloudmw.core.time.Sleeper;
import io.cloudmw.core.time.WallClock;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.ChecksumMode;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;

/** A store that keeps each chunk as an object of one bucket. The clients belong to {@link S3Stores}. */
final class S3ChunkStore implements ChunkStore {
    private static final int CONFLICT_TRIES = 6;
    private static final int COMPARED_BYTES = 256 * 1024;
    private static final long CONFLICT_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final StoreId id;
    private final Store.S3 bucket;
    private final S3Keys keys;
    private final SdkErrors errors;
    private final S3Client client;
    private final HedgeClient extra;
    private final S3PutRequests puts;
    private final Sleeper sleeper;
    private final WallClock clock;
    /** False after the first 501: some stores lack If-None-Match. */
    private volatile boolean conditionalPuts = true;

    private volatile boolean closed;

    S3ChunkStore(
            StoreId id,
            Store.S3 bucket,
            S3Client client,
            HedgeClient extra,
            S3PutRequests puts,
            Sleeper sleeper,
            WallClock clock) {
        this.id = id;
        this.bucket = bucket;
        this.keys = new S3Keys(bucket.prefix());
        this.errors = new SdkErrors(id, bucket);
        this.client = client;
        this.extra = extra;
        this.puts = puts;
        this.sleeper = sleeper;
        this.clock = clock;
    }

    @Override
    public StoreId id() {
        return id;
    }

    @Override
    public ChunkReader read(ChunkId chunk, ByteRange range) throws CloudMwException {
        checkOpen();
        return extra.warm()
                ? reader(extra.client(), chunk, range, extra::warmed)
                : reader(client, chunk, range, () -> {});
    }

    @Override
    public ChunkReader readExtra(ChunkId chunk, ByteRange range) throws CloudMwException {
        checkOpen();
        extra.use();
        return reader(extra.client(), chunk, range, extra::free);
    }

    private ChunkReader reader(S3Client by, ChunkId chunk, ByteRange range, Runnable closed) throws CloudMwException {
        ByteRange stored = ChunkStore.inStored(this, chunk, range);
        return new S3Reader(by, errors, "chunk=" + chunk, bucket.bucket(), keys.key(chunk), stored, closed);
    }

    @Override
    public PutOutcome put(ChunkId chunk, ChunkSource source) throws CloudMwException {
        checkOpen();
        ChunkStore.requireWhole(this, chunk);
        S3Put put = new S3Put(chunk, source);
        PutObjectRequest request = puts.of(keys.key(chunk), put);
        long delay = CONFLICT_DELAY_NANOS;
        for (int tries = 1; tries < CONFLICT_TRIES; tries++) {
            PutOutcome outcome = tryPut(chunk, put, request);
            if (outcome != null) {
                return outcome;
            }
            pause(chunk, delay);
            delay *= 2;
        }
        PutOutcome outcome = tryPut(chunk, put, request);
        if (outcome == null) {
            throw new CloudMwException(
                    ErrorCode.STORE_UNAVAILABLE,
                    "chunk=" + chunk + " store=" + id + ": " + CONFLICT_TRIES + " puts met another of the same chunk");
        }
        return outcome;
    }

    @Override
    public boolean takesArrivingSources() {
        return puts.takeArrivingSources();
    }

    /** Tries a put; null: another put of the same chunk was under way, and nothing is decided yet. */
    private @Nullable PutOutcome tryPut(ChunkId chunk, S3Put put, PutObjectRequest request) throws CloudMwException {
        boolean conditional = conditionalPuts;
        try {
            if (!conditional && length(chunk).isPresent()) {
                return there(chunk, put);
            }
            PutObjectRequest sent =
                    conditional ? request.toBuilder().ifNoneMatch("*").build() : request;
            client.putObject(sent, put.body());
            return PutOutcome.WRITTEN;
        } catch (S3Exception e) {
            put.checkSource();
            if (e.statusCode() == 412) {
                return there(chunk, put);
            }
            if (e.statusCode() == 409) {
                return null;
            }
            if (e.statusCode() == 501 && conditional) {
                conditionalPuts = false;
                return tryPut(chunk, put, request);
            }
            throw errors.translate("chunk=" + chunk, e);
        } catch (SdkException e) {
            put.checkSource();
            return unanswered(chunk, put, errors.translate("chunk=" + chunk, e));
        }
    }

    /**
     * Handles a put without a response, by a request without a body, because the object may exist. A store that refuses
     * to read the object also refused the put, except when it only denies reading. Null: another put is under way.
     */
    private @Nullable PutOutcome unanswered(ChunkId chunk, S3Put put, CloudMwException failure)
            throws CloudMwException {
        if (!SdkErrors.mayHaveArrived(failure)) {
            throw failure;
        }
        try {
            if (head(chunk).isPresent()) {
                return there(chunk, put);
            }
        } catch (CloudMwException e) {
            boolean permitted =
                    S3Stores.fault(e).filter(S3Fault.NOT_PERMITTED::equals).isEmpty();
            if (e.verdict() == RetryVerdict.NEVER && permitted) {
                throw e;
            }
        }
        throw failure;
    }

    /** The outcome of a put that met an object; null: the object is gone meanwhile. */
    private @Nullable PutOutcome there(ChunkId chunk, S3Put put) throws CloudMwException {
        Optional<HeadObjectResponse> head = head(chunk);
        if (head.isEmpty()) {
            return null;
        }
        long length = head.get().contentLength();
        String kept = head.get().checksumCRC32C();
        // The checksum of an object in parts is a checksum of checksums, and has a dash.
        boolean comparable = kept != null && !kept.contains("-");
        String crc32c = comparable || length != put.length() ? String.valueOf(kept) : crc32c(chunk, length);
        if (length == put.length() && crc32c.equals(put.crc32c())) {
            return PutOutcome.EXISTED;
        }
        throw new CloudMwException(
                ErrorCode.REPLICA_CORRUPT,
                RetryVerdict.NEVER,
                errors.where("chunk=" + chunk) + "the object " + keys.key(chunk) + " has other content: " + length
                        + " bytes, CRC32C " + crc32c + " (expected: " + put.length() + " bytes, CRC32C "
                        + put.crc32c() + "); remove it, and whatever writes there besides CloudMW",
                null);
    }

    /** The checksum of the object's bytes, for servers that keep none. */
    private String crc32c(ChunkId chunk, long length) throws CloudMwException {
        CRC32C crc = new CRC32C();
        if (length > 0) {
            ByteBuffer piece = ByteBuffer.allocate((int) Math.min(length, COMPARED_BYTES));
            try (ChunkReader reader = reader(client, chunk, new ByteRange(0, length), () -> {})) {
                while (reader.read(piece) >= 0) {
                    crc.update(piece.flip());
                    piece.clear();
                }
            }
        }
        return S3Put.base64(crc);
    }

    @Override
    public OptionalLong length(ChunkId chunk) throws CloudMwException {
        checkOpen();
        return head(chunk)
                .map(head -> ChunkStore.length(chunk, head.contentLength()))
                .orElse(OptionalLong.empty());
    }

    /** The server's description of the object; empty when there is none. */
    private Optional<HeadObjectResponse> head(ChunkId chunk) throws CloudMwException {
        try {
            return Optional.of(client.headObject(
                    r -> r.bucket(bucket.bucket()).key(keys.key(chunk)).checksumMode(ChecksumMode.ENABLED)));
        } catch (S3Exception e) {
            if (e.statusCode() == 404) {
                checkBucket();
                return Optional.empty();
            }
            throw named(chunk, e);
        } catch (SdkException e) {
            throw errors.translate("chunk=" + chunk, e);
        }
    }

    /**
     * Finds the error code behind a failed HEAD, whose response has no body: a GET of one byte is refused for the same
     * reason, and names it.
     */
    private CloudMwException named(ChunkId chunk, S3Exception head) {
        CloudMwException own = errors.translate("chunk=" + chunk, head);
        if (own.verdict() != RetryVerdict.NEVER) {
            return own;
        }
        try (ChunkReader reader = reader(client, chunk, new ByteRange(0, 1), () -> {})) {
            reader.read(ByteBuffer.allocate(1));
            return own;
        } catch (CloudMwException e) {
            return e.code() == own.code() || e.verdict() == RetryVerdict.NEVER ? e : own;
        }
    }

    @Override
    public boolean delete(ChunkId chunk) throws CloudMwException {
        return delete(chunk, () -> false);
    }

    @Override
    public boolean delete(ChunkId chunk, BooleanSupplier isOver) throws CloudMwException {
        ChunkStore.requireWhole(this, chunk);
        if (length(chunk).isEmpty()) {
            return false;
        }
        FixedSigningTime signed = new FixedSigningTime(clock.millis());
        ChunkStore.requireTime(this, chunk, isOver);
        try {
            client.deleteObject(r ->
                    r.bucket(bucket.bucket()).key(keys.key(chunk)).overrideConfiguration(c -> c.addPlugin(signed)));
            return true;
        } catch (SdkException e) {
            throw errors.translate("chunk=" + chunk, e);
        }
    }

    @Override
    public Page<StoredChunk> list(String pageToken, int limit) throws CloudMwException {
        checkOpen();
        ChunkPages.check(pageToken, limit);
        List<StoredChunk> found = new ArrayList<>();
        String after = pageToken.isEmpty() ? null : keys.key(pageToken);
        boolean more = true;
        while (more && found.size() <= limit) {
            ListObjectsV2Response answer = listAfter(after, limit + 1 - found.size());
            for (S3Object object : answer.contents()) {
                after = object.key();
                String name = S3Keys.name(object.key());
                // Other objects under the prefix are not chunks.
                if (ChunkPages.isChunk(name) && keys.key(name).equals(object.key())) {
                    found.add(new StoredChunk(ChunkId.parse(name), object.size()));
                }
            }
            more = Boolean.TRUE.equals(answer.isTruncated())
                    && !answer.contents().isEmpty();
        }
        return ChunkPages.page(found.stream(), limit);
    }

    @Override
    public void close() {
        closed = true;
    }

    private ListObjectsV2Response listAfter(@Nullable String after, int count) throws CloudMwException {
        ListObjectsV2Request.Builder request =
                ListObjectsV2Request.builder().bucket(bucket.bucket()).prefix(keys.chunks());
        request.maxKeys(Math.min(count, ChunkPages.MAX_LIMIT));
        if (after != null) {
            request.startAfter(after);
        }
        try {
            return client.listObjectsV2(request.build());
        } catch (SdkException e) {
            throw errors.translate("list", e);
        }
    }

    /**
     * Checks that the bucket exists. A HEAD has no body to say so: without the check a lost bucket would look like a
     * bucket that lost its chunks.
     */
    private void checkBucket() throws CloudMwException {
        try {
            client.headBucket(r -> r.bucket(bucket.bucket()));
        } catch (S3Exception e) {
            if (e.statusCode() == 404) {
                throw errors.noBucket("HEAD", e);
            }
            // Permission to read objects does not imply permission to ask for the bucket.
        } catch (SdkException e) {
            throw errors.translate("bucket=" + bucket.bucket(), e);
        }
    }

    private void pause(ChunkId chunk, long nanos) throws CloudMwException {
        try {
            sleeper.sleep(nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CloudMwException(ErrorCode.CANCELLED, "chunk=" + chunk + " store=" + id + ": interrupted", e);
        }
    }

    private void checkOpen() throws CloudMwException {
        if (closed) {
            throw new CloudMwException(ErrorCode.STORE_UNAVAILABLE, "store=" + id + ": closed");
        }
    }
}
