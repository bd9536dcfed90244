package io.cloudmw.helper.cli;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.wire.GrpcLog;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;

/**
 * The serving commands of {@code cloudmw}. Exit codes: 0 done, 1 internal, 2 usage or settings, 5 the cluster cannot
 * be reached, 7 an address, directory or disk of this machine cannot be used, 4 another process has it, 8 refused; of
 * {@code recover} also 3 there is no backup, 6 files are lost.
 */
@Command(
        name = "cloudmw",
        description = "Serves: the processes of a cluster.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        subcommands = {
            CoordinatorCommand.class,
            HelperCommand.class,
            StandaloneCommand.class,
            RecoverCommand.class,
            WarmUp.class
        })
public final class Main implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(Main.class);

    private Main() {}

    /** Runs one command and ends the process. */
    public static void main(String[] arguments) {
        System.exit(run(arguments));
    }

    static int run(String... arguments) {
        GrpcLog.defectsOnly();
        IParameterExceptionHandler usage = (e, wrong) -> {
            Optional<Misspelt> misspelt = Misspelt.in(e);
            report(
                    wrong,
                    ErrorCode.INVALID_ARGUMENT,
                    misspelt.map(Misspelt::message).orElseGet(() -> String.valueOf(e.getMessage())));
            CommandLine command = misspelt.map(Misspelt::command).orElseGet(e::getCommandLine);
            System.err.println("cloudmw: see " + command.getCommandSpec().qualifiedName(" ") + " --help");
            return 2;
        };
        IExecutionExceptionHandler failed = (e, command, parsed) -> {
            report(
                    arguments,
                    e instanceof CloudMwException known ? known.code() : ErrorCode.INTERNAL,
                    String.valueOf(e.getMessage()));
            if (!(e instanceof CloudMwException)) {
                LOG.error("failed by a defect", e);
            }
            return exitCode(e);
        };
        return new CommandLine(new Main())
                .setParameterExceptionHandler(usage)
                .setExecutionExceptionHandler(failed)
                .execute(arguments);
    }

    private static void report(String[] arguments, ErrorCode code, String message) {
        if (Arrays.asList(arguments).contains("--json")) {
            Serving.print(System.out, Map.of("error", Map.of("code", code.name(), "message", message)));
        }
        System.err.println("cloudmw: " + message);
    }

    static int exitCode(Exception failure) {
        if (!(failure instanceof CloudMwException known)) {
            return 1;
        }
        ErrorCode code = known.code();
        return switch (code) {
            case INVALID_ARGUMENT -> 2;
            case COORDINATOR_UNAVAILABLE, HELPER_UNAVAILABLE, DEADLINE_EXCEEDED, OVERLOADED -> 5;
            case LOCAL_IO, STORE_UNAVAILABLE, STORE_DENIED, STORE_FULL, STORE_MISMATCH -> 7;
            case NOT_FOUND -> 3;
            case ALREADY_EXISTS, CONFLICT -> 4;
            case VERSION_UNSUPPORTED, UNAUTHENTICATED -> 8;
            default -> 1;
        };
    }

    @Override
    public void run() {
        CommandLine.usage(this, System.out);
    }
}
