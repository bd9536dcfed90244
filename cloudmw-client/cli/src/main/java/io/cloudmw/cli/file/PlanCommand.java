package io.cloudmw.cli.file;

import io.cloudmw.cli.command.ClientCommand;
import io.cloudmw.cli.command.CommandContext;
import io.cloudmw.cli.command.Modes;
import io.cloudmw.cli.command.OptionConverters;
import io.cloudmw.cli.output.Json;
import io.cloudmw.cli.output.Receipts;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.CloudMwOptions;
import io.cloudmw.client.progress.PutEstimate;
import io.cloudmw.client.progress.ReadEstimate;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.client.tree.RemotePath;
import io.cloudmw.core.config.Durations;
import io.cloudmw.core.config.Sizes;
import io.cloudmw.core.cost.Prediction;
import io.cloudmw.core.cost.ReadChoice;
import io.cloudmw.core.cost.ReadGoal;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.VolumeName;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that estimates a transfer before it runs. */
@Command(
        name = "plan",
        mixinStandardHelpOptions = true,
        description =
                "Estimate time and cost of reading a file in each mode, or the cost of writing one; nothing is transferred.")
public final class PlanCommand extends ClientCommand {
    @Mixin
    private PriceOptions prices = new PriceOptions();

    @Parameters(index = "0", paramLabel = "VOLUME:/PATH", description = "with --put: VOLUME")
    private String file = "";

    @Option(
            names = "--put",
            paramLabel = "SIZE",
            converter = OptionConverters.Size.class,
            description = "estimate the cost of writing a file of this length")
    private @Nullable Long put;

    @Option(
            names = "--mode",
            paramLabel = "MODE",
            completionCandidates = Modes.Labels.class,
            description = "only this mode")
    private @Nullable String mode;

    @Option(
            names = "--deadline",
            paramLabel = "TIME",
            converter = OptionConverters.Time.class,
            description = "how it would be read to take no longer")
    private @Nullable Duration deadline;

    @Option(
            names = "--link",
            paramLabel = "SIZE",
            converter = OptionConverters.Size.class,
            description = "bytes that the destination takes per second, like 25MiB (default: client.link)")
    private @Nullable Long link;

    public PlanCommand(CommandContext context) {
        super(context);
    }

    private double budgetShare;
    private boolean linkIsKnown;

    @Override
    protected CloudMwOptions applied(CloudMwOptions base) throws CloudMwException {
        budgetShare = base.redundancy().share();
        linkIsKnown = link != null || base.linkBytesPerSecond() < Long.MAX_VALUE;
        return prices.applied(base);
    }

    @Override
    protected Map<String, ?> run(CloudMw client) throws Exception {
        return put == null ? planGet(client) : planPut(client, put);
    }

    private Map<String, ?> planPut(CloudMw client, long sizeBytes) throws CloudMwException {
        if (mode != null || deadline != null || link != null) {
            throw new IllegalArgumentException("--put: not with --mode, --deadline or --link, which are about reading");
        }
        PutEstimate estimate = Calls.await(client.files().estimatePut(new VolumeName(file), sizeBytes));
        if (!options.json()) {
            Receipts.lines(estimate).forEach(context.out()::println);
        }
        return Receipts.json(estimate);
    }

    private Map<String, ?> planGet(CloudMw client) throws CloudMwException {
        Optional<Duration> limit = Optional.ofNullable(deadline);
        OptionalLong linkBytes = link == null ? OptionalLong.empty() : OptionalLong.of(link);
        Optional<Mode> only = Optional.ofNullable(mode).map(name -> Modes.parse("--mode", name));
        RemotePath path = RemotePath.parse(file);
        if (path.snapshot().isPresent()) {
            throw new IllegalArgumentException(path + ": cannot plan a read of a snapshot (expected: volume:/path)");
        }
        ReadEstimate estimate = Calls.await(client.files().estimate(path.file(), only, limit, linkBytes));
        List<ReadEstimate.Offer> offers = estimate.offers().stream()
                .filter(offer -> only.isEmpty()
                        || only.get() == offer.prediction().strategy().mode())
                .toList();
        if (!options.json()) {
            lines(estimate, offers).forEach(context.out()::println);
        }
        return json(estimate, offers);
    }

    private List<String> lines(ReadEstimate estimate, List<ReadEstimate.Offer> offers) {
        List<String> lines = new ArrayList<>();
        lines.add(estimate.version().file() + ": "
                + Sizes.approximate(estimate.version().sizeBytes()) + " in "
                + Receipts.count(estimate.version().chunkCount(), "chunk") + ", mode "
                + estimate.mode().label() + ", "
                + Receipts.count(estimate.helpers(), "helper") + "; " + known(estimate.known()));
        lines.add(String.format(
                "  %-12s %7s %9s %9s %9s %9s %11s  %s",
                "MODE", "STREAMS", "P50 S", "P95 S", "P99 S", "REQUESTS", "BYTES", "PRICE"));
        for (ReadEstimate.Offer offer : offers) {
            boolean usual = offer.prediction().strategy().mode() == estimate.mode();
            lines.add((usual ? "* " : "  ") + row(offer.prediction()) + "  " + price(offer, estimate));
        }
        lines.add(String.format(
                Locale.ROOT,
                "of many reads at most %.0f%% of requests and bytes are extras; of one, also what was saved up before",
                100 * budgetShare));
        if (!linkIsKnown) {
            lines.add("times are the stores': what this machine can take is not known; --link or client.link says it");
        }
        estimate.goal()
                .ifPresent(goal -> estimate.choice().ifPresent(choice -> lines.add(promise(estimate, goal, choice))));
        lines.add("prices: " + estimate.priceVersion());
        return lines;
    }

