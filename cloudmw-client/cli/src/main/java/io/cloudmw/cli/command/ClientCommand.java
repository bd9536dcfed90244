package io.cloudmw.cli.command;

import com.google.errorprone.annotations.FormatMethod;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.CloudMwOptions;
import io.cloudmw.core.error.CloudMwException;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;

/**
 * The base of commands that use a client. With {@code --json} a command prints the answer of {@link #run}, otherwise
 * the lines of {@link #say}.
 */
public abstract class ClientCommand implements Callable<Integer> {
    public final CommandContext context;

    @Mixin
    public GlobalOptions options = new GlobalOptions();

    public ClientCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public final Integer call() throws Exception {
        int code = context.run(options, this::applied, this::run);
        return code == ExitCode.OK.value() ? exit().value() : code;
    }

    /** Returns the exit code of the command once {@link #run} has returned. */
    protected ExitCode exit() {
        return ExitCode.OK;
    }

    /** Returns the client's options, with those that this command adds. */
    protected CloudMwOptions applied(CloudMwOptions base) throws CloudMwException {
        return base;
    }

    /** Runs the command for another one, which gets the answer instead of {@code --json}. */
    public final Map<String, ?> answer(CloudMw client) throws Exception {
        return run(client);
    }

    /**
     * Runs the command. Returns the answer to print with {@code --json}; empty when the command has printed it already.
     */
    protected abstract Map<String, ?> run(CloudMw client) throws Exception;

    /** Prints a line for people; nothing with {@code --json}. */
    @FormatMethod
    public final void say(String format, Object... values) {
        if (!options.json()) {
            context.out().println(String.format(format, values));
        }
    }
}
