package io.cloudmw.cli.cluster;

import io.cloudmw.cli.command.ClientCommand;
import io.cloudmw.cli.command.CommandContext;
import io.cloudmw.cli.command.OptionConverters;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.core.config.Durations;
import io.cloudmw.core.status.fleet.FleetView;
import java.time.Duration;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The command that shows the load of the fleet until it is interrupted. On a terminal each view replaces the one
 * before.
 */
@Command(
        name = "top",
        mixinStandardHelpOptions = true,
        description = "Show how fast stores and helpers are and what they do, live.")
public final class TopCommand extends ClientCommand {
    private static final Duration SHORTEST = Duration.ofMillis(100);
    private static final String TO_THE_TOP_LEFT = "\u001b[H\u001b[2J";

    @Option(
            names = "--interval",
            paramLabel = "TIME",
            converter = OptionConverters.Time.class,
            description = "between refreshes, at least 100ms (default 2s)")
    private Duration interval = Duration.ofSeconds(2);

    @Option(names = "--by-size", description = "also the speed of each store as each helper sees it, by size of read")
    private boolean bySize;

    @Option(names = "--once", description = "show it once")
    private boolean once;

    @Option(names = "--count", paramLabel = "N", description = "show it N times (default: until interrupted)")
    private long count = Long.MAX_VALUE;

    public TopCommand(CommandContext context) {
        super(context);
    }

    @Override
    protected Map<String, ?> run(CloudMw client) throws Exception {
        if (interval.compareTo(SHORTEST) < 0) {
            throw new IllegalArgumentException("interval: " + Durations.format(interval) + " (expected: >= 100ms)");
        }
        if (count < 1) {
            throw new IllegalArgumentException("count: " + count + " (expected: >= 1)");
        }
        return watch(client, once ? 1 : count, interval);
    }

    /** Shows every view. The JSON of the last view is returned, to be printed as the answer of the command. */
    private Map<String, ?> watch(CloudMw client, long refreshes, Duration pause) throws Exception {
        Map<String, ?> last = Map.of();
        for (long i = 0; i < refreshes; i++) {
            if (i > 0) {
                printJson(last);
                context.pause(pause);
            }
            FleetView view = Calls.await(client.cluster().fleet());
            last = FleetReport.json(view);
            paint(view, i);
        }
        return last;
    }

    private void paint(FleetView view, long refresh) {
        if (options.json()) {
            return;
        }
        if (context.isTerminal() && !once) {
            context.out().print(TO_THE_TOP_LEFT);
        } else if (refresh > 0) {
            context.out().println();
        }
        FleetReport.lines(view, bySize).forEach(context.out()::println);
        context.out().flush();
    }

    private void printJson(Map<String, ?> view) {
        if (options.json()) {
            context.out().printJson(view);
            context.out().flush();
        }
    }
}
