package io.cloudmw.cli.cluster;

import io.cloudmw.cli.command.ClientCommand;
import io.cloudmw.cli.command.CommandContext;
import io.cloudmw.cli.command.CommandGroup;
import io.cloudmw.cli.command.ExitCode;
import io.cloudmw.cli.progress.Progress;
import io.cloudmw.cli.progress.Tally;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.core.config.Sizes;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.status.RoundProgress;
import io.cloudmw.core.status.RoundScope;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The commands that make upkeep check or repair copies at once. */
public final class UpkeepRound {
    private static final Duration POLL = Duration.ofMillis(500);
    private static final long END_SECONDS = 2;

    private UpkeepRound() {}

    /** Waits briefly until the round of an interrupted command has ended. */
    static void ended(CompletableFuture<?> call) {
        try {
            call.get(END_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // An attended round ends by itself when the command stops polling it.
        }
    }

    @Command(name = "scrub", description = "Read and check copies.", mixinStandardHelpOptions = true)
    public static final class Scrub extends CommandGroup {}

    @Command(name = "repair", description = "Make copies that are missing.", mixinStandardHelpOptions = true)
    public static final class Repair extends CommandGroup {}

    /** The base of {@code scrub now} and {@code repair now}. */
    private abstract static class Now extends ClientCommand {
        private final RoundProgress.Kind kind;

        @Option(names = "--volume", paramLabel = "VOLUME", description = "only files of this volume")
        private @Nullable String volume;

        @Option(
                names = "--store",
                paramLabel = "STORE",
                description = "only copies in this store (repair: chunks that have one in it)")
        private @Nullable String store;

        @Option(names = "--no-wait", description = "begin it, and do not wait until it is done")
        private boolean noWait;

        private ExitCode exit = ExitCode.OK;

        Now(CommandContext context, RoundProgress.Kind kind) {
            super(context);
            this.kind = kind;
        }

        @Override
        protected ExitCode exit() {
            return exit;
        }

        @Override
        protected Map<String, ?> run(CloudMw client) throws Exception {
            if (volume != null && store != null) {
                throw new IllegalArgumentException("--volume and --store: only one of the two");
            }
            RoundScope scope = new RoundScope(
                    Optional.ofNullable(volume).map(VolumeName::new),
                    Optional.ofNullable(store).map(StoreId::new));
            long number = Calls.await(client.cluster().beginRound(kind, scope, !noWait));
            if (noWait) {
                say("round %d has begun", number);
                return Map.of("round", number);
            }
            context.whenInterrupted(() -> ended(client.cluster().endRound(number)));
            RoundProgress round = awaited(client, number);
            if (round.state() == RoundProgress.State.CANCELLED) {
                throw context.endedElsewhere("round " + number + ": was ended: " + text(round));
            }
            say("%s", text(round));
            if (round.left() > 0) {
                exit = ExitCode.UNAVAILABLE;
            }
            return json(round);
        }

        private RoundProgress awaited(CloudMw client, long number) throws CloudMwException, InterruptedException {
            String task = kind.name().toLowerCase(Locale.ROOT);
            try (Progress shown = Progress.of(context, options, task)) {
                RoundProgress round = Calls.await(client.cluster().round(number));
                while (!round.state().isOver()) {
                    shown.counted(Tally.of(text(round)));
                    context.pause(POLL);
                    round = Calls.await(client.cluster().round(number));
                }
                return round;
            }
        }
    }

    @Command(
            name = "now",
            mixinStandardHelpOptions = true,
            description =
                    "Have all copies read and checked, and bad ones repaired, now; stores are read no faster than by "
                            + "the scrub in the background.")
    public static final class ScrubNow extends Now {
        public ScrubNow(CommandContext context) {
            super(context, RoundProgress.Kind.SCRUB);
        }
    }

    @Command(
            name = "now",
            mixinStandardHelpOptions = true,
            description = "Have all chunks looked at, and copies made that are missing, now.")
    public static final class RepairNow extends Now {
        public RepairNow(CommandContext context) {
            super(context, RoundProgress.Kind.REPAIR);
        }
    }

    private static String text(RoundProgress round) {
        String read = round.kind() == RoundProgress.Kind.REPAIR
                ? ""
                : String.format(
                        Locale.ROOT,
                        "%,d copies read (%s), %,d bad, %,d not readable; ",
                        round.read(),
                        Sizes.approximate(round.readBytes()),
                        round.bad(),
                        round.skipped());
        return String.format(
                Locale.ROOT,
                "%,d chunks looked at; %s%,d copies repaired (%s), %,d chunks left with too few",
                round.looked(),
                read,
                round.repaired(),
                Sizes.approximate(round.repairedBytes()),
                round.left());
    }

    static Map<String, ?> json(RoundProgress round) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("round", round.number());
        json.put("state", round.state().name().toLowerCase(Locale.ROOT));
        json.put("chunks", round.looked());
        json.put("read", round.read());
        json.put("read_bytes", round.readBytes());
        json.put("bad", round.bad());
        json.put("skipped", round.skipped());
        json.put("repaired", round.repaired());
        json.put("repaired_bytes", round.repairedBytes());
        json.put("left", round.left());
        return json;
    }
}
