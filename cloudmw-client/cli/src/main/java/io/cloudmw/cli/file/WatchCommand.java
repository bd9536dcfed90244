package io.cloudmw.cli.file;

import io.cloudmw.cli.command.ClientCommand;
import io.cloudmw.cli.command.CommandContext;
import io.cloudmw.cli.command.OptionConverters;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.file.Watch;
import io.cloudmw.client.file.WatchListener;
import io.cloudmw.client.tree.RemotePath;
import io.cloudmw.core.config.Durations;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.Change;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that prints one line for each change of names in a volume, until interrupted. */
@Command(
        name = "watch",
        mixinStandardHelpOptions = true,
        description = "Print changes of files and directories as they happen.")
public final class WatchCommand extends ClientCommand {
    @Parameters(index = "0", paramLabel = "VOLUME[:/PATH]", description = "the path, and all paths below it")
    private String watched = "";

    @Option(
            names = "--from",
            paramLabel = "POSITION",
            description = "from the change after this one (default: from now on)")
    private @Nullable Long from;

    @Option(names = "--count", paramLabel = "N", description = "end after N changes (default: never)")
    private long count = Long.MAX_VALUE;

    @Option(
            names = "--for",
            paramLabel = "TIME",
            converter = OptionConverters.Time.class,
            description = "end after this long; exit 5 if --count was not reached")
    private @Nullable Duration duration;

    public WatchCommand(CommandContext context) {
        super(context);
    }

    @Override
    protected Map<String, ?> run(CloudMw client) throws Exception {
        if (count < 1) {
            throw new IllegalArgumentException("count: " + count + " (expected: >= 1)");
        }
        if (from != null && from < 0) {
            throw new IllegalArgumentException("from: " + from + " (expected: >= 0)");
        }
        long timeoutNanos = duration == null ? Long.MAX_VALUE : duration.toNanos();
        RemotePath place = RemotePath.directory(watched).requireCurrent();
        Lines lines = new Lines(place.volume(), place.path());
        OptionalLong after = from == null ? OptionalLong.empty() : OptionalLong.of(from);
        try (Watch watch = client.files().watch(place.volume(), place.path(), after, lines)) {
            var unused = watch.started().thenAccept(lines::watching);
            await(CompletableFuture.anyOf(watch.done(), lines.enough), timeoutNanos);
        }
        return Map.of();
    }

    private void await(CompletableFuture<Object> end, long timeoutNanos) throws Exception {
        try {
            Object unused = CommandContext.unwrapped(() -> end.get(timeoutNanos, TimeUnit.NANOSECONDS));
        } catch (TimeoutException e) {
            if (count < Long.MAX_VALUE) {
                throw new CloudMwException(
                        ErrorCode.DEADLINE_EXCEEDED,
                        "watch: fewer than " + count + " changes within "
                                + Durations.format(Duration.ofNanos(timeoutNanos))
                                + " (--for allows more time; --from goes on after the last printed position)",
                        e);
            }
        }
    }

    /** The listener that prints each change at once. */
    private final class Lines implements WatchListener {
        private final VolumeName volume;
        private final String path;
        private final CompletableFuture<Void> begun = new CompletableFuture<>();
        private final CompletableFuture<Object> enough = new CompletableFuture<>();
        private long told;

        Lines(VolumeName volume, String path) {
            this.volume = volume;
            this.path = path;
        }

        /**
         * Reports the first position, before any change. Without {@code --json} the line goes to standard error,
         * because standard output has only changes.
         */
        void watching(long position) {
            if (options.json()) {
                print("watching", position, line("watching", position, path), "");
            } else if (!options.quiet()) {
                context.err().println("cloudmw: watching " + volume + ":" + path + " from position " + position);
            }
            begun.complete(null);
        }

        @Override
        public void changed(Change change) {
            begun.join();
            if (enough.isDone()) {
                return;
            }
            String kind = change.kind().name().toLowerCase(Locale.ROOT);
            Map<String, Object> line = line(kind, change.position(), change.path());
            change.from().ifPresent(before -> line.put("from", volume + ":" + before));
            change.version().map(VersionId::value).ifPresent(version -> line.put("version", version));
            line.put("at_millis", change.atMillis());
            String before =
                    change.from().map(old -> volume + ":" + old + " -> ").orElse("");
            print(kind, change.position(), line, before + volume + ":" + change.path());
            told++;
            if (told == count) {
                enough.complete(told);
            }
        }

        @Override
        public void lost(long position) {
            begun.join();
            String what = volume + ":" + path + " (what happened before is not known any more)";
            print("lost", position, line("lost", position, path), what);
        }

        private Map<String, Object> line(String kind, long position, String place) {
            Map<String, Object> line = new LinkedHashMap<>();
            line.put("position", position);
            line.put("kind", kind);
            line.put("path", volume + ":" + place);
            return line;
        }

        private void print(String kind, long position, Map<String, Object> line, String what) {
            if (options.json()) {
                context.out().printJson(line);
            } else {
                say("%12d  %-14s %s", position, kind, what);
            }
            // The reader of the output may have stopped: `watch | head`.
            if (context.out().checkError()) {
                enough.complete(told);
            }
        }
    }
}
