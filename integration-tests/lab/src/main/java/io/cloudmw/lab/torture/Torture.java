package io.cloudmw.lab.torture;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.lab.fleet.CloseStack;
import io.cloudmw.lab.torture.fault.Outages;
import io.cloudmw.lab.torture.model.Finding;
import io.cloudmw.lab.torture.model.FindingKind;
import io.cloudmw.lab.torture.model.Model;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** A torture run: starts a fleet, runs clients and faults, repairs all faults and checks every file once more. */
public final class Torture {
    /** Collections after the faults: packs that the first one finds are compacted until the next one. */
    private static final int LAST_ROUNDS = 2;

    private static final long LONGEST_REST_NANOS = Duration.ofMillis(150).toNanos();
    private static final long END_SECONDS = 400;

    private final TortureSettings settings;
    private final Path directory;
    private final PrintWriter out;
    private final CloseStack closing;
    private final AtomicBoolean closed = new AtomicBoolean();

    /**
     * Creates a run.
     *
     * @param directory for all files of the run
     * @param out gets the progress
     * @param closing closes all that this opens, also when the run is interrupted
     */
    public Torture(TortureSettings settings, Path directory, PrintWriter out, CloseStack closing) {
        this.settings = settings;
        this.directory = directory;
        this.out = out;
        this.closing = closing;
    }

    /**
     * Performs the run. Call once.
     *
     * @throws CloudMwException {@code CANCELLED} when the run was closed before its end
     */
    public TortureReport run() throws Exception {
        try {
            return tortured();
        } catch (IllegalStateException | CloudMwException e) {
            if (closed.get()) {
                throw new CloudMwException(ErrorCode.CANCELLED, "interrupted", e);
            }
            throw e;
        }
    }

    private TortureReport tortured() throws Exception {
        long startNanos = Ticker.system().nanos();
        Ticker ticker = () -> Ticker.system().nanos() - startNanos;
        Journal journal = closing.open(() -> new Journal(directory.resolve("torture.log"), ticker));
        say("starting " + settings.coordinators().count() + " coordinator(s) and " + settings.helpers()
                + " helpers; seed " + settings.seed());
        TortureFleet fleet = new TortureFleet(settings, directory, closing);
        if (!fleet.canCut()) {
            say("connections are not cut: this needs Linux");
        }
        if (!fleet.fillsInPlace()) {
            say("disks are full because their helpers are told to leave so much free: nothing can be mounted here");
        }
        TortureRun run = new TortureRun(
                settings,
                fleet,
                new Model(settings.seed(), journal::found),
                new DiskReplicas(fleet),
                new Outages(),
                journal,
                new Operations(),
                ticker,
                new AtomicLong(),
                new AtomicLong(),
                new TortureRun.PackCounts(),
                new CountDownLatch(1));
        Faults faults = closing.last(new Faults(run));
        closing.last(() -> closed.set(true));
        try (TortureView view = new TortureView(run, faults, out)) {
            view.start();
            breakAndChange(run, faults);
            view.phase("all is mended; reading every file once more");
            return concluded(run, faults, view);
        }
    }

    private void breakAndChange(TortureRun run, Faults faults) throws Exception {
        List<TortureClient> clients = new ArrayList<>();
        for (int i = 1; i <= settings.clients(); i++) {
            clients.add(closing.last(new TortureClient(run, i)));
        }
        ExecutorService threads =
                Executors.newFixedThreadPool(2 * settings.clients() + 1, task -> new Thread(task, "torture-client"));
        closing.last(threads::shutdownNow);
        for (TortureClient client : clients) {
            String name = "client-" + client.number();
            ChangingClient changing = new ChangingClient(run, client, directory.resolve(name + ".in"));
            CheckingClient reading = new CheckingClient(run, client, directory.resolve(name + ".out"), false);
            threads.execute(() -> live(run, client, changing::once));
            threads.execute(() -> live(run, client, reading::once));
        }
        threads.execute(() -> collect(new GarbageRounds(run)));
        faults.start();
        boolean unused = run.isOverAfter(settings.duration().toNanos());
        faults.awaitRotations();
        run.over().countDown();
        faults.heal();
        threads.shutdown();
        if (!threads.awaitTermination(END_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException("clients did not end within " + END_SECONDS + " s");
        }
        clients.forEach(TortureClient::close);
    }

    private static void collect(GarbageRounds rounds) {
        try {
            rounds.untilOver();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A step of a client: one operation. */
    private interface Step {
        void once() throws InterruptedException, IOException;
    }

    private void live(TortureRun run, TortureClient client, Step step) {
        SplittableRandom rests = new SplittableRandom(client.number());
        try {
            do {
                step.once();
            } while (!run.isOverAfter(rests.nextLong(LONGEST_REST_NANOS)));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException | RuntimeException e) {
            if (!closed.get()) {
                StringWriter trace = new StringWriter();
                e.printStackTrace(new PrintWriter(trace));
                run.journal()
                        .found(new Finding(
                                FindingKind.UNEXPLAINED, "client " + client.number(), trace.toString(), List.of()));
            }
        }
    }

    private TortureReport concluded(TortureRun run, Faults faults, TortureView view) throws Exception {
        TortureClient last = closing.last(new TortureClient(run, 1));
        CheckingClient reading = new CheckingClient(run, last, directory.resolve("last.out"), true);
        Set<FilePath> directories = new TreeSet<>();
        for (FilePath path : run.model().paths()) {
            reading.read(path, Optional.empty());
        }
        view.phase("waiting until everything is there as often as it ought to be");
        if (!new ReplicationCheck(Optional.empty()).await(run, Faults.REPLICATION)) {
            run.journal()
                    .found(new Finding(
                            FindingKind.UNEXPLAINED,
                            "all",
                            "chunks lack copies " + Faults.REPLICATION.toSeconds() + " s after everything was mended",
                            List.of()));
        }
        view.phase("waiting until the volumes have let go of their bucket");
        faults.letBucketGo();
        view.phase("collecting garbage and compacting packs; reading every file once more");
        GarbageRounds rounds = new GarbageRounds(run);
        for (int round = 0; round < LAST_ROUNDS; round++) {
            if (!rounds.round()) {
                run.journal()
                        .found(new Finding(
                                FindingKind.UNEXPLAINED,
                                "all",
                                "a garbage collection did not end after everything was mended",
                                List.of()));
            }
        }
        for (FilePath path : run.model().paths()) {
            reading.read(path, Optional.empty());
        }
        for (FilePath path : run.model().paths()) {
            reading.stat(path);
            directories.add(new FilePath(
                    path.volume(), path.path().substring(0, path.path().lastIndexOf('/'))));
        }
        for (FilePath path : directories) {
            reading.list(path.volume(), path.path());
        }
        for (VolumeName volume : TortureFleet.VOLUMES.keySet()) {
            reading.list(volume, "/");
        }
        if (closed.get()) {
            throw new CancellationException();
        }
        return TortureReport.of(run, faults, reading.underReplicatedChunks(), directory);
    }

    private void say(String what) {
        out.println(what);
        out.flush();
    }
}
