package io.cloudmw.helper.cli;

import io.cloudmw.core.config.Settings;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.tls.TlsOptions;
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
 * The options of every server command. They may stand before or after the command's name; an option after it wins.
 */
final class ServerOptions {
    /** The name of the field that holds these options in each command. */
    private static final String MIXIN = "options";

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec command;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "A file of settings, one key=value per line; see docs/configuration.md.")
    private @Nullable Path config;

    @Option(names = "-D", paramLabel = "KEY=VALUE", description = "A setting, which overrides the file. Repeatable.")
    private Map<String, String> overrides = new LinkedHashMap<>();

    @Option(names = "--json", description = "Print one JSON object when ready.")
    private boolean json;

    @Option(
            names = "--secret-file",
            paramLabel = "FILE",
            description = "The file of the cluster's secret; created when it is missing.")
    private @Nullable String secretFile;

    @Option(
            names = "--insecure",
            description = "Plain text instead of TLS, for a cluster on one machine (tls.insecure).")
    private boolean insecure;

    @Option(names = "--until-eof", description = "Stop at the end of standard input, and so with the parent process.")
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

    /** The settings given by options; those after the command win. */
    private Map<String, String> overriding() {
        Map<String, String> all = new LinkedHashMap<>();
        outer().ifPresent(before -> all.putAll(before.overriding()));
        if (secretFile != null) {
            all.put(ClusterKey.SETTING, secretFile);
        }
        if (insecure) {
            all.put(TlsOptions.INSECURE, "true");
        }
        all.putAll(overrides);
        return all;
    }

    private boolean endsWithInput() {
        return untilEof || outer().map(ServerOptions::endsWithInput).orElse(false);
    }

    /**
     * The settings of all sources; options of the command line win.
     *
     * @param options values by key; null when an option was not given
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

    /** Starts to watch standard input if the process is to stop at its end. */
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
            // A failed read counts as the end.
        }
        System.exit(0);
    }

    /**
     * Splits {@code name=value}.
     *
     * @param form the expected form, for messages
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
