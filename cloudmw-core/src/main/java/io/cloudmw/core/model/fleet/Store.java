package io.cloudmw.core.model.fleet;

import io.cloudmw.core.access.CredentialsReference;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A place where replicas live.
 *
 * @param failureDomain stores that share it may fail together
 * @param identity the disk or bucket it is
 * @param lostAtMillis when it was declared lost for good; 0: it is not lost
 */
public record Store(StoreId id, String failureDomain, Kind kind, StoreIdentity identity, long lostAtMillis) {
    public Store {
        if (failureDomain.isEmpty() || failureDomain.length() > 63) {
            throw new IllegalArgumentException(
                    "failureDomain: \"" + failureDomain + "\" (expected: 1 to 63 characters)");
        }
    }

    /** A store whose disk or bucket has no identity yet. */
    public Store(StoreId id, String failureDomain, Kind kind) {
        this(id, failureDomain, kind, StoreIdentity.NONE);
    }

    /** A store that is not lost. */
    public Store(StoreId id, String failureDomain, Kind kind, StoreIdentity identity) {
        this(id, failureDomain, kind, identity, 0);
    }

    /** The same store with another disk or bucket. */
    public Store with(StoreIdentity other) {
        return new Store(id, failureDomain, kind, other, lostAtMillis);
    }

    /** Returns whether the other has the same id, place and failure domain, whatever disk or bucket is there. */
    public boolean isDefinedAs(Store other) {
        return other.with(identity).equals(this);
    }

    /** The kind of a store: a bucket or a disk. */
    public sealed interface Kind {
        /** Its place, for people. */
        String place();
    }

    /**
     * An S3 bucket.
     *
     * @param endpoint empty for the region's own
     * @param prefix prepended to every key: empty or ending in '/'
     * @param credentials where coordinators and helpers find its credentials
     * @param encryption the encryption that they ask for with each object
     */
    public record S3(
            String bucket,
            String region,
            String endpoint,
            boolean pathStyle,
            String prefix,
            CredentialsReference credentials,
            BucketEncryption encryption)
            implements Kind {
        public S3 {
            if (bucket.isEmpty()) {
                throw new IllegalArgumentException("bucket: empty");
            }
            if (region.isEmpty()) {
                throw new IllegalArgumentException("region: empty");
            }
            if (!prefix.isEmpty() && !prefix.endsWith("/")) {
                throw new IllegalArgumentException("prefix: \"" + prefix + "\" (expected: empty or ending in '/')");
            }
        }

        /** A bucket whose credentials come from the AWS default chain. */
        public S3(String bucket, String region, String endpoint, boolean pathStyle, String prefix) {
            this(bucket, region, endpoint, pathStyle, prefix, CredentialsReference.chain());
        }

        /** A bucket whose own settings say how objects are encrypted. */
        public S3(
                String bucket,
                String region,
                String endpoint,
                boolean pathStyle,
                String prefix,
                CredentialsReference credentials) {
            this(bucket, region, endpoint, pathStyle, prefix, credentials, BucketEncryption.NONE);
        }

        /** The same bucket with another reference to its credentials. */
        public S3 with(CredentialsReference reference) {
            return new S3(bucket, region, endpoint, pathStyle, prefix, reference, encryption);
        }

        /** The same bucket with another encryption of new objects. */
        public S3 with(BucketEncryption other) {
            return new S3(bucket, region, endpoint, pathStyle, prefix, credentials, other);
        }

        @Override
        public String place() {
            return "s3://" + bucket + "/" + prefix + " " + (endpoint.isEmpty() ? region : endpoint);
        }
    }

    /** An EBS-backed directory of one helper, which alone reads and writes it. */
    public record Disk(HelperId owner, Path path) implements Kind {
        @Override
        public String place() {
            return owner + ":" + path;
        }
    }

    /** The same store with another reference to its credentials; a disk has none and stays as it is. */
    public Store with(CredentialsReference reference) {
        return kind instanceof S3 s3 ? new Store(id, failureDomain, s3.with(reference), identity, lostAtMillis) : this;
    }

    /** The same store with another encryption of new objects; a disk has none and stays as it is. */
    public Store with(BucketEncryption encryption) {
        return kind instanceof S3 s3 ? new Store(id, failureDomain, s3.with(encryption), identity, lostAtMillis) : this;
    }

    /** The same store without what only operators may see. */
    public Store shown() {
        return kind instanceof S3 s3 ? with(s3.credentials().shown()) : this;
    }

    /** The same store without its credentials, which only coordinators and helpers need. */
    public Store withoutCredentials() {
        return with(CredentialsReference.chain());
    }

    /** The same store without what operators may change: the reference to its credentials, and its encryption. */
    public Store withoutAccess() {
        return withoutCredentials().with(BucketEncryption.NONE);
    }

    /** Returns whether it was declared lost: no process reads from it or writes to it any more. */
    public boolean isLost() {
        return lostAtMillis != 0;
    }

    /** The store, declared lost; a store that was lost before keeps its time. */
    public Store lost(long atMillis) {
        return isLost() ? this : new Store(id, failureDomain, kind, identity, atMillis);
    }

    /** The helper that serves this store; empty for a bucket. */
    public Optional<HelperId> owner() {
        return kind instanceof Disk disk ? Optional.of(disk.owner()) : Optional.empty();
    }
}
