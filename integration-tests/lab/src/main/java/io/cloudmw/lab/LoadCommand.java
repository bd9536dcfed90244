package io.cloudmw.lab;

import io.cloudmw.cli.command.CommandContext;
import io.cloudmw.cli.command.ExitCode;
import io.cloudmw.cli.command.GlobalOptions;
import io.cloudmw.cli.command.OptionConverters;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.CloudMwOptions;
import io.cloudmw.core.config.Durations;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.lab.load.LoadGenerator;
import io.cloudmw.lab.load.LoadReport;
import io.cloudmw.lab.load.LoadSettings;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command {@code bench load}: clients that write and read all the time while somebody else changes the cluster. */
@Command(
        name = "load",
        mixinStandardHelpOptions = true,
        description = {
            "Write, read, list and remove files of a volume with many clients, and compare every result. Each line of"
                    + " standard input begins a phase of that name; its end ends the load. The report has the times of"
                    + " each phase. The exit code is 1 if an operation failed or a result was wrong."
        })
public final class LoadCommand implements Callable<Integer> {
    private final CommandContext context;

    @Mixin
    private GlobalOptions options = new GlobalOptions();

    @Parameters(paramLabel = "VOLUME", description = "the files are put into a new directory of it, and stay")
    private String volume = "";

    @Option(names = "--clients", paramLabel = "N", description = "each with its own connections, 1..64 (default 8)")
    private int clients = 8;

    @Option(names = "--files", paramLabel = "N", description = "of each client, 1..1000 (default 4)")
    private int files = 4;

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            converter = OptionConverters.Size.class,
            description = "of each file, 1..64MiB (default 4MiB)")
    private long size = 4 << 20;

    @Option(
            names = "--range",
            paramLabel = "SIZE",
            converter = OptionConverters.Size.class,
            description = "of a ranged read (default 64KiB)")
    private long range = 64 << 10;

    @Option(names = "--pause", paramLabel = "TIME", description = "between two operations of a client (default 50ms)")
    private String pause = "50ms";

    @Option(names = "--seed", paramLabel = "S", description = "of bytes and places (default 1)")
    private long seed = 1;

    @Option(names = "--log", paramLabel = "FILE", description = "gets a line for each operation")
    private @Nullable Path log;

    LoadCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws Exception {
        LoadSettings settings = new LoadSettings(
                new VolumeName(volume), clients, files, number(size), number(range), Durations.parse(pause), seed);
        CloudMwOptions how = context.clientOptions(options);
        // With --json, standard output carries only the JSON object.
        PrintStream stream = options.json() ? context.err() : context.out();
        PrintWriter out = new PrintWriter(stream, true, StandardCharsets.UTF_8);
        BufferedReader phases = new BufferedReader(new InputStreamReader(context.in(), StandardCharsets.UTF_8));
        String directory = "/cloudmw-load-" + UUID.randomUUID().toString().substring(0, 8);
        LoadReport report = new LoadGenerator(settings, directory, () -> CloudMw.connect(how), out).run(phases);
        if (log != null) {
            report.write(log);
        }
        report.print(out);
        if (options.json()) {
            context.out().printJson(report.json());
        }
        return (report.isClean() ? ExitCode.OK : ExitCode.INTERNAL).value();
    }

    private static int number(long bytes) {
        return (int) Math.min(Integer.MAX_VALUE, bytes);
    }
}
