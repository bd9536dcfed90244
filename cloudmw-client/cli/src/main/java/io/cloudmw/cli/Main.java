package io.cloudmw.cli;

import io.cloudmw.cli.cluster.DrainCommands;
import io.cloudmw.cli.cluster.GcCommand;
import io.cloudmw.cli.cluster.PeerCommand;
import io.cloudmw.cli.cluster.StatusCommand;
import io.cloudmw.cli.cluster.StoreAccessCommands;
import io.cloudmw.cli.cluster.StoreCommands;
import io.cloudmw.cli.cluster.StoreLostCommand;
import io.cloudmw.cli.cluster.TopCommand;
import io.cloudmw.cli.cluster.UpkeepRound;
import io.cloudmw.cli.command.ClientCommand;
import io.cloudmw.cli.command.CommandContext;
import io.cloudmw.cli.command.CommandGroup;
import io.cloudmw.cli.command.CommandProvider;
import io.cloudmw.cli.command.ExitCode;
import io.cloudmw.cli.command.Modes;
import io.cloudmw.cli.command.Version;
import io.cloudmw.cli.file.CostCommand;
import io.cloudmw.cli.file.DirectoryCommands;
import io.cloudmw.cli.file.EditCommands;
import io.cloudmw.cli.file.FileCommands;
import io.cloudmw.cli.file.PlanCommand;
import io.cloudmw.cli.file.SyncCommand;
import io.cloudmw.cli.file.WarmCommand;
import io.cloudmw.cli.file.WatchCommand;
import io.cloudmw.cli.shell.ShellCommands;
import io.cloudmw.cli.subject.GrantCommands;
import io.cloudmw.cli.subject.LoginCommands;
import io.cloudmw.cli.subject.TokenCommands;
import io.cloudmw.cli.support.SupportBundleCommand;
import io.cloudmw.cli.volume.BackupCommands;
import io.cloudmw.cli.volume.SnapshotCommands;
import io.cloudmw.cli.volume.VolumeCommands;
import io.cloudmw.cli.volume.VolumeSetCommand;
import io.cloudmw.cli.volume.VolumeShowCommand;
import io.cloudmw.client.tree.NameStyle;
import io.cloudmw.core.config.ErrorWording;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.RetryVerdict;
import io.cloudmw.core.rpc.GrpcLog;
import io.cloudmw.core.rpc.RpcErrors;
import io.cloudmw.core.thread.ForcedExit;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** The command {@code cloudmw}. Its options, output and exit codes are in {@code docs/cli.md}. */
public final class Main {
    private static final String LOG_LEVEL = "org.slf4j.simpleLogger.defaultLogLevel";

    /** The time limit of a shutdown. Stopping all processes that a command has started takes longest. */
    private static final Duration STOP_TIMEOUT = Duration.ofMinutes(2);

    private Main() {}

    public static void main(String[] args) {
        // An error is an exit code and one line. Log messages below WARN appear only with -D...=debug.
        System.setProperty(LOG_LEVEL, System.getProperty(LOG_LEVEL, "warn"));
        ForcedExit.install(STOP_TIMEOUT);
        CommandContext context = new CommandContext(
                System.in, new FileOutputStream(FileDescriptor.out), System.err, System.getenv(), isTerminal());
        Runtime.getRuntime().addShutdownHook(new Thread(() -> endedEarly(context, args), "cloudmw-early"));
        int exit = run(context, args);
        if (!isEnding()) {
            System.exit(exit);
        }
        // A signal is ending the process, and its number must be the exit code. System.exit would replace that code.
    }

    private static boolean isEnding() {
        Thread none = new Thread(() -> {});
        try {
            Runtime.getRuntime().addShutdownHook(none);
            Runtime.getRuntime().removeShutdownHook(none);
            return false;
        } catch (IllegalStateException e) {
            return true;
        }
    }

