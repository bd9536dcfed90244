package io.cloudmw.client.cli;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.PutOptions;
import io.cloudmw.client.tree.TreeCopy;
import io.cloudmw.client.tree.TreeListener;
import io.cloudmw.client.tree.TreeOptions;
import io.cloudmw.client.tree.TreeReport;
import io.cloudmw.core.config.Sizes;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.time.Ticker;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import picocli.CommandLine.Option;

/** What the commands that copy directories have in common. */
final class TreeRun {
    /** A directory of a volume. */
    record Directory(VolumeName volume, String path) {
        /** Reads {@code volume:/path}. */
        static Directory parse(String text) {
            int colon = text.indexOf(':');
            if (colon < 0) {
                throw new IllegalArgumentException("directory: \"" + text + "\" (expected: volume:/path)");
            }
            String path = text.substring(colon + 1);
            return new Directory(new VolumeName(text.substring(0, colon)), path.isEmpty() ? "/" : path);
        }
    }

    @Option(names = "--parallel", paramLabel = "N", description = "with directories: files at once, 1..64 (default 8)")
    private int parallel = 8;

    private ExitCode exit = ExitCode.OK;

    /** Nothing is deleted, and nothing only talked about. */
    TreeOptions copy(boolean all, PutOptions put, GetOptions get) {
        return new TreeOptions(parallel, false, false, false, all, put, get, new TreeListener() {});
    }

    TreeOptions sync(boolean delete, boolean dryRun, boolean checksum, PutOptions put, GetOptions get) {
        return new TreeOptions(parallel, delete, dryRun, checksum, false, put, get, new TreeListener() {});
    }

    /** Of the first file that could not be copied. */
    ExitCode exit() {
        return exit;
    }

    Map<String, ?> run(ClientCommand command, String task, TreeOptions how, Function<TreeOptions, TreeCopy> copy)
            throws CloudMwException {
        Ticker ticker = Ticker.system();
        long startedNanos = ticker.nanos();
        List<Map<String, ?>> actions = new ArrayList<>();
        TreeReport report;
        try (Progress progress = Progress.of(command.context, command.options, task)) {
            TreeListener shown = new View(command, how.dryRun(), progress, actions);
            report = copy.apply(how.withListener(shown)).run();
        }
        if (!report.failures().isEmpty()) {
            exit = ExitCode.of(report.failures().get(0).why().code());
        }
        command.say(
                "%s: %d copied (%s), %d unchanged, %d deleted, %d skipped, %d failed",
                how.dryRun() ? "would be" : "done",
                report.copied(),
                Sizes.approximate(report.copiedBytes()),
                report.unchanged(),
                report.deleted(),
                report.skipped(),
                report.failed());
        return json(report, how.dryRun(), actions, (ticker.nanos() - startedNanos) / 1e9);
    }

    private static Map<String, ?> json(
            TreeReport report, boolean dryRun, List<Map<String, ?>> actions, double seconds) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("copied", report.copied());
        answer.put("copied_bytes", report.copiedBytes());
        answer.put("resumed_bytes", report.resumedBytes());
        answer.put("unchanged", report.unchanged());
        answer.put("deleted", report.deleted());
        answer.put("skipped", report.skipped());
        answer.put("failed", report.failed());
        List<Map<String, ?>> errors = new ArrayList<>();
        for (TreeReport.Failure failure : report.failures()) {
            Map<String, Object> error = new LinkedHashMap<>();
            error.put("file", failure.file());
            error.put("code", failure.why().code().name());
            error.put("message", failure.why().getMessage());
            errors.add(error);
        }
        answer.put("errors", errors);
        answer.put("dry_run", dryRun);
        if (dryRun) {
            answer.put("actions", actions);
        }
        answer.put("seconds", seconds);
        return answer;
    }

    /** What a run says while it goes on; in a dry run, what would be done. */
    private record View(ClientCommand command, boolean dryRun, Progress progress, List<Map<String, ?>> actions)
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
                act("delete", file, "not in the source");
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
            if (!command.options.quiet()) {
                command.context.err().println("skipped " + file + ": " + why);
            }
        }

        @Override
        public void failed(String file, CloudMwException why) {
            command.context.err().println("cloudmw: " + why.getMessage());
        }

        @Override
        public void progressed(long bytes) {
            progress.progressed(bytes, -1);
        }
    }

    /** From this machine into a volume. */
    static Function<TreeOptions, TreeCopy> upload(CloudMw client, Path from, Directory to) {
        return how -> TreeCopy.upload(client, from, to.volume(), to.path(), how);
    }

    /** From a volume to this machine. */
    static Function<TreeOptions, TreeCopy> download(CloudMw client, Directory from, Path to) {
        return how -> TreeCopy.download(client, from.volume(), from.path(), to, how);
    }
}
