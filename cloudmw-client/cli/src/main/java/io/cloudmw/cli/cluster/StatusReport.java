package io.cloudmw.cli.cluster;

import io.cloudmw.cli.volume.ReshapeReport;
import io.cloudmw.core.config.Sizes;
import io.cloudmw.core.identity.HelperAdmission;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.status.RepairObstacle;
import io.cloudmw.core.status.RepairProgress;
import io.cloudmw.core.status.ReplacedProgress;
import io.cloudmw.core.status.RoundProgress;
import io.cloudmw.core.status.ScrubProgress;
import io.cloudmw.core.status.StoreCondition;
import io.cloudmw.core.status.UpkeepStatus;
import io.cloudmw.core.status.collect.CollectProgress;
import io.cloudmw.core.status.collect.CollectRound;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** The state of a cluster, as lines for people and as JSON. */
public final class StatusReport {
    private StatusReport() {}

    public static List<String> lines(UpkeepStatus status) {
        List<String> lines = new ArrayList<>();
        for (StoreCondition store : status.stores()) {
            lines.add(String.format(
                    Locale.ROOT, "store %-24s %s%s", store.id(), condition(store), drain(store, status.repair())));
        }
        lines.add("helpers alive: " + status.helpers().size());
        RepairProgress repair = status.repair();
        lines.add("under-replicated chunks: "
                + (repair.isCounted() ? "" : "at least ")
                + repair.underReplicatedChunks()
                + (repair.isCounted() ? "" : ", not all are counted yet")
                + counted(repair));
        repair.replaced().forEach((store, progress) -> lines.addAll(replaced(store, progress)));
        repair.underReplicated()
                .forEach((good, count) ->
                        lines.add(String.format(Locale.ROOT, "  with %d good copies: %d", good, count)));
        repair.obstacles().forEach((obstacle, count) -> lines.add("  " + count + " " + why(obstacle)));
        repair.awaited()
                .forEach((helper, count) -> lines.add("    " + count + " chunks wait for " + helper.describe()));
        lines.add(String.format(
                Locale.ROOT,
                "repair: %d copies waiting, %d being made, %d made (%s), %d tries failed, %d copies dropped%s",
                status.waitingTasks(),
                status.givenTasks(),
                repair.copied(),
                Sizes.approximate(repair.copiedBytes()),
                repair.failed(),
                repair.dropped(),
                repair.passes() == 0 ? "; nothing was looked at yet" : ""));
        lines.addAll(ReshapeReport.lines(status.reshape()));
        lines.add(scrub(status.scrub()));
        status.asked().map(StatusReport::asked).ifPresent(lines::add);
        lines.add(collect(status.collect()));
        return lines;
    }

    /** Returns the age of the counts of the last complete check; they do not follow single copies. */
    private static String counted(RepairProgress repair) {
        return repair.countAgeMillis() == RepairProgress.NOT_COUNTED
                ? ""
                : " (counted " + TimeUnit.MILLISECONDS.toSeconds(repair.countAgeMillis()) + " s ago)";
    }

    private static List<String> replaced(StoreId store, ReplacedProgress progress) {
        if (progress.complete()) {
            return List.of();
        }
        return List.of(String.format(
                Locale.ROOT,
                "  store %s was replaced: %,d of %,d copies made anew%s",
                store,
                progress.made(),
                progress.missing(),
                progress.lookedThrough()
                        ? ""
                        : String.format(Locale.ROOT, "; %,d copies looked for so far", progress.looked())));
    }

    private static String scrub(ScrubProgress scrub) {
        if (scrub.rounds() == 0 && !scrub.underWay()) {
            return "scrub: no periodic round has begun yet";
        }
        return String.format(
                Locale.ROOT,
                "scrub: round of %s %s: %d copies right (%s), %d bad, %d passed over",
                Instant.ofEpochMilli(scrub.beganMillis()),
                scrub.underWay() ? "under way" : "ended",
                scrub.verified(),
                Sizes.approximate(scrub.verifiedBytes()),
                scrub.bad(),
                scrub.skipped());
    }

