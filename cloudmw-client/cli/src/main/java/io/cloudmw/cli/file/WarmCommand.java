package io.cloudmw.cli.file;

import io.cloudmw.cli.command.ClientCommand;
import io.cloudmw.cli.command.CommandContext;
import io.cloudmw.cli.command.ExitCode;
import io.cloudmw.cli.progress.Progress;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.CloudMwOptions;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.PutOptions;
import io.cloudmw.client.WarmOptions;
import io.cloudmw.client.progress.WarmListener;
import io.cloudmw.client.progress.WarmReceipt;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.client.tree.RemotePath;
import io.cloudmw.client.tree.TreeListener;
import io.cloudmw.client.tree.TreeOptions;
import io.cloudmw.client.tree.TreeReport;
import io.cloudmw.client.tree.TreeWarmUp;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.fleet.Location;
import io.cloudmw.core.time.Ticker;
import java.time.Duration;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that fills the caches of switches before a file is read. */
@Command(
        name = "warm",
        mixinStandardHelpOptions = true,
        description =
                "Load files into the caches of a volume's switches before the first read. Run it again to continue.")
public final class WarmCommand extends ClientCommand {
    private static final String ALL = "all";

    @Parameters(index = "0", paramLabel = "VOLUME[@SNAPSHOT]:/PATH")
    private String source = "";

    @Option(
            names = "--to",
            paramLabel = "all|LOCATION",
            description = "the switches in this place, like zone-a or zone-a/rack-1 (default: all of the volume)")
    private String to = ALL;

    @Option(
            names = {"-r", "--recursive"},
            description = "all files of a directory and its subdirectories")
    private boolean recursive;

    @Option(names = "--check", description = "fetch nothing, and only show how much each switch has cached")
    private boolean check;

    @Option(names = "--parallel", paramLabel = "N", description = "with directories: files at once, 1..64 (default 8)")
    private int parallel = 8;

    @Mixin
    private PriceOptions prices = new PriceOptions();

    private ExitCode exit = ExitCode.OK;

    public WarmCommand(CommandContext context) {
        super(context);
    }

    @Override
    protected CloudMwOptions applied(CloudMwOptions base) throws CloudMwException {
        return prices.applied(base);
    }

    @Override
    protected ExitCode exit() {
        return exit;
    }

    @Override
    protected Map<String, ?> run(CloudMw client) throws Exception {
        WarmOptions all = WarmOptions.defaults().withTo(place());
        WarmOptions how = check ? all.onlyLooking() : all;
        WarmReceipt receipt = recursive
                ? directory(client, RemotePath.directory(source), how)
                : file(client, RemotePath.parse(source), how);
        WarmReceipts.lines(receipt).forEach(line -> say("%s", line));
        if (!receipt.isComplete() && exit == ExitCode.OK) {
            exit = ExitCode.of(receipt.switches().stream()
                    .flatMap(one -> one.failure().stream())
                    .map(CloudMwException::code)
                    .findFirst()
                    .orElse(ErrorCode.STORE_FULL));
        }
        return recursive ? WarmReceipts.ofDirectory(receipt) : WarmReceipts.json(receipt);
    }

    private Location place() {
        if (to.isEmpty()) {
            throw new IllegalArgumentException("--to: \"\" (expected: all, or " + Location.FORM + ")");
        }
        try {
            return to.equals(ALL) ? Location.NONE : Location.parse(to);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("--to: " + e.getMessage(), e);
        }
    }

    private WarmReceipt file(CloudMw client, RemotePath file, WarmOptions how) throws CloudMwException {
        WarmOptions one = file.snapshot().isPresent()
                ? how.withVersion(Calls.await(file.stat(client)).version().id())
                : how;
        try (Progress progress = Progress.of(context, options, "warm " + file)) {
            return Calls.await(client.files().warm(file.file(), one.withListener(new WarmListener() {
                @Override
                public void progressed(long done, long total) {
                    progress.progressed(done, total);
                }
            })));
        } catch (CloudMwException e) {
            throw FileCommands.hinted(e, client, file, "warm");
        }
    }

    private WarmReceipt directory(CloudMw client, RemotePath directory, WarmOptions how) throws CloudMwException {
        Ticker ticker = Ticker.system();
        long startedNanos = ticker.nanos();
        try (Progress progress = Progress.of(context, options, "warm " + directory)) {
            TreeListener shown = new TreeListener() {
                @Override
                public void failed(String file, CloudMwException why) {
                    progress.tell("cloudmw: " + why.getMessage());
                }

                @Override
                public void progressed(long bytes) {
                    progress.progressed(bytes, -1);
                }
            };
            TreeOptions all = new TreeOptions(
                    parallel, false, false, false, false, PutOptions.defaults(), GetOptions.defaults(), shown);
            TreeWarmUp task = new TreeWarmUp(client, directory, all, how);
            TreeReport report = task.run();
            if (!report.failures().isEmpty()) {
                exit = ExitCode.of(report.failures().get(0).why().code());
            }
            return task.receipt()
                    .orElseThrow(() -> report.failures().isEmpty()
                            ? new CloudMwException(ErrorCode.NOT_FOUND, directory + ": has no files to warm")
                            : report.failures().get(0).why())
                    .withElapsed(Duration.ofNanos(ticker.nanos() - startedNanos));
        }
    }
}
