package io.cloudmw.it.bench;

import io.cloudmw.client.ClientSecurity;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.CloudMwOptions;
import io.cloudmw.client.PutOptions;
import io.cloudmw.client.file.RemoteFile;
import io.cloudmw.core.grant.GrantScope;
import io.cloudmw.core.grant.Right;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.lab.fleet.LocalFleet;
import java.io.ByteArrayInputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A benchmark of grants. First it makes calls of the coordinator as an administrator, who needs no grant, and as a subject
 * with grants on {@value #GRANTS} prefixes, in turn. Then it takes a right away while the subject uses it, and measures
 * how long the right still works: at the coordinator, and at a helper with a transfer token made before. Prints medians.
 *
 * <p>Arguments: {@code <launcher> <work directory> <calls> <calls at a time> <rounds>}.
 */
public final class GrantsBench {
    private static final VolumeName VOLUME = new VolumeName("bench");
    private static final GrantScope SCOPE = new GrantScope(VOLUME, "/files");
    private static final FilePath FILE = new FilePath(VOLUME, "/files/file");
    /** A client reads nothing twice of it in a round, so that it has nothing in its own cache. */
    private static final int FILE_BYTES = 256 << 20;

    private static final int READ_BYTES = 16 << 10;
    private static final int GRANTS = 20;
    private static final String SUBJECT = "app";

    private final CloudMw admin;
    private final CloudMw subject;
    private final int rounds;

    private GrantsBench(CloudMw admin, CloudMw subject, int rounds) {
        this.admin = admin;
        this.subject = subject;
        this.rounds = rounds;
    }

    /** Runs the benchmark. */
    public static void main(String... args) throws Exception {
        Path directory = Files.createDirectories(Path.of(args[1])).toAbsolutePath();
        Path launcher = Path.of(args[0]).toAbsolutePath();
        int rounds = Integer.parseInt(args[4]);
        try (LocalFleet fleet =
                new LocalFleet(directory.resolve("fleet"), launcher, Map.of("CLOUDMW_TLS_INSECURE", "false"))) {
            fleet.startCoordinator(Map.of());
            fleet.startHelper("helper-1", fleet.disk("disk-1"));
            CloudMwOptions options = fleet.clientOptions();
            try (CloudMw admin = CloudMw.connect(options)) {
                prepare(admin);
                String token =
                        admin.subjects().createToken(SUBJECT, Optional.empty()).join();
                try (CloudMw subject = CloudMw.connect(options.withSecurity(ClientSecurity.token(token)))) {
                    GrantsBench bench = new GrantsBench(admin, subject, rounds);
                    bench.calls(Integer.parseInt(args[2]), Integer.parseInt(args[3]));
                    bench.refusals();
                }
            }
        }
        System.exit(0);
    }

    private static void prepare(CloudMw admin) {
        admin.volumes()
                .create(new Volume(
                        VOLUME,
                        new Chunking.BySize(64 << 20, 16 << 10),
                        1,
                        List.of(new StoreId("disk-1")),
                        1,
                        Mode.DEFAULT,
                        false,
                        0))
                .join();
        admin.files()
                .put(new ByteArrayInputStream(new byte[FILE_BYTES]), FILE, PutOptions.defaults())
                .join();
        for (int i = 1; i < GRANTS; i++) {
            admin.subjects()
                    .grant(SUBJECT, new GrantScope(VOLUME, "/other-" + i), Set.of(Right.READ))
                    .join();
        }
        admin.subjects().grant(SUBJECT, SCOPE, Set.of(Right.READ)).join();
    }

    /** Measures calls a second, the first round of each client unmeasured. */
    private void calls(int calls, int atATime) throws InterruptedException {
        List<Double> byAdmin = new ArrayList<>();
        List<Double> bySubject = new ArrayList<>();
        for (int round = 0; round <= rounds; round++) {
            // Who begins alternates: a busy machine slows the second one no more often than the first.
            boolean adminFirst = round % 2 == 0;
            double first = callsPerSecond(adminFirst ? admin : subject, calls, atATime);
            double second = callsPerSecond(adminFirst ? subject : admin, calls, atATime);
            if (round > 0) {
                byAdmin.add(adminFirst ? first : second);
                bySubject.add(adminFirst ? second : first);
            }
        }
        System.out.printf(
                Locale.ROOT,
                "stat, %d at a time: %.0f a second by the administrator, %.0f by a subject with %d grants%n",
                atATime,
                median(byAdmin),
                median(bySubject),
                GRANTS);
    }

    private static double callsPerSecond(CloudMw client, int calls, int atATime) throws InterruptedException {
        Semaphore free = new Semaphore(atATime);
        AtomicInteger failed = new AtomicInteger();
        long startNanos = System.nanoTime();
        for (int i = 0; i < calls; i++) {
            free.acquire();
            var unused = client.files().stat(FILE).whenComplete((status, failure) -> {
                if (failure != null) {
                    failed.incrementAndGet();
                }
                free.release();
            });
        }
        free.acquire(atATime);
        if (failed.get() > 0) {
            throw new IllegalStateException(failed + " calls failed");
        }
        return calls / ((System.nanoTime() - startNanos) / 1e9);
    }

    /** Measures how long a right works after the call that took it away has returned. */
    private void refusals() throws InterruptedException {
        List<Double> atCoordinator = new ArrayList<>();
        List<Double> atHelper = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            atCoordinator.add(millisToRefusal(() -> subject.files().stat(FILE).join()));
            try (RemoteFile file = subject.files().open(FILE).join()) {
                ByteBuffer bytes = ByteBuffer.allocateDirect(READ_BYTES);
                AtomicLong position = new AtomicLong();
                atHelper.add(millisToRefusal(() -> {
                    if (file.read(bytes.clear(), position.getAndAdd(READ_BYTES)).join() < 0) {
                        throw new IllegalStateException("the file was read to its end before a refusal");
                    }
                }));
            }
        }
        print("coordinator", atCoordinator);
        print("helper, with a token made before", atHelper);
    }

    private double millisToRefusal(Runnable use) throws InterruptedException {
        use.run();
        long[] lastUseNanos = new long[1];
        RuntimeException[] defect = new RuntimeException[1];
        Thread user = new Thread(() -> {
            try {
                while (true) {
                    use.run();
                    lastUseNanos[0] = System.nanoTime();
                }
            } catch (CompletionException e) {
                // The refusal that ends the use.
            } catch (IllegalStateException e) {
                defect[0] = e;
            }
        });
        user.start();
        Thread.sleep(500);
        admin.subjects().grant(SUBJECT, SCOPE, Set.of()).join();
        long takenNanos = System.nanoTime();
        user.join();
        if (defect[0] != null) {
            throw defect[0];
        }
        admin.subjects().grant(SUBJECT, SCOPE, Set.of(Right.READ)).join();
        return Math.max(0, lastUseNanos[0] - takenNanos) / 1e6;
    }

    private static void print(String where, List<Double> millis) {
        System.out.printf(
                Locale.ROOT,
                "last use after the right was taken, %s: median %.0f ms, slowest %.0f ms of %d%n",
                where,
                median(millis),
                millis.stream().mapToDouble(one -> one).max().orElse(Double.NaN),
                millis.size());
    }

    private static double median(List<Double> samples) {
        double[] sorted = samples.stream().mapToDouble(one -> one).toArray();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
