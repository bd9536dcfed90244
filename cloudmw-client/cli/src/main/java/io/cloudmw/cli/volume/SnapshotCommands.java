package io.cloudmw.cli.volume;

import io.cloudmw.cli.command.ClientCommand;
import io.cloudmw.cli.command.CommandContext;
import io.cloudmw.cli.command.CommandGroup;
import io.cloudmw.cli.output.Json;
import io.cloudmw.cli.output.JsonArray;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.client.tree.RemotePath;
import io.cloudmw.client.tree.SnapshotDiff;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.Snapshot;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands about snapshots. */
public final class SnapshotCommands {
    private SnapshotCommands() {}

    @Command(
            name = "snapshot",
            mixinStandardHelpOptions = true,
            description = "Keep the names of a volume as they are, compare and restore them.")
    public static final class Group extends CommandGroup {}

    private static Map<String, Object> json(Snapshot snapshot) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("volume", snapshot.volume().value());
        object.put("name", snapshot.name());
        object.put("number", snapshot.number());
        object.put("created_at_millis", snapshot.createdAtMillis());
        return object;
    }

    /** The base of commands that name one snapshot. */
    private abstract static class OneCommand extends ClientCommand {
        @Parameters(index = "0", paramLabel = "VOLUME")
        private String volume = "";

        @Parameters(index = "1", paramLabel = "NAME")
        private String name = "";

        OneCommand(CommandContext context) {
            super(context);
        }

        VolumeName volume() {
            return new VolumeName(volume);
        }

        String name() {
            return Snapshot.checkName(name);
        }
    }

    @Command(
            name = "create",
            mixinStandardHelpOptions = true,
            description = "Keep the names of a volume as they are now.")
    public static final class Create extends OneCommand {
        public Create(CommandContext context) {
            super(context);
        }

        @Override
        protected Map<String, ?> run(CloudMw client) throws Exception {
            Snapshot made = Calls.await(client.snapshots().create(volume(), name()));
            say("%s@%s", made.volume(), made.name());
            return json(made);
        }
    }

    @Command(name = "ls", mixinStandardHelpOptions = true, description = "List the snapshots of a volume.")
    public static final class Ls extends ClientCommand {
        @Parameters(index = "0", paramLabel = "VOLUME")
        private String volume = "";

        public Ls(CommandContext context) {
            super(context);
        }

        @Override
        protected Map<String, ?> run(CloudMw client) throws Exception {
            List<Snapshot> all = Calls.await(client.snapshots().list(new VolumeName(volume)));
            for (Snapshot snapshot : all) {
                say("%-24s %s", snapshot.name(), Instant.ofEpochMilli(snapshot.createdAtMillis()));
            }
            return Map.of("snapshots", all.stream().map(SnapshotCommands::json).toList());
        }
    }

    @Command(
            name = "rm",
            mixinStandardHelpOptions = true,
            description = "Remove a snapshot; files that only the snapshot kept are deleted in the background.")
    public static final class Rm extends OneCommand {
        public Rm(CommandContext context) {
            super(context);
        }

        @Override
        protected Map<String, ?> run(CloudMw client) throws Exception {
            Snapshot removed = Calls.await(client.snapshots().remove(volume(), name()));
            say("%s@%s", removed.volume(), removed.name());
            return Map.of("removed", json(removed));
        }
    }

    @Command(
            name = "diff",
            mixinStandardHelpOptions = true,
            description = "List the files that differ between two snapshots, or between a snapshot and the present.")
    public static final class Diff extends OneCommand {
        @Parameters(
                index = "2",
                arity = "0..1",
                paramLabel = "LATER",
                description = "the later snapshot (default: the present)")
        private @Nullable String later;

        @Option(names = "--path", paramLabel = "/PATH", description = "only files in this directory")
        private String path = "/";

        public Diff(CommandContext context) {
            super(context);
        }

        @Override
        protected Map<String, ?> run(CloudMw client) throws Exception {
            Optional<String> after = Optional.ofNullable(later).map(Snapshot::checkName);
            try (JsonArray found = new JsonArray(context.out(), "differences")) {
                new SnapshotDiff(client, volume(), name(), after, difference -> {
                            if (options.json()) {
                                found.add(json(difference));
                            }
                            say("%-10s %s", word(difference.kind()), difference.path());
                            return !context.out().checkError();
                        })
                        .run(path);
                if (options.json()) {
                    found.end();
                }
            }
            return Map.of();
        }
    }

    private static String word(SnapshotDiff.Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }

    private static Map<String, Object> json(SnapshotDiff.Difference difference) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("kind", word(difference.kind()));
        object.put("path", difference.path());
        object.put("version", difference.version().id().value());
        object.put("size_bytes", difference.version().sizeBytes());
        return object;
    }

    @Command(
            name = "restore",
            mixinStandardHelpOptions = true,
            description = "Restore a file or directory of a snapshot at its path; no data is copied.")
    public static final class Restore extends ClientCommand {
        @Parameters(index = "0", paramLabel = "VOLUME@SNAPSHOT:/PATH")
        private String source = "";

        @Option(
                names = {"-r", "--recursive"},
                description = "all files of a directory and its subdirectories, one after the other")
        private boolean recursive;

        @Option(names = "--delete", description = "with -r: remove files that were not there")
        private boolean delete;

        @Option(names = "--dry-run", description = "with -r: only list the files to be restored and removed")
        private boolean dryRun;

        public Restore(CommandContext context) {
            super(context);
        }

        @Override
        protected Map<String, ?> run(CloudMw client) throws Exception {
            RemotePath from = RemotePath.directory(source);
            String snapshot = from.snapshot()
                    .orElseThrow(
                            () -> new IllegalArgumentException("\"" + source + "\" (expected: VOLUME@SNAPSHOT:/PATH)"));
            if (!recursive) {
                if (delete || dryRun) {
                    throw new IllegalArgumentException("--delete, --dry-run: only with --recursive");
                }
                return Calls.await(client.snapshots().restore(snapshot, from.file()))
                        .map(Json::of)
                        .orElseGet(() -> Json.ofDirectory(from));
            }
            try (JsonArray done = new JsonArray(context.out(), "restored")) {
                SnapshotDiff.Listener listener = new SnapshotDiff.Listener() {
                    @Override
                    public boolean found(SnapshotDiff.Difference difference) throws CloudMwException {
                        if (restore(client, snapshot, from.volume(), difference)) {
                            if (options.json()) {
                                done.add(json(difference));
                            }
                            boolean added = difference.kind() == SnapshotDiff.Kind.ADDED;
                            say("%-8s %s", added ? "removed" : "restored", difference.path());
                        }
                        return true;
                    }

                    @Override
                    public boolean missing(String directory) throws CloudMwException {
                        if (restoreDirectory(client, snapshot, new FilePath(from.volume(), directory))) {
                            say("%-8s %s", "restored", directory + "/");
                        }
                        return true;
                    }
                };
                new SnapshotDiff(client, from.volume(), snapshot, Optional.empty(), listener).run(from.path());
                if (options.json()) {
                    done.end();
                }
            }
            return Map.of();
        }

        /** Restores a directory that stayed when it was empty; another one appears with its files. */
        private boolean restoreDirectory(CloudMw client, String snapshot, FilePath directory) throws CloudMwException {
            if (!Calls.await(client.snapshots().entry(snapshot, directory.volume(), directory.path()))
                    .stays()) {
                return false;
            }
            if (!dryRun) {
                var unused = Calls.await(client.snapshots().restore(snapshot, directory));
            }
            return true;
        }

        /**
         * Removes a file that was added since the snapshot, if {@code --delete} is set, and restores any other
         * difference.
         */
        private boolean restore(CloudMw client, String snapshot, VolumeName volume, SnapshotDiff.Difference difference)
                throws CloudMwException {
            FilePath file = new FilePath(volume, difference.path());
            boolean added = difference.kind() == SnapshotDiff.Kind.ADDED;
            if (added && !delete) {
                return false;
            }
            if (!dryRun) {
                CompletableFuture<?> change =
                        added ? client.files().remove(file) : client.snapshots().restore(snapshot, file);
                var unused = Calls.await(change);
            }
            return true;
        }
    }
}
