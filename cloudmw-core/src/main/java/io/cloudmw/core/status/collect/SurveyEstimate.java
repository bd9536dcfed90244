package io.cloudmw.core.status.collect;

import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.StoredChunk;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;

/**
 * An estimate of what the stores of a round contain, from the progress of their listings. Listings are ordered by name,
 * and names begin with random digits: a listing at a name has passed the share of names below it. A store's estimate is
 * exact at the end of its listing, and rough while few versions were seen. Confined to one thread.
 */
public final class SurveyEstimate {
    private static final int DIGITS = 8;
    private static final double NAMES = 0x1p32;

    private final Map<StoreId, Share> shares = new TreeMap<>();

    /** The copies in a share (0..1) of a store's names. */
    private record Share(CopyTotal seen, double share) {
        static final Share NOTHING = new Share(CopyTotal.NONE, 0);

        CopyTotal all() {
            return seen.times(1 / share);
        }
    }

    /** Begins a round over these stores. */
    public void begin(Collection<StoreId> stores) {
        shares.clear();
        stores.forEach(store -> shares.put(store, Share.NOTHING));
    }

    /** Adds the next page of a store's listing. */
    public void listed(StoreId store, Page<StoredChunk> page) {
        long bytes = page.items().stream().mapToLong(StoredChunk::bytes).sum();
        CopyTotal more = new CopyTotal(page.items().size(), bytes);
        double share = page.isLast() ? 1 : share(page.nextToken());
        shares.computeIfPresent(store, (id, now) -> new Share(now.seen().plus(more), share));
    }

    /** Ends a store's listing, complete or not: nothing more is counted of it. */
    public void ended(StoreId store) {
        shares.computeIfPresent(store, (id, now) -> new Share(now.seen(), 1));
    }

    private static double share(String name) {
        return (Long.parseLong(name.substring(0, DIGITS), 16) + 1) / NAMES;
    }

    /** Returns the estimated content of all stores; 0 copies while one of them has shown nothing. */
    public CopyTotal total() {
        if (shares.values().stream().anyMatch(share -> share.share() == 0)) {
            return CopyTotal.NONE;
        }
        return shares.values().stream().map(Share::all).reduce(CopyTotal.NONE, CopyTotal::plus);
    }
}
