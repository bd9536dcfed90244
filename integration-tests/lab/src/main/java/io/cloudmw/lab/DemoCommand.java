package io.cloudmw.lab;

import io.cloudmw.cli.command.CommandContext;
import io.cloudmw.cli.command.ExitCode;
import io.cloudmw.cli.command.OptionConverters;
import io.cloudmw.lab.demo.Demo;
import io.cloudmw.lab.demo.DemoBuckets;
import io.cloudmw.lab.demo.DemoReport;
import io.cloudmw.lab.fleet.WorkingDirectory;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command {@code demo}: one file read in three ways over stores whose speed varies. */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        description = {
            "Compare three ways to read one file on this machine: from one store alone, by the paper's rounds, and by the"
                    + " default, cooperative, in whose last read one helper is killed. Starts a coordinator and three"
                    + " helpers as processes; the file has 3 chunks with 3 replicas."
        })
public final class DemoCommand implements Callable<Integer> {
    private final CommandContext context;

    @Option(names = "--file", paramLabel = "FILE", description = "this file (default: a generated one)")
    private @Nullable Path file;

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            converter = OptionConverters.Size.class,
            description = "of the generated file (default 64MiB)")
    private long size = 64L << 20;

    @Option(names = "--runs", paramLabel = "N", description = "reads of each kind, 1 to 100 (default 3)")
    private int runs = 3;

    @Option(names = "--no-kill", description = "kill no helper")
    private boolean noKill;

    @Option(
            names = "--throttle",
            paramLabel = "RATE",
            description = "speed of each store (default: disks paper-table2, the paper's Table 2; buckets none)")
    private @Nullable String throttle;

    @Option(
            names = "--s3-endpoint",
            paramLabel = "URL",
            description = {
                "three buckets there instead of three disks, checked before anything starts. The objects have a prefix",
                "of this run; at its end, also after Ctrl-C, they are deleted, and the buckets that it made"
            })
    private @Nullable String s3Endpoint;

    @Option(
            names = "--buckets",
            paramLabel = "NAME",
            split = ",",
            description = "default cloudmw-demo-1,cloudmw-demo-2,cloudmw-demo-3; made if they are missing")
    private List<String> buckets = List.of("cloudmw-demo-1", "cloudmw-demo-2", "cloudmw-demo-3");

    @Option(names = "--region", paramLabel = "REGION", description = "of the buckets (default us-east-1)")
    private String region = "us-east-1";

    @Option(names = "--seed", paramLabel = "N", description = "of the generated file and of the throttles")
    private long seed = 1;

    @Option(names = "--keep", description = "keep the working directory and the objects, and print where")
    private boolean keep;

    @Mixin
    private OwnClusterOptions options = new OwnClusterOptions();

    public DemoCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws Exception {
        options.check();
        // With --json, standard output carries only the JSON object.
        boolean object = options.json();
        PrintStream stream = object ? context.err() : context.out();
        PrintWriter out = new PrintWriter(stream, true, StandardCharsets.UTF_8);
        Demo.Settings settings = settings();
        try (Interruption interruption = new Interruption()) {
            WorkingDirectory directory = interruption.closing().open(() -> WorkingDirectory.create("cloudmw-demo-"));
            if (keep) {
                out.println("keeping " + directory.keep());
            }
            Demo demo = new Demo(settings, directory.path(), out, interruption.closing());
            DemoReport report = interruption.run(() -> CommandContext.unwrapped(demo::run));
            report.print(out);
            if (object) {
                context.out().printJson(report.json());
            }
            return (report.sha256Match() ? ExitCode.OK : ExitCode.DATA_LOSS).value();
        }
    }

    private Demo.Settings settings() {
        if (throttle != null && !throttle.equals("none")) {
            var unused = OptionConverters.law("--throttle", throttle, ",seed=" + seed);
        }
        String defaultThrottle = s3Endpoint == null ? "paper-table2" : "none";
        return new Demo.Settings(
                Optional.ofNullable(file),
                size,
                runs,
                !noKill,
                throttle == null ? defaultThrottle : throttle,
                Optional.ofNullable(s3Endpoint).map(endpoint -> new DemoBuckets.Place(endpoint, region, buckets)),
                keep,
                seed,
                context.launcher("demo"),
                options.output(context));
    }
}
