package io.cloudmw.helper.bucket;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.reach.BucketWatch;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.StoreOpener;
import java.util.Optional;

/**
 * An opener of buckets with the credentials and the encryption that the cluster has for them, since clients name
 * buckets without credentials, and by plans that may be older. A bucket that the cluster does not know, or knows at
 * another place, is opened as named, with the default credentials chain. A bucket that refuses a chunk is probed again
 * at once. Safe for any thread.
 */
public final class KnownBuckets implements StoreOpener {
    private final BucketWatch watch;
    private final StoreOpener opener;

    /** @param opener opens buckets; the caller closes it */
    public KnownBuckets(BucketWatch watch, StoreOpener opener) {
        this.watch = watch;
        this.opener = opener;
    }

    @Override
    public ChunkStore open(Store store) throws CloudMwException {
        return new WatchedBucket(opener.open(known(store)), watch);
    }

    private Store known(Store named) {
        Optional<Store> known = watch.find(named.id()).filter(store -> isAt(store, named));
        return known.or(() -> watch.findAnew(named.id()).filter(store -> isAt(store, named)))
                .map(store -> marked(store, named))
                .orElseGet(named::withoutCredentials);
    }

    /** The known bucket with the named identity, since the bucket may have been replaced after the list was read. */
    private static Store marked(Store known, Store named) {
        return named.identity().isKnown() ? known.with(named.identity()) : known;
    }

    private static boolean isAt(Store known, Store named) {
        return known.withoutAccess().kind().equals(named.withoutAccess().kind());
    }
}
