package io.cloudmw.helper.compete;

import io.cloudmw.core.mode.LaneLayout;
import io.cloudmw.core.model.Urgency;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.placement.ReadPlanner;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.schedule.Tenant;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferToken;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The specification of a transfer at this helper, which the destination sends at the beginning.
 *
 * @param id identifies the transfer at all of its helpers
 * @param token the token that is shown to rivals
 * @param claims the token's claims
 * @param helpers the helpers of the transfer, in rank order
 * @param self rank of this helper, which is its first lane
 * @param lanesPerHelper number of racers of each helper
 * @param solitary whether the helper joins no rivals, because every block has one entrant
 * @param shared whether blocks with one entrant come through the cache, and are fetched once for all readers
 * @param tree number of helpers, from the first, that are members of the blocks' trees; 0 when there are none
 * @param bulkSession the destination's bulk connection to this helper
 */
public record TransferSpec(
        String id,
        TransferToken token,
        TransferClaims claims,
        List<HelperAddress> helpers,
        RacerId self,
        int lanesPerHelper,
        boolean solitary,
        boolean shared,
        int tree,
        List<Store> stores,
        String bulkSession,
        Urgency urgency) {
    /** Limit of helpers: a few race, but there may be more switches. */
    public static final int MAX_HELPERS = ReadPlanner.MAX_PLANNED;

    public static final int MAX_STORES = 1024;

    /** Limit of racers of one helper in a transfer. */
    public static final int MAX_LANES = 64;

    private static final Pattern ID = Pattern.compile("[0-9a-f]{32}");

    public TransferSpec {
        helpers = List.copyOf(helpers);
        stores = List.copyOf(stores);
        if (!ID.matcher(id).matches()) {
            throw new IllegalArgumentException("transfer id: (expected: 32 characters of 0-9, a-f)");
        }
        if (helpers.isEmpty() || helpers.size() > MAX_HELPERS) {
            throw new IllegalArgumentException("helpers: " + helpers.size() + " (expected: 1.." + MAX_HELPERS + ")");
        }
        if (self.rank() >= helpers.size()) {
            throw new IllegalArgumentException("self: " + self.rank() + " (expected: < " + helpers.size() + ")");
        }
        if (tree < 0 || tree > helpers.size()) {
            throw new IllegalArgumentException("tree: " + tree + " (expected: 0.." + helpers.size() + ")");
        }
        if (lanesPerHelper < 1 || lanesPerHelper > MAX_LANES) {
            throw new IllegalArgumentException("lanes: " + lanesPerHelper + " (expected: 1.." + MAX_LANES + ")");
        }
        if (stores.size() > MAX_STORES) {
            throw new IllegalArgumentException("stores: " + stores.size() + " (expected: <= " + MAX_STORES + ")");
        }
    }

    /** The racers of the transfer. */
    public LaneLayout lanes() {
        return new LaneLayout(helpers.size(), lanesPerHelper);
    }

    /** The client on whose behalf the transfer runs. */
    public Tenant tenant() {
        return Tenant.of(claims, bulkSession, urgency.priority());
    }

    /** The name of this object in messages. */
    @Override
    public String toString() {
        return "transfer=" + id + " rank=" + self.rank() + "/" + helpers.size();
    }
}
