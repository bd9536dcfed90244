package io.cloudmw.cli.volume;

import io.cloudmw.cli.command.ClientCommand;
import io.cloudmw.cli.command.CommandContext;
import io.cloudmw.cli.output.Receipts;
import io.cloudmw.cli.progress.Progress;
import io.cloudmw.client.BackupOperations;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.backup.Backup;
import io.cloudmw.client.backup.BackupOptions;
import io.cloudmw.client.backup.BackupReport;
import io.cloudmw.core.config.Sizes;
import io.cloudmw.core.model.VolumeName;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands about backups; {@code cloudmw recover}, which reads them, is a command of the servers. */
public final class BackupCommands {
    private BackupCommands() {}

    @Command(
            name = "backup",
            mixinStandardHelpOptions = true,
            description =
                    "Back up the catalog of a volume to stores, so that the volume can be recovered from them alone.")
    public static final class Create extends ClientCommand {
        @Parameters(index = "0", arity = "0..1", paramLabel = "VOLUME")
        private @Nullable String volume;

        @Option(
                names = "--to",
                paramLabel = "VOLUME",
                description = "where it is kept (default: VOLUME-backup, made for it)")
        private @Nullable String to;

        @Option(names = "--keep", paramLabel = "K", description = "so many backups stay (default ${DEFAULT-VALUE})")
        private int keep = BackupOptions.DEFAULT_KEEP;

        @Option(names = "--full", description = "export everything, not only changes since the last backup")
        private boolean full;

        public Create(CommandContext context) {
            super(context);
        }

        @Override
        protected Map<String, ?> run(CloudMw client) throws Exception {
            if (volume == null) {
                throw new IllegalArgumentException("backup: a volume is missing (expected: VOLUME, or ls VOLUME)");
            }
            try (Progress progress = Progress.of(context, options, "backup " + volume)) {
                BackupReport report = client.backups()
                        .backup(
                                new VolumeName(volume),
                                new BackupOptions(Optional.ofNullable(to).map(VolumeName::new), keep, full, progress));
                describe(report);
                return json(report);
            }
        }

        private void describe(BackupReport report) {
            if (report.unchanged()) {
                say("nothing has changed since backup %d, %s", report.backup().number(), report.file());
            } else {
                say(
                        "backup %d: %s exported, %s written, %s%s",
                        report.backup().number(),
                        Receipts.count(report.files(), "file"),
                        Sizes.approximate(report.bytes()),
                        report.file(),
                        report.resumed() ? " (it went on with one that was interrupted)" : "");
            }
        }

        private static Map<String, ?> json(BackupReport report) {
            Map<String, Object> answer = row(report.backup());
            answer.put("file", report.file().toString());
            answer.put("unchanged", report.unchanged());
            answer.put("whole", report.whole());
            answer.put("resumed", report.resumed());
            answer.put("exported_files", report.files());
            answer.put("written_bytes", report.bytes());
            answer.put("pruned", report.pruned());
            return answer;
        }
    }

    @Command(name = "ls", mixinStandardHelpOptions = true, description = "List the backups of a volume.")
    public static final class Ls extends ClientCommand {
        @Parameters(index = "0", paramLabel = "VOLUME")
        private String volume = "";

        @Option(names = "--to", paramLabel = "VOLUME", description = "where they are kept (default: VOLUME-backup)")
        private @Nullable String to;

        public Ls(CommandContext context) {
            super(context);
        }

        @Override
        protected Map<String, ?> run(CloudMw client) throws Exception {
            BackupOperations backups = client.backups();
            List<Map<String, ?>> rows = new ArrayList<>();
            for (Backup backup :
                    backups.list(new VolumeName(volume), Optional.ofNullable(to).map(VolumeName::new))) {
                rows.add(row(backup));
                say(
                        "%6d  %s  parts=%d %s",
                        backup.number(),
                        Instant.ofEpochMilli(backup.takenAtMillis()),
                        backup.parts(),
                        Sizes.approximate(backup.sizeBytes()));
            }
            return Map.of("backups", rows);
        }
    }

    private static Map<String, Object> row(Backup backup) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("volume", backup.volume().value());
        row.put("number", backup.number());
        row.put("taken_at", Instant.ofEpochMilli(backup.takenAtMillis()).toString());
        row.put("position", backup.position());
        row.put("parts", backup.parts());
        row.put("bytes", backup.sizeBytes());
        return row;
    }
}
