package io.cloudmw.helper.cli;

import io.cloudmw.core.config.EditDistance;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/**
 * A word of a command line that means nothing where it stands; said as the client's commands say it.
 *
 * @param command the one that does not know it
 */
record UnknownArgument(CommandLine command, String word) {
    private static final String OPTION = "--";

    /** The first one, where there is any: what comes after it may be wrong only because it is. */
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

    /** Says so, and what was probably meant. */
    String message() {
        CommandSpec spec = command.getCommandSpec();
        if (word.startsWith("-")) {
            String option = word.replaceFirst("=.*", "");
            return "unknown option '" + option + "'" + meant(OPTION, option.replaceFirst("^-+", ""), options(spec));
        }
        return spec.subcommands().isEmpty()
                ? "unexpected argument '" + word + "'"
                : "unknown command '" + word + "'"
                        + meant("", word, spec.subcommands().keySet());
    }

    private static String meant(String prefix, String name, Collection<String> candidates) {
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
