package io.cloudmw.helper.serve;

import io.cloudmw.core.time.Ticker;
import io.cloudmw.helper.block.Spool;
import io.cloudmw.helper.fetch.ReplicaReporter;
import io.cloudmw.helper.remote.StoreDirectory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;

/**
 * The services of the helper process that writes use. Uploads and copies share nothing, since copies must never wait
 * for uploads: an upload waits for copies at other helpers, whose uploads wait for copies here.
 *
 * @param authorized verifies the tokens of requests
 * @param reporter hears of copies that became durable late
 * @param uploads for chunks that clients send
 * @param copies for chunks that only this helper writes: to its own disks, or to buckets on behalf of another helper
 * @param late for the missing copies of chunks that were acknowledged
 */
public record WriteServices(
        AuthorizedStreams authorized,
        StoreDirectory stores,
        ReplicaReporter reporter,
        Resources uploads,
        Resources copies,
        LateCopyBudget late,
        Timing timing) {
    /**
     * The resources of one kind of writes.
     *
     * @param spool holds chunks until they are stored
     * @param receiving may block; accepts at least {@code limit} tasks
     * @param storing runs the puts
     * @param limit concurrent chunks
     */
    public record Resources(Spool spool, Executor receiving, StoreLanes storing, int limit) {}

    /**
     * The time-outs and clocks of writes.
     *
     * @param silence time for which a writer may send nothing although it has credit
     * @param retryDelays the delay before each retry at a store that failed
     */
    public record Timing(Duration silence, Ticker ticker, ScheduledExecutorService timer, List<Duration> retryDelays) {
        public Timing {
            retryDelays = List.copyOf(retryDelays);
        }
    }
}
