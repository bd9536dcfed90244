package io.cloudmw.lab.fanout;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The settings of {@code bench switch}.
 *
 * @param clients that read the whole set at once
 * @param setBytes what each of them reads
 * @param leafBytes what is verified at a time
 * @param hot where switches have the set before they are asked
 * @param kill whether a switch is killed when clients have half of what they want
 * @param runs measured ones
 * @param warmUps runs before those
 * @param small single small reads, after the runs
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
        /** Every client asks the switch a block belongs to. */
        FLAT,
        /** Every client asks a switch near it, on the same host if there are hosts, which has from others what it lacks. */
        TREE;

        /** As it is written. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The case in which switches hold the set before clients ask. */
    public enum Hot {
        /** Nowhere: each run reads a set of its own. */
        NONE,
        /** In memory, which is made large enough. */
        MEMORY,
        /** On their disks; memory is as large as it is by default. */
        DISK;

        /** As it is written. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Small random reads of one client, alone and beside clients that read the whole set.
     *
     * @param bytes of each read
     * @param reads of each kind in a run
     * @param neighbours those others; 0: none
     * @param neighbourCommand what the command of their process begins with
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

    /** Hot sets are read again; others are new in every run. */
    int sets() {
        return hot == Hot.NONE ? warmUps + runs : 1;
    }

    private static void between(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: " + least + ".." + most + ")");
        }
    }
}
