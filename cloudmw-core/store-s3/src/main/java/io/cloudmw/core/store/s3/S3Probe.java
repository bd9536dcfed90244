package io.cloudmw.core.store.s3;

import io.cloudmw.core.access.ProbeReport;
import io.cloudmw.core.access.StoreFault;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.time.WallClock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.ResponseBytes;
import software.amazon.awssdk.core.SdkResponse;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.PutObjectResponse;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * The check of one bucket. It writes a small object on condition that there is none, with the encryption of the store,
 * which the response must confirm. It writes the object again, which must be refused; then it reads a range of it, lists
 * it, and deletes it. The object's key is {@code <prefix>cloudmw-probe-<random>}:
 * in no folder, which a server that keeps objects as files may remove while another check writes there. The next look
 * or check deletes what interrupted checks have left. Used by one thread, once.
 */
final class S3Probe {
    /** Older objects were left by an interrupted check. */
    private static final Duration LEFT_AFTER = Duration.ofMinutes(1);

    private static final long SHORTEST_MILLIS = 50;
    private static final int MOST_LISTED = 100;
    private static final int CONFLICT_TRIES = 3;

    /** The uncertainty of date headers, which have whole seconds and are renewed once a second. */
    private static final long UNCERTAIN_MILLIS = 2000;

    private static final byte[] CONTENT =
            "cloudmw checks whether it can use this bucket".getBytes(StandardCharsets.UTF_8);
    private static final int FROM = 8;
    private static final int TO = 13;
    private static final Pattern BUCKET = Pattern.compile("[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]");

    private final S3Client client;
    private final Store.S3 bucket;
    private final SdkErrors errors;
    private final Ticker ticker;
    private final WallClock clock;
    private final long endNanos;
    private final String key;
    private long latencyNanos;
    private long clockAheadMillis;

    /** A request of the SDK. */
    private interface Request<T> {
        T send(Duration timeout);
    }

    /** The end of a check by a fault. */
    private static final class ProbeFailure extends Exception {
        private static final long serialVersionUID = 1;

        private final transient StoreFault fault;

        ProbeFailure(StoreFault fault) {
            super(fault.reason(), null, false, false);
            this.fault = fault;
        }
    }

    /** @param client sends each request once */
    S3Probe(S3Client client, StoreId store, Store.S3 bucket, Duration timeout, Ticker ticker, WallClock clock) {
        this.client = client;
        this.bucket = bucket;
        this.errors = new SdkErrors(store, bucket);
        this.ticker = ticker;
        this.clock = clock;
        this.endNanos = ticker.nanos() + timeout.toNanos();
        this.key = newKey(bucket);
    }

    /** The prefix of the names of all probes, those in a folder of earlier releases too. */
    private static String probes(Store.S3 bucket) {
        return bucket.prefix() + "cloudmw-probe";
    }

    /** A new name of an object for a check; a later look deletes the object if the check leaves it. */
    static String newKey(Store.S3 bucket) {
        return probes(bucket) + "-" + UUID.randomUUID();
    }

    /** Sends one cheap request: lists the objects that checks have left, and deletes old ones. */
    Optional<StoreFault> look() {
        try {
            clean(timedRaw(this::listOnce));
            return Optional.empty();
        } catch (AwsServiceException e) {
            // A server without LIST can still be read and written.
            boolean unknown = e.statusCode() == 501 || e.statusCode() == 405;
            return unknown ? Optional.empty() : Optional.of(wrong("s3:ListBucket", e).fault);
        } catch (SdkException e) {
            return Optional.of(wrong("s3:ListBucket", e).fault);
        } catch (ProbeFailure e) {
            return Optional.of(e.fault);
        }
    }

