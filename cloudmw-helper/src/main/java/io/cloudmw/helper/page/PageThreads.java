package io.cloudmw.helper.page;

import com.sun.net.httpserver.HttpExchange;
import io.cloudmw.core.thread.Threads;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads for requests of the page, other than streams of events. At most {@value #RUNNING} run and
 * {@value #WAITING} wait; more are refused. A request that takes too long is ended. Safe for any thread.
 */
final class PageThreads implements AutoCloseable {
    static final int RUNNING = 4;
    static final int WAITING = 64;

    private static final Logger LOG = LoggerFactory.getLogger(PageThreads.class);

    private final ThreadPoolExecutor threads = Threads.blocking("page", RUNNING, WAITING);
    private final ScheduledExecutorService timer = Threads.timer("page-limit");
    private final Duration longest;

    /** The answering of a request, which ends its exchange or passes it on. */
    interface Answering {
        void run() throws IOException;
    }

    PageThreads(Duration longest) {
        this.longest = longest;
    }

    /** A request, whose limit ends with it: an idle limit would keep the request in memory. */
    private static final class LimitedTask extends FutureTask<@Nullable Void> {
        private volatile @Nullable Future<?> limit;

        LimitedTask(Runnable work) {
            super(work, null);
        }

        @Override
        protected void done() {
            Future<?> set = limit;
            if (set != null) {
                boolean unused = set.cancel(false);
            }
        }
    }

    /** Has the request answered, or refuses it. */
    void answer(HttpExchange exchange, Answering answering) throws IOException {
        LimitedTask task = new LimitedTask(() -> run(exchange, answering));
        task.limit = Threads.later(timer, longest.toNanos(), () -> end(task, exchange))
                .orElse(null);
        try {
            threads.execute(task);
        } catch (RejectedExecutionException e) {
            boolean unused = task.cancel(false);
            PageAnswer.text(503, "too many requests of the page wait; try again")
                    .with("Retry-After", "1")
                    .send(exchange);
        }
    }

    private static void run(HttpExchange exchange, Answering answering) {
        try {
            answering.run();
        } catch (IOException e) {
            // The caller has closed the connection, or was too slow.
            exchange.close();
        } catch (RuntimeException | Error e) {
            LOG.warn("the web page: a request failed", e);
            exchange.close();
        }
    }

    /** Ends a request: a thread that writes to a slow caller is interrupted, which closes the connection. */
    private void end(LimitedTask task, HttpExchange exchange) {
        if (threads.remove(task)) {
            exchange.close();
        } else {
            boolean unused = task.cancel(true);
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
        threads.shutdownNow();
    }
}
