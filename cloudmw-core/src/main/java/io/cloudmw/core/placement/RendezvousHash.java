package io.cloudmw.core.placement;

/** A well-mixed 64-bit hash of a pair of names: the same on every machine and in every release. */
public final class RendezvousHash {
    private RendezvousHash() {}

    public static long hash(String key, String node) {
        long hash = 0xcbf2_9ce4_8422_2325L;
        hash = add(hash, key);
        hash = (hash ^ 0x1f) * 0x100_0000_01b3L;
        hash = add(hash, node);
        return mix(hash);
    }

    /** The hash of a hashed node and a number, for callers with the same nodes and many keys. */
    public static long hash(long node, long key) {
        return mix(node ^ mix(key + 0x9e37_79b9_7f4a_7c15L));
    }

    private static long add(long hash, String text) {
        long sum = hash;
        for (int i = 0; i < text.length(); i++) {
            sum = (sum ^ text.charAt(i)) * 0x100_0000_01b3L;
        }
        return sum;
    }

    /** The finaliser of SplitMix64: FNV alone leaves the high bits poorly mixed. */
    private static long mix(long value) {
        long mixed = (value ^ value >>> 30) * 0xbf58_476d_1ce4_e5b9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94d0_49bb_1331_11ebL;
        return mixed ^ mixed >>> 31;
    }
}
