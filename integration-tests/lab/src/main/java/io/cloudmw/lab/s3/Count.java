package io.cloudmw.lab.s3;

import java.util.concurrent.atomic.LongAdder;

/** What of one store crossed to the reader during one run. Safe for any thread. */
final class Count {
    private final LongAdder requests = new LongAdder();
    private final LongAdder bytes = new LongAdder();

    void requested() {
        requests.increment();
    }

    void sent(long more) {
        bytes.add(more);
    }

    Crossed crossed() {
        return new Crossed(requests.sum(), bytes.sum());
    }
}