    private static String asked(RoundProgress round) {
        String made = String.format(
                Locale.ROOT,
                "%d copies made (%s), %d chunks left with too few",
                round.repaired(),
                Sizes.approximate(round.repairedBytes()),
                round.left());
        String what = round.kind() == RoundProgress.Kind.REPAIR
                ? made
                : String.format(
                        Locale.ROOT,
                        "%d copies read (%s), %d bad, %d passed over; %s",
                        round.read(),
                        Sizes.approximate(round.readBytes()),
                        round.bad(),
                        round.skipped(),
                        made);
        return String.format(
                Locale.ROOT,
                "%s now: round %s: %s",
                round.kind().name().toLowerCase(Locale.ROOT),
                round.state().name().toLowerCase(Locale.ROOT),
                what);
    }

    private static String collect(CollectProgress collect) {
        CollectRound round = collect.underWay() ? collect.now() : collect.last();
        return String.format(
                Locale.ROOT,
                "garbage: %s; %d copies checked, %d unreferenced, %d deleted (%s)",
                collect.underWay() ? "round under way" : collect.rounds() == 0 ? "no round yet" : "round ended",
                round.findings().listed().copies(),
                round.findings().unnamed().copies(),
                round.deleted().copies(),
                Sizes.approximate(round.deleted().bytes()));
    }

    private static String drain(StoreCondition store, RepairProgress repair) {
        Long left = repair.left().get(store.id());
        if (!store.draining()) {
            return "";
        }
        if (left == null) {
            return "; draining: counting its copies";
        }
        return left == 0
                ? "; drained: no copy is left"
                : "; draining: " + left + (left == 1 ? " copy" : " copies") + " left" + counted(repair);
    }

    private static String condition(StoreCondition store) {
        Store kept = store.candidate().store();
        if (kept.isLost()) {
            return "declared lost: its copies are made elsewhere"
                    + kept.owner()
                            .map(helper -> "; helper " + helper + " does not use it ("
                                    + HelperAdmission.advice(store.id()) + ")")
                            .orElse(" (cloudmw store rm " + store.id() + " once no volume uses it)");
        }
        if (store.lost()) {
            return "lost: away for " + store.away().toSeconds() + " s, its copies are made elsewhere";
        }
        if (!store.available() && store.candidate().store().owner().isEmpty()) {
            return store.candidate().obstacle();
        }
        if (!store.available()) {
            return "away for " + store.away().toSeconds() + " s";
        }
        String room = store.roomBytes() < Long.MAX_VALUE
                ? ", " + Sizes.approximate(store.roomBytes()) + " free besides the reserve of "
                        + Sizes.approximate(store.reserveBytes())
                : "";
        return store.candidate().usable()
                ? "up" + room
                : "takes no copies: " + store.candidate().obstacle();
    }

    private static String why(RepairObstacle obstacle) {
        return switch (obstacle) {
            case NO_SOURCE -> "cannot be copied: no good copy can be reached";
            case NO_TARGET -> "cannot be copied: no store is left that can take one";
            case NO_HELPER -> "cannot be copied: no helper can use a store that has one and a store that can take one";
            case AWAITED -> "are awaited: being written, or their store is expected back";
        };
    }

