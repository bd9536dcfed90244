package io.cloudmw.cli.shell;

import io.cloudmw.cli.command.CommandContext;
import io.cloudmw.cli.command.ExitCode;
import io.cloudmw.cli.command.Version;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * The commands that print completion scripts and manual pages. The server commands are in another jar, so the launcher
 * names their classes in a system property.
 */
public final class ShellCommands {
    /** The system property with the classes of further commands, separated by commas. */
    private static final String MORE = "cloudmw.commands";

    private ShellCommands() {}

    /** Returns the root command, with the commands of the other jars added. */
    private static CommandSpec complete(CommandSpec command) throws CloudMwException {
        CommandLine root = command.root().commandLine();
        String more = System.getProperty(MORE, "");
        for (String name : more.isEmpty() ? new String[0] : more.split(",", -1)) {
            try {
                new CommandLine(Class.forName(name)).getSubcommands().forEach((key, line) -> {
                    if (!root.getSubcommands().containsKey(key)) {
                        root.addSubcommand(line);
                    }
                });
            } catch (ReflectiveOperationException e) {
                throw new CloudMwException(ErrorCode.INTERNAL, MORE + ": " + name + ": " + e, e);
            }
        }
        return root.getCommandSpec();
    }

    @Command(
            name = "completion",
            mixinStandardHelpOptions = true,
            description = "Print a completion script for a shell.",
            footer = {
                "",
                "bash: source <(cloudmw completion bash), in ~/.bashrc for good",
                "zsh:  source <(cloudmw completion zsh), after compinit in ~/.zshrc",
                "fish: cloudmw completion fish > ~/.config/fish/completions/cloudmw.fish"
            })
    public static final class Completion implements Callable<Integer> {
        enum Shell {
            bash,
            zsh,
            fish
        }

        private final CommandContext context;

        @Spec
        private @Nullable CommandSpec spec;

        @Parameters(index = "0", paramLabel = "bash|zsh|fish", description = "the shell")
        private Shell shell = Shell.bash;

        public Completion(CommandContext context) {
            this.context = context;
        }

        @Override
        public Integer call() throws CloudMwException {
            CommandSpec root = complete(Objects.requireNonNull(spec));
            // Zsh can run the bash script of picocli, which then loads the bash emulation of zsh.
            String script = shell == Shell.fish
                    ? FishCompletion.of(root)
                    : AutoComplete.bash(root.name(), root.commandLine()).replace("\r", "");
            context.out().print(script);
            return ExitCode.OK.value();
        }
    }

    @Command(
            name = "man",
            mixinStandardHelpOptions = true,
            description = "Print the manual page of a command, or write those of all.",
            footer = {"", "cloudmw man put | man -l -", "cloudmw man --directory ~/.local/share/man/man1"})
    public static final class Man implements Callable<Integer> {
        private final CommandContext context;

        @Spec
        private @Nullable CommandSpec spec;

        @Parameters(paramLabel = "COMMAND", description = "like put, or volume create; none: cloudmw itself")
        private List<String> names = new ArrayList<>();

        @Option(names = "--directory", paramLabel = "DIRECTORY", description = "write the pages of all commands there")
        private @Nullable Path directory;

        public Man(CommandContext context) {
            this.context = context;
        }

        @Override
        public Integer call() throws CloudMwException {
            CommandSpec root = complete(Objects.requireNonNull(spec));
            String version = new Version().getVersion()[0];
            if (directory != null) {
                write(ManualPage.all(root, version), directory);
                return ExitCode.OK.value();
            }
            CommandSpec command = root;
            for (String name : names) {
                CommandLine below = command.subcommands().get(name);
                if (below == null) {
                    throw new IllegalArgumentException("unknown command '" + String.join(" ", names) + "'");
                }
                command = below.getCommandSpec();
            }
            context.out().print(ManualPage.of(command, version));
            return ExitCode.OK.value();
        }

        private static void write(Map<String, String> pages, Path directory) throws CloudMwException {
            try {
                Files.createDirectories(directory);
                for (Map.Entry<String, String> page : pages.entrySet()) {
                    Files.writeString(directory.resolve(page.getKey()), page.getValue(), StandardCharsets.UTF_8);
                }
            } catch (IOException e) {
                throw new CloudMwException(ErrorCode.LOCAL_IO, directory + ": cannot write to it: " + Reasons.of(e), e);
            }
        }
    }
}
