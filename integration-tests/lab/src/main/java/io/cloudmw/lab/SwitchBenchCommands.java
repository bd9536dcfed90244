package io.cloudmw.lab;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.cloudmw.cli.command.CommandContext;
import io.cloudmw.cli.command.ExitCode;
import io.cloudmw.cli.command.OptionConverters;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.CloudMwOptions;
import io.cloudmw.core.model.fleet.Location;
import io.cloudmw.lab.fanout.FanOutLab;
import io.cloudmw.lab.fanout.FanOutReport;
import io.cloudmw.lab.fanout.FanOutSettings;
import io.cloudmw.lab.fanout.FanOutTestbed;
import io.cloudmw.lab.fanout.Hosts;
import io.cloudmw.lab.fanout.LabSteps;
import io.cloudmw.lab.fanout.ReadingClients;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The benchmark commands for switches. */
public final class SwitchBenchCommands {
    private SwitchBenchCommands() {}

    /** The command {@code bench switch}. */
    @Command(
            name = "switch",
            mixinStandardHelpOptions = true,
            description = {
                "Let many clients read the same set of bytes at once through switches: a fleet of its own, on an S3"
                        + " endpoint of its own that counts the bytes it sends."
            })
    public static final class Switch implements Callable<Integer> {
        private static final int DEFAULT_READ_COUNT = 2000;

        private final CommandContext context;

        @Option(names = "--clients", paramLabel = "N", description = "1..256 (default 4)")
        private int clients = 4;

        @Option(names = "--switches", paramLabel = "M", description = "1..32 (default 1)")
        private int switches = 1;

        @Option(
                names = "--size",
                paramLabel = "SIZE",
                converter = OptionConverters.Size.class,
                description = "of the set (default 256MiB)")
        private long size = 256 << 20;

        @Option(
                names = "--leaf-size",
                paramLabel = "SIZE",
                converter = OptionConverters.Size.class,
                description = "bytes under one checksum (default 256KiB)")
        private long leafSize = 256 << 10;

        @Option(
                names = "--fanout",
                paramLabel = "WAY",
                description = "flat (the default), or tree: through switches near them")
        private String fanOut = "flat";

        @Option(
                names = "--hot",
                paramLabel = "WHERE",
                description = "none (the default: each run a new set), memory, disk")
        private String hot = "none";

        @Option(names = "--kill", description = "kill a switch when clients have half of the set")
        private boolean kill;

        @Option(
                names = "--reads",
                paramLabel = "SIZE",
                converter = OptionConverters.Size.class,
                description = "then single reads of that, by one client")
        private @Nullable Long reads;

        @Option(names = "--read-count", paramLabel = "N", description = "of those in each run (default 2000)")
        private @Nullable Integer readCount;

        @Option(
                names = "--neighbours",
                paramLabel = "N",
                description = "clients that read the set meanwhile (default 0)")
        private @Nullable Integer neighbours;

        @Option(
                names = "--neighbour-command",
                paramLabel = "COMMAND",
                description = "prefix of their process's command: 'chrt --idle 0'")
        private @Nullable String neighbourCommand;

        @Option(names = "--runs", paramLabel = "N", description = "measured runs; the report has medians (default 3)")
        private int runs = 3;

        @Option(names = "--warm-up", paramLabel = "N", description = "runs before those (default 1)")
        private int warmUps = 1;

        @Option(names = "--seed", paramLabel = "S", description = "of the bytes and places (default 1)")
        private long seed = 1;

        @Option(names = "--host-command", paramLabel = "COMMAND", description = "runs one on host {}, 1 and up")
        private String hostCommand = "";

        @Option(names = "--host-address", paramLabel = "ADDRESS", description = "of host {}; this process is on host 0")
        private @Nullable String hostAddress;

        @Mixin
        private OwnClusterOptions options = new OwnClusterOptions();

        public Switch(CommandContext context) {
            this.context = context;
        }

