package io.cloudmw.cli.cluster;

import io.cloudmw.cli.command.ClientCommand;
import io.cloudmw.cli.command.CommandContext;
import io.cloudmw.cli.output.Json;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.status.StoreStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that declares a store lost. */
@Command(
        name = "lost",
        mixinStandardHelpOptions = true,
        description = {
            "Declare a store gone for good: its copies are made anew elsewhere at once.",
            "There is no way back. The status command shows the progress, and the files without any copy."
        })
public final class StoreLostCommand extends ClientCommand {
    @Parameters(index = "0", paramLabel = "ID")
    private String id = "";

    @Option(
            names = {"-y", "--yes"},
            description = "do not ask")
    private boolean yes;

    public StoreLostCommand(CommandContext context) {
        super(context);
    }

    @Override
    protected Map<String, ?> run(CloudMw client) throws Exception {
        StoreId store = new StoreId(id);
        List<StoreStatus> stores = Calls.await(client.stores().list());
        Optional<StoreStatus> known = stores.stream()
                .filter(status -> status.store().id().equals(store))
                .findFirst();
        boolean asks = !yes
                && context.isTerminal()
                && known.isPresent()
                && !known.get().store().isLost();
        List<Volume> volumes = Calls.await(client.volumes().list()).stream()
                .filter(volume -> volume.storesInUse().contains(store))
                .toList();
        if (asks && !context.asks(question(known.get(), volumes))) {
            throw new CloudMwException(ErrorCode.CANCELLED, "store " + id + ": not declared lost");
        }
        StoreStatus lost = Calls.await(client.stores().declareLost(store));
        say("store %s is declared lost; cloudmw status shows the progress of its repair", id);
        warn(client, volumes, store);
        Map<String, Object> answer = Json.of(lost.store());
        answer.put(
                "volumes", volumes.stream().map(volume -> volume.name().value()).toList());
        return answer;
    }

    private static String question(StoreStatus store, List<Volume> volumes) {
        return "Declare store " + store.store().id() + " ("
                + store.store().kind().place() + ", "
                + (store.available() ? "available" : "unavailable") + ") lost for good? Volumes "
                + volumes.stream().map(Volume::name).toList() + " use it; there is no way back.";
    }

    /** Warns of volumes that have too few stores left. */
    private void warn(CloudMw client, List<Volume> volumes, StoreId lost) throws Exception {
        List<StoreId> usable = new ArrayList<>();
        for (StoreStatus status : Calls.await(client.stores().list())) {
            if (!status.draining() && !status.store().isLost()) {
                usable.add(status.store().id());
            }
        }
        for (Volume volume : volumes) {
            long left = volume.stores().stream()
                    .filter(store -> usable.contains(store) && !store.equals(lost))
                    .count();
            if (left < volume.replicas()) {
                say(
                        "volume %s has %d store%s left for %d replicas: add one (cloudmw volume set %s --add-store ID)",
                        volume.name(), left, left == 1 ? "" : "s", volume.replicas(), volume.name());
            }
        }
    }
}