    static Map<String, Object> json(UpkeepStatus status) {
        List<Map<String, ?>> stores = new ArrayList<>();
        for (StoreCondition store : status.stores()) {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("id", store.id().value());
            row.put("available", store.available());
            row.put("lost", store.lost());
            row.put("declared_lost", store.candidate().store().isLost());
            row.put("away_millis", store.away().toMillis());
            if (store.roomBytes() < Long.MAX_VALUE) {
                row.put("room_bytes", store.roomBytes());
                row.put("reserve_bytes", store.reserveBytes());
            }
            row.put("draining", store.draining());
            Long left = status.repair().left().get(store.id());
            if (store.draining() && left != null) {
                row.put("copies_left", left);
            }
            row.put("obstacle", store.candidate().obstacle());
            stores.add(row);
        }
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("stores", stores);
        json.put(
                "helpers",
                status.helpers().stream().map(helper -> helper.id().value()).toList());
        json.put("repair", json(status.repair(), status));
        json.put("volumes", ReshapeReport.volumes(status.reshape()));
        json.put("lost_file_count", status.reshape().lostFileCount());
        json.put("lost_files", ReshapeReport.lostFiles(status.reshape()));
        json.put("scrub", json(status.scrub()));
        status.asked().ifPresent(round -> json.put("asked_round", asked(round, UpkeepRound.json(round))));
        Map<String, Object> collect = new LinkedHashMap<>();
        collect.put("rounds", status.collect().rounds());
        collect.put("under_way", status.collect().underWay());
        collect.put("now", GcCommand.json(status.collect().now()));
        collect.put("last", GcCommand.json(status.collect().last()));
        json.put("collect", collect);
        return json;
    }

    private static Map<String, Object> asked(RoundProgress round, Map<String, ?> progress) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("kind", round.kind().name().toLowerCase(Locale.ROOT));
        json.putAll(progress);
        return json;
    }

    private static Map<String, Object> json(ReplacedProgress replaced) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("replaced_at_millis", replaced.replacedAtMillis());
        json.put("looked", replaced.looked());
        json.put("missing", replaced.missing());
        json.put("made", replaced.made());
        json.put("looked_through", replaced.lookedThrough());
        json.put("complete", replaced.complete());
        return json;
    }

    private static Map<String, Object> json(ScrubProgress scrub) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("rounds", scrub.rounds());
        json.put("under_way", scrub.underWay());
        json.put("began_millis", scrub.beganMillis());
        json.put("verified", scrub.verified());
        json.put("verified_bytes", scrub.verifiedBytes());
        json.put("bad", scrub.bad());
        json.put("skipped", scrub.skipped());
        return json;
    }

    private static List<Map<String, ?>> awaited(RepairProgress repair) {
        List<Map<String, ?>> rows = new ArrayList<>();
        repair.awaited().forEach((helper, chunks) -> {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("chunks", chunks);
            row.put("sources", helper.sources().stream().map(StoreId::value).toList());
            row.put("targets", helper.targets().stream().map(StoreId::value).toList());
            rows.add(row);
        });
        return rows;
    }

    private static Map<String, Object> json(RepairProgress repair, UpkeepStatus status) {
        Map<String, Long> byCopies = new TreeMap<>();
        repair.underReplicated().forEach((good, count) -> byCopies.put(Integer.toString(good), count));
        Map<String, Long> obstacles = new TreeMap<>();
        repair.obstacles()
                .forEach((obstacle, count) -> obstacles.put(obstacle.name().toLowerCase(Locale.ROOT), count));
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("under_replicated", repair.underReplicatedChunks());
        json.put("counted", repair.isCounted());
        if (repair.countAgeMillis() != RepairProgress.NOT_COUNTED) {
            json.put("count_age_millis", repair.countAgeMillis());
        }
        Map<String, Object> replaced = new TreeMap<>();
        repair.replaced().forEach((store, progress) -> replaced.put(store.value(), json(progress)));
        json.put("replaced", replaced);
        json.put("by_good_copies", byCopies);
        json.put("obstacles", obstacles);
        json.put("awaited_helpers", awaited(repair));
        json.put("waiting", status.waitingTasks());
        json.put("given", status.givenTasks());
        json.put("passes", repair.passes());
        json.put("copied", repair.copied());
        json.put("copied_bytes", repair.copiedBytes());
        json.put("failed", repair.failed());
        json.put("dropped", repair.dropped());
        return json;
    }
}
