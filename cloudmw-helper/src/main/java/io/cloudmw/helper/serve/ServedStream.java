package io.cloudmw.helper.serve;

import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.thread.SerialExecutor;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A stream that somebody opened to this helper, worked on one step at a time. Whatever a step throws resets the stream
 * and frees what it holds. Everything but the listener's methods runs on its serial executor.
 */
abstract class ServedStream implements BulkStreamListener {
    private static final Logger LOG = LoggerFactory.getLogger(ServedStream.class);

    /** A piece of the work. */
    interface Step {
        void run() throws CloudMwException;
    }

    private final String what;
    private final BulkStream stream;
    private final SerialExecutor executor;
    private final Runnable finished;
    private boolean over;

    /**
     * Does nothing yet.
     *
     * @param what names it in messages
     * @param threads may block
     * @param finished run once when it holds nothing any more
     */
    ServedStream(String what, BulkStream stream, Executor threads, Runnable finished) {
        this.what = what;
        this.stream = stream;
        this.executor = new SerialExecutor(threads, this::broken);
        this.finished = finished;
    }

    /** The same; others have a turn after each step. */
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

    /** Frees what it holds; once, on its executor. */
    abstract void free();

    /** Does this after what was posted before, unless it is over by then. Any thread. */
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

    /** Nothing is left to do; everything is freed. */
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

    /** Somebody else goes on with what it holds, and runs {@code finished} in the end. */
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
