package io.cloudmw.cli.cluster;

import io.cloudmw.cli.command.ClientCommand;
import io.cloudmw.cli.command.CommandContext;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.core.status.StoreStatus;
import io.cloudmw.core.status.UpkeepStatus;
import io.cloudmw.core.status.fleet.FleetView;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/** The command that prints the state of the cluster. */
@Command(
        name = "status",
        mixinStandardHelpOptions = true,
        description = "Show stores, helpers, chunks with too few copies, how far their repair is, and switches.")
public final class StatusCommand extends ClientCommand {
    public StatusCommand(CommandContext context) {
        super(context);
    }

    @Override
    protected Map<String, ?> run(CloudMw client) throws Exception {
        UpkeepStatus status = Calls.await(client.cluster().status());
        FleetView fleet = Calls.await(client.cluster().fleet());
        List<StoreStatus> stores = Calls.await(client.stores().list());
        StatusReport.lines(status).forEach(line -> say("%s", line));
        shutOut(stores);
        FleetReport.switchLines(fleet).forEach(line -> say("%s", line));
        Map<String, Object> json = StatusReport.json(status);
        Map<String, Object> shutOut = new LinkedHashMap<>();
        for (StoreStatus store : stores) {
            if (!store.reach().shutOut().isEmpty()) {
                shutOut.put(
                        store.store().id().value(),
                        StoreAccessCommands.json(store.reach().shutOut()));
            }
        }
        json.put("shut_out", shutOut);
        json.put("switches", FleetReport.switches(fleet));
        return json;
    }

    /** Prints the processes that cannot use a store, and their faults. */
    private void shutOut(List<StoreStatus> stores) {
        for (StoreStatus store : stores) {
            store.reach()
                    .shutOut()
                    .forEach((process, fault) -> say(
                            "shut out: %s cannot use store %s (%s): %s",
                            process, store.store().id(), StoreAccessCommands.described(store.store()), fault.reason()));
        }
    }
}
