package io.cloudmw.cli.command;

import java.util.List;
import picocli.CommandLine;

/**
 * A source of further commands, found by {@link java.util.ServiceLoader} on the class path. The lab provides {@code
 * demo}, {@code bench} and {@code torture}.
 */
public interface CommandProvider {
    /**
     * The provider's commands.
     *
     * @param context the process's streams, environment and exit, shared by all commands
     * @return new command lines, each with a name that no other command has
     */
    List<CommandLine> commands(CommandContext context);
}