    private static String known(int stores) {
        return stores == 0
                ? "no store's speed is known yet: times are assumptions"
                : "speeds of " + Receipts.count(stores, "store") + " are known";
    }

    private static String row(Prediction prediction) {
        return String.format(
                Locale.ROOT,
                "%-12s %7d %9.3f %9.3f %9.3f %9.1f %11s",
                prediction.strategy().mode().label(),
                prediction.strategy().streams(),
                seconds(prediction, 0.5),
                seconds(prediction, 0.95),
                seconds(prediction, 0.99),
                prediction.requests(),
                Sizes.approximate(Math.round(prediction.fetchedBytes())));
    }

    private static String price(ReadEstimate.Offer offer, ReadEstimate estimate) {
        return offer.price().setScale(6, RoundingMode.HALF_UP).toPlainString() + " " + estimate.currency();
    }

    private static String promise(ReadEstimate estimate, ReadGoal goal, ReadChoice choice) {
        return String.format(
                Locale.ROOT,
                "p%s under %.3f s: by %s with %s%s, expected %.3f s: %s",
                Receipts.percentile(goal.quantile()),
                goal.deadline().toNanos() / 1e9,
                choice.strategy().mode().label(),
                Receipts.count(choice.strategy().streams(), "stream"),
                choice.strategy()
                        .hedgeDelay()
                        .map(delay -> ", hedged after " + Durations.format(delay))
                        .orElse(""),
                seconds(choice.prediction(), goal.quantile()),
                verdict(estimate, goal, choice));
    }

    private static String verdict(ReadEstimate estimate, ReadGoal goal, ReadChoice choice) {
        String kept = choice.meets() ? "kept" : "not kept";
        if (estimate.given().isPresent()) {
            return kept + "; " + estimate.given().get();
        }
        if (choice.meets()) {
            return kept;
        }
        String faster = estimate.faster().stream()
                .map(way -> String.format(
                        Locale.ROOT, "%s, %.3f s", way.strategy().mode().label(), seconds(way, goal.quantile())))
                .collect(Collectors.joining("; "));
        return kept + (faster.isEmpty() ? "; no mode is faster" : "; faster, but left out: " + faster);
    }

    private static double seconds(Prediction prediction, double quantile) {
        return prediction.time(quantile).toNanos() / 1e9;
    }

    private Map<String, Object> json(ReadEstimate estimate, List<ReadEstimate.Offer> offers) {
        Map<String, Object> answer = Json.of(estimate.version());
        answer.put("mode", estimate.mode().label());
        answer.put("helpers", estimate.helpers());
        answer.put("known_stores", estimate.known());
        List<Map<String, ?>> rows = new ArrayList<>();
        for (ReadEstimate.Offer offer : offers) {
            Map<String, Object> row = json(offer.prediction());
            row.put("price", offer.price());
            rows.add(row);
        }
        answer.put("offers", rows);
        answer.put("budget_share", budgetShare);
        estimate.goal()
                .ifPresent(goal -> estimate.choice().ifPresent(choice -> {
                    Map<String, Object> sla = json(choice.prediction());
                    sla.put("deadline_seconds", goal.deadline().toNanos() / 1e9);
                    sla.put("quantile", goal.quantile());
                    sla.put("expected_seconds", seconds(choice.prediction(), goal.quantile()));
                    sla.put("expected_met", choice.meets());
                    sla.put("chosen", estimate.given().isEmpty());
                    sla.put(
                            "faster_modes",
                            estimate.faster().stream()
                                    .map(faster -> faster.strategy().mode().label())
                                    .toList());
                    answer.put("sla", sla);
                }));
        answer.put("currency", estimate.currency());
        answer.put("price_version", estimate.priceVersion());
        return answer;
    }

    private static Map<String, Object> json(Prediction prediction) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("mode", prediction.strategy().mode().label());
        row.put("streams", prediction.strategy().streams());
        prediction.strategy().hedgeDelay().ifPresent(delay -> row.put("hedge_delay_seconds", delay.toNanos() / 1e9));
        row.put("p50_seconds", seconds(prediction, 0.5));
        row.put("p95_seconds", seconds(prediction, 0.95));
        row.put("p99_seconds", seconds(prediction, 0.99));
        row.put("requests", prediction.requests());
        row.put("fetched_bytes", prediction.fetchedBytes());
        return row;
    }
}
