package io.cloudmw.cli.shell;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * The manual page of a command, in the {@code man} macros of roff. Names, options and descriptions are those of
 * {@code --help}, so that nothing is written twice.
 */
public final class ManualPage {
    private static final Pattern DAY = Pattern.compile("\\d{4}-\\d{2}-\\d{2}");

    private ManualPage() {}

    /**
     * Returns the pages of a command and of all commands below it, by file name, like {@code cloudmw-volume-create.1}.
     *
     * @param version the version at the foot of each page
     */
    public static Map<String, String> all(CommandSpec root, String version) {
        Map<String, String> pages = new LinkedHashMap<>();
        Commands.all(root).forEach(command -> pages.put(name(command) + ".1", of(command, version)));
        return Collections.unmodifiableMap(pages);
    }

    /** Returns the page of one command. */
    public static String of(CommandSpec command, String version) {
        List<String> lines = new ArrayList<>();
        lines.add(".TH " + quoted(name(command).toUpperCase(Locale.ROOT)) + " 1 " + quoted(date(version)) + " "
                + quoted(version.replaceFirst(" \\(.*", "")) + " CloudMW");
        lines.add(".nh");
        lines.add(".ad l");
        lines.add(".SH NAME");
        lines.add(escaped(name(command)) + " \\- " + escaped(Commands.does(command)));
        lines.add(".SH SYNOPSIS");
        lines.addAll(synopsis(command));
        lines.add(".SH DESCRIPTION");
        lines.add(Arrays.stream(command.usageMessage().description())
                .map(paragraph -> escaped(Commands.text(paragraph).strip()))
                .collect(Collectors.joining("\n.PP\n")));
        arguments(command, lines);
        options(command, lines);
        below(command, lines);
        footer(command, lines);
        seeAlso(command, lines);
        return String.join("\n", lines) + "\n";
    }

    /** Returns the day of the commit in a version; empty when the version has none. */
    private static String date(String version) {
        Matcher day = DAY.matcher(version);
        return day.find() ? day.group() : "";
    }

    private static String name(CommandSpec command) {
        return command.qualifiedName("-");
    }

    private static List<String> synopsis(CommandSpec command) {
        String text = new Help(command, Help.defaultColorScheme(Help.Ansi.OFF)).synopsis(0);
        return List.of(
                ".B " + escaped(command.qualifiedName(" ")),
                escaped(text.substring(Math.min(
                                text.length(), command.qualifiedName(" ").length()))
                        .replaceAll("\\s+", " ")
                        .strip()));
    }

    private static void arguments(CommandSpec command, List<String> lines) {
        List<PositionalParamSpec> described = command.positionalParameters().stream()
                .filter(argument -> argument.description().length > 0 && !argument.hidden())
                .toList();
        if (!described.isEmpty()) {
            lines.add(".SH ARGUMENTS");
            for (PositionalParamSpec argument : described) {
                term(
                        lines,
                        "\\fI" + escaped(argument.paramLabel()) + "\\fR",
                        Commands.text(String.join(" ", argument.description())));
            }
        }
    }

    private static void options(CommandSpec command, List<String> lines) {
        List<OptionSpec> options = Commands.options(command);
        if (!options.isEmpty()) {
            lines.add(".SH OPTIONS");
            options.forEach(option -> term(lines, head(option), Commands.means(option)));
        }
    }

    private static String head(OptionSpec option) {
        String names = Arrays.stream(option.names())
                .map(name -> "\\fB" + escaped(name) + "\\fR")
                .collect(Collectors.joining(", "));
        return option.arity().max() > 0 ? names + " \\fI" + escaped(option.paramLabel()) + "\\fR" : names;
    }

    private static void below(CommandSpec command, List<String> lines) {
        List<CommandSpec> below = Commands.below(command);
        if (!below.isEmpty()) {
            lines.add(".SH COMMANDS");
            below.forEach(one -> term(lines, "\\fB" + escaped(one.name()) + "\\fR", Commands.does(one)));
        }
    }

    /** Adds the footer with its own line breaks. */
    private static void footer(CommandSpec command, List<String> lines) {
        List<String> footer = List.of(command.usageMessage().footer());
        if (!footer.isEmpty()) {
            lines.add(".SH NOTES");
            lines.add(".nf");
            footer.stream().map(Commands::text).map(ManualPage::escaped).forEach(lines::add);
            lines.add(".fi");
        }
    }

    private static void seeAlso(CommandSpec command, List<String> lines) {
        List<String> pages = new ArrayList<>();
        if (command.parent() != null) {
            pages.add(name(command.parent()));
        }
        Commands.below(command).forEach(below -> pages.add(name(below)));
        if (!pages.isEmpty()) {
            lines.add(".SH SEE ALSO");
            lines.add(pages.stream()
                    .map(page -> "\\fB" + escaped(page) + "\\fR(1)")
                    .collect(Collectors.joining(",\n")));
        }
    }

    private static void term(List<String> lines, String head, String text) {
        lines.add(".TP");
        lines.add(head);
        lines.add(text.isEmpty() ? "\\&" : escaped(text));
    }

    private static String quoted(String text) {
        return '"' + escaped(text).replace("\"", "\\(dq") + '"';
    }

    /** Returns the text with the characters escaped that roff would interpret. */
    private static String escaped(String text) {
        String escaped = text.replace("\\", "\\e").replace("-", "\\-");
        return escaped.startsWith(".") || escaped.startsWith("'") ? "\\&" + escaped : escaped;
    }
}
