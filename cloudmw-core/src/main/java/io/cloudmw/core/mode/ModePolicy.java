package io.cloudmw.core.mode;

import io.cloudmw.core.delivery.Delivery;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.race.Race;
import java.time.Duration;

/**
 * The policy of a read mode: the values by which {@link Delivery} and {@link Race} behave differently from mode to
 * mode.
 *
 * @param blocks how the file is cut and how much of it is under way
 * @param lineup which racers read
 * @param extras how late attempts are made up for
 */
public record ModePolicy(Blocks blocks, Lineup lineup, Extras extras) {
    private static final long WHOLE = Long.MAX_VALUE;
    private static final int ALL = Integer.MAX_VALUE;
    private static final long MIB = 1 << 20;

    /** The block size of a read through switches: what one switch owns. */
    public static final long SWITCHED_BLOCK_BYTES = 4 * MIB;

    /** Blocks of 8 MiB. The blocks ahead of the lowest one wait on disk for a file, and in helpers for a stream. */
    private static final Blocks OF_FILES = new Blocks(8 * MIB, 256, 2048 * MIB);

    private static final Blocks OF_STREAMS = new Blocks(8 * MIB, 32, 256 * MIB);

    /**
     * The cutting of a file into blocks.
     *
     * @param blockBytes longest block; rounded to whole leaves, at least one; a chunk is never joined with another
     * @param windowBlocks blocks open at most, counted from the lowest one not yet delivered
     * @param windowBytes bytes open at most, counted from the lowest one not yet delivered; that block is always open
     */
    public record Blocks(long blockBytes, int windowBlocks, long windowBytes) {
        public Blocks {
            positive("blockBytes", blockBytes);
            positive("windowBlocks", windowBlocks);
            positive("windowBytes", windowBytes);
        }
    }

    /**
     * The racers that read.
     *
     * @param entrants racers that race for each block from its start; 1: no race, the block is relayed while it is
     *     fetched
     * @param racers lanes used at most, over all helpers
     * @param lanes of each helper for planned blocks
     * @param spareLanes of each helper for extras only
     * @param queuePerLane blocks that one lane may be issued and not have fetched
     * @param tied whether a block that has to wait in its lane's queue is issued to a lane of another helper too
     */
    public record Lineup(int entrants, int racers, int lanes, int spareLanes, int queuePerLane, boolean tied) {
        public Lineup {
            positive("entrants", entrants);
            positive("racers", racers);
            positive("lanes", lanes);
            positive("queuePerLane", queuePerLane);
            if (spareLanes < 0) {
                throw new IllegalArgumentException("spareLanes: " + spareLanes + " (expected: >= 0)");
            }
        }

        /** Returns whether several racers race for each block. */
        public boolean isRace() {
            return entrants > 1;
        }
    }

    /**
     * The handling of late attempts. An attempt is due by its store's late threshold ({@code LateThreshold}), and after
     * that by its 5th percentile of throughput; both within floor and cap.
     *
     * @param onLateness the reason of the second attempt, {@code HEDGE} or {@code HAND_OVER}; {@code PLANNED}: there is
     *     none
     * @param floorNanos an attempt is never late sooner
     * @param capNanos an attempt is never given longer; also the delay for a store without an estimate
     * @param delayNanos a fixed delay instead of the percentile of the first byte, floor and cap; 0: the percentile
     * @param steals whether idle racers take over parts of blocks under way
     */
    public record Extras(IssueReason onLateness, long floorNanos, long capNanos, long delayNanos, boolean steals) {
        public static final Extras NONE = new Extras(IssueReason.PLANNED, 1, 1, 0, false);

        public Extras {
            positive("floorNanos", floorNanos);
            if (delayNanos < 0) {
                throw new IllegalArgumentException("delayNanos: " + delayNanos + " (expected: >= 0)");
            }
            if (capNanos < floorNanos) {
                throw new IllegalArgumentException(
                        "capNanos: " + capNanos + " (expected: >= floorNanos, " + floorNanos + ")");
            }
        }

        /** Returns whether an attempt that is late gets a second one beside it. */
        public boolean hedges() {
            return onLateness.isExtra();
        }

        /** The time, limited by floor and cap. */
        public long within(double nanos) {
            return Math.max(floorNanos, (long) Math.min((double) capNanos, nanos));
        }

        /** The time that the first byte may take where it usually comes within {@code usualNanos}. */
        public long delayNanos(double usualNanos) {
            return delayNanos > 0 ? delayNanos : within(usualNanos);
        }
    }

