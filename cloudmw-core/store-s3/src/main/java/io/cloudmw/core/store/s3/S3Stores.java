package io.cloudmw.core.store.s3;

import io.cloudmw.core.access.CredentialsReference;
import io.cloudmw.core.access.ProbeReport;
import io.cloudmw.core.access.StoreFault;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.identity.BucketMarkers;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.StoreOpener;
import io.cloudmw.core.store.error.S3ErrorResponse;
import io.cloudmw.core.store.error.S3Fault;
import io.cloudmw.core.time.Sleeper;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.time.WallClock;
import java.io.Closeable;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.retry.RetryMode;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.retries.api.BackoffStrategy;
import software.amazon.awssdk.retries.api.RetryStrategy;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.services.s3.S3Configuration;
import software.amazon.awssdk.services.s3.model.BucketAlreadyExistsException;
import software.amazon.awssdk.services.s3.model.BucketAlreadyOwnedByYouException;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.presigner.S3Presigner;

/**
 * The S3 stores of a process, with one bounded pool of connections for reads and another for second attempts beside
 * late ones. Each pool has one client per region, endpoint and source of credentials. It opens stores and signs URLs.
 * Safe for any thread.
 */
public final class S3Stores implements StoreOpener, Closeable {
    private static final Duration FIRST_RETRY = Duration.ofMillis(50);
    private static final Duration LONGEST_RETRY = Duration.ofSeconds(1);

    private final S3Settings settings;
    private final AwsCredentialsProvider chain;
    private final UnaryOperator<RetryStrategy> retrying;
    private final S3Credentials credentials;
    private final SdkHttpClient http;
    private final SdkHttpClient extraHttp;
    /** The reads that may keep extra connections open: at most half of the extra pool. */
    private final Semaphore warmReads;

    private final ConcurrentHashMap<Endpoint, S3Client> clients = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Endpoint, S3Client> extraClients = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Endpoint, ChecksumTrailers> trailers = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Endpoint, S3Presigner> presigners = new ConcurrentHashMap<>();

    private S3Stores(S3Settings settings, AwsCredentialsProvider chain, UnaryOperator<RetryStrategy> retrying) {
        this.settings = settings;
        this.chain = chain;
        this.retrying = retrying;
        this.http = connections(settings, settings.maxConnections());
        this.credentials = new S3Credentials(chain, http);
        this.extraHttp = connections(settings, settings.extraConnections());
        this.warmReads = new Semaphore(settings.extraConnections() / 2);
    }

    private static SdkHttpClient connections(S3Settings settings, int most) {
        return new AbortableHttpClient(new EarlyAnswerHttpClient(
                connections(settings, most, settings.stallTimeout()),
                connections(settings, most, settings.answerTimeout())));
    }

    private static SdkHttpClient connections(S3Settings settings, int most, Duration silence) {
        return Apache5HttpClient.builder()
                .maxConnections(most)
                .connectionTimeout(settings.connectTimeout())
                .connectionAcquisitionTimeout(settings.stallTimeout())
                .socketTimeout(silence)
                .tcpKeepAlive(true)
                .build();
    }

    /**
     * Opens the pools. Stores without a reference use the AWS default chain: variables, properties, profile,
     * container, instance. Roles are assumed with it.
     */
    public static S3Stores open(S3Settings settings) {
        return new S3Stores(settings, DefaultCredentialsProvider.builder().build(), UnaryOperator.identity());
    }

    /** Opens the pools with a fixed pair of keys. */
    public static S3Stores open(S3Settings settings, String accessKeyId, String secretAccessKey) {
        return open(settings, accessKeyId, secretAccessKey, UnaryOperator.identity());
    }

    /** Opens the pools with a fixed pair of keys, and {@code retrying} around the retry strategy. */
    static S3Stores open(
            S3Settings settings, String accessKeyId, String secretAccessKey, UnaryOperator<RetryStrategy> retrying) {
        AwsBasicCredentials pair = AwsBasicCredentials.create(accessKeyId, secretAccessKey);
        return new S3Stores(settings, StaticCredentialsProvider.create(pair), retrying);
    }

