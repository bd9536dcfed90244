package io.cloudmw.client.cli;

import io.cloudmw.client.cli.demo.Demo;
import io.cloudmw.client.cli.demo.DemoBuckets;
import io.cloudmw.client.cli.demo.DemoReport;
import io.cloudmw.client.cli.fleet.WorkingDirectory;
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

/** The main job, shown. */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        description = {
            "Show the main job on this machine: a coordinator and three helpers as processes, a file as 3 chunks with 3"
                    + " replicas, read back by a race in whose middle one helper is killed."
        })
final class DemoCommand implements Callable<Integer> {
    private final CommandContext context;

    @Option(names = "--file", paramLabel = "FILE", description = "this file (default: a generated one)")
    private @Nullable Path file;

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            converter = Written.Size.class,
            description = "of the generated file (default 64MiB)")
    private long size = 64L << 20;

    @Option(names = "--no-kill", description = "spare the helpers")
    private boolean noKill;

    @Option(
            names = "--throttle",
            paramLabel = "RATE",
            description = "how fast each store reads (disks: 8..40MiB/s,redraw=1s; buckets: none)")
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

    @Option(names = "--keep", description = "keep the working directory and what is in buckets, and say where")
    private boolean keep;

    @Mixin
    private OwnClusterOptions options = new OwnClusterOptions();

    DemoCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws Exception {
        options.check();
        // With --json standard output is for the object alone.
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
            var unused = Written.law("--throttle", throttle, ",seed=" + seed);
        }
        String defaultThrottle = s3Endpoint == null ? "8..40MiB/s,redraw=1s" : "none";
        return new Demo.Settings(
                Optional.ofNullable(file),
                size,
                !noKill,
                throttle == null ? defaultThrottle : throttle,
                Optional.ofNullable(s3Endpoint).map(endpoint -> new DemoBuckets.Place(endpoint, region, buckets)),
                keep,
                seed,
                context.launcher("demo"),
                options.output(context));
    }
}