    /** Runs the whole check. */
    ProbeReport run() {
        if (!BUCKET.matcher(bucket.bucket()).matches() || bucket.bucket().contains("..")) {
            return ProbeReport.failed(new StoreFault(
                    StoreFault.Kind.DENIED,
                    "bucket name \"" + bucket.bucket()
                            + "\" is invalid (expected: 3 to 63 of a-z, 0-9, . and -, first and last a letter or digit)",
                    clock.millis()));
        }
        boolean written = false;
        Optional<StoreFault> fault = Optional.empty();
        try {
            clean(list());
            written = true;
            put();
            get();
            find();
        } catch (ProbeFailure e) {
            fault = Optional.of(e.fault);
        }
        if (written) {
            Optional<StoreFault> left = delete();
            fault = fault.isPresent() ? fault : left;
        }
        return new ProbeReport(fault, TimeUnit.NANOSECONDS.toMicros(latencyNanos), clockAheadMillis);
    }

    private void put() throws ProbeFailure {
        putFirst();
        try {
            SdkResponse unused = timedRaw(this::putOnCondition);
        } catch (AwsServiceException e) {
            if (e.statusCode() == 412) {
                return;
            }
            throw wrong("s3:PutObject", e);
        } catch (SdkException e) {
            throw wrong("s3:PutObject", e);
        }
        throw new ProbeFailure(unconditional("a second PUT with If-None-Match overwrote the first (expected: 412)"));
    }

    /** Puts the object. A put that conflicts with another change of the bucket is sent again. */
    private void putFirst() throws ProbeFailure {
        for (int tries = 1; ; tries++) {
            try {
                requireEncryption(timedRaw(this::putOnCondition));
                return;
            } catch (SdkException e) {
                boolean conflict = e instanceof AwsServiceException answer && answer.statusCode() == 409;
                if (!conflict || tries == CONFLICT_TRIES) {
                    throw wrong("s3:PutObject", e);
                }
            }
        }
    }

    private void requireEncryption(PutObjectResponse answer) throws ProbeFailure {
        Optional<String> difference = S3Encryption.of(bucket).difference(answer);
        if (difference.isPresent()) {
            throw new ProbeFailure(new StoreFault(
                    StoreFault.Kind.DENIED,
                    "an object was to be encrypted with " + bucket.encryption().describe() + ", but " + difference.get()
                            + " (use a store that encrypts so, or another --sse)",
                    clock.millis()));
        }
    }

    private PutObjectResponse putOnCondition(Duration timeout) {
        return client.putObject(
                request -> S3Encryption.of(bucket)
                        .ask(request.bucket(bucket.bucket()).key(key))
                        .ifNoneMatch("*")
                        .overrideConfiguration(c -> c.apiCallTimeout(timeout)),
                RequestBody.fromBytes(CONTENT));
    }

    private void get() throws ProbeFailure {
        ResponseBytes<GetObjectResponse> answer = timed(
                "s3:GetObject",
                timeout -> client.getObjectAsBytes(request -> request.bucket(bucket.bucket())
                        .key(key)
                        .range("bytes=" + FROM + "-" + (TO - 1))
                        .overrideConfiguration(c -> c.apiCallTimeout(timeout))));
        if (!Arrays.equals(answer.asByteArrayUnsafe(), Arrays.copyOfRange(CONTENT, FROM, TO))) {
            throw new ProbeFailure(new StoreFault(
                    StoreFault.Kind.DENIED,
                    "a GET of bytes " + FROM + "-" + (TO - 1) + " answered " + answer.asByteArrayUnsafe().length
                            + " other bytes (expected: a store that serves ranges, and reads what it wrote)",
                    clock.millis()));
        }
    }

    private void find() throws ProbeFailure {
        ListObjectsV2Response listed = list();
        boolean named =
                listed.contents().stream().anyMatch(object -> object.key().equals(key));
        if (!named && listed.contents().size() < MOST_LISTED) {
            throw new ProbeFailure(new StoreFault(
                    StoreFault.Kind.DENIED,
                    "LIST does not name an object that was just written (expected: a store that lists what it has)",
                    clock.millis()));
        }
    }