    /**
     * Opens a store without asking the bucket. Closing it keeps the connections of this object.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT} when it is not an S3 store, or its endpoint is no URI
     */
    @Override
    public ChunkStore open(Store store) throws CloudMwException {
        return open(store, Sleeper.system(), Ticker.system(), WallClock.system());
    }

    ChunkStore open(Store store, Sleeper sleeper, Ticker ticker, WallClock clock) throws CloudMwException {
        Store.S3 bucket = bucket(store);
        Endpoint endpoint = endpoint(store, bucket);
        S3Client extra = extraClients.computeIfAbsent(endpoint, at -> client(at, extraHttp, settings.maxAttempts()));
        HedgeClient warmed = new HedgeClient(extra, settings.warmConnections(), warmReads, ticker);
        S3PutRequests puts = new S3PutRequests(
                bucket,
                client(endpoint),
                settings,
                trailers.computeIfAbsent(endpoint, at -> ChecksumTrailers.of(at.uri(), ticker)));
        return new S3ChunkStore(store.id(), bucket, client(endpoint), warmed, puts, sleeper, clock);
    }

    private S3Client client(Endpoint endpoint) {
        return clients.computeIfAbsent(endpoint, at -> client(at, http, settings.maxAttempts()));
    }

    /** Sends one cheap request; empty: the store can be used. Takes at most {@code timeout}. */
    public Optional<StoreFault> look(Store store, Duration timeout) throws CloudMwException {
        return probe(store, timeout, S3Probe::look);
    }

    /** Checks every operation on a store, with a small object that is deleted again. */
    public ProbeReport probe(Store store, Duration timeout) throws CloudMwException {
        return probe(store, timeout, S3Probe::run);
    }

    private <T> T probe(Store store, Duration timeout, Function<S3Probe, T> how) throws CloudMwException {
        Store.S3 bucket = bucket(store);
        try (S3Client once = client(endpoint(store, bucket), http, 1)) {
            return how.apply(new S3Probe(once, store.id(), bucket, timeout, Ticker.system(), WallClock.system()));
        }
    }

    /**
     * A URL that lets its bearer GET the chunk, or ranges of it, until it expires. No request is sent: the chunk need
     * not exist.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT} when it is not an S3 store; {@code STORE_DENIED} when there
     *     are no credentials to sign with
     */
    public URI presign(Store store, ChunkId chunk, Duration validity) throws CloudMwException {
        Store.S3 bucket = bucket(store);
        S3Presigner presigner = presigners.computeIfAbsent(endpoint(store, bucket), this::presigner);
        GetObjectRequest request = GetObjectRequest.builder()
                .bucket(bucket.bucket())
                .key(new S3Keys(bucket.prefix()).key(chunk))
                .build();
        try {
            return URI.create(presigner
                    .presignGetObject(p -> p.signatureDuration(validity).getObjectRequest(request))
                    .url()
                    .toString());
        } catch (SdkException e) {
            throw new SdkErrors(store.id(), bucket).translate("chunk=" + chunk, e);
        }
    }

    /** The markers of buckets; they use this object's connections. */
    public BucketMarkers markers() {
        return new S3Markers((store, bucket) -> client(endpoint(store, bucket)));
    }

    /**
     * Creates the store's bucket in its region; a bucket that these credentials own already stays as it is.
     *
     * @throws CloudMwException {@code ALREADY_EXISTS} when another account owns a bucket of that name; otherwise the
     *     failures of stores
     */
    public void create(Store store) throws CloudMwException {
        Store.S3 bucket = bucket(store);
        S3Client client = client(endpoint(store, bucket));
        try {
            client.createBucket(request -> {
                request.bucket(bucket.bucket());
                // The one region whose name S3 refuses as a constraint.
                if (!bucket.region().equals("us-east-1")) {
                    request.createBucketConfiguration(where -> where.locationConstraint(bucket.region()));
                }
            });
        } catch (BucketAlreadyOwnedByYouException e) {
            return;
        } catch (BucketAlreadyExistsException e) {
            throw new CloudMwException(
                    ErrorCode.ALREADY_EXISTS, "bucket " + bucket.bucket() + " belongs to another account", e);
        } catch (SdkException e) {
            throw new SdkErrors(store.id(), bucket).translate("create", e);
        }
    }

