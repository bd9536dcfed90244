package io.cloudmw.cli.file;

import io.cloudmw.cli.command.ClientCommand;
import io.cloudmw.cli.command.ExitCode;
import io.cloudmw.cli.progress.Progress;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.PutOptions;
import io.cloudmw.client.progress.PutDelay;
import io.cloudmw.client.tree.NameStyle;
import io.cloudmw.client.tree.RemotePath;
import io.cloudmw.client.tree.TreeCopy;
import io.cloudmw.client.tree.TreeListener;
import io.cloudmw.client.tree.TreeOptions;
import io.cloudmw.client.tree.TreeProgress;
import io.cloudmw.client.tree.TreeRemoval;
import io.cloudmw.client.tree.TreeReport;
import io.cloudmw.client.tree.TreeTask;
import io.cloudmw.core.config.Sizes;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.time.Ticker;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** A run of a command that copies or removes directories. */
final class TreeRun {
    @Option(names = "--parallel", paramLabel = "N", description = "with directories: files at once, 1..64 (default 8)")
    private int parallel = 8;

    private ExitCode exit = ExitCode.OK;

    /** The style of names in a volume for files whose local names are not plain text. */
    static final class Names {
        private static final String PLAIN = "plain";
        private static final String ESCAPE = "escape";

        @Option(
                names = "--names",
                paramLabel = "plain|escape",
                description = "with directories: escape writes control characters, bytes that are not UTF-8 and %% of "
                        + "names as %%XX in the volume, and reads them back; plain refuses such names (default)")
        private @Nullable String style;

        NameStyle style() {
            if (style == null || style.equals(PLAIN)) {
                return NameStyle.PLAIN;
            }
            if (!style.equals(ESCAPE)) {
                throw new IllegalArgumentException("--names: \"" + style + "\" (expected: plain, escape)");
            }
            return NameStyle.ESCAPED;
        }

        /** Refuses {@code --names} for a single file, whose name is on the command line. */
        void refuse() {
            if (style != null) {
                throw new IllegalArgumentException("--names: only with --recursive");
            }
        }
    }

    /** Returns the options of a copy, which deletes nothing and has no dry run. */
    TreeOptions copy(boolean all, PutOptions put, GetOptions get) {
        return new TreeOptions(parallel, false, false, false, all, put, get, new TreeListener() {});
    }

    TreeOptions sync(boolean delete, boolean dryRun, boolean checksum, PutOptions put, GetOptions get) {
        return new TreeOptions(parallel, delete, dryRun, checksum, false, put, get, new TreeListener() {});
    }

    /** Returns the exit code of the first file that failed. */
    ExitCode exit() {
        return exit;
    }

    /** Copies a directory, and prints a report. */
    Map<String, ?> run(ClientCommand command, String task, TreeOptions how, Function<TreeOptions, TreeCopy> copy)
            throws CloudMwException {
        Outcome outcome = outcome(command, task, how, "not in the source", copy);
        TreeReport report = outcome.report();
        command.say(
                "%s: %d copied (%s), %d unchanged, %d deleted, %d skipped, %d failed",
                how.dryRun() ? "would be" : "done",
                report.copied(),
                Sizes.approximate(report.copiedBytes()),
                report.unchanged(),
                report.deleted(),
                report.skipped(),
                report.failed());
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("files", report.copied() + report.unchanged() + report.failed());
        answer.put("bytes", report.copiedBytes() + report.unchangedBytes());
        answer.put("copied", report.copied());
        answer.put("copied_bytes", report.copiedBytes());
        answer.put("resumed_bytes", report.resumedBytes());
        answer.put("unchanged", report.unchanged());
        answer.put("deleted", report.deleted());
        answer.put("skipped", report.skipped());
        outcome.addTo(answer);
        return answer;
    }

