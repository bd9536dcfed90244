package io.cloudmw.coordinator.upkeep;

import io.cloudmw.core.model.VersionId;
import java.util.BitSet;

/**
 * Versions of which a round has seen something, in 8 MiB however many there are: a Bloom filter, whose four hashes are parts of
 * the id, which is random. It never takes one that was seen for another; of others it takes some for seen (of a hundred one when
 * there are six million), which the next round, that sees others, does not. Confined to one thread.
 */
final class SeenVersions {
    private static final int BITS = 26;
    private static final int HASHES = 4;
    /** Of an id, for each hash. */
    private static final int DIGITS = 8;

    private BitSet seen = new BitSet();

    private static int hash(VersionId version, int part) {
        String digits = version.value().substring(part * DIGITS, (part + 1) * DIGITS);
        return Integer.parseUnsignedInt(digits, 16) >>> (Integer.SIZE - BITS);
    }

    void clear() {
        seen = new BitSet();
    }

    void add(VersionId version) {
        for (int part = 0; part < HASHES; part++) {
            seen.set(hash(version, part));
        }
    }

    boolean mayHave(VersionId version) {
        for (int part = 0; part < HASHES; part++) {
            if (!seen.get(hash(version, part))) {
                return false;
            }
        }
        return true;
    }
}
