package io.cloudmw.core.mode;

import io.cloudmw.core.race.RacerId;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The layout of a transfer's lanes: which rank each racer has. A racer is a lane, one line of attempts, one at a time.
 * Each helper has {@code perHelper} of them. Lane l of helper h has the rank {@code h + l * helpers}, so the first
 * lanes have the helpers' own ranks. Ranks beyond belong to the client's own racers.
 *
 * @param helpers helpers of the transfer, reachable or not
 * @param perHelper lanes of each
 */
public record LaneLayout(int helpers, int perHelper) {
    public LaneLayout {
        if (helpers < 0) {
            throw new IllegalArgumentException("helpers: " + helpers + " (expected: >= 0)");
        }
        if (perHelper < 1) {
            throw new IllegalArgumentException("perHelper: " + perHelper + " (expected: >= 1)");
        }
    }

    /** The racer in lane {@code lane} of helper {@code helper}. */
    public RacerId racer(int helper, int lane) {
        if (helper < 0 || helper >= helpers || lane < 0 || lane >= perHelper) {
            throw new IllegalArgumentException(
                    "helper " + helper + " lane " + lane + " (expected: within " + this + ")");
        }
        return new RacerId(helper + lane * helpers);
    }

    /** Returns whether a helper hosts the racer, rather than the client. */
    public boolean isHelpers(RacerId racer) {
        return racer.rank() < helpers * perHelper;
    }

    /** The rank of the helper that hosts the racer. */
    public int helper(RacerId racer) {
        if (!isHelpers(racer)) {
            throw new IllegalArgumentException(racer + " is no helper's (" + this + ")");
        }
        return racer.rank() % helpers;
    }

    /** The lane of the racer in its helper; 0 for the client's own. */
    public int lane(RacerId racer) {
        return isHelpers(racer) ? racer.rank() / helpers : 0;
    }

    /** All racers of one helper, by lane. */
    public List<RacerId> of(int helper) {
        return IntStream.range(0, perHelper)
                .mapToObj(lane -> racer(helper, lane))
                .toList();
    }
}