    private ListObjectsV2Response list() throws ProbeFailure {
        return timed("s3:ListBucket", this::listOnce);
    }

    private ListObjectsV2Response listOnce(Duration timeout) {
        return client.listObjectsV2(request -> request.bucket(bucket.bucket())
                .prefix(probes(bucket))
                .maxKeys(MOST_LISTED)
                .overrideConfiguration(c -> c.apiCallTimeout(timeout)));
    }

    private void clean(ListObjectsV2Response listed) throws ProbeFailure {
        Instant before = Instant.ofEpochMilli(clock.millis() + clockAheadMillis).minus(LEFT_AFTER);
        for (S3Object object : listed.contents()) {
            if (object.lastModified().isBefore(before)) {
                deleteObject(object.key());
            }
        }
    }

    /** Deletes the object, also after the timeout; the next look finds what is left. */
    private Optional<StoreFault> delete() {
        try {
            deleteObject(key);
            return Optional.empty();
        } catch (ProbeFailure e) {
            return Optional.of(e.fault);
        }
    }

    private void deleteObject(String name) throws ProbeFailure {
        timed(
                "s3:DeleteObject",
                timeout -> client.deleteObject(request -> request.bucket(bucket.bucket())
                        .key(name)
                        .overrideConfiguration(c -> c.apiCallTimeout(timeout))));
    }

    private <T> T timed(String action, Request<T> request) throws ProbeFailure {
        try {
            return timedRaw(request);
        } catch (SdkException e) {
            throw wrong(action, e);
        }
    }

    private <T> T timedRaw(Request<T> request) {
        long began = ticker.nanos();
        long beganMillis = clock.millis();
        long leftMillis = Math.max(SHORTEST_MILLIS, TimeUnit.NANOSECONDS.toMillis(endNanos - began));
        try {
            T answer = request.send(Duration.ofMillis(leftMillis));
            answered(began, beganMillis, http(answer));
            return answer;
        } catch (AwsServiceException e) {
            answered(
                    began,
                    beganMillis,
                    e.awsErrorDetails() == null ? null : e.awsErrorDetails().sdkHttpResponse());
            throw e;
        }
    }

    private static @Nullable SdkHttpResponse http(Object answer) {
        Object response = answer instanceof ResponseBytes<?> bytes ? bytes.response() : answer;
        return response instanceof SdkResponse sdk ? sdk.sdkHttpResponse() : null;
    }

    private void answered(long beganNanos, long beganMillis, @Nullable SdkHttpResponse response) {
        long took = Math.max(1, ticker.nanos() - beganNanos);
        latencyNanos = latencyNanos == 0 ? took : Math.min(latencyNanos, took);
        Optional<String> date = response == null ? Optional.empty() : response.firstMatchingHeader("Date");
        if (date.isPresent()) {
            try {
                // The header leaves out the fraction of a second: its middle is half a second.
                long there = ZonedDateTime.parse(date.get(), DateTimeFormatter.RFC_1123_DATE_TIME)
                                .toInstant()
                                .toEpochMilli()
                        + 500;
                long here = (beganMillis + clock.millis()) / 2;
                clockAheadMillis = Math.abs(there - here) <= UNCERTAIN_MILLIS ? 0 : there - here;
            } catch (DateTimeParseException e) {
                clockAheadMillis = 0;
            }
        }
    }

    private ProbeFailure wrong(String action, SdkException e) {
        if (e instanceof AwsServiceException answer && answer.statusCode() == 501 && action.equals("s3:PutObject")) {
            return new ProbeFailure(unconditional("PUT with If-None-Match is answered with 501"));
        }
        return new ProbeFailure(errors.fault(action, e, clock.millis()));
    }

    private StoreFault unconditional(String why) {
        return new StoreFault(
                StoreFault.Kind.DENIED,
                "no conditional writes: " + why + "; two writers of one chunk would not notice each other"
                        + " (--no-check adds it all the same)",
                clock.millis());
    }
}