    /** Reports an interruption that came before any command began. A command that has begun reports it by itself. */
    static void endedEarly(CommandContext context, String... args) {
        if (context.endsUnsaid()) {
            printJson(context, args, ErrorCode.CANCELLED.name(), CommandContext.INTERRUPTED);
            context.out().flush();
            context.err().println("cloudmw: " + CommandContext.INTERRUPTED);
        }
    }

    /**
     * Returns whether standard input and output are a terminal. Since JDK 22 a console exists without one, so that the
     * method which tells, absent from older JDKs, is called by reflection.
     */
    @SuppressWarnings("SystemConsoleNull")
    private static boolean isTerminal() {
        java.io.Console console = System.console();
        if (console == null) {
            return false;
        }
        try {
            return (boolean) java.io.Console.class.getMethod("isTerminal").invoke(console);
        } catch (NoSuchMethodException e) {
            return true;
        } catch (ReflectiveOperationException e) {
            return false;
        }
    }

    /** Runs one command and returns its exit code. */
    public static int run(CommandContext context, String... args) {
        GrpcLog.defectsOnly();
        CommandLine line = commands(context);
        line.setOut(writer(context.out()));
        line.setErr(writer(context.err()));
        line.setParameterExceptionHandler((e, wrong) -> usage(context, e, wrong));
        line.setExecutionExceptionHandler((e, command, parsed) -> failed(context, e, command, args));
        int exit = line.execute(args);
        context.out().flush();
        context.reported();
        return exit;
    }

