package io.cloudmw.cli.command;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that only groups subcommands. */
public abstract class CommandGroup implements Runnable {
    @Spec
    private @Nullable CommandSpec spec;

    /** Read by the subcommands, through {@link GlobalOptions#above}. */
    @SuppressWarnings("UnusedVariable")
    @Mixin
    private GlobalOptions options = new GlobalOptions();

    @Override
    public final void run() {
        if (spec != null) {
            throw new ParameterException(spec.commandLine(), "a command is missing");
        }
    }
}
