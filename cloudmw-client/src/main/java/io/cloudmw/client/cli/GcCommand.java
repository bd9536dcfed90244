package io.cloudmw.client.cli;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.core.config.Sizes;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.upkeep.task.CollectProgress;
import io.cloudmw.core.upkeep.task.CollectRound;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What lies in stores and nothing names: counted, and what is old enough deleted. */
@Command(
        name = "gc",
        mixinStandardHelpOptions = true,
        description = "Look through all stores for what nothing names, and delete what is old enough.")
final class GcCommand extends ClientCommand {
    private static final Duration POLL = Duration.ofMillis(200);

    @Option(names = "--dry-run", description = "only count")
    private boolean dry;

    GcCommand(CommandContext context) {
        super(context);
    }

    @Override
    Map<String, ?> run(CloudMw client) throws Exception {
        CollectRound round = round(client);
        say(
                "%d copies lie in stores; nothing names %d, of which %d are too young to be deleted",
                round.listed(), round.unnamed(), round.waiting());
        if (dry) {
            say("%d copies would be deleted, %d failures", deletable(round), round.failed());
        } else {
            say(
                    "%d copies deleted (%s), %d versions forgotten, %d failures",
                    round.deleted(), Sizes.approximate(round.deletedBytes()), round.forgotten(), round.failed());
        }
        if (round.unknown() > 0) {
            say("%d copies are of versions this catalog knows nothing of: they stay", round.unknown());
        }
        return json(round);
    }

    private CollectRound round(CloudMw client) throws CloudMwException, InterruptedException {
        long number = Calls.await(client.collect(dry));
        context.whenInterrupted(() -> UpkeepRound.ended(client.endCollection(number)));
        try (Progress shown = Progress.of(context, options, dry ? "gc --dry-run" : "gc")) {
            CollectProgress progress = Calls.await(client.status()).collect();
            while (progress.rounds() < number) {
                if (progress.underWay() && progress.rounds() == number - 1) {
                    shown.counted(text(progress.now()));
                } else {
                    shown.counted("waits for the round before it");
                }
                context.pause(POLL);
                progress = Calls.await(client.status()).collect();
            }
            return progress.last();
        }
    }

    private static String text(CollectRound round) {
        return String.format(
                Locale.ROOT,
                "%d of %d stores, %,d copies looked at, %,d of them named by nothing, %,d deleted",
                round.storesDone(),
                round.stores(),
                round.listed(),
                round.unnamed(),
                round.deleted());
    }

    /** What nothing names, and not only since a moment ago. */
    private static long deletable(CollectRound round) {
        return Math.max(0, round.unnamed() - round.waiting());
    }

    static Map<String, Object> json(CollectRound round) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("dry_run", round.dry());
        json.put("began_millis", round.beganMillis());
        json.put("stores", round.stores());
        json.put("stores_done", round.storesDone());
        json.put("listed", round.listed());
        json.put("unnamed", round.unnamed());
        json.put("waiting", round.waiting());
        if (round.dry()) {
            json.put("would_delete", deletable(round));
        }
        json.put("deleted", round.deleted());
        json.put("deleted_bytes", round.deletedBytes());
        json.put("failed", round.failed());
        json.put("forgotten", round.forgotten());
        json.put("unknown", round.unknown());
        return json;
    }
}