    /** Assembles the commands of this jar and of the {@link CommandProvider}s on the class path. */
    static CommandLine commands(CommandContext context) {
        CommandLine line = new CommandLine(new Root());
        line.addSubcommand(new FileCommands.Put(context));
        line.addSubcommand(new EditCommands.Append(context));
        line.addSubcommand(new EditCommands.Write(context));
        line.addSubcommand(new EditCommands.Truncate(context));
        line.addSubcommand(new FileCommands.Get(context));
        line.addSubcommand(new SyncCommand(context));
        line.addSubcommand(new FileCommands.Cat(context));
        line.addSubcommand(new WarmCommand(context));
        line.addSubcommand(new FileCommands.Ls(context));
        line.addSubcommand(new FileCommands.Stat(context));
        line.addSubcommand(new FileCommands.Attr(context));
        line.addSubcommand(new FileCommands.Rm(context));
        line.addSubcommand(new FileCommands.Mv(context));
        line.addSubcommand(new DirectoryCommands.Cp(context));
        line.addSubcommand(new DirectoryCommands.Mkdir(context));
        line.addSubcommand(new DirectoryCommands.Rmdir(context));
        line.addSubcommand(new WatchCommand(context));
        line.addSubcommand(new PeerCommand(context));
        CommandLine volume = new CommandLine(new VolumeCommands.Group());
        CommandLine create = new CommandLine(new VolumeCommands.Create(context));
        create.getCommandSpec().usageMessage().footer(Modes.help());
        volume.addSubcommand(create);
        volume.addSubcommand(new VolumeCommands.Ls(context));
        volume.addSubcommand(new VolumeShowCommand(context));
        volume.addSubcommand(new VolumeSetCommand(context));
        volume.addSubcommand(new VolumeCommands.Rm(context));
        line.addSubcommand(volume);
        CommandLine snapshot = new CommandLine(new SnapshotCommands.Group());
        snapshot.addSubcommand(new SnapshotCommands.Create(context));
        snapshot.addSubcommand(new SnapshotCommands.Ls(context));
        snapshot.addSubcommand(new SnapshotCommands.Rm(context));
        snapshot.addSubcommand(new SnapshotCommands.Diff(context));
        snapshot.addSubcommand(new SnapshotCommands.Restore(context));
        line.addSubcommand(snapshot);
        CommandLine store = new CommandLine(new StoreCommands.Group());
        store.addSubcommand(new StoreCommands.Add(context));
        store.addSubcommand(new StoreCommands.Ls(context));
        store.addSubcommand(new StoreLostCommand(context));
        store.addSubcommand(new StoreCommands.Replace(context));
        store.addSubcommand(new StoreAccessCommands.Set(context));
        store.addSubcommand(new StoreAccessCommands.Check(context));
        store.addSubcommand(new StoreCommands.Rm(context));
        line.addSubcommand(store);
        line.addSubcommand(new StoreCommands.Helpers(context));
        line.addSubcommand(new GrantCommands.Give(context));
        line.addSubcommand(new GrantCommands.Revoke(context));
        line.addSubcommand(new GrantCommands.Ls(context));
        line.addSubcommand(new GrantCommands.WhoAmI(context));
        line.addSubcommand(new LoginCommands.Login(context));
        line.addSubcommand(new LoginCommands.Logout(context));
        CommandLine token = new CommandLine(new TokenCommands.Group());
        token.addSubcommand(new TokenCommands.Create(context));
        token.addSubcommand(new TokenCommands.Ls(context));
        token.addSubcommand(new TokenCommands.Revoke(context));
        line.addSubcommand(token);
        CommandLine backup = new CommandLine(new BackupCommands.Create(context));
        backup.addSubcommand(new BackupCommands.Ls(context));
        line.addSubcommand(backup);
        line.addSubcommand(new PlanCommand(context));
        line.addSubcommand(new CostCommand(context));
        line.addSubcommand(new TopCommand(context));
        line.addSubcommand(new StatusCommand(context));
        line.addSubcommand(supportBundle(context));
        line.addSubcommand(new GcCommand(context));
        CommandLine scrub = new CommandLine(new UpkeepRound.Scrub());
        scrub.addSubcommand(new UpkeepRound.ScrubNow(context));
        line.addSubcommand(scrub);
        CommandLine repair = new CommandLine(new UpkeepRound.Repair());
        repair.addSubcommand(new UpkeepRound.RepairNow(context));
        line.addSubcommand(repair);
        line.addSubcommand(new DrainCommands.Drain(context));
        line.addSubcommand(new DrainCommands.Undrain(context));
        for (CommandProvider provider : ServiceLoader.load(CommandProvider.class)) {
            provider.commands(context).forEach(line::addSubcommand);
        }
        line.addSubcommand(new ClientWarmUp(context));
        line.addSubcommand(new ShellCommands.Completion(context));
        line.addSubcommand(new ShellCommands.Man(context));
        line.addSubcommand(new HelpCommand(context));
        HelpGroups.show(line);
        return line;
    }

    /** The command that collects the answers of others, which print nothing. */
    private static SupportBundleCommand supportBundle(CommandContext context) {
        CommandContext silent = new CommandContext(
                InputStream.nullInputStream(),
                OutputStream.nullOutputStream(),
                context.err(),
                context.environment(),
                false);
        Map<String, ClientCommand> cluster = new LinkedHashMap<>();
        cluster.put("status", new StatusCommand(silent));
        cluster.put("helpers", new StoreCommands.Helpers(silent));
        cluster.put("stores", new StoreCommands.Ls(silent));
        cluster.put("volumes", new VolumeCommands.Ls(silent));
        return new SupportBundleCommand(context, cluster);
    }

    private static java.io.PrintWriter writer(PrintStream stream) {
        return new java.io.PrintWriter(stream, true, StandardCharsets.UTF_8);
    }

    private static int usage(CommandContext context, ParameterException e, String[] args) {
        Optional<Misspelt> misspelt = Misspelt.in(e);
        String message = misspelt.map(Misspelt::message).orElseGet(() -> String.valueOf(e.getMessage()));
        CommandLine command = misspelt.map(Misspelt::command).orElseGet(e::getCommandLine);
        printJson(context, args, "INVALID_ARGUMENT", message);
        context.err().println("cloudmw: " + message);
        context.err().println("cloudmw: see " + command.getCommandSpec().qualifiedName(" ") + " --help");
        return ExitCode.USAGE.value();
    }

