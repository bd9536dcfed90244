package io.cloudmw.cli.shell;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The commands and options that users see, in the order of their names. */
public final class Commands {
    private Commands() {}

    /** This command, and all that are below it. */
    static List<CommandSpec> all(CommandSpec root) {
        List<CommandSpec> all = new ArrayList<>();
        all.add(root);
        below(root).forEach(command -> all.addAll(all(command)));
        return all;
    }

    /** The commands of a command. */
    static List<CommandSpec> below(CommandSpec command) {
        return command.subcommands().values().stream()
                .map(CommandLine::getCommandSpec)
                .filter(below -> !below.usageMessage().hidden())
                .distinct()
                .sorted((a, b) -> a.name().compareTo(b.name()))
                .toList();
    }

    /** The options of a command. */
    static List<OptionSpec> options(CommandSpec command) {
        return command.options().stream()
                .filter(option -> !option.hidden())
                .sorted((a, b) -> a.longestName().compareTo(b.longestName()))
                .toList();
    }

    /** The first sentence of what the command does; empty: nothing is said. */
    public static String does(CommandSpec command) {
        String[] header = command.usageMessage().header();
        String[] lines = header.length > 0 ? header : command.usageMessage().description();
        return lines.length == 0 ? "" : sentence(text(lines[0]));
    }

    /** The meaning of the option, in one line. */
    static String means(OptionSpec option) {
        return text(String.join(" ", option.description()));
    }

    /** A description as it is printed: picocli formats it, and a percent sign is written twice. */
    static String text(String description) {
        return description.replace("%n", " ").replace("%%", "%");
    }

    /** Without the full stop. */
    private static String sentence(String text) {
        int end = text.indexOf(". ");
        return end < 0 ? text.replaceFirst("\\.$", "") : text.substring(0, end);
    }
}
