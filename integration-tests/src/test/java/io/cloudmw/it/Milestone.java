package io.cloudmw.it;

import io.cloudmw.client.progress.TransferListener;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Lets a test wait until a transfer is in its middle: some bytes were delivered, many were not. */
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
