package io.cloudmw.helper.cache;

import io.cloudmw.helper.fetch.Upstream;
import io.cloudmw.helper.fetch.WantedBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Stops that are asked one after the other, and at which of them somebody is. Immutable.
 *
 * @param place in the route; beyond its end is its last
 */
record Way(List<Stop> route, int place) {
    Way {
        route = List.copyOf(route);
        place = Math.min(place, route.size() - 1);
    }

    /** The disk tier, where that has the leaves, the switches above this one, the nearest first, and the store. */
    static List<Stop> route(
            SharedFetching fetching,
            WantedBlock block,
            Optional<DiskTier> disk,
            Flight.Source source,
            Upstream.Above above) {
        List<Stop> stops = new ArrayList<>();
        disk.ifPresent(tier -> stops.add(new Stop.OfDisk(fetching, tier, source)));
        above.parents()
                .forEach(parent -> stops.add(
                        new Stop.OfParent(fetching, parent, source.requester(), block.named(source.store()))));
        stops.add(new Stop.OfStore(fetching, source));
        return stops;
    }

    Stop stop() {
        return route.get(place);
    }

    /** At the next stop. */
    Way next() {
        return new Way(route, place + 1);
    }
}