    /**
     * Deletes all objects below the store's prefix, of whatever origin.
     *
     * @return the number of deleted objects
     * @throws IllegalArgumentException when the store has no prefix
     */
    public long erase(Store store) throws CloudMwException {
        if (bucket(store).prefix().isEmpty()) {
            throw new IllegalArgumentException("prefix: empty (expected: one, of the objects to delete)");
        }
        return erasure(store).deleteObjects();
    }

    /** Deletes the store's bucket; returns false when it has objects, and stays. */
    public boolean deleteBucket(Store store) throws CloudMwException {
        return erasure(store).deleteBucket();
    }

    private S3Erasure erasure(Store store) throws CloudMwException {
        Store.S3 bucket = bucket(store);
        return new S3Erasure(client(endpoint(store, bucket)), store.id(), bucket);
    }

    /** The fault behind a failure of an S3 store, if it is one. */
    public static Optional<S3Fault> fault(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SdkException of) {
                return Optional.of(answer(of).map(S3ErrorResponse::fault).orElseGet(() -> SdkErrors.faultOf(of)));
            }
        }
        return Optional.empty();
    }

    /** The server's response behind a failure of an S3 store, if there was one. */
    public static Optional<S3ErrorResponse> answer(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            Optional<S3ErrorResponse> answer = SdkErrors.answer(cause);
            if (answer.isPresent()) {
                return answer;
            }
        }
        return Optional.empty();
    }

    @Override
    public void close() {
        clients.values().forEach(S3Client::close);
        extraClients.values().forEach(S3Client::close);
        presigners.values().forEach(S3Presigner::close);
        credentials.close();
        http.close();
        extraHttp.close();
        if (chain instanceof DefaultCredentialsProvider ours) {
            ours.close();
        }
    }

    private S3Client client(Endpoint endpoint, SdkHttpClient connections, int attempts) {
        S3ClientBuilder builder = S3Client.builder()
                .httpClient(connections)
                .credentialsProvider(credentials.of(endpoint.credentials(), endpoint.region()))
                .region(Region.of(endpoint.region()))
                .forcePathStyle(endpoint.pathStyle())
                // Readers verify leaves; puts carry their own CRC32C.
                .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
                .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
                .overrideConfiguration(
                        c -> c.retryStrategy(retrying.apply(retries(attempts))).apiCallTimeout(settings.callTimeout()));
        if (!endpoint.uri().isEmpty()) {
            builder.endpointOverride(URI.create(endpoint.uri()));
        }
        return builder.build();
    }

    private S3Presigner presigner(Endpoint endpoint) {
        S3Presigner.Builder builder = S3Presigner.builder()
                .credentialsProvider(credentials.of(endpoint.credentials(), endpoint.region()))
                .region(Region.of(endpoint.region()))
                .serviceConfiguration(S3Configuration.builder()
                        .pathStyleAccessEnabled(endpoint.pathStyle())
                        .build());
        if (!endpoint.uri().isEmpty()) {
            builder.endpointOverride(URI.create(endpoint.uri()));
        }
        return builder.build();
    }

    private static RetryStrategy retries(int attempts) {
        BackoffStrategy backoff = BackoffStrategy.exponentialDelay(FIRST_RETRY, LONGEST_RETRY);
        return AwsRetryStrategy.forRetryMode(RetryMode.STANDARD).toBuilder()
                .maxAttempts(attempts)
                .backoffStrategy(backoff)
                .throttlingBackoffStrategy(backoff)
                .build();
    }

    static Store.S3 bucket(Store store) throws CloudMwException {
        if (store.kind() instanceof Store.S3 bucket) {
            return bucket;
        }
        throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, "store=" + store.id() + ": not an S3 store");
    }

    private static Endpoint endpoint(Store store, Store.S3 bucket) throws CloudMwException {
        if (!bucket.endpoint().isEmpty() && !bucket.endpoint().matches("https?://[^/?#\\s]+/?")) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "store=" + store.id() + ": endpoint \"" + bucket.endpoint()
                            + "\" (expected: http[s]://host[:port])");
        }
        return new Endpoint(bucket.region(), bucket.endpoint(), bucket.pathStyle(), bucket.credentials());
    }

    private record Endpoint(String region, String uri, boolean pathStyle, CredentialsReference credentials) {}
}
