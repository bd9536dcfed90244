package io.cloudmw.client.write;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The progress of a put with failures on the way. */
final class PutProgressTest {
    private static final int SEEDS = 2_000;

    /** A chunk whose tries all fail but the last. */
    private static final class Upload {
        private final long index;
        private final long length;
        private long sent;

        Upload(long index, long length) {
            this.index = index;
            this.length = length;
        }
    }

    @Test
    void progressNeverFallsAndCountsNoByteTwiceAfterFailures() {
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            PutProgress progress = new PutProgress();
            long resumed = random.nextInt(3) * 1000L;
            progress.resumed(resumed);
            List<Upload> open = new ArrayList<>();
            long total = resumed;
            for (int i = 0; i < 1 + random.nextInt(8); i++) {
                open.add(new Upload(i, 1 + random.nextInt(500)));
                total += open.get(i).length;
            }
            long storedBefore = resumed;
            long sentBefore = resumed;
            while (!open.isEmpty()) {
                step(random, progress, open);
                assertThat(progress.storedBytes()).as("seed %d", seed).isBetween(storedBefore, total);
                assertThat(progress.sentBytes()).as("seed %d", seed).isBetween(sentBefore, total);
                assertThat(progress.sentBytes()).as("seed %d", seed).isGreaterThanOrEqualTo(progress.storedBytes());
                storedBefore = progress.storedBytes();
                sentBefore = progress.sentBytes();
            }
            assertThat(progress.storedBytes()).as("seed %d", seed).isEqualTo(total);
            assertThat(progress.sentBytes()).as("seed %d", seed).isEqualTo(total);
        }
    }

    private static void step(Random random, PutProgress progress, List<Upload> open) {
        Upload upload = open.get(random.nextInt(open.size()));
        if (random.nextInt(4) == 0) {
            progress.again(upload.index);
            upload.sent = 0;
        } else if (upload.sent == upload.length) {
            progress.stored(upload.index, upload.length);
            open.remove(upload);
        } else {
            long more = Math.min(upload.length - upload.sent, 1 + random.nextInt(200));
            progress.sent(upload.index, more);
            upload.sent += more;
        }
    }
}
