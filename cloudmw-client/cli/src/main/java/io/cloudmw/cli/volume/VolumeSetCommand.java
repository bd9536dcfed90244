package io.cloudmw.cli.volume;

import io.cloudmw.cli.command.ClientCommand;
import io.cloudmw.cli.command.CommandContext;
import io.cloudmw.cli.command.Modes;
import io.cloudmw.cli.command.OptionConverters;
import io.cloudmw.cli.output.Json;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.volume.ReadTarget;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.model.volume.VolumeChange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that changes the settings of a volume. */
@Command(
        name = "set",
        mixinStandardHelpOptions = true,
        description = {
            "Change how a volume keeps its files; settings that are not named stay.",
            "Copies are made, moved and given up in the background: see volume show and status."
        })
public final class VolumeSetCommand extends ClientCommand {
    private static final String NO_TARGET = "none";

    @Parameters(index = "0", paramLabel = "NAME")
    private String name = "";

    @Option(
            names = "--add-store",
            paramLabel = "ID",
            split = ",",
            description = "a store that new chunks may go to; once for each")
    private List<String> added = new ArrayList<>();

    @Option(
            names = "--remove-store",
            paramLabel = "ID",
            split = ",",
            description = "a store that the volume gives up: its copies go to the others first; once for each")
    private List<String> removed = new ArrayList<>();

    @Option(names = "--replicas", paramLabel = "K", description = "copies of each chunk")
    private @Nullable Integer replicas;

    @Option(names = "--write-quorum", paramLabel = "Q", description = "copies that are durable when a put returns")
    private @Nullable Integer writeQuorum;

    @Option(names = "--mode", paramLabel = "MODE", description = "how replicas compete")
    private @Nullable String mode;

    @Option(
            names = "--target",
            paramLabel = "TARGET",
            description = "a time limit for reads, like \"p99 of 64MiB under 900ms\"; none: nothing")
    private @Nullable String target;

    @Option(
            names = "--peers",
            negatable = true,
            description = "clients that hold chunks may serve them to their neighbours, or may not")
    private @Nullable Boolean peers;

    @Option(names = "--chunks", paramLabel = "N", description = "cut new versions into N chunks")
    private @Nullable Integer chunks;

    @Option(
            names = "--chunk-size",
            paramLabel = "SIZE",
            converter = OptionConverters.Size.class,
            description = "cut new versions by size")
    private @Nullable Long chunkSize;

    @Option(
            names = "--leaf-size",
            paramLabel = "SIZE",
            converter = OptionConverters.Size.class,
            description = "the smallest unit that reads of new versions fetch and verify")
    private @Nullable Long leafSize;

    @Option(
            names = "--generation",
            paramLabel = "N",
            description =
                    "change the volume only if it has this generation (volume ls --json); otherwise exit 4. Default: the one that "
                            + "the command reads before its change")
    private long generation;

    public VolumeSetCommand(CommandContext context) {
        super(context);
    }

    @Override
    protected Map<String, ?> run(CloudMw client) throws Exception {
        long expected = generation == 0
                ? Calls.await(client.volumes().get(new VolumeName(name))).generation()
                : generation;
        Volume volume = Calls.await(client.volumes().change(change(expected)));
        say("volume %s has generation %d", volume.name(), volume.generation());
        if (!volume.leaving().isEmpty()) {
            say("leaving: %s (volume show %s says how many copies are left)", volume.leaving(), volume.name());
        }
        return Json.of(volume);
    }

    private VolumeChange change(long expected) {
        VolumeChange.Builder change = VolumeChange.of(new VolumeName(name)).atGeneration(expected);
        added.forEach(store -> change.addStore(new StoreId(store)));
        removed.forEach(store -> change.removeStore(new StoreId(store)));
        if (replicas != null) {
            change.replicas(replicas);
        }
        if (writeQuorum != null) {
            change.writeQuorum(writeQuorum);
        }
        if (mode != null) {
            change.mode(Modes.parse("--mode", mode));
        }
        if (target != null) {
            change.target(target.equals(NO_TARGET) ? Optional.empty() : Optional.of(ReadTarget.parse(target)));
        }
        if (peers != null) {
            change.peers(peers);
        }
        cut(change);
        return change.build();
    }

    private void cut(VolumeChange.Builder change) {
        if (chunks != null && chunkSize != null) {
            throw new IllegalArgumentException("--chunks and --chunk-size: only one of the two");
        }
        if (chunks != null) {
            change.chunks(chunks);
        }
        if (chunkSize != null) {
            change.chunkSizeBytes(chunkSize);
        }
        if (leafSize != null) {
            change.leafSizeBytes((int) Math.min(leafSize, Integer.MAX_VALUE));
        }
    }
}
