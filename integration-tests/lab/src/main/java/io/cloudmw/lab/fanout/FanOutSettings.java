package io.cloudmw.lab.fanout;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The settings of {@code bench switch}.
 *
 * @param clients that read the whole set at once
 * @param setBytes the bytes that each client reads
 * @param leafBytes the bytes covered by one checksum
 * @param hot where switches hold the set before clients ask for it
 * @param kill whether a switch is killed when clients have half of their bytes
 * @param runs measured runs
 * @param warmUps unmeasured runs before those
 * @param small small reads by one client, after the runs
 * @param hosts where processes run
 */
public record FanOutSettings(
        int clients,
        int switches,
        long setBytes,
        int leafBytes,
        FanOut fanOut,
        Hot hot,
        boolean kill,
        int runs,
        int warmUps,
        long seed,
        Optional<SmallReads> small,
        Hosts hosts) {
    /** The route of the bytes from the store to the clients. */
    public enum FanOut {
        /** Every client asks, for each block, the switch that the block is assigned to. */
        FLAT,
        /**
         * Every client asks one switch near it, which is on the same host if there are hosts. That switch fetches
         * missing blocks from other switches.
         */
        TREE;

        /** Returns the name used in options and reports. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The place where switches hold the set before clients ask for it. */
    public enum Hot {
        /** No switch has the set: each run reads a new one. */
        NONE,
        /** Switches hold the set in memory, which is made large enough. */
        MEMORY,
        /** Switches hold the set on their disks; memory has its default size. */
        DISK;

        /** Returns the name used in options and reports. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Small random reads of one client, alone and while neighbours, which are other clients, read the whole set.
     *
     * @param bytes of each read
     * @param reads of each kind in a run
     * @param neighbours the number of neighbours; 0: none
     * @param neighbourCommand the prefix of the command that starts the neighbours' process
     */
    public record SmallReads(int bytes, int reads, int neighbours, List<String> neighbourCommand) {
        public SmallReads {
            neighbourCommand = List.copyOf(neighbourCommand);
            between("reads", bytes, 1, 1 << 30);
            between("read-count", reads, 1, 1_000_000);
            between("neighbours", neighbours, 0, 256);
        }
    }

    public FanOutSettings {
        between("clients", clients, 1, 256);
        between("switches", switches, 1, 32);
        between("size", setBytes, 1, 1L << 40);
        between("runs", runs, 1, 10_000);
        between("warm-up", warmUps, 0, 10_000);
        if (kill && switches < 2) {
            throw new IllegalArgumentException(
                    "switches: " + switches + " (expected: at least 2 with --kill, so that one is left)");
        }
        small.ifPresent(reads -> between("reads", reads.bytes(), 1, setBytes));
    }

    /** Returns the number of sets. Hot sets are read again; otherwise each run needs a new one. */
    int sets() {
        return hot == Hot.NONE ? warmUps + runs : 1;
    }

    private static void between(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: " + least + ".." + most + ")");
        }
    }
}
