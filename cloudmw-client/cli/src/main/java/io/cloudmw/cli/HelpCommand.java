package io.cloudmw.cli;

import io.cloudmw.cli.command.CommandContext;
import io.cloudmw.cli.command.ExitCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command that shows the help of a command or of a subcommand, as its {@code --help} does. */
@Command(
        name = "help",
        helpCommand = true,
        mixinStandardHelpOptions = true,
        description = "Show the help of a command, as COMMAND --help does.")
final class HelpCommand implements Callable<Integer> {
    private final CommandContext context;

    @Spec
    private @Nullable CommandSpec spec;

    @Parameters(paramLabel = "COMMAND", description = "like put, or volume create; none: cloudmw itself")
    private List<String> names = new ArrayList<>();

    HelpCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() {
        CommandLine command = Objects.requireNonNull(spec).root().commandLine();
        for (String name : names) {
            CommandLine below = command.getSubcommands().get(name);
            if (below == null) {
                throw new ParameterException(command, new Misspelt(command, name).message());
            }
            command = below;
        }
        command.usage(context.out());
        return ExitCode.OK.value();
    }
}
