package io.cloudmw.lab.torture;

import java.util.random.RandomGenerator;

/** The distribution of file sizes, mostly around multiples of the leaf and chunk sizes. */
final class FileSizes {
    private static final int LEAF = 256 << 10;
    private static final int CHUNK = 512 << 10;
    private static final int[] BORDERS = {0, 1, 16, 4096, LEAF, CHUNK, CHUNK + LEAF, 2 * CHUNK, 3 * CHUNK, 5 * CHUNK};
    private static final int SMALL = 4096;
    private static final int MEDIUM = 2 * LEAF;

    private FileSizes() {}

    /** Draws the size of a file that is put together with others: mostly a few KiB, sometimes a few leaves. */
    static int drawSmall(RandomGenerator random, boolean small) {
        return small || random.nextInt(5) > 0 ? random.nextInt(SMALL + 1) : random.nextInt(MEDIUM / 2);
    }

    static int draw(RandomGenerator random, boolean small) {
        int dice = random.nextInt(100);
        if (small || dice < 40) {
            return random.nextInt(SMALL + 1);
        }
        if (dice < 60) {
            return random.nextInt(MEDIUM);
        }
        int border = BORDERS[random.nextInt(BORDERS.length)];
        return Math.max(0, border + random.nextInt(-1, 2) * (random.nextBoolean() ? 1 : random.nextInt(100)));
    }
}
