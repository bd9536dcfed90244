package io.cloudmw.helper.serve;

import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.thread.SerialExecutor;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A stream that another process has opened to this helper. The stream runs one step at a time, on a serial executor. A
 * step that throws resets the stream and frees its resources. Listener methods run on event loops.
 */
abstract class ServedStream implements BulkStreamListener {
    private static final Logger LOG = LoggerFactory.getLogger(ServedStream.class);

    /** A step of the work on the stream. */
    interface Step {
        void run() throws CloudMwException;
    }

    private final String what;
    private final BulkStream stream;
    private final SerialExecutor executor;
    private final Runnable finished;
    private boolean over;

    /**
     * Runs no step yet.
     *
     * @param what names the stream in messages
     * @param threads run the steps, which may block
     * @param finished run once, when all resources are freed
     */
    ServedStream(String what, BulkStream stream, Executor threads, Runnable finished) {
        this.what = what;
        this.stream = stream;
        this.executor = new SerialExecutor(threads, this::broken);
        this.finished = finished;
    }

    /** A stream that gives others a turn after each step. */
    ServedStream(String what, BulkStream stream, ReadTurns turns, Runnable finished) {
        this.what = what;
        this.stream = stream;
        this.executor = new SerialExecutor(turns, this::broken, 1);
        this.finished = finished;
    }

    final String what() {
        return what;
    }

    final BulkStream stream() {
        return stream;
    }

    /** Frees the resources. Called once, on the executor. */
    abstract void free();

    /** Queues a step, which is dropped when the stream is over by then. Any thread. */
    final void post(Step step) {
        post(step, () -> {});
    }

    /** Like {@link #post(Step)}; {@code afterwards} runs in any case. */
    final void post(Step step, Runnable afterwards) {
        executor.execute(() -> {
            try {
                if (!over) {
                    step.run();
                }
            } catch (CloudMwException e) {
                fail(e);
            } finally {
                afterwards.run();
            }
        });
    }

    @Override
    public final void failed(CloudMwException cause) {
        post(this::close);
    }

    /** Ends the stream and frees its resources. Idempotent. */
    final void close() {
        if (!over) {
            over = true;
            try {
                free();
            } finally {
                finished.run();
            }
        }
    }

    /** Ends the steps and hands the resources over; the receiver calls {@link #finished}. */
    final void handOver() {
        over = true;
    }

    final void finished() {
        finished.run();
    }

    private void fail(CloudMwException cause) {
        if (!over) {
            try {
                stream.reset(cause);
            } finally {
                close();
            }
        }
    }

    private void broken(Throwable defect) {
        LOG.error("{}: failed by a defect", what, defect);
        fail(CloudMwException.ofDefect(what, defect));
    }
}
