package io.cloudmw.lab.s3;

import java.util.concurrent.atomic.LongAdder;

/** A counter of the traffic from one store during one run. Safe for any thread. */
final class TrafficCounter {
    private final LongAdder requests = new LongAdder();
    private final LongAdder bytes = new LongAdder();

    void requested() {
        requests.increment();
    }

    void sent(long more) {
        bytes.add(more);
    }

    Traffic crossed() {
        return new Traffic(requests.sum(), bytes.sum());
    }
}
