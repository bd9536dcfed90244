package io.cloudmw.cli.command;

import com.google.errorprone.annotations.FormatMethod;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.CloudMwOptions;
import io.cloudmw.core.error.CloudMwException;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;

/** A command that works with a client: what it gives is printed as JSON where that is wanted, what it says otherwise. */
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

    /** What the command ends with once it has answered. */
    protected ExitCode exit() {
        return ExitCode.OK;
    }

    /** The client's options with what this command adds to them. */
    protected CloudMwOptions applied(CloudMwOptions base) throws CloudMwException {
        return base;
    }

    /** Does it; gives the answer, to be printed where JSON is wanted, or nothing when that has been printed. */
    protected abstract Map<String, ?> run(CloudMw client) throws Exception;

    /** Prints a line for people. */
    @FormatMethod
    public final void say(String format, Object... values) {
        if (!options.json()) {
            context.out().println(String.format(format, values));
        }
    }
}
