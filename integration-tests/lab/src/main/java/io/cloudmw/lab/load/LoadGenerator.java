package io.cloudmw.lab.load;

import io.cloudmw.client.CloudMw;
import io.cloudmw.core.time.Ticker;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/**
 * Runs a load on a volume: clients that work in rounds until they are told to stop, each in its own directory. The names of
 * phases come line by line; an operation belongs to the phase in which it begins. Used by one thread.
 */
public final class LoadGenerator {
    /** The phase before the first line. */
    static final String WARM_UP = "warm-up";

    private final LoadSettings settings;
    private final String directory;
    private final Supplier<CloudMw> connect;
    private final PrintWriter progress;
    private final OperationLog log;
    private final CountDownLatch stop = new CountDownLatch(1);

    /**
     * Creates a generator.
     *
     * @param directory of the volume, for the directories of the clients; it does not exist yet
     * @param connect creates the client of each thread
     * @param progress gets a line when the load is ready, for each phase, and for each failed operation
     */
    public LoadGenerator(LoadSettings settings, String directory, Supplier<CloudMw> connect, PrintWriter progress) {
        this.settings = settings;
        this.directory = directory;
        this.connect = connect;
        this.progress = progress;
        log = new OperationLog(Ticker.system(), WARM_UP, this::failed);
    }

    private void failed(LoadOperation operation) {
        say("FAILED " + operation.line());
    }

    private void say(String line) {
        synchronized (progress) {
            progress.println(line);
            progress.flush();
        }
    }

    /** Runs the clients until the phases end. */
    public LoadReport run(BufferedReader phases) throws IOException {
        ExecutorService threads = Executors.newFixedThreadPool(settings.clients(), task -> new Thread(task, "load"));
        List<CompletableFuture<Void>> begun = new ArrayList<>();
        List<CompletableFuture<Void>> ended = new ArrayList<>();
        try {
            for (int number = 0; number < settings.clients(); number++) {
                CompletableFuture<Void> ready = new CompletableFuture<>();
                String own = directory + "/client-" + number;
                int client = number;
                begun.add(ready);
                ended.add(CompletableFuture.runAsync(() -> work(client, own, ready), threads)
                        .whenComplete((nothing, cause) -> ready.complete(null)));
            }
            begun.forEach(CompletableFuture::join);
            say("ready clients=" + settings.clients());
            for (String phase = phases.readLine(); phase != null; phase = phases.readLine()) {
                log.begin(phase.strip());
                say("phase " + phase.strip());
            }
        } finally {
            log.end();
            stop.countDown();
            threads.shutdown();
        }
        ended.forEach(CompletableFuture::join);
        return new LoadReport(settings, log.phaseNanos(), log.operations());
    }

    /** Returns the number of operations so far that began in a phase. */
    long operations(String phase) {
        return log.operations().stream()
                .filter(operation -> operation.phase().equals(phase))
                .count();
    }

    private void work(int number, String directory, CompletableFuture<Void> ready) {
        try (CloudMw cloudMw = connect.get()) {
            LoadClient client = new LoadClient(settings, number, cloudMw, directory, log, stop);
            client.begin();
            ready.complete(null);
            for (int round = 1; stop.getCount() > 0; round++) {
                client.round(round);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
