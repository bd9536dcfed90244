package io.cloudmw.core.race;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** One block's race as seen by the racers of this instance. */
final class BlockRace {
    final Block block;
    /** The local entrants' runs, in the order of the entrants. */
    final List<RaceEntry> runs;
    /** The entrants elsewhere. */
    final List<RacerId> peers;

    /** How much of the block is still wanted of it. */
    long length;

    private final Set<RacerId> claimed = new HashSet<>();
    private final Set<RacerId> out = new HashSet<>();

    BlockRace(Block block, Set<RacerId> local) {
        this.block = block;
        this.length = block.range().length();
        List<RaceEntry> mine = new ArrayList<>();
        List<RacerId> others = new ArrayList<>();
        for (Entrant entrant : block.entrants()) {
            if (local.contains(entrant.racer())) {
                mine.add(new RaceEntry(entrant, block));
            } else {
                others.add(entrant.racer());
            }
        }
        this.runs = List.copyOf(mine);
        this.peers = List.copyOf(others);
    }

    /** Notes a peer's claim; false when it is no peer here or the claim is known. */
    boolean claimed(RacerId peer) {
        return peers.contains(peer) && claimed.add(peer);
    }

    /** Notes that a peer will not deliver the block: it yielded or forfeited. */
    void out(RacerId peer) {
        out.add(peer);
    }

    /** The local run that waits for the peers' answers to its claim. */
    Optional<RaceEntry> claiming() {
        return runs.stream().filter(RaceEntry::claims).findFirst();
    }

    /**
     * The peers whose answer still matters to {@code claimant}: not out, and not known to hold the block with a
     * worse place.
     */
    List<RacerId> unanswered(RacerId claimant, TieBreak tieBreak) {
        return peers.stream()
                .filter(peer -> !out.contains(peer))
                .filter(peer -> !(claimed.contains(peer) && tieBreak.beats(block, claimant, peer)))
                .toList();
    }

    /** Whether this block comes before {@code other} in the file. */
    boolean isBefore(BlockRace other) {
        return isBefore(block, other.block);
    }

    static boolean isBefore(Block one, Block other) {
        if (one.chunkIndex() != other.chunkIndex()) {
            return one.chunkIndex() < other.chunkIndex();
        }
        if (one.range().offset() != other.range().offset()) {
            return one.range().offset() < other.range().offset();
        }
        return one.id().compareTo(other.id()) < 0;
    }
}
