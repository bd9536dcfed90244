package io.cloudmw.core.mode;

/**
 * The policy for the client's own racers.
 *
 * @param start their use at the start of the read
 * @param lanes of them that read planned blocks; 0: one for each replica
 */
public record DirectPolicy(DirectUse start, int lanes) {
    /** The client reads what no helper can bring, by one racer for each replica. */
    public static final DirectPolicy LAST_RESORT = new DirectPolicy(DirectUse.LAST_RESORT, 0);

    private static final int MAX_LANES = 8;
    private static final int MAX_RACING_LANES = 24;

    public DirectPolicy {
        if (lanes < 0) {
            throw new IllegalArgumentException("lanes: " + lanes + " (expected: >= 0)");
        }
    }

    /**
     * The policy with as many lanes as two helpers have in this mode, but at most 8; a race has as many for each
     * replica as a helper has in all, but at most 24. So a read has a bounded number of connections to stores.
     */
    public static DirectPolicy of(DirectUse start, ModePolicy mode, int replicas) {
        ModePolicy.Lineup lineup = mode.lineup();
        int lanes = lineup.isRace()
                ? Math.min(MAX_RACING_LANES, lineup.lanes() * replicas)
                : Math.min(lineup.racers(), Math.min(MAX_LANES, Math.max(2 * lineup.lanes(), replicas)));
        return new DirectPolicy(start, lanes);
    }
}
