package io.cloudmw.cli.volume;

import io.cloudmw.cli.command.ClientCommand;
import io.cloudmw.cli.command.CommandContext;
import io.cloudmw.cli.command.CommandGroup;
import io.cloudmw.cli.command.Modes;
import io.cloudmw.cli.command.OptionConverters;
import io.cloudmw.cli.output.FileCount;
import io.cloudmw.cli.output.Json;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.core.config.Sizes;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.ReadTarget;
import io.cloudmw.core.model.volume.Volume;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands about volumes. */
public final class VolumeCommands {
    private VolumeCommands() {}

    @Command(name = "volume", mixinStandardHelpOptions = true, description = "Create, list, change and remove volumes.")
    public static final class Group extends CommandGroup {}

    /** Returns a volume in one line. */
    static String line(Volume volume) {
        return String.format(
                Locale.ROOT,
                "%-24s %s leaf-size=%s replicas=%d quorum=%d mode=%s stores=%s%s%s%s",
                volume.name(),
                cut(volume.chunking()),
                Sizes.format(volume.chunking().leafSizeBytes()),
                volume.replicas(),
                volume.writeQuorum(),
                volume.mode().label(),
                volume.stores(),
                volume.target().map(target -> " target=\"" + target + "\"").orElse(""),
                volume.peers() ? " peers" : "",
                volume.leaving().isEmpty() ? "" : " leaving=" + volume.leaving());
    }

    /** Returns the chunking in the form of the option that sets it. */
    private static String cut(Chunking chunking) {
        return chunking instanceof Chunking.BySize size
                ? "chunk-size=" + Sizes.format(size.bytes())
                : "chunks=" + ((Chunking.ByCount) chunking).chunks();
    }

    @Command(name = "create", mixinStandardHelpOptions = true, description = "Create a volume.")
    public static final class Create extends ClientCommand {
        @Parameters(index = "0", paramLabel = "NAME")
        private String name = "";

        @Option(names = "--chunks", paramLabel = "N", description = "cut every file into N chunks")
        private @Nullable Integer chunks;

        @Option(
                names = "--chunk-size",
                paramLabel = "SIZE",
                converter = OptionConverters.Size.class,
                description = "cut files by size (default 64MiB)")
        private @Nullable Long chunkSize;

        @Option(
                names = "--leaf-size",
                paramLabel = "SIZE",
                converter = OptionConverters.Size.class,
                description =
                        "the smallest unit that reads fetch and verify: 4KiB to 256KiB, a power of two (default 256KiB)")
        private long leafSize = Chunking.DEFAULT_LEAF_BYTES;

        @Option(names = "--replicas", paramLabel = "K", description = "copies of each chunk (default 3)")
        private int replicas = 3;

        @Option(
                names = "--store",
                paramLabel = "ID",
                split = ",",
                description = "where copies go; once for each (default: everywhere)")
        private List<String> stores = new ArrayList<>();

        @Option(
                names = "--write-quorum",
                paramLabel = "Q",
                description = "copies that are durable when a put returns (default: more than half)")
        private @Nullable Integer writeQuorum;

        @Option(
                names = "--mode",
                paramLabel = "MODE",
                completionCandidates = Modes.Labels.class,
                description = "how replicas compete (default cooperative)")
        private String mode = Mode.DEFAULT.label();

        @Option(
                names = "--target",
                paramLabel = "TARGET",
                description = "a time limit for reads, like \"p99 of 64MiB under 900ms\"")
        private @Nullable String target;

        @Option(names = "--rotate", description = "helpers swap replicas from chunk to chunk")
        private boolean rotate;

        @Option(names = "--peers", description = "clients that hold chunks may serve them to their neighbours")
        private boolean peers;

        public Create(CommandContext context) {
            super(context);
        }

        @Override
        protected Map<String, ?> run(CloudMw client) throws Exception {
            Volume wanted = new Volume(
                    new VolumeName(name),
                    chunking(),
                    replicas,
                    storeIds(client),
                    writeQuorum == null ? replicas / 2 + 1 : writeQuorum,
                    Modes.parse("--mode", mode),
                    rotate,
                    0,
                    Optional.ofNullable(target).map(ReadTarget::parse),
                    peers);
            return Json.of(Calls.await(client.volumes().create(wanted)));
        }

        private Chunking chunking() {
            if (chunks != null && chunkSize != null) {
                throw new IllegalArgumentException("--chunks and --chunk-size: only one of the two");
            }
            int leaf = (int) Math.min(leafSize, Integer.MAX_VALUE);
            if (chunks != null) {
                return new Chunking.ByCount(chunks, leaf);
            }
            long usual = Math.min(64L << 20, Chunking.maxChunkBytes(leaf));
            return new Chunking.BySize(chunkSize == null ? usual : chunkSize, leaf);
        }

        private List<StoreId> storeIds(CloudMw client) throws Exception {
            if (!stores.isEmpty()) {
                return stores.stream().map(StoreId::new).toList();
            }
            return Calls.await(client.stores().list()).stream()
                    .filter(status -> !status.store().isLost())
                    .map(status -> status.store().id())
                    .toList();
        }
    }

    @Command(name = "ls", mixinStandardHelpOptions = true, description = "List volumes.")
    public static final class Ls extends ClientCommand {
        public Ls(CommandContext context) {
            super(context);
        }

        @Override
        protected Map<String, ?> run(CloudMw client) throws Exception {
            List<Volume> volumes = Calls.await(client.volumes().list());
            List<Map<String, ?>> rows = new ArrayList<>();
            for (Volume volume : volumes) {
                say("%s", line(volume));
                Map<String, Object> row = Json.of(volume);
                row.put("leaving", ReshapeReport.leaving(VolumeShowCommand.departures(client, volume)));
                rows.add(row);
            }
            return Map.of("volumes", rows);
        }
    }

    @Command(name = "rm", mixinStandardHelpOptions = true, description = "Remove a volume.")
    public static final class Rm extends ClientCommand {
        @Parameters(index = "0", paramLabel = "NAME")
        private String name = "";

        @Option(
                names = "--force",
                description = "also when it still has files; on a terminal the command asks first, unless --yes")
        private boolean force;

        @Option(
                names = {"-y", "--yes"},
                description = "do not ask")
        private boolean yes;

        public Rm(CommandContext context) {
            super(context);
        }

        @Override
        protected Map<String, ?> run(CloudMw client) throws Exception {
            VolumeName volume = new VolumeName(name);
            if (force && !yes && context.isTerminal() && !isConfirmed(client, volume)) {
                throw new CloudMwException(ErrorCode.CANCELLED, "volume " + name + ": not deleted");
            }
            Calls.await(client.volumes().delete(volume, force));
            return Map.of("removed", name);
        }

        private boolean isConfirmed(CloudMw client, VolumeName volume) throws Exception {
            Calls.await(client.volumes().get(volume));
            FileCount files = FileCount.of(client, volume);
            return files.isNone() || context.asks("Delete volume " + name + " with " + files + "?");
        }
    }
}
