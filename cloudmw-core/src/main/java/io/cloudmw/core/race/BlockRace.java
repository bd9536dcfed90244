package io.cloudmw.core.race;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The race for one block, as the racers of this process see it. */
final class BlockRace {
    private final Block block;
    private final List<RaceEntry> entries;
    private final List<RacerId> rivals;
    private final Set<RacerId> claimed = new HashSet<>();
    private final Set<RacerId> out = new HashSet<>();
    private long wantedLength;

    BlockRace(Block block, Set<RacerId> local) {
        this.block = block;
        this.wantedLength = block.range().length();
        List<RaceEntry> mine = new ArrayList<>();
        List<RacerId> others = new ArrayList<>();
        for (Entrant entrant : block.entrants()) {
            if (local.contains(entrant.racer())) {
                mine.add(new RaceEntry(entrant, block));
            } else {
                others.add(entrant.racer());
            }
        }
        this.entries = List.copyOf(mine);
        this.rivals = List.copyOf(others);
    }

    Block block() {
        return block;
    }

    /** The entries of the local racers, in the order of the block's entrants. */
    List<RaceEntry> entries() {
        return entries;
    }

    /** The entrants in other processes. */
    List<RacerId> rivals() {
        return rivals;
    }

    /** Notes that the destination wants only the first {@code length} bytes. */
    void shorten(long length) {
        wantedLength = length;
    }

    /** The number of the block's bytes that the destination wants. */
    long wantedLength() {
        return wantedLength;
    }

    boolean isShortened() {
        return wantedLength < block.range().length();
    }

    /** Notes a claim; false when the racer is no rival for this block, or its claim is known. */
    boolean noteClaim(RacerId rival) {
        return rivals.contains(rival) && claimed.add(rival);
    }

    /** Notes that a rival will not deliver the block: it yielded or forfeited. */
    void noteOut(RacerId rival) {
        out.add(rival);
    }

    /** The local entry that waits for answers to its claim. */
    Optional<RaceEntry> claiming() {
        return entries.stream().filter(RaceEntry::claims).findFirst();
    }

    /** Returns whether a local racer has started the block. */
    boolean isBegun() {
        return entries.stream().anyMatch(RaceEntry::isBegun);
    }

    /**
     * The rivals whose answer to {@code claimant} still matters: those not out, and not known to hold the block with a
     * worse place in the tie-break.
     */
    List<RacerId> unanswered(RacerId claimant, TieBreak tieBreak) {
        return rivals.stream()
                .filter(rival -> !out.contains(rival))
                .filter(rival -> !(claimed.contains(rival) && tieBreak.beats(block, claimant, rival)))
                .toList();
    }
}
