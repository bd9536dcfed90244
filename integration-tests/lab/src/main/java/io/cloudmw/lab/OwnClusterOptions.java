package io.cloudmw.lab;

import io.cloudmw.cli.command.CommandContext;
import io.cloudmw.cli.command.GlobalOptions;
import io.cloudmw.lab.fleet.LiveOutput;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The global options of a command that starts its own cluster. They may come before or after the command's name;
 * options that name another cluster are refused.
 */
public final class OwnClusterOptions {
    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec command;

    @Option(names = "--json", description = "the last line on standard output is one JSON object")
    private boolean json;

    @Option(
            names = {"-q", "--quiet"},
            description = "no progress")
    private boolean quiet;

    @Option(
            names = {"-v", "--verbose"},
            description = "stack traces")
    private boolean verbose;

    @Option(
            names = {"-c", "--coordinator", "--config", "--timeout", "--location"},
            hidden = true)
    private List<String> refused = new ArrayList<>();

    public boolean json() {
        return json || GlobalOptions.above(command).map(GlobalOptions::json).orElse(false);
    }

    public boolean quiet() {
        return quiet || GlobalOptions.above(command).map(GlobalOptions::quiet).orElse(false);
    }

    boolean verbose() {
        return verbose
                || GlobalOptions.above(command).map(GlobalOptions::verbose).orElse(false);
    }

    public LiveOutput output(CommandContext context) {
        if (quiet()) {
            return LiveOutput.NONE;
        }
        return context.isTerminal() ? LiveOutput.PAINTED : LiveOutput.LINES;
    }

    /** Refuses options that name another cluster. */
    public void check() {
        boolean isAbove =
                GlobalOptions.above(command).map(GlobalOptions::isClusterGiven).orElse(false);
        if (isAbove || !refused.isEmpty()) {
            String name = command == null ? "this command" : command.qualifiedName(" ");
            throw new IllegalArgumentException(
                    GlobalOptions.OF_CLUSTER + ": not with " + name + ", which starts a cluster of its own");
        }
    }
}
