package io.cloudmw.cli;

import io.cloudmw.cli.command.CommandContext;
import io.cloudmw.cli.command.ExitCode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/**
 * The hidden command that loads the classes most commands need, for the class-data archive of the launcher. Touches no
 * network.
 */
@Command(name = "warm-up", hidden = true, description = "Load classes for the class-data archive.")
final class WarmUp implements Callable<Integer> {
    private final CommandContext context;

    WarmUp(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() {
        java.io.PrintStream nowhere = new java.io.PrintStream(java.io.OutputStream.nullOutputStream());
        CommandContext silent = new CommandContext(
                java.io.InputStream.nullInputStream(), nowhere, nowhere, context.environment(), false);
        Main.run(silent, "--help");
        Main.run(silent, "ls", "warm-up", "--coordinator", "127.0.0.1:1", "--timeout", "1", "--json");
        return ExitCode.OK.value();
    }
}