    /**
     * The policy of a mode.
     *
     * @param inOrder for a stream, whose bytes wait at the helpers for their turn
     */
    public static ModePolicy of(Mode mode, boolean inOrder) {
        Blocks small = inOrder ? OF_STREAMS : OF_FILES;
        return switch (mode) {
            case SINGLE -> plain(new Blocks(WHOLE, 2, WHOLE), new Lineup(1, 1, 1, 0, 2, false));
            case CHUNKED -> plain(new Blocks(WHOLE, 16, WHOLE), new Lineup(1, ALL, 8, 0, 1, false));
            case ROUNDS -> plain(new Blocks(WHOLE, 4, WHOLE), new Lineup(ALL, ALL, 1, 0, 1, false));
            case KN -> plain(new Blocks(WHOLE, 16, WHOLE), new Lineup(ALL, ALL, 8, 0, 1, false));
            case HEDGED ->
                new ModePolicy(
                        small,
                        new Lineup(1, ALL, 4, 2, 1, false),
                        new Extras(IssueReason.HEDGE, millis(20), millis(2000), 0, false));
            case COOPERATIVE ->
                new ModePolicy(
                        small,
                        new Lineup(1, ALL, 4, 1, 2, true),
                        new Extras(IssueReason.HAND_OVER, millis(100), millis(2000), 0, true));
        };
    }

    /**
     * The policy of a read through a volume's switches. Each block is asked of its owner. When a block is late, the
     * same switch, or the block's root where that asks others, reads another replica. A second switch is asked for a
     * block only when the first is gone.
     *
     * @param inOrder for a stream
     */
    public static ModePolicy switched(boolean inOrder) {
        Blocks all = inOrder ? OF_STREAMS : OF_FILES;
        return new ModePolicy(
                new Blocks(SWITCHED_BLOCK_BYTES, all.windowBlocks(), all.windowBytes()),
                new Lineup(1, ALL, 4, 1, 2, false),
                new Extras(IssueReason.HAND_OVER, millis(100), millis(2000), 0, false));
    }

    /**
     * The policy of a read through the one switch that is near: as many blocks at once as from several switches, and
     * longer delays, because the blocks come through other switches.
     *
     * @param inOrder for a stream
     */
    public static ModePolicy near(boolean inOrder) {
        return new ModePolicy(
                switched(inOrder).blocks(),
                new Lineup(1, ALL, 16, 1, 2, false),
                new Extras(IssueReason.HAND_OVER, millis(1000), millis(5000), 0, false));
    }

    /**
     * The same policy with at most {@code streams} attempts under way, extras aside.
     *
     * @param entrants how many attempts each race is, in modes that race
     */
    public ModePolicy withStreams(int streams, int entrants) {
        positive("streams", streams);
        Lineup all = lineup;
        int lanes = all.isRace() ? Math.min(all.lanes(), Math.max(1, streams / entrants)) : all.lanes();
        int racers = all.isRace() ? all.racers() : Math.min(all.racers(), streams);
        return new ModePolicy(
                blocks,
                new Lineup(all.entrants(), racers, lanes, all.spareLanes(), all.queuePerLane(), all.tied()),
                extras);
    }

    /** The same policy with a fixed delay for the first byte; at least a nanosecond. */
    public ModePolicy withDelay(long nanos) {
        long delay = Math.max(1, nanos);
        return new ModePolicy(
                blocks,
                lineup,
                new Extras(extras.onLateness(), extras.floorNanos(), extras.capNanos(), delay, extras.steals()));
    }

    /** The same policy without tied blocks. */
    public ModePolicy untied() {
        Lineup tied = lineup;
        return new ModePolicy(
                blocks,
                new Lineup(tied.entrants(), tied.racers(), tied.lanes(), tied.spareLanes(), tied.queuePerLane(), false),
                extras);
    }

    private static ModePolicy plain(Blocks blocks, Lineup lineup) {
        return new ModePolicy(blocks, lineup, Extras.NONE);
    }

    /** The layout of the lanes of {@code helpers} helpers. */
    public LaneLayout lanes(int helpers) {
        return new LaneLayout(helpers, lineup.lanes() + lineup.spareLanes());
    }

    /** Returns whether the helpers of a transfer exchange notices about blocks. */
    public boolean needsRivals() {
        return lineup.isRace() || lineup.tied();
    }

    /** The same policy for a read of {@code bytes}: a read of one block is not worth connecting the helpers. */
    public ModePolicy forRead(long bytes) {
        return lineup.isRace() || bytes > blocks.blockBytes() ? this : untied();
    }

    /** The most bytes that one attempt asks for in a read of so many. */
    public long attemptBytes(long readBytes) {
        return Math.min(blocks.blockBytes(), readBytes);
    }

    private static long millis(long count) {
        return Duration.ofMillis(count).toNanos();
    }

    private static void positive(String name, long value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: >= 1)");
        }
    }
}
