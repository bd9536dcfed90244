package io.cloudmw.lab;

import io.cloudmw.cli.command.CommandContext;
import io.cloudmw.cli.command.ExitCode;
import io.cloudmw.cli.command.OptionConverters;
import io.cloudmw.lab.fleet.WorkingDirectory;
import io.cloudmw.lab.torture.Torture;
import io.cloudmw.lab.torture.TortureReport;
import io.cloudmw.lab.torture.TortureSettings;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command {@code torture}: the seeded torture test. */
@Command(
        name = "torture",
        mixinStandardHelpOptions = true,
        description = {
            "Inject all kinds of faults into its own fleet on this machine, while clients change and read files, and compare"
                    + " every answer with a model. The exit code is 1 if an acknowledged write is lost, a byte is wrong, or"
                    + " a read fails without need."
        })
public final class TortureCommand implements Callable<Integer> {
    private static final double MILLIS_PER_MINUTE = 60_000;
    private static final String SQLITE = TortureSettings.Coordinators.SQLITE;

    private final CommandContext context;

    @Option(names = "--minutes", paramLabel = "N", description = "how long, like 30 or 0.5 (default 5)")
    private double minutes = 5;

    @Option(names = "--seed", paramLabel = "S", description = "of all random draws (default 1)")
    private long seed = 1;

    @Option(names = "--clients", paramLabel = "C", description = "1..32 (default 4)")
    private int clients = 4;

    @Option(names = "--helpers", paramLabel = "H", description = "3..16, each with a disk (default 4)")
    private int helpers = 4;

    @Option(
            names = "--coordinators",
            paramLabel = "N",
            description = "1..5 (default 1, or 3 that share a table with --catalog)")
    private @Nullable Integer coordinators;

    @Option(
            names = "--catalog",
            paramLabel = "dynamodb:TABLE",
            description = "a table of DynamoDB that is made, and stays (default sqlite, a file)")
    private String catalog = SQLITE;

    @Option(names = "--catalog-endpoint", paramLabel = "URL", description = "where DynamoDB is reached")
    private String endpoint = "";

    @Option(names = "--catalog-region", paramLabel = "REGION", description = "the table's")
    private String region = "";

    @Option(
            names = "--bytes",
            paramLabel = "SIZE",
            converter = OptionConverters.Size.class,
            description = "put in total (default 2GiB)")
    private long bytes = 2L << 30;

    @Option(names = "--keep", description = "keep the working directory, and print its path")
    private boolean keep;

    @Mixin
    private OwnClusterOptions options = new OwnClusterOptions();

    public TortureCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws Exception {
        options.check();
        // With --json, standard output carries only the JSON object.
        boolean object = options.json();
        PrintStream stream = object ? context.err() : context.out();
        PrintWriter out = new PrintWriter(stream, true, StandardCharsets.UTF_8);
        TortureSettings settings = settings();
        try (Interruption interruption = new Interruption()) {
            WorkingDirectory directory = interruption.closing().open(() -> WorkingDirectory.create("cloudmw-torture-"));
            if (keep) {
                out.println("keeping " + directory.keep());
            }
            Torture torture = new Torture(settings, directory.path(), out, interruption.closing());
            TortureReport report = interruption.run(() -> CommandContext.unwrapped(torture::run));
            if (!report.isClean()) {
                directory.keep();
            }
            report.print(out);
            if (object) {
                context.out().printJson(report.json());
            }
            return (report.isClean() ? ExitCode.OK : ExitCode.INTERNAL).value();
        }
    }

    private TortureSettings settings() {
        if (!(minutes > 0 && minutes <= 100_000)) {
            throw new IllegalArgumentException("--minutes: " + minutes + " (expected: more than 0, at most 100000)");
        }
        return new TortureSettings(
                Duration.ofMillis(Math.max(1, Math.round(minutes * MILLIS_PER_MINUTE))),
                seed,
                clients,
                helpers,
                new TortureSettings.Coordinators(
                        Optional.ofNullable(coordinators)
                                .orElse(catalog.equals(SQLITE) ? 1 : TortureSettings.Coordinators.SHARING),
                        catalog,
                        endpoint,
                        region),
                bytes,
                context.launcher("torture"),
                options.output(context));
    }
}
