package io.cloudmw.helper.cli;

import io.cloudmw.core.access.StoreFault;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.store.s3.S3Settings;
import io.cloudmw.core.store.s3.S3Stores;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The hidden command {@code cloudmw demo-buckets}, by which {@code cloudmw demo} uses buckets in a process that has the
 * AWS SDK. The command probes buckets and creates missing ones, or deletes the objects of a demo. The command prints
 * one JSON object.
 */
@Command(
        name = "demo-buckets",
        hidden = true,
        mixinStandardHelpOptions = true,
        description = "Prepares the buckets of a demo, or deletes its objects.")
final class DemoBucketsCommand implements Callable<Integer> {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    @Option(names = "--endpoint", required = true, paramLabel = "URL", description = "the S3 endpoint")
    private String endpoint = "";

    @Option(names = "--region", required = true, paramLabel = "REGION", description = "the region of the buckets")
    private String region = "";

    @Option(
            names = "--prefix",
            required = true,
            paramLabel = "PREFIX/",
            description = "the prefix of the demo's objects")
    private String prefix = "";

    @Option(names = "--bucket", required = true, paramLabel = "NAME", description = "Repeatable.")
    private List<String> buckets = new ArrayList<>();

    @Option(names = "--erase", description = "delete the objects, and the buckets of --made")
    private boolean erase;

    @Option(names = "--made", paramLabel = "NAME", description = "a bucket that the demo created. Repeatable.")
    private List<String> made = new ArrayList<>();

    /** Accepted for uniformity: the command always prints JSON. */
    @SuppressWarnings("UnusedVariable")
    @Option(names = "--json", description = "no effect: the command always prints JSON")
    private boolean json;

    @Override
    public Integer call() throws CloudMwException {
        try (S3Stores s3 = S3Stores.open(S3Settings.DEFAULT)) {
            ServingProcess.print(System.out, erase ? erased(s3) : prepared(s3));
        }
        return 0;
    }

    private Store store(String bucket) {
        return new Store(new StoreId(bucket), bucket, new Store.S3(bucket, region, endpoint, true, prefix));
    }

    private Map<String, Object> prepared(S3Stores s3) throws CloudMwException {
        List<String> created = new ArrayList<>();
        try {
            for (String bucket : buckets) {
                if (prepare(s3, store(bucket))) {
                    created.add(bucket);
                }
            }
        } catch (CloudMwException e) {
            for (String bucket : created) {
                s3.deleteBucket(store(bucket));
            }
            throw e;
        }
        return Map.of("made", created);
    }

    /** Returns whether the bucket was created. */
    private static boolean prepare(S3Stores s3, Store store) throws CloudMwException {
        Optional<StoreFault> fault = s3.probe(store, PATIENCE).fault();
        boolean missing =
                fault.filter(found -> found.kind() == StoreFault.Kind.MISSING).isPresent();
        if (missing) {
            s3.create(store);
            fault = s3.probe(store, PATIENCE).fault();
        }
        if (fault.isEmpty()) {
            return missing;
        }
        if (missing) {
            s3.deleteBucket(store);
        }
        String where = "bucket " + store.id() + " at " + ((Store.S3) store.kind()).endpoint();
        throw new CloudMwException(
                fault.get().kind().code(), where + ": " + fault.get().reason());
    }

    /** Deletes the objects; goes on after a failure, so that as little as possible stays. */
    private Map<String, Object> erased(S3Stores s3) {
        long objects = 0;
        Map<String, String> left = new LinkedHashMap<>();
        for (String bucket : buckets) {
            try {
                objects += s3.erase(store(bucket));
                if (made.contains(bucket) && !s3.deleteBucket(store(bucket))) {
                    left.put("bucket " + bucket, "not empty: it has other objects");
                }
            } catch (CloudMwException e) {
                left.put("s3://" + bucket + "/" + prefix, String.valueOf(e.getMessage()));
            }
        }
        return Map.of("objects", objects, "left", left);
    }
}
