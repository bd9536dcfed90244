package io.cloudmw.cli.shell;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The commands and options in the help, sorted by name; hidden ones are left out. */
public final class Commands {
    private Commands() {}

    /** Returns this command and all commands below it. */
    static List<CommandSpec> all(CommandSpec root) {
        List<CommandSpec> all = new ArrayList<>();
        all.add(root);
        below(root).forEach(command -> all.addAll(all(command)));
        return all;
    }

    /** Returns the subcommands of a command. */
    static List<CommandSpec> below(CommandSpec command) {
        return command.subcommands().values().stream()
                .map(CommandLine::getCommandSpec)
                .filter(below -> !below.usageMessage().hidden())
                .distinct()
                .sorted((a, b) -> a.name().compareTo(b.name()))
                .toList();
    }

    /** Returns the options of a command. */
    static List<OptionSpec> options(CommandSpec command) {
        return command.options().stream()
                .filter(option -> !option.hidden())
                .sorted((a, b) -> a.longestName().compareTo(b.longestName()))
                .toList();
    }

    /** Returns the first sentence of the help of a command; empty when it has none. */
    public static String does(CommandSpec command) {
        String[] header = command.usageMessage().header();
        String[] lines = header.length > 0 ? header : command.usageMessage().description();
        return lines.length == 0 ? "" : sentence(text(lines[0]));
    }

    /** Returns the description of an option, in one line. */
    static String means(OptionSpec option) {
        return text(String.join(" ", option.description()));
    }

    /**
     * Returns a description as picocli prints it, in one line: {@code %n} becomes a space, and {@code %%} a percent
     * sign.
     */
    static String text(String description) {
        return description.replace("%n", " ").replace("%%", "%");
    }

    /** Returns the first sentence without its full stop. */
    private static String sentence(String text) {
        int end = text.indexOf(". ");
        return end < 0 ? text.replaceFirst("\\.$", "") : text.substring(0, end);
    }
}
