package io.cloudmw.coordinator.server;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.core.time.Ticker;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A health probe of the catalog: a read on a thread of its own. Safe for any thread. */
final class CatalogProbe implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(2);

    /** A volume that need not exist: its absence is an answer, too. */
    private static final VolumeName ANY = new VolumeName("readyz");

    private final Catalog catalog;
    private final Ticker ticker;
    private final ExecutorService thread = Threads.blocking("coordinator-ready", 1, 1);
    private @Nullable Future<Boolean> asked;
    private long askedNanos;

    CatalogProbe(Catalog catalog, Ticker ticker) {
        this.catalog = catalog;
        this.ticker = ticker;
    }

    /** Returns why the catalog is not usable now; empty: it answered. A hanging read is not repeated. */
    synchronized Optional<String> unready() {
        Future<Boolean> running = asked;
        try {
            if (running == null) {
                running = thread.submit(() -> catalog.volume(ANY).isPresent());
                asked = running;
                askedNanos = ticker.nanos();
            }
            boolean unused = running.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            asked = null;
            return Optional.empty();
        } catch (TimeoutException e) {
            return Optional.of("the catalog has not answered for "
                    + TimeUnit.NANOSECONDS.toSeconds(ticker.nanos() - askedNanos) + " s");
        } catch (ExecutionException e) {
            asked = null;
            String code = e.getCause() instanceof CloudMwException known ? " (" + known.code() + ")" : "";
            return Optional.of("the catalog does not answer: " + Reasons.of(Reasons.unwrapped(e)) + code);
        } catch (RejectedExecutionException e) {
            return Optional.of("stopping");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.of("stopping");
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
