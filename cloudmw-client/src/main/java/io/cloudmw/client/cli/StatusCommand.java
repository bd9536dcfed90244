package io.cloudmw.client.cli;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.core.monitor.FleetView;
import io.cloudmw.core.upkeep.task.UpkeepStatus;
import java.util.Map;
import picocli.CommandLine.Command;

/** How the cluster fares. */
@Command(
        name = "status",
        mixinStandardHelpOptions = true,
        description = "Show stores, helpers, chunks with too few copies, how far their repair is, and switches.")
final class StatusCommand extends ClientCommand {
    StatusCommand(CommandContext context) {
        super(context);
    }

    @Override
    Map<String, ?> run(CloudMw client) throws Exception {
        UpkeepStatus status = Calls.await(client.status());
        FleetView fleet = Calls.await(client.fleet());
        StatusReport.lines(status).forEach(line -> say("%s", line));
        FleetReport.switchLines(fleet).forEach(line -> say("%s", line));
        Map<String, Object> json = StatusReport.json(status);
        json.put("switches", FleetReport.switches(fleet));
        return json;
    }
}
