package io.cloudmw.lab.race;

import com.sun.management.OperatingSystemMXBean;
import io.cloudmw.client.file.PositionalTarget;
import io.cloudmw.core.emulation.StoreLaw;
import io.cloudmw.core.time.Sleeper;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.lab.s3.Traffic;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * The benchmark's schedule. Contenders take turns: run i of each comes before run i + 1 of any. All see the same drawn
 * conditions in a run, so that other load on the machine affects all alike. Confined to one thread.
 */
public final class RaceLab {
    private static final int UNSHAPED_RUNS = 3;

    private final LabSettings settings;
    private final Testbed testbed;
    private final LabView view;
    private final Ticker ticker = Ticker.system();

    public RaceLab(LabSettings settings, Testbed testbed, LabView view) {
        this.settings = settings;
        this.testbed = testbed;
        this.view = view;
    }

    /** Runs warm-ups, then measured runs, then a few unslowed runs, which show the machine's own limit. */
    public RaceReport run() throws Exception {
        RaceReport report = new RaceReport(settings);
        for (int run = -settings.warmUps(); run < settings.runs(); run++) {
            for (Contender contender : testbed.contenders()) {
                testbed.begin(run, contender);
                Sample sample = measure(contender, run, target(contender));
                if (run >= 0) {
                    report.add(contender.name(), run, sample);
                    view.measured(report, run, contender.name(), sample);
                } else {
                    view.warmedUp(contender.name(), run + settings.warmUps() + 1);
                }
            }
        }
        view.say("all runs are measured; now " + UNSHAPED_RUNS + " reads by each with nothing slowed");
        for (int run = 0; run < UNSHAPED_RUNS; run++) {
            for (Contender contender : testbed.contenders()) {
                view.unshaped(contender.name(), run + 1, UNSHAPED_RUNS);
                testbed.beginUnshaped();
                report.addUnshaped(contender.name(), measure(contender, largest(), RaceLab::forget));
            }
        }
        return report;
    }

    /** Returns the run that reads the largest file. */
    private int largest() {
        int largest = 0;
        for (int i = 1; i < settings.sizes().size(); i++) {
            largest = settings.sizes().get(i) > settings.sizes().get(largest) ? i : largest;
        }
        return largest;
    }

    private PositionalTarget target(Contender contender) {
        Optional<StoreLaw> destination = settings.destination();
        return destination.isPresent() && contender.usesDestination()
                ? new PacedTarget(destination.get(), ticker, Sleeper.system())
                : RaceLab::forget;
    }

    private static void forget(long offset, ByteBuffer bytes) {
        bytes.position(bytes.limit());
    }

    private Sample measure(Contender contender, int run, PositionalTarget target) throws Exception {
        LabFile file = testbed.files().get(Math.floorMod(run, testbed.files().size()));
        double unused = cpuLoad();
        long startNanos = ticker.nanos();
        Traffic crossed;
        try {
            contender.read(file, target);
        } finally {
            crossed = testbed.end();
        }
        double seconds = (ticker.nanos() - startNanos) / 1e9 * settings.timeScale();
        return new Sample(seconds, file.bytes(), crossed, cpuLoad());
    }

    /** Returns the machine's CPU load since the last call. */
    private static double cpuLoad() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean machine
                ? machine.getCpuLoad()
                : Double.NaN;
    }
}
