package io.cloudmw.lab;

import io.cloudmw.cli.command.CommandContext;
import io.cloudmw.cli.command.CommandGroup;
import io.cloudmw.cli.command.ExitCode;
import io.cloudmw.cli.command.GlobalOptions;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.CloudMwOptions;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.status.HelperStatus;
import io.cloudmw.lab.race.EmulatedTestbed;
import io.cloudmw.lab.race.GivenTestbed;
import io.cloudmw.lab.race.LabSettings;
import io.cloudmw.lab.race.LabView;
import io.cloudmw.lab.race.Layout;
import io.cloudmw.lab.race.RaceLab;
import io.cloudmw.lab.race.RaceReport;
import io.cloudmw.lab.race.Testbed;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The benchmark commands {@code bench race} and {@code bench switch}. */
public final class BenchCommands {
    private BenchCommands() {}

    @Command(name = "bench", mixinStandardHelpOptions = true, description = "Measure.")
    public static final class Group extends CommandGroup {}

    /** The command {@code bench race}. */
    @Command(
            name = "race",
            mixinStandardHelpOptions = true,
            description = {
                "Read files in every mode, side by side, from stores whose answers are drawn from a law and a seed: a"
                        + " fleet of its own on S3 buckets behind a shaping proxy. Or, with --volume, from real ones."
            })
    public static final class Race implements Callable<Integer> {
        private final CommandContext context;

        @Mixin
        private GlobalOptions options = new GlobalOptions();

        @Mixin
        private RaceOptions race = new RaceOptions();

        @Option(names = "--volume", paramLabel = "NAME", description = "a volume of a running cluster; not emulated")
        private @Nullable String volume;

        @Option(
                names = "--s3-endpoint",
                paramLabel = "URL",
                description = "behind the proxy: http://..., credentials as AWS tools find them (default: its own)")
        private @Nullable String s3Endpoint;

        @Option(names = "--plot", paramLabel = "FILE", description = "the distribution of times, as SVG")
        private @Nullable Path plot;

        Race(CommandContext context) {
            this.context = context;
        }

        @Override
        public Integer call() throws Exception {
            // With --json, standard output carries only the JSON object.
            PrintStream stream = options.json() ? context.err() : context.out();
            PrintWriter out = new PrintWriter(stream, true, StandardCharsets.UTF_8);
            Optional<Path> drawing = Optional.ofNullable(plot);
            if (drawing.isPresent()) {
                requirePlace(drawing.get());
            }
            RaceReport report = CommandContext.unwrapped(() -> volume == null ? emulated() : given(volume));
            report.print(out);
            // The result is printed first, so that a failure to write the plot does not lose it.
            if (options.json()) {
                context.out().printJson(report.json());
            }
            if (drawing.isPresent()) {
                write(drawing.get(), report.plot());
            }
            return ExitCode.OK.value();
        }

        /** Checks before the measurement that the plot can be written, since a run may take an hour. */
        private static void requirePlace(Path plot) throws CloudMwException {
            Path directory = plot.toAbsolutePath().getParent();
            if (directory == null
                    || !Files.isDirectory(directory)
                    || Files.isDirectory(plot)
                    || !Files.isWritable(Files.exists(plot) ? plot : directory)) {
                throw new CloudMwException(
                        ErrorCode.LOCAL_IO, "--plot: cannot write " + plot + " (expected: a file in a directory)");
            }
        }

        private static void write(Path plot, String svg) throws CloudMwException {
            try {
                Files.writeString(plot, svg);
            } catch (IOException e) {
                throw new CloudMwException(
                        ErrorCode.LOCAL_IO, "--plot: cannot write " + plot + ": " + Reasons.of(e), e);
            }
        }

        private RaceReport emulated() throws Exception {
            if (options.isClusterGiven()) {
                throw new IllegalArgumentException(GlobalOptions.OF_CLUSTER
                        + ": only with --volume; without it bench race starts a cluster of its own");
            }
            LabSettings settings = race.emulated();
            LabView view = view(settings);
            view.say("starting a coordinator and " + settings.layout().helpers() + " helpers, writing "
                    + settings.sizes().size() + " file(s) to "
                    + settings.layout().replicas() + " stores");
            try (Interruption interruption = new Interruption()) {
                return interruption.run(() -> {
                    try (Testbed testbed = EmulatedTestbed.open(
                            settings,
                            Optional.ofNullable(s3Endpoint),
                            context.launcher("bench race"),
                            interruption.closing())) {
                        return new RaceLab(settings, testbed, view).run();
                    }
                });
            }
        }

        private RaceReport given(String name) throws Exception {
            race.requireReal();
            if (s3Endpoint != null) {
                throw new IllegalArgumentException(
                        "--s3-endpoint: not with --volume, which uses the stores of the volume");
            }
            CloudMwOptions how = context.clientOptions(options);
            try (Interruption interruption = new Interruption();
                    CloudMw client = CloudMw.connect(how)) {
                return interruption.run(() -> given(client, how, name, interruption));
            }
        }

        private RaceReport given(CloudMw client, CloudMwOptions how, String name, Interruption interruption)
                throws Exception {
            Volume kept = Calls.await(client.volumes().get(new VolumeName(name)));
            LabSettings settings = race.real(layout(client, kept));
            try (Testbed testbed = GivenTestbed.open(
                    settings, client, () -> CloudMw.connect(how), kept.name(), interruption.closing())) {
                interruption.closing().last(testbed);
                return new RaceLab(settings, testbed, view(settings)).run();
            }
        }

        private static Layout layout(CloudMw client, Volume volume) throws CloudMwException {
            List<HelperStatus> helpers = Calls.await(client.cluster().helpers());
            long alive = helpers.stream().filter(HelperStatus::alive).count();
            return new Layout(volume.chunking(), volume.replicas(), (int) alive);
        }

        private LabView view(LabSettings settings) {
            PrintStream stream = options.quiet() ? new PrintStream(PrintStream.nullOutputStream()) : context.err();
            return new LabView(
                    new PrintWriter(stream, true, StandardCharsets.UTF_8), context.isTerminal(), settings.runs());
        }
    }
}
