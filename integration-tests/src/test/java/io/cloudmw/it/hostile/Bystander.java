package io.cloudmw.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.PutOptions;
import io.cloudmw.core.model.FilePath;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** A client that reads and writes files one after another while others attack. */
final class Bystander {
    private final CloudMw client;
    private final List<FilePath> files;
    private final Path directory;
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    private final AtomicInteger rounds = new AtomicInteger();
    private final Thread thread = new Thread(this::work, "bystander");
    private volatile boolean done;

    /** An attack on the fleet. */
    @FunctionalInterface
    interface Attack {
        void run() throws Exception;
    }

    private Bystander(CloudMw client, List<FilePath> files, Path directory) {
        this.client = client;
        this.files = files;
        this.directory = directory;
    }

    /**
     * Runs an attack while a client works, and checks that none of the client's calls failed.
     *
     * @param files that it reads; their sources are in the directory by the names of their volumes
     */
    static void during(Attack attack, CloudMw client, List<FilePath> files, Path directory) throws Exception {
        Bystander bystander = new Bystander(client, files, directory);
        bystander.thread.start();
        try {
            attack.run();
        } finally {
            bystander.done = true;
            bystander.thread.join();
        }
        assertThat(bystander.failures).isEmpty();
        assertThat(bystander.rounds).hasValueGreaterThan(1);
    }

    private void work() {
        while (!done) {
            try {
                round();
                rounds.incrementAndGet();
            } catch (Exception | AssertionError e) {
                failures.add(e);
            }
        }
    }

    private void round() throws Exception {
        Path target = directory.resolve("bystander.out");
        for (FilePath file : files) {
            Path source = directory.resolve(file.volume().value());
            client.files().get(file, target, GetOptions.defaults()).join();
            assertThat(Files.mismatch(target, source)).isEqualTo(-1);
            FilePath copy = new FilePath(file.volume(), "/copy");
            client.files().put(source, copy, PutOptions.defaults()).join();
        }
    }
}
