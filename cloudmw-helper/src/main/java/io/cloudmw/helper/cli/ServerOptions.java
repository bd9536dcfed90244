package io.cloudmw.helper.cli;

import io.cloudmw.core.config.Settings;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Options that every serving command has, after its name or before it: an option of a command wins over the same option
 * before it.
 */
final class ServerOptions {
    /** The name of the field that holds these options in each command. */
    private static final String MIXIN = "options";

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec command;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "Settings, one key=value a line; see docs/configuration.md.")
    private @Nullable Path config;

    @Option(names = "-D", paramLabel = "KEY=VALUE", description = "A setting; it wins over the file. Repeatable.")
    private Map<String, String> overrides = new LinkedHashMap<>();

    @Option(names = "--json", description = "Print one JSON object when ready.")
    private boolean json;

    @Option(
            names = "--secret-file",
            paramLabel = "FILE",
            description = "The key the processes of a cluster share; made when it is not there.")
    private @Nullable String secretFile;

    @Option(
            names = "--until-eof",
            description = "End when standard input does: with the process that holds its other end.")
    private boolean untilEof;

    boolean json() {
        return json || outer().map(ServerOptions::json).orElse(false);
    }

    private Optional<ServerOptions> outer() {
        CommandSpec parent = command == null ? null : command.parent();
        CommandSpec mixin = parent == null ? null : parent.mixins().get(MIXIN);
        return mixin != null && mixin.userObject() instanceof ServerOptions found
                ? Optional.of(found)
                : Optional.empty();
    }

    private Optional<Path> settingsFile() {
        return Optional.ofNullable(config).or(() -> outer().flatMap(ServerOptions::settingsFile));
    }

    /** Settings given by options: those before the command first. */
    private Map<String, String> overriding() {
        Map<String, String> all = new LinkedHashMap<>();
        outer().ifPresent(before -> all.putAll(before.overriding()));
        if (secretFile != null) {
            all.put(ClusterKey.SETTING, secretFile);
        }
        all.putAll(overrides);
        return all;
    }

    private boolean endsWithInput() {
        return untilEof || outer().map(ServerOptions::endsWithInput).orElse(false);
    }

    /**
     * The settings of all sources; options given on the command line win.
     *
     * @param options by key; null where an option was not given
     */
    Settings settings(Map<String, @Nullable String> options) throws CloudMwException {
        Map<String, String> all = new LinkedHashMap<>();
        options.forEach((key, value) -> {
            if (value != null) {
                all.put(key, value);
            }
        });
        all.putAll(overriding());
        return Settings.load(settingsFile(), System.getenv(), all);
    }

    /** Ends the process with its standard input, if that is wanted; from now on. */
    void watchInput() {
        if (endsWithInput()) {
            Thread watch = new Thread(ServerOptions::exitAtEnd, "cloudmw-input");
            watch.setDaemon(true);
            watch.start();
        }
    }

    private static void exitAtEnd() {
        try {
            System.in.transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            // It is as good as ended.
        }
        System.exit(0);
    }

    /**
     * Splits {@code name=value}.
     *
     * @param form what was expected, as the option's help has it
     */
    static Map.Entry<String, String> pair(String option, String form, String text) throws CloudMwException {
        int equals = text.indexOf('=');
        if (equals < 1) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT, option + ": \"" + text + "\" (expected: " + form + ")");
        }
        return Map.entry(text.substring(0, equals), text.substring(equals + 1));
    }
}
