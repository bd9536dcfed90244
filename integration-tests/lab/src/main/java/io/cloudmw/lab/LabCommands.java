package io.cloudmw.lab;

import io.cloudmw.cli.command.CommandContext;
import io.cloudmw.cli.command.CommandProvider;
import java.util.List;
import picocli.CommandLine;

/** The lab's commands: {@code demo}, {@code torture} and {@code bench}. */
public final class LabCommands implements CommandProvider {
    @Override
    public List<CommandLine> commands(CommandContext context) {
        CommandLine bench = new CommandLine(new BenchCommands.Group());
        bench.addSubcommand(new BenchCommands.Race(context));
        bench.addSubcommand(new SwitchBenchCommands.Switch(context));
        bench.addSubcommand(new SwitchBenchCommands.Clients(context));
        bench.addSubcommand(new LoadCommand(context));
        return List.of(new CommandLine(new DemoCommand(context)), new CommandLine(new TortureCommand(context)), bench);
    }
}