        @Override
        public Integer call() throws Exception {
            options.check();
            FanOutSettings settings = settings();
            PrintStream progress = options.quiet() ? new PrintStream(PrintStream.nullOutputStream()) : context.err();
            LabSteps steps = progress::println;
            FanOutReport report = CommandContext.unwrapped(() -> run(settings, steps));
            // With --json, standard output carries only the JSON object.
            report.print(new PrintWriter(options.json() ? context.err() : context.out(), true, StandardCharsets.UTF_8));
            if (options.json()) {
                context.out().printJson(report.json());
            }
            return (report.failures().isEmpty() ? ExitCode.OK : ExitCode.INTERNAL).value();
        }

        private FanOutReport run(FanOutSettings settings, LabSteps steps) throws Exception {
            try (Interruption interruption = new Interruption()) {
                return interruption.run(() -> {
                    FanOutTestbed testbed = FanOutTestbed.open(
                            settings,
                            context.launcher("bench switch"),
                            context.environment().getOrDefault("CLOUDMW_JAVA_OPTS", ""),
                            steps,
                            interruption.closing());
                    return new FanOutLab(settings, testbed, steps).run();
                });
            }
        }

        private FanOutSettings settings() {
            requireReads();
            Hosts hosts = hostCommand.isEmpty() && hostAddress == null
                    ? Hosts.NONE
                    : new Hosts(hostCommand, hostAddress == null ? "" : hostAddress);
            return new FanOutSettings(
                    clients,
                    switches,
                    size,
                    Math.toIntExact(Math.min(Integer.MAX_VALUE, leafSize)),
                    one("--fanout", FanOutSettings.FanOut.values(), fanOut),
                    one("--hot", FanOutSettings.Hot.values(), hot),
                    kill,
                    runs,
                    warmUps,
                    seed,
                    Optional.ofNullable(reads).map(this::small),
                    hosts);
        }

        private FanOutSettings.SmallReads small(long bytes) {
            return new FanOutSettings.SmallReads(
                    (int) Math.min(Integer.MAX_VALUE, bytes),
                    readCount == null ? DEFAULT_READ_COUNT : readCount,
                    neighbours == null ? 0 : neighbours,
                    Hosts.words(neighbourCommand == null ? "" : neighbourCommand));
        }

        /** Checks that small reads are requested, since the other options about small reads need them. */
        private void requireReads() {
            if (reads == null && (readCount != null || neighbours != null || neighbourCommand != null)) {
                throw new IllegalArgumentException(
                        "--read-count, --neighbours, --neighbour-command: only with --reads");
            }
        }

        private static <T extends Enum<T>> T one(String option, T[] values, String text) {
            return Arrays.stream(values)
                    .filter(value -> value.name().toLowerCase(Locale.ROOT).equals(text))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException(option + ": \"" + text + "\" (expected: one of "
                            + Arrays.toString(values).toLowerCase(Locale.ROOT) + ")"));
        }
    }

    /**
     * The process with reading clients that {@code bench switch} starts. It takes orders on standard input until that
     * is closed.
     */
    @Command(name = "switch-clients", hidden = true)
    public static final class Clients implements Callable<Integer> {
        private static final ObjectMapper MAPPER = new ObjectMapper();

        private final CommandContext context;

        @Parameters(paramLabel = "COORDINATOR")
        private String coordinator = "";

        @Option(names = "--clients")
        private int clients = 1;

        @Option(names = "--first")
        private int first;

        @Option(names = "--near")
        private int switches;

        Clients(CommandContext context) {
            this.context = context;
        }

        @Override
        public Integer call() throws Exception {
            try (ReadingClients reading = new ReadingClients(clients, this::connect, this::say);
                    BufferedReader orders =
                            new BufferedReader(new InputStreamReader(context.in(), StandardCharsets.UTF_8))) {
                say(Map.of("clients", clients));
                for (String order = orders.readLine(); order != null; order = orders.readLine()) {
                    reading.obey(MAPPER.readTree(order));
                }
            }
            return ExitCode.OK.value();
        }

        private CloudMw connect(int number) {
            CloudMwOptions options = CloudMwOptions.of(coordinator);
            return CloudMw.connect(
                    switches == 0
                            ? options
                            : options.withLocation(Location.parse(ReadingClients.near(first + number, switches))));
        }

        private synchronized void say(Map<String, ?> object) {
            context.out().printJson(object);
            context.out().flush();
        }
    }
}
