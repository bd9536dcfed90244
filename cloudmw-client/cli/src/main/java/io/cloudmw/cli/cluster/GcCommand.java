package io.cloudmw.cli.cluster;

import io.cloudmw.cli.command.ClientCommand;
import io.cloudmw.cli.command.CommandContext;
import io.cloudmw.cli.progress.Progress;
import io.cloudmw.cli.progress.Tally;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.core.config.Sizes;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.status.collect.CollectFindings;
import io.cloudmw.core.status.collect.CollectRound;
import io.cloudmw.core.status.collect.CopyTotal;
import io.cloudmw.core.status.collect.OrderedRound;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command that counts unreferenced objects in stores and deletes the old ones. */
@Command(
        name = "gc",
        mixinStandardHelpOptions = true,
        description = "Find copies in stores that no file or snapshot references, and delete the old ones.")
public final class GcCommand extends ClientCommand {
    private static final Duration POLL = Duration.ofMillis(200);

    @Option(names = "--dry-run", description = "only count")
    private boolean dry;

    public GcCommand(CommandContext context) {
        super(context);
    }

    @Override
    protected Map<String, ?> run(CloudMw client) throws Exception {
        CollectRound round = round(client);
        CollectFindings findings = round.findings();
        say(
                "%s in stores; %s unreferenced, of which %d are too young to be deleted",
                text(findings.listed()),
                text(findings.unnamed()),
                findings.waiting().copies());
        if (dry) {
            say("%s would be deleted, %d failures", text(round.deletable()), round.failed());
        } else {
            say(
                    "%s deleted, %d versions forgotten, %d failures",
                    text(round.deleted()), round.forgotten(), round.failed());
        }
        if (round.compacted().copies() > 0) {
            say(
                    "%s packs of small files compacted, which will free %s",
                    number(round.compacted().copies()),
                    Sizes.approximate(round.compacted().bytes()));
        }
        if (findings.unknown() > 0) {
            say("%d copies belong to versions unknown to this catalog: they stay", findings.unknown());
        }
        return json(round);
    }

    private CollectRound round(CloudMw client) throws CloudMwException, InterruptedException {
        UUID order = UUID.randomUUID();
        context.whenInterrupted(() -> UpkeepRound.ended(client.cluster().endCollection(order)));
        long unused = Calls.await(client.cluster().collect(order, dry));
        try (Progress shown = Progress.of(context, options, dry ? "gc --dry-run" : "gc")) {
            OrderedRound round = Calls.await(client.cluster().collection(order));
            while (!round.state().isOver()) {
                if (round.state() == OrderedRound.State.UNDER_WAY) {
                    shown.counted(tally(round.found()));
                } else {
                    shown.counted(Tally.of("waits for the previous round"));
                }
                context.pause(POLL);
                round = Calls.await(client.cluster().collection(order));
            }
            shown.counted(tally(round.found()));
            return found(round);
        }
    }

    private CollectRound found(OrderedRound round) throws CloudMwException {
        if (round.state() == OrderedRound.State.CANCELLED) {
            throw context.endedElsewhere("round " + round.number() + " of garbage collection: was ended");
        }
        return round.found();
    }

    /**
     * Returns the progress in copies and bytes. The total is an estimate until every store is listed, and unknown until
     * every store has begun.
     */
    public static Tally tally(CollectRound round) {
        CopyTotal listed = round.findings().listed();
        CopyTotal expected = round.coverage().expected();
        boolean isKnown = expected.copies() > 0;
        boolean isExact = round.coverage().storesDone() == round.coverage().stores();
        String of = isExact ? " of " : " of about ";
        String text = number(listed.copies())
                + (isKnown ? of + number(Math.max(listed.copies(), expected.copies())) : "")
                + " copies, "
                + Sizes.approximate(listed.bytes())
                + (isKnown ? of + Sizes.approximate(Math.max(listed.bytes(), expected.bytes())) : "");
        String details = String.format(
                Locale.ROOT,
                "%d of %d stores, %s unreferenced, %s deleted",
                round.coverage().storesDone(),
                round.coverage().stores(),
                text(round.findings().unnamed()),
                text(round.deleted()));
        return new Tally(text, listed.copies(), isKnown ? expected.copies() : -1, details);
    }

    private static String text(CopyTotal total) {
        return number(total.copies()) + " copies (" + Sizes.approximate(total.bytes()) + ")";
    }

    private static String number(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    static Map<String, Object> json(CollectRound round) {
        CollectFindings findings = round.findings();
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("dry_run", round.dry());
        json.put("began_millis", round.beganMillis());
        json.put("stores", round.coverage().stores());
        json.put("stores_done", round.coverage().storesDone());
        json.put("expected", round.coverage().expected().copies());
        json.put("expected_bytes", round.coverage().expected().bytes());
        put(json, "listed", findings.listed());
        put(json, "unnamed", findings.unnamed());
        put(json, "waiting", findings.waiting());
        if (round.dry()) {
            put(json, "would_delete", round.deletable());
        }
        put(json, "deleted", round.deleted());
        json.put("failed", round.failed());
        json.put("forgotten", round.forgotten());
        json.put("compacted", round.compacted().copies());
        json.put("compacted_bytes", round.compacted().bytes());
        json.put("unknown", findings.unknown());
        return json;
    }

    private static void put(Map<String, Object> json, String name, CopyTotal total) {
        json.put(name, total.copies());
        json.put(name + "_bytes", total.bytes());
    }
}
