package io.cloudmw.it;

import io.cloudmw.client.progress.TransferListener;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A listener that lets a test wait for the middle of a transfer, when some bytes but not most are delivered. */
final class Milestone implements TransferListener {
    private final CountDownLatch reached = new CountDownLatch(1);
    private final long bytes;

    Milestone(long bytes) {
        this.bytes = bytes;
    }

    @Override
    public void progressed(long done, long total) {
        if (done >= bytes) {
            reached.countDown();
        }
    }

    void await() throws InterruptedException {
        if (!reached.await(60, TimeUnit.SECONDS)) {
            throw new AssertionError("the transfer did not reach " + bytes + " bytes within 60 s");
        }
    }
}
