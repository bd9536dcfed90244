package io.cloudmw.helper.cli;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.rpc.GrpcLog;
import io.cloudmw.helper.log.LogFormat;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/**
 * The main class of the server commands of {@code cloudmw}.
 *
 * <p>Exit codes: 0 success; 1 internal error; 2 usage or settings; 4 another process has the resource; 5 the cluster
 * cannot be reached; 7 an address, directory or disk of this machine cannot be used; 8 refused. {@code recover} also
 * has 3, no backup, and 6, files are lost.
 */
@Command(
        name = "cloudmw",
        description = "Runs the server processes of a cluster.",
        mixinStandardHelpOptions = true,
        versionProvider = ServerVersion.class,
        subcommands = {
            CommandLine.HelpCommand.class,
            CoordinatorCommand.class,
            HelperCommand.class,
            StandaloneCommand.class,
            RecoverCommand.class,
            AuthorityCommand.class,
            DemoBucketsCommand.class,
            TrainArchiveCommand.class
        })
public final class ServerMain implements Runnable {
    /** The commands read these options through their parent. */
    @SuppressWarnings("UnusedVariable")
    @Mixin
    private ServerOptions options = new ServerOptions();

    @Option(
            names = {"-c", "--coordinator"},
            paramLabel = "HOST:PORT[,HOST:PORT...]",
            description = "The coordinator; for the command helper only.")
    private @Nullable String coordinator;

    private ServerMain() {}

    /** Runs one command, then ends the process with its exit code. */
    public static void main(String[] arguments) {
        System.exit(run(arguments));
    }

    static int run(String... arguments) {
        try {
            // Before there is any logger: Logback would complain on standard output.
            LogFormat.require(System.getenv());
        } catch (CloudMwException e) {
            report(arguments, e.code(), String.valueOf(e.getMessage()));
            return exitCode(e, false);
        }
        GrpcLog.defectsOnly();
        IParameterExceptionHandler usage = (e, wrong) -> {
            Optional<UnknownArgument> misspelt = UnknownArgument.in(e);
            report(
                    wrong,
                    ErrorCode.INVALID_ARGUMENT,
                    misspelt.map(UnknownArgument::message).orElseGet(() -> String.valueOf(e.getMessage())));
            CommandLine command = misspelt.map(UnknownArgument::command).orElseGet(e::getCommandLine);
            System.err.println("cloudmw: see " + command.getCommandSpec().qualifiedName(" ") + " --help");
            return 2;
        };
        IExecutionExceptionHandler failed = (e, command, parsed) -> {
            report(
                    arguments,
                    e instanceof CloudMwException known ? known.code() : ErrorCode.INTERNAL,
                    String.valueOf(e.getMessage()));
            if (!(e instanceof CloudMwException)) {
                LoggerFactory.getLogger(ServerMain.class).error("failed by a defect", e);
            }
            return exitCode(e, command.getCommand() instanceof RecoverCommand);
        };
        return commandLine()
                .setParameterExceptionHandler(usage)
                .setExecutionExceptionHandler(failed)
                .execute(arguments);
    }

    /** The coordinator that was given before the command. */
    Optional<String> coordinator() {
        return Optional.ofNullable(coordinator);
    }

    private static CommandLine commandLine() {
        return new CommandLine(new ServerMain())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionStrategy(parsed -> {
                    requireSupported(parsed);
                    return new CommandLine.RunLast().execute(parsed);
                });
    }

    /** Refuses an option before the command when the command does not have it. */
    private static void requireSupported(ParseResult parsed) {
        ParseResult command = parsed.subcommand();
        if (command != null
                && parsed.hasMatchedOption("--coordinator")
                && !(command.commandSpec().userObject() instanceof HelperCommand)) {
            throw new ParameterException(
                    command.commandSpec().commandLine(),
                    "unexpected option '--coordinator' (expected: only with helper)");
        }
    }

    private static void report(String[] arguments, ErrorCode code, String message) {
        if (Arrays.asList(arguments).contains("--json")) {
            ServingProcess.print(System.out, Map.of("error", Map.of("code", code.name(), "message", message)));
        }
        System.err.println("cloudmw: " + message);
    }

    /** @param reads whether the command reads stores and serves none of its own */
    static int exitCode(Exception failure, boolean reads) {
        if (!(failure instanceof CloudMwException known)) {
            return 1;
        }
        ErrorCode code = known.code();
        return switch (code) {
            case INVALID_ARGUMENT -> 2;
            case COORDINATOR_UNAVAILABLE, HELPER_UNAVAILABLE, DEADLINE_EXCEEDED, OVERLOADED -> 5;
            case STORE_UNAVAILABLE, STORE_FULL -> reads ? 5 : 7;
            case STORE_DENIED, STORE_MISMATCH -> reads ? 8 : 7;
            case LOCAL_IO -> 7;
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
