package io.cloudmw.cli;

import io.cloudmw.core.config.EditDistance;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/**
 * A word of a command line that is no option or subcommand of its command.
 *
 * @param command the command that does not know the word
 */
record Misspelt(CommandLine command, String word) {
    private static final String OPTION = "--";

    /** Returns the first misspelt word, if any. Later words may be rejected only because of the first. */
    static Optional<Misspelt> in(ParameterException e) {
        Optional<Misspelt> first = Optional.empty();
        for (CommandLine command = e.getCommandLine(); command != null; command = command.getParent()) {
            List<String> unmatched = command.getUnmatchedArguments();
            if (!unmatched.isEmpty()) {
                first = Optional.of(new Misspelt(command, unmatched.get(0)));
            }
        }
        return first;
    }

    /** Returns the error message, with the option or command that was probably meant. */
    String message() {
        CommandSpec spec = command.getCommandSpec();
        if (word.startsWith("-")) {
            String option = word.replaceFirst("=.*", "");
            return "unknown option '" + option + "'" + meant(OPTION, option.replaceFirst("^-+", ""), options(spec));
        }
        if (spec.subcommands().isEmpty() || !spec.positionalParameters().isEmpty()) {
            return "unexpected argument '" + word + "'";
        }
        return "unknown command '" + word + "'" + meant("", word, commands(spec));
    }

    private static String meant(String prefix, String name, List<String> candidates) {
        return EditDistance.meant(name, candidates)
                .map(meant -> "; did you mean '" + prefix + meant + "'?")
                .orElse("");
    }

    private static List<String> options(CommandSpec spec) {
        return spec.optionsMap().entrySet().stream()
                .filter(option ->
                        option.getKey().startsWith(OPTION) && !option.getValue().hidden())
                .map(option -> option.getKey().substring(OPTION.length()))
                .sorted()
                .toList();
    }

    private static List<String> commands(CommandSpec spec) {
        List<String> names = new ArrayList<>(spec.subcommands().entrySet().stream()
                .filter(one -> !one.getValue().getCommandSpec().usageMessage().hidden())
                .map(one -> one.getKey())
                .sorted()
                .toList());
        if (spec.parent() == null) {
            names.addAll(HelpGroups.SERVERS.keySet());
        }
        return names;
    }
}
