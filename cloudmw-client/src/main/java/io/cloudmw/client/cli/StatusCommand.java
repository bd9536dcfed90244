package io.cloudmw.client.cli;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.core.upkeep.task.UpkeepStatus;
import java.util.Map;
import picocli.CommandLine.Command;

/** How the cluster fares. */
@Command(
        name = "status",
        mixinStandardHelpOptions = true,
        description = "Show stores, helpers, chunks with too few copies, and how far their repair is.")
final class StatusCommand extends ClientCommand {
    StatusCommand(CommandContext context) {
        super(context);
    }

    @Override
    Map<String, ?> run(CloudMw client) throws Exception {
        UpkeepStatus status = Calls.await(client.status());
        StatusReport.lines(status).forEach(line -> say("%s", line));
        return StatusReport.json(status);
    }
}