    /** Returns whether a coordinator was reached, and answered that it is unavailable. */
    private static boolean saidSo(CloudMwException unavailable) {
        return unavailable.getCause() instanceof CloudMwException last && RpcErrors.isAnswer(last);
    }

    private static int failed(CommandContext context, Exception e, CommandLine command, String[] args) {
        if (context.out().abandoned()) {
            return ExitCode.UNREAD.value();
        }
        if (!context.says()) {
            return ExitCode.of(ErrorCode.CANCELLED).value();
        }
        ExitCode exit;
        String code;
        String message = String.valueOf(e.getMessage());
        if (e instanceof CloudMwException known) {
            exit = ExitCode.of(known.code());
            code = known.code().name();
            if (known.code() == ErrorCode.COORDINATOR_UNAVAILABLE) {
                boolean answered = known.verdict() == RetryVerdict.NEVER || saidSo(known);
                message += (answered ? " (" : " (is it running? cloudmw coordinator starts one; ")
                        + "another one: -c HOST:PORT)";
            }
        } else if (e instanceof IllegalArgumentException) {
            exit = ExitCode.USAGE;
            code = ErrorCode.INVALID_ARGUMENT.name();
        } else {
            exit = ExitCode.INTERNAL;
            code = "INTERNAL";
            message = e.toString();
        }
        if (exit == ExitCode.USAGE) {
            message = ErrorWording.withGivenNames(name -> given(command, name), message);
        }
        printJson(context, args, code, message);
        context.err().println("cloudmw: " + printable(message));
        if (wants(args, "-v", "--verbose")) {
            e.printStackTrace(context.err());
        }
        return exit.value();
    }

    /** The lines of a message, without characters by which names of files could control the terminal. */
    private static String printable(String message) {
        return message.lines().map(NameStyle::printable).collect(Collectors.joining("\n"));
    }

    /**
     * Returns the option of this name and its value on the command line, for an error that names the setting {@code
     * name}.
     */
    private static Optional<ErrorWording.GivenValue> given(CommandLine command, String name) {
        OptionSpec option = command.getCommandSpec().findOption("--" + name);
        return option == null
                ? Optional.empty()
                : Optional.of(new ErrorWording.GivenValue(
                        "--" + name, option.originalStringValues().stream().reduce((before, last) -> last)));
    }

    private static void printJson(CommandContext context, String[] args, String code, String message) {
        if (wants(args, "--json", "--json")) {
            Map<String, Object> error = new LinkedHashMap<>();
            error.put("code", code);
            error.put("message", message);
            context.out().printJson(Map.of("error", error));
        }
    }

    private static boolean wants(String[] args, String name, String longName) {
        return Arrays.asList(args).contains(name) || Arrays.asList(args).contains(longName);
    }

    /** The command {@code cloudmw} itself, which only prints its usage. */
    @Command(
            name = "cloudmw",
            mixinStandardHelpOptions = true,
            versionProvider = Version.class,
            synopsisSubcommandLabel = "COMMAND",
            description = "Files as replicated chunks, read back by a race of helpers.",
            footer = {
                "",
                "Examples:",
                "  cloudmw standalone                            a cluster to try things with",
                "  cloudmw put movie.mkv v:/movie.mkv            a file, into the volume v",
                "  cloudmw -c host:7400 get -r v:/photos photos  a directory, of that cluster",
                "",
                "Files are written volume:/path. The options above may also follow the command.",
                "Sizes: 64M, 64Mi and 64MiB are powers of 1024 (as in rclone), 64MB is of 1000,",
                "and a bare number is bytes.",
                "Exit codes: 0 ok, 1 internal, 2 usage, 3 not found,",
                "4 conflict, 5 unavailable, 6 data loss, 7 local I/O, 8 refused, 130 interrupted,",
                "141 nobody reads the output any more."
            })
    private static final class Root extends CommandGroup {}
}
