package io.cloudmw.helper.switching;

import io.cloudmw.core.cache.disk.DiskCache;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.helper.block.WantedBlock;
import io.cloudmw.helper.fetch.Requester;
import io.cloudmw.helper.fetch.Upstream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The order in which a switch asks sources for the leaves of a {@link SharedFetch}, and the position it has reached.
 * {@link SharedFetcher} has looked in memory before. The order is: the disk tier if that has the leaves, the switches
 * above this one beginning with the nearest, then the store. Immutable.
 *
 * @param demand the reader on whose behalf the sources are asked
 * @param sources in the order in which they are asked
 * @param position index of the source that is asked now; a greater index than the last means the last
 */
record FetchRoute(Demand demand, List<FetchSource> sources, int position) {
    /**
     * A reader's right to leaves: the requester, the store it named, and the time until which it may read.
     *
     * @param untilMillis wall clock
     */
    record Demand(Requester requester, StoreId store, long untilMillis) {
        String client() {
            return requester.tenant().client();
        }

        Priority priority() {
            return requester.tenant().priority();
        }
    }

    FetchRoute {
        sources = List.copyOf(sources);
        position = Math.min(position, sources.size() - 1);
    }

    /**
     * The whole route to a block, at its first source.
     *
     * @param disk the disk tier; empty when it does not have the leaves
     * @param above the switches between this one and the store
     */
    static FetchRoute to(
            WantedBlock block, Demand demand, Optional<DiskCache> disk, Upstream.Above above, SharedFetcher fetcher) {
        List<FetchSource> sources = new ArrayList<>();
        disk.ifPresent(tier -> sources.add(new FetchSource.Disk(fetcher, tier, demand)));
        above.parents()
                .forEach(parent -> sources.add(
                        new FetchSource.Parent(fetcher, parent, demand.requester(), block.named(demand.store()))));
        sources.add(new FetchSource.Store(fetcher, demand));
        return new FetchRoute(demand, sources, 0);
    }

    /** A route with one source. */
    static FetchRoute only(Demand demand, FetchSource source) {
        return new FetchRoute(demand, List.of(source), 0);
    }

    /** The source that is asked at this position. */
    FetchSource source() {
        return sources.get(position);
    }

    /** The same route at another position. */
    FetchRoute at(int otherPosition) {
        return new FetchRoute(demand, sources, otherPosition);
    }

    /** The same route at the next source; at the last one when there is no next. */
    FetchRoute next() {
        return at(position + 1);
    }

    /** The same route at its last source, the store. */
    FetchRoute last() {
        return at(sources.size() - 1);
    }
}
