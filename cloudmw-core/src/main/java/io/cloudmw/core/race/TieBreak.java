package io.cloudmw.core.race;

import java.util.List;

/** The static rule that decides between racers that hold the same block: a total order, the same at every racer. */
@FunctionalInterface
interface TieBreak {
    /** Returns whether {@code one} wins over {@code other}; both are entrants of the block. */
    boolean beats(Block block, RacerId one, RacerId other);

    /**
     * The rule on (round, rank): the entrants in the order of their rank, the order turned by one place with every
     * round, so that no helper wins all ties. The round is the block's id.
     */
    TieBreak BY_ROUND_AND_RANK = (block, one, other) -> place(block, one) < place(block, other);

    private static int place(Block block, RacerId racer) {
        List<RacerId> ranked =
                block.entrants().stream().map(Entrant::racer).sorted().toList();
        int rank = ranked.indexOf(racer);
        if (rank < 0) {
            throw new IllegalArgumentException(racer + " is no entrant of " + block.id());
        }
        return Math.floorMod(rank - block.id().value(), ranked.size());
    }
}
