package io.cloudmw.cli.volume;

import io.cloudmw.cli.command.ClientCommand;
import io.cloudmw.cli.command.CommandContext;
import io.cloudmw.cli.output.Json;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.status.ReshapeProgress;
import io.cloudmw.core.status.VolumeReshapeProgress;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The command that shows one volume, with the copies left in the stores that leave it. */
@Command(
        name = "show",
        mixinStandardHelpOptions = true,
        description = "Show how a volume keeps its files, and the copies left in stores that leave it.")
public final class VolumeShowCommand extends ClientCommand {
    @Parameters(index = "0", paramLabel = "NAME")
    private String name = "";

    public VolumeShowCommand(CommandContext context) {
        super(context);
    }

    @Override
    protected Map<String, ?> run(CloudMw client) throws Exception {
        Volume volume = Calls.await(client.volumes().get(new VolumeName(name)));
        say("%s", VolumeCommands.line(volume));
        say("generation %d", volume.generation());
        Map<String, Object> answer = Json.of(volume);
        List<VolumeReshapeProgress.Departure> departures = departures(client, volume);
        departures.forEach(store -> say("%s", ReshapeReport.line(store)));
        answer.put("leaving", ReshapeReport.leaving(departures));
        return answer;
    }

    /** Asks for the progress of upkeep, but only when a store leaves the volume. */
    static List<VolumeReshapeProgress.Departure> departures(CloudMw client, Volume volume) throws Exception {
        if (volume.leaving().isEmpty()) {
            return List.of();
        }
        ReshapeProgress progress = Calls.await(client.cluster().status()).reshape();
        return ReshapeReport.departures(progress, volume.name());
    }
}