    /** Removes a directory, and prints a report. */
    Map<String, ?> remove(ClientCommand command, CloudMw client, RemotePath what, boolean dryRun)
            throws CloudMwException {
        TreeOptions how = sync(true, dryRun, false, PutOptions.defaults(), GetOptions.defaults());
        Outcome outcome = outcome(command, "rm " + what, how, "asked for", told -> new TreeRemoval(client, what, told));
        TreeReport report = outcome.report();
        command.say("%s: %d deleted, %d failed", dryRun ? "would be" : "done", report.deleted(), report.failed());
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("deleted", report.deleted());
        outcome.addTo(answer);
        return answer;
    }

    private Outcome outcome(
            ClientCommand command,
            String task,
            TreeOptions how,
            String whyDeleted,
            Function<TreeOptions, ? extends TreeTask> work)
            throws CloudMwException {
        Ticker ticker = Ticker.system();
        long startedNanos = ticker.nanos();
        List<Map<String, ?>> actions = new ArrayList<>();
        TreeReport report;
        try (Progress progress = Progress.of(command.context, command.options, task)) {
            TreeListener shown = new View(command, how.dryRun(), whyDeleted, progress, actions);
            report = work.apply(how.withListener(shown)).run();
        }
        if (!report.failures().isEmpty()) {
            exit = ExitCode.of(report.failures().get(0).why().code());
        }
        return new Outcome(report, how.dryRun(), actions, (ticker.nanos() - startedNanos) / 1e9);
    }

    private record Outcome(TreeReport report, boolean dryRun, List<Map<String, ?>> actions, double seconds) {
        /** Adds the fields that the JSON of every run has. */
        void addTo(Map<String, Object> answer) {
            List<Map<String, ?>> errors = new ArrayList<>();
            for (TreeReport.Failure failure : report.failures()) {
                Map<String, Object> error = new LinkedHashMap<>();
                error.put("file", failure.file());
                error.put("code", failure.why().code().name());
                error.put("message", failure.why().getMessage());
                errors.add(error);
            }
            answer.put("failed", report.failed());
            answer.put("errors", errors);
            answer.put("dry_run", dryRun);
            if (dryRun) {
                answer.put("actions", actions);
            }
            answer.put("seconds", seconds);
        }
    }

    /** The progress output of a run; in a dry run, the list of planned operations. */
    private record View(
            ClientCommand command, boolean dryRun, String whyDeleted, Progress progress, List<Map<String, ?>> actions)
            implements TreeListener {
        @Override
        public void copies(String file, long bytes, String why) {
            if (dryRun) {
                command.say("copy    %12s  %s (%s)", Sizes.approximate(bytes), file, why);
                act("copy", file, why);
            }
        }

        @Override
        public void deletes(String file) {
            if (dryRun) {
                command.say("delete  %12s  %s", "", file);
                act("delete", file, whyDeleted);
            }
        }

        private void act(String what, String file, String why) {
            if (actions.size() < TreeReport.MAX_FAILURES) {
                Map<String, Object> action = new LinkedHashMap<>();
                action.put("action", what);
                action.put("file", file);
                action.put("why", why);
                actions.add(action);
            }
        }

        @Override
        public void skips(String file, String why) {
            progress.say("skipped " + NameStyle.printable(file) + ": " + why);
        }

        @Override
        public void failed(String file, CloudMwException why) {
            progress.tell("cloudmw: " + NameStyle.printable(String.valueOf(why.getMessage())));
        }

        @Override
        public void waiting(String file, PutDelay delay) {
            progress.waiting("put " + file, delay);
        }

        @Override
        public boolean wantsTotals() {
            return !dryRun && progress.isShown();
        }

        @Override
        public void advanced(TreeProgress now) {
            if (!dryRun) {
                progress.advanced(now);
            }
        }
    }

    /** Returns the copy of a local directory into a volume. */
    static Function<TreeOptions, TreeCopy> upload(CloudMw client, Path from, RemotePath to) {
        return how -> TreeCopy.upload(client, from, to, how);
    }

    /** Returns the copy of a directory of a volume to this machine. */
    static Function<TreeOptions, TreeCopy> download(CloudMw client, RemotePath from, Path to) {
        return how -> TreeCopy.download(client, from, to, how);
    }
}
