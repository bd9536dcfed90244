package io.cloudmw.coordinator.upkeep.collect;

import io.cloudmw.core.model.VersionId;
import java.util.BitSet;

/**
 * A Bloom filter of the versions a round has seen, in 8 MiB. Its four hashes are parts of the version id, which is
 * random. A seen version is always recognized. An unseen one may be taken for seen (one of a hundred with six million
 * entries); the next round then finds it. Confined to one thread.
 */
final class SeenVersionFilter {
    private static final int BITS = 26;
    private static final int HASHES = 4;
    /** The digits of an id for each hash. */
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
