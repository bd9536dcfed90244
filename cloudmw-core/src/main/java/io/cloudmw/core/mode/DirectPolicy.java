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
     * The policy for a mode. A lane is one request to a store at a time, so the lanes bound the connections of a read.
     * Without rivals there are as many as two helpers have, at least one for each replica, at most 8, and no more than
     * the mode's racers. In a race each replica has as many as a helper has in all, at most 24 together.
     */
    public static DirectPolicy of(DirectUse start, ModePolicy mode, int replicas) {
        ModePolicy.Lineup lineup = mode.lineup();
        int lanes = lineup.isRace()
                ? Math.min(MAX_RACING_LANES, lineup.lanes() * replicas)
                : Math.min(lineup.racers(), Math.min(MAX_LANES, Math.max(2 * lineup.lanes(), replicas)));
        return new DirectPolicy(start, lanes);
    }
}
