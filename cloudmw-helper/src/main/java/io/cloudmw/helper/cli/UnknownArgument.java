package io.cloudmw.helper.cli;

import io.cloudmw.core.config.EditDistance;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/**
 * An unknown argument of a command line, with the same message as in the client's commands.
 *
 * @param command the command that does not know the argument
 */
record UnknownArgument(CommandLine command, String word) {
    private static final String OPTION = "--";

    /** The first unknown argument, since later ones may only follow from it; empty when there is none. */
    static Optional<UnknownArgument> in(ParameterException e) {
        Optional<UnknownArgument> first = Optional.empty();
        for (CommandLine command = e.getCommandLine(); command != null; command = command.getParent()) {
            List<String> unmatched = command.getUnmatchedArguments();
            if (!unmatched.isEmpty()) {
                first = Optional.of(new UnknownArgument(command, unmatched.get(0)));
            }
        }
        return first;
    }

    /** The message, with the most similar name as a suggestion. */
    String message() {
        CommandSpec spec = command.getCommandSpec();
        if (word.startsWith("-")) {
            String option = word.replaceFirst("=.*", "");
            return "unknown option '" + option + "'"
                    + suggestion(OPTION, option.replaceFirst("^-+", ""), options(spec));
        }
        return spec.subcommands().isEmpty()
                ? "unexpected argument '" + word + "'"
                : "unknown command '" + word + "'"
                        + suggestion("", word, spec.subcommands().keySet());
    }

    private static String suggestion(String prefix, String name, Collection<String> candidates) {
        return EditDistance.meant(name, candidates)
                .map(meant -> "; did you mean '" + prefix + meant + "'?")
                .orElse("");
    }

    private static List<String> options(CommandSpec spec) {
        return spec.optionsMap().keySet().stream()
                .filter(option -> option.startsWith(OPTION))
                .map(option -> option.substring(OPTION.length()))
                .sorted()
                .toList();
    }
}
