package io.cloudmw.cli.shell;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * The completion script for fish. A function of the script finds the command on the line so far. Each command, option
 * and choice has a rule for when fish offers it.
 */
public final class FishCompletion {
    private FishCompletion() {}

    /** Returns the script for a command and its subcommands. */
    public static String of(CommandSpec root) {
        List<CommandSpec> all = Commands.all(root);
        List<String> lines = new ArrayList<>(function(root, all));
        lines.add("complete -c " + root.name() + " -f");
        for (CommandSpec command : all) {
            String at = " -n '__" + root.name() + "_at " + quoted(path(root, command)) + "'";
            for (CommandSpec below : Commands.below(command)) {
                lines.add("complete -c " + root.name() + at + " -a " + below.name() + " -d "
                        + quoted(Commands.does(below)));
            }
            if (takesFiles(command)) {
                lines.add("complete -c " + root.name() + at + " -F");
            }
            Commands.options(command).forEach(option -> lines.add("complete -c " + root.name() + at + rule(option)));
        }
        return String.join("\n", lines) + "\n";
    }

    private static List<String> function(CommandSpec root, List<CommandSpec> all) {
        String known = all.stream()
                .map(command -> path(root, command))
                .filter(path -> !path.isEmpty())
                .map(FishCompletion::quoted)
                .collect(Collectors.joining(" "));
        TreeSet<String> valued = new TreeSet<>();
        for (CommandSpec command : all) {
            Commands.options(command).stream()
                    .filter(option -> option.arity().max() > 0)
                    .forEach(option -> valued.addAll(List.of(option.names())));
        }
        return List.of(
                "# Completion of " + root.name() + " for fish: " + root.name() + " completion fish | source",
                "function __" + root.name() + "_at -d 'Whether the line names this command so far'",
                "    set -l known " + known,
                "    set -l valued " + String.join(" ", valued),
                "    set -l words (commandline -opc)",
                "    set -e words[1]",
                "    set -l path",
                "    set -l value 0",
                "    for word in $words",
                "        if test $value = 1",
                "            set value 0",
                "        else if contains -- $word $valued",
                "            set value 1",
                "        else if not string match -q -- '-*' $word",
                "            set -l longer (string trim -- \"$path $word\")",
                "            if contains -- $longer $known",
                "                set path $longer",
                "            end",
                "        end",
                "    end",
                "    test \"$path\" = \"$argv[1]\"",
                "end");
    }

    /** Returns the names of a command and its parents, without the root's name. */
    private static String path(CommandSpec root, CommandSpec command) {
        return command == root
                ? ""
                : command.qualifiedName(" ").substring(root.name().length() + 1);
    }

    private static boolean takesFiles(CommandSpec command) {
        return command.positionalParameters().stream()
                .map(PositionalParamSpec::paramLabel)
                .anyMatch(label -> label.matches(".*(FILE|DIRECTORY|SOURCE|TARGET).*"));
    }

    private static String rule(OptionSpec option) {
        StringBuilder rule = new StringBuilder();
        for (String name : option.names()) {
            rule.append(name.startsWith("--") ? " -l " : " -s ").append(name.replaceFirst("^-+", ""));
        }
        if (option.arity().max() > 0) {
            String choice = choice(option);
            boolean file = option.paramLabel().matches(".*(FILE|DIRECTORY).*");
            rule.append(file ? " -rF" : " -x").append(choice.isEmpty() ? "" : " -a " + quoted(choice));
        }
        return rule.append(" -d ").append(quoted(Commands.means(option))).toString();
    }

    private static String choice(OptionSpec option) {
        Iterable<String> candidates = option.completionCandidates();
        return candidates == null
                ? ""
                : StreamSupport.stream(candidates.spliterator(), false).collect(Collectors.joining(" "));
    }

    private static String quoted(String text) {
        return '"' + text.replaceAll("([\\\\\"$])", "\\\\$1") + '"';
    }
}
