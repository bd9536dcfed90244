package io.cloudmw.helper.compete;

import io.cloudmw.core.mode.LaneLayout;
import io.cloudmw.core.model.HelperAddress;
import io.cloudmw.core.model.Store;
import io.cloudmw.core.model.Urgency;
import io.cloudmw.core.placement.ReadPlanner;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.schedule.Tenant;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferToken;
import java.util.List;
import java.util.regex.Pattern;

/**
 * What a destination says when it begins a transfer here.
 *
 * @param id the same at every helper of the transfer
 * @param helpers all of them, in rank order
 * @param self this helper's rank: its first lane
 * @param lanesPerHelper racers of each helper
 * @param token shown to rivals
 * @param claims what the token allows
 * @param solitary whether it joins no rivals: every block has one entrant
 * @param shared whether blocks with one entrant come from what this helper keeps, and are fetched once for all who ask
 * @param tree the first so many helpers are the members of the trees of its blocks; 0: there are none
 * @param bulkSession the destination's bulk connection to this helper: what makes two transfers one client's
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
    /** A race is between a handful of helpers; there may be more switches. */
    public static final int MAX_HELPERS = ReadPlanner.MAX_PLANNED;

    public static final int MAX_STORES = 1024;

    /** A helper hosts a handful of racers for one transfer. */
    public static final int MAX_LANES = 64;

    private static final Pattern ID = Pattern.compile("[0-9a-f]{32}");

    public TransferSpec {
        helpers = List.copyOf(helpers);
        stores = List.copyOf(stores);
        if (!ID.matcher(id).matches()) {
            throw new IllegalArgumentException("transfer: (expected: 32 of 0-9, a-f)");
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

    /** Every racer of the transfer. */
    public LaneLayout lanes() {
        return new LaneLayout(helpers.size(), lanesPerHelper);
    }

    /** On whose behalf it is. */
    public Tenant tenant() {
        return new Tenant(bulkSession, claims.file().volume().value(), urgency.priority());
    }

    /** For messages. */
    @Override
    public String toString() {
        return "transfer=" + id + " rank=" + self.rank() + "/" + helpers.size();
    }
}
