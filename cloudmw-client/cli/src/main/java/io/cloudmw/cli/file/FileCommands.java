package io.cloudmw.cli.file;

import io.cloudmw.cli.command.ClientCommand;
import io.cloudmw.cli.command.CommandContext;
import io.cloudmw.cli.command.ExitCode;
import io.cloudmw.cli.command.Input;
import io.cloudmw.cli.command.Modes;
import io.cloudmw.cli.command.OptionConverters;
import io.cloudmw.cli.output.Json;
import io.cloudmw.cli.output.JsonArray;
import io.cloudmw.cli.output.LocalPaths;
import io.cloudmw.cli.output.ReceiptOption;
import io.cloudmw.cli.output.Receipts;
import io.cloudmw.cli.progress.Progress;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.CloudMwOptions;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.PutOptions;
import io.cloudmw.client.file.EntryStatus;
import io.cloudmw.client.file.FileEntry;
import io.cloudmw.client.file.FileStatus;
import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.client.progress.PutReceipt;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.client.tree.NameStyle;
import io.cloudmw.client.tree.RemotePath;
import io.cloudmw.core.config.Sizes;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.ReadPath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.FileVersion;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands about files. */
public final class FileCommands {
    private FileCommands() {}

    /** Returns the failure, with a hint at {@code -r} when the path that names no file is a directory. */
    static CloudMwException hinted(CloudMwException e, CloudMw client, RemotePath path, String command)
            throws CloudMwException {
        boolean directory = e.code() == ErrorCode.NOT_FOUND
                && Calls.find(path.list(client, ""), ErrorCode.NOT_FOUND).isPresent();
        return directory
                ? new CloudMwException(
                        ErrorCode.NOT_FOUND, path + ": is a directory (" + command + " -r: all files in it)", e)
                : e;
    }

    /** The base of commands that transfer bytes. */
    abstract static class TransferCommand extends ClientCommand {
        @Mixin
        private PriceOptions prices = new PriceOptions();

        @Mixin
        private ReceiptOption receipt = new ReceiptOption();

        TransferCommand(CommandContext context) {
            super(context);
        }

        @Override
        protected CloudMwOptions applied(CloudMwOptions base) throws CloudMwException {
            return prices.applied(base);
        }

        /** Refuses {@code --receipt}: the copy of a directory ends with a report, not with a receipt. */
        void refuseReceipt() {
            if (receipt.isWanted()) {
                throw new IllegalArgumentException("--receipt: not with --recursive");
            }
        }

        void tell(PutReceipt made) {
            if (receipt.isWanted()) {
                Receipts.lines(made).forEach(context.err()::println);
            }
        }

        void tell(GetReceipt made) {
            if (receipt.isWanted()) {
                Receipts.lines(made, receipt.ofBlocks()).forEach(context.err()::println);
            }
        }
    }

    /** The base of commands that read files. */
    private abstract static class ReadCommand extends TransferCommand {
        @Option(
                names = "--deadline",
                paramLabel = "TIME",
                converter = OptionConverters.Time.class,
                description = "how long it should take (default: the volume's target); chooses how it is read")
        private @Nullable Duration deadline;

        @Option(
                names = "--priority",
                paramLabel = "CLASS",
                description = "how urgent it is to helpers: interactive (cat) or batch (get)")
        private @Nullable String priority;

        @Option(
                names = "--path",
                paramLabel = "PATH",
                completionCandidates = PathLabels.class,
                description = "direct: from the stores without helpers; fleet: through helpers;"
                        + " auto: as measured (default: client.path, auto)")
        private @Nullable String path;

        private final Priority usual;

        ReadCommand(CommandContext context, Priority usual) {
            super(context);
            this.usual = usual;
        }

        GetOptions how() {
            GetOptions how = GetOptions.defaults().withPriority(priority == null ? usual : priority(priority));
            if (path != null) {
                how = how.withPath(path(path));
            }
            return deadline == null ? how : how.withDeadline(deadline);
        }

        private static ReadPath path(String label) {
            try {
                return ReadPath.parse(label);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("--path: " + e.getMessage(), e);
            }
        }

        private static Priority priority(String label) {
            return Stream.of(Priority.INTERACTIVE, Priority.BATCH)
                    .filter(priority -> priority.label().equals(label.strip().toLowerCase(Locale.ROOT)))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException(
                            "--priority: \"" + label + "\" (expected: interactive, batch)"));
        }
    }

    /** The labels of all paths, for shell completion. */
    private static final class PathLabels implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Stream.of(ReadPath.values()).map(ReadPath::label).iterator();
        }
    }

    @Command(name = "put", mixinStandardHelpOptions = true, description = "Write a file, or a new version of it.")
    public static final class Put extends TransferCommand {
        @Parameters(index = "0", paramLabel = "FILE|-", description = "the bytes to write; -: standard input")
        private String source = "";

        @Parameters(index = "1", paramLabel = "VOLUME:/PATH")
        private String target = "";

        @Option(names = "--if-absent", description = "fail where there is a file already")
        private boolean ifAbsent;

        @Option(
                names = "--if-version",
                paramLabel = "ID",
                converter = OptionConverters.Version.class,
                description = "fail unless this is the current version, as stat says")
        private @Nullable VersionId ifVersion;

        @Option(
                names = "--no-resume",
                description =
                        "do not go on where an earlier put of the same file was interrupted, nor note how far it came")
        private boolean afresh;

        @Option(
                names = {"-r", "--recursive"},
                description = "all files of a directory and its subdirectories; unchanged files are not written again")
        private boolean recursive;

        @Mixin
        private TreeRun tree = new TreeRun();

        @Mixin
        private TreeRun.Names names = new TreeRun.Names();

        public Put(CommandContext context) {
            super(context);
        }

        @Override
        protected ExitCode exit() {
            return tree.exit();
        }

        @Override
        protected Map<String, ?> run(CloudMw client) throws Exception {
            if (recursive) {
                refuseReceipt();
                if (ifAbsent || ifVersion != null) {
                    throw new IllegalArgumentException("--recursive: not with --if-absent or --if-version");
                }
                return tree.run(
                        this,
                        "put " + target,
                        tree.copy(afresh, how(), GetOptions.defaults()).withNames(names.style()),
                        TreeRun.upload(client, Path.of(source), RemotePath.directory(target)));
            }
            names.refuse();
            FilePath file = RemotePath.parse(target).requireCurrent().file();
            if (!source.equals("-") && Files.isDirectory(Path.of(source))) {
                throw new CloudMwException(ErrorCode.LOCAL_IO, source + ": is a directory (put -r: all files in it)");
            }
            PutReceipt receipt;
            try (Progress progress = Progress.of(context, options, "put " + file)) {
                receipt = put(client, file, how().withListener(progress));
            }
            tell(receipt);
            return Receipts.json(receipt);
        }

        private PutOptions how() {
            if (ifAbsent && ifVersion != null) {
                throw new IllegalArgumentException("--if-absent and --if-version: only one of the two");
            }
            PutOptions how = ifAbsent ? PutOptions.defaults().ifAbsent() : PutOptions.defaults();
            if (!afresh) {
                how = context.stateDirectory().map(how::resumable).orElse(how);
            }
            return ifVersion == null ? how : how.ifVersion(ifVersion);
        }

        private PutReceipt put(CloudMw client, FilePath file, PutOptions how) throws CloudMwException {
            return new Input(context, source)
                    .write(
                            path -> client.files().put(path, file, how),
                            stream -> client.files().put(stream, file, how));
        }
    }

    @Command(
            name = "get",
            mixinStandardHelpOptions = true,
            description = "Read a file; the target is replaced whole or not at all.")
    public static final class Get extends ReadCommand {
        @Parameters(index = "0", paramLabel = "VOLUME[@SNAPSHOT]:/PATH")
        private String source = "";

        @Parameters(
                index = "1",
                arity = "0..1",
                paramLabel = "TARGET|-",
                description = "file, or directory to keep the name; -: standard output (default: the same name here)")
        private @Nullable String target;

        @Option(
                names = "--version-id",
                paramLabel = "ID",
                converter = OptionConverters.Version.class,
                description = "an older version")
        private @Nullable VersionId version;

        @Option(
                names = "--mode",
                paramLabel = "MODE",
                completionCandidates = Modes.Labels.class,
                description = "how replicas compete (default: the volume's)")
        private @Nullable String mode;

        @Option(names = "--no-fsync", description = "do not wait for the disk")
        private boolean lazy;

        @Option(
                names = "--resume",
                description =
                        "on failure keep the bytes that arrived in a temporary file, from which the next get resumes")
        private boolean resume;

        @Option(
                names = {"-r", "--recursive"},
                description = "all files of a directory and its subdirectories; unchanged files are not read again")
        private boolean recursive;

        @Mixin
        private TreeRun tree = new TreeRun();

        @Mixin
        private TreeRun.Names names = new TreeRun.Names();

        public Get(CommandContext context) {
            super(context, Priority.BATCH);
        }

        @Override
        protected ExitCode exit() {
            return tree.exit();
        }

        @Override
        protected Map<String, ?> run(CloudMw client) throws Exception {
            if (recursive) {
                return directory(client);
            }
            names.refuse();
            RemotePath from = RemotePath.parse(source);
            try {
                return file(client, from);
            } catch (CloudMwException e) {
                throw hinted(e, client, from, "get");
            }
        }

        private Map<String, ?> file(CloudMw client, RemotePath from) throws CloudMwException {
            FilePath file = from.file();
            GetOptions how = how().withDurable(!lazy);
            if (resume) {
                how = how.keepingWhatArrived();
            }
            if (version != null) {
                how = how.withVersion(version);
            } else if (from.snapshot().isPresent()) {
                how = how.withVersion(Calls.await(from.stat(client)).version().id());
            }
            if (mode != null) {
                how = how.withMode(Modes.parse("--mode", mode));
            }
            GetReceipt receipt;
            try (Progress progress = Progress.of(context, options, "get " + from)) {
                how = how.withListener(progress);
                receipt = "-".equals(target)
                        ? Calls.await(client.files().read(file, context.out().channel(), how))
                        : get(client, file, path(file), how);
            }
            tell(receipt);
            return Receipts.json(receipt);
        }

        private Map<String, ?> directory(CloudMw client) throws CloudMwException {
            refuseReceipt();
            if (version != null || "-".equals(target)) {
                throw new IllegalArgumentException("--recursive: not with --version-id, nor to standard output");
            }
            GetOptions how = how().withDurable(!lazy).keepingWhatArrived();
            if (mode != null) {
                how = how.withMode(Modes.parse("--mode", mode));
            }
            return tree.run(
                    this,
                    "get " + source,
                    tree.copy(false, PutOptions.defaults(), how).withNames(names.style()),
                    TreeRun.download(client, RemotePath.directory(source), Path.of(target == null ? "." : target)));
        }

        /** Reads into a file; into a pipe or a device, which takes bytes only in order, through a channel. */
        private static GetReceipt get(CloudMw client, FilePath file, Path path, GetOptions how)
                throws CloudMwException {
            if (!LocalPaths.isSpecial(path)) {
                return Calls.await(client.files().get(file, path, how));
            }
            try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
                return Calls.await(client.files().read(file, LocalPaths.named(path, channel), how));
            } catch (CloudMwException e) {
                throw e;
            } catch (IOException e) {
                throw LocalPaths.failed(path, "write to", e);
            }
        }

        private Path path(FilePath file) throws CloudMwException {
            if (target == null) {
                return Path.of(file.name());
            }
            Path path = Path.of(target);
            if (Files.isDirectory(path)) {
                return path.resolve(file.name());
            }
            if (target.endsWith("/")) {
                throw new CloudMwException(ErrorCode.LOCAL_IO, target + ": no such directory");
            }
            return path;
        }
    }

    @Command(
            name = "cat",
            mixinStandardHelpOptions = true,
            description = "Write a file, or some of it, to standard output.")
    public static final class Cat extends ReadCommand {
        @Parameters(index = "0", paramLabel = "VOLUME[@SNAPSHOT]:/PATH")
        private String source = "";

        @Option(
                names = "--offset",
                paramLabel = "BYTES",
                converter = OptionConverters.Size.class,
                description = "first byte (default 0)")
        private long offset;

        @Option(
                names = "--length",
                paramLabel = "BYTES",
                converter = OptionConverters.Size.class,
                description = "how many (default: to the end)")
        private @Nullable Long length;

        @Option(
                names = "--mode",
                paramLabel = "MODE",
                completionCandidates = Modes.Labels.class,
                description = "how replicas compete (default: the volume's)")
        private @Nullable String mode;

        public Cat(CommandContext context) {
            super(context, Priority.INTERACTIVE);
        }

        @Override
        protected Map<String, ?> run(CloudMw client) throws Exception {
            RemotePath from = RemotePath.parse(source);
            FilePath file = from.file();
            GetOptions how = how();
            if (mode != null) {
                how = how.withMode(Modes.parse("--mode", mode));
            }
            if (offset > 0 || length != null || from.snapshot().isPresent()) {
                FileVersion read = Calls.await(from.stat(client)).version();
                long size = read.sizeBytes();
                long bytes = length == null ? Long.MAX_VALUE : length;
                if (offset > size) {
                    throw new IllegalArgumentException(
                            "--offset: " + offset + " (expected: at most the " + size + " bytes of " + file + ")");
                }
                how = how.withVersion(read.id()).withRange(new ByteRange(offset, Math.min(bytes, size - offset)));
            }
            GetReceipt receipt =
                    Calls.await(client.files().read(file, context.out().channel(), how));
            context.out().flush();
            tell(receipt);
            return Receipts.json(receipt);
        }
    }

    @Command(name = "ls", mixinStandardHelpOptions = true, description = "List a directory.")
    public static final class Ls extends ClientCommand {
        @Parameters(index = "0", paramLabel = "VOLUME[@SNAPSHOT][:/PATH]")
        private String directory = "";

        @Option(
                names = {"-l", "--long"},
                description = "also when it was committed (UTC) and how many replicas the volume asks for")
        private boolean isLong;

        @Option(names = "--bytes", description = "sizes in bytes, not rounded")
        private boolean bytes;

        public Ls(CommandContext context) {
            super(context);
        }

        @Override
        protected Map<String, ?> run(CloudMw client) throws Exception {
            RemotePath of = RemotePath.directory(directory);
            int replicas = isLong && !options.json()
                    ? Calls.await(client.volumes().get(of.volume())).replicas()
                    : 0;
            try (JsonArray entries = new JsonArray(context.out(), "entries")) {
                String token = "";
                do {
                    Page<FileEntry> page = Calls.await(of.list(client, token));
                    page.items().forEach(entry -> show(entry, entries, replicas));
                    token = page.nextToken();
                    // The reader of the output may have stopped: `ls | head`.
                } while (!token.isEmpty() && !context.out().checkError());
                if (options.json()) {
                    entries.end();
                }
            }
            return Map.of();
        }

        private void show(FileEntry entry, JsonArray entries, int replicas) {
            if (options.json()) {
                Map<String, Object> row = new LinkedHashMap<>();
                row.put("name", entry.name());
                row.put("directory", entry.version().isEmpty());
                entry.version().ifPresent(version -> row.putAll(Json.of(version)));
                entries.add(row);
            }
            say(
                    "%s%12s  %s",
                    isLong ? more(entry, replicas) : "",
                    entry.version().map(version -> size(version.sizeBytes())).orElse("-"),
                    NameStyle.printable(entry.name()) + (entry.version().isEmpty() ? "/" : ""));
        }

        private String size(long sizeBytes) {
            return bytes ? Long.toString(sizeBytes) : Sizes.approximate(sizeBytes);
        }

        /** Returns the time of the commit and the number of replicas; blank for a directory, which has neither. */
        private static String more(FileEntry entry, int replicas) {
            return entry.version()
                    .map(version -> String.format(
                            Locale.ROOT,
                            "%-20s  %2d  ",
                            Instant.ofEpochMilli(version.committedAtMillis()).truncatedTo(ChronoUnit.SECONDS),
                            replicas))
                    .orElseGet(() -> String.format(Locale.ROOT, "%-20s  %2s  ", "-", "-"));
        }
    }

    @Command(
            name = "stat",
            mixinStandardHelpOptions = true,
            description = "Show the version, size and attributes of a file, or the attributes of a directory.")
    public static final class Stat extends ClientCommand {
        @Parameters(index = "0", paramLabel = "VOLUME[@SNAPSHOT]:/PATH")
        private String file = "";

        public Stat(CommandContext context) {
            super(context);
        }

        @Override
        protected Map<String, ?> run(CloudMw client) throws Exception {
            RemotePath path = RemotePath.directory(file);
            Optional<FileStatus> found =
                    path.isRoot() ? Optional.empty() : Calls.find(path.stat(client), ErrorCode.NOT_FOUND);
            return found.isPresent() ? file(path, found.get()) : directory(path, Calls.await(path.entry(client)));
        }

        private Map<String, Object> file(RemotePath path, FileStatus status) {
            Map<String, Object> answer = Json.of(status.version());
            path.snapshot().ifPresent(snapshot -> answer.put("snapshot", snapshot));
            if (status.version().chunkSizeBytes() > 0) {
                answer.put("chunk_size_bytes", status.version().chunkSizeBytes());
            }
            answer.put("leaf_size_bytes", status.version().leafSizeBytes());
            answer.put("under_replicated_chunks", status.underReplicatedChunks());
            answer.put("created_at_millis", status.createdAtMillis());
            answer.put("attributes", status.attributes().values());
            Map<String, Object> shown = new LinkedHashMap<>(answer);
            shown.keySet().removeAll(List.of("committed_at_millis", "created_at_millis", "attributes"));
            shown.put("created_at", Instant.ofEpochMilli(status.createdAtMillis()));
            shown.put("committed_at", Instant.ofEpochMilli(status.version().committedAtMillis()));
            status.attributes().values().forEach((name, value) -> shown.put("attribute " + name, value));
            shown.forEach((name, value) -> say("%-24s %s", name, value));
            return answer;
        }

        private Map<String, Object> directory(RemotePath path, EntryStatus entry) {
            Map<String, Object> answer = Json.ofDirectory(path);
            answer.put("stays", entry.stays());
            answer.put("created_at_millis", entry.createdAtMillis());
            answer.put("attributes", entry.attributes().values());
            Map<String, Object> shown = new LinkedHashMap<>(answer);
            shown.keySet().removeAll(List.of("created_at_millis", "attributes"));
            if (entry.stays()) {
                shown.put("created_at", Instant.ofEpochMilli(entry.createdAtMillis()));
            }
            entry.attributes().values().forEach((name, value) -> shown.put("attribute " + name, value));
            shown.forEach((name, value) -> say("%-24s %s", name, value));
            return answer;
        }
    }

    @Command(name = "attr", mixinStandardHelpOptions = true, description = "Note something of a file, or show it.")
    public static final class Attr extends ClientCommand {
        @Parameters(index = "0", paramLabel = "VOLUME:/PATH")
        private String file = "";

        @Parameters(index = "1..*", paramLabel = "NAME=VALUE", description = "attributes to set")
        private List<String> set = new ArrayList<>();

        @Option(names = "--remove", paramLabel = "NAME", description = "an attribute to remove")
        private List<String> remove = new ArrayList<>();

        public Attr(CommandContext context) {
            super(context);
        }

        @Override
        protected Map<String, ?> run(CloudMw client) throws Exception {
            RemotePath path = RemotePath.parse(file);
            Attributes attributes = set.isEmpty() && remove.isEmpty()
                    ? Calls.await(path.stat(client)).attributes()
                    : Calls.await(
                            client.files().setAttributes(path.requireCurrent().file(), values(), Set.copyOf(remove)));
            attributes.values().forEach((name, value) -> say("%s=%s", name, value));
            return Map.of("file", path.toString(), "attributes", attributes.values());
        }

        private Map<String, String> values() {
            Map<String, String> values = new LinkedHashMap<>();
            for (String assignment : set) {
                int equals = assignment.indexOf('=');
                if (equals < 0) {
                    throw new IllegalArgumentException("attribute: \"" + assignment + "\" (expected: NAME=VALUE)");
                }
                values.put(assignment.substring(0, equals), assignment.substring(equals + 1));
            }
            return values;
        }
    }

    @Command(name = "rm", mixinStandardHelpOptions = true, description = "Remove a file, or all files of a directory.")
    public static final class Rm extends ClientCommand {
        @Parameters(index = "0", paramLabel = "VOLUME:/PATH")
        private String file = "";

        @Option(
                names = {"-r", "--recursive"},
                description = "the files of a directory, and of those in it, one after the other")
        private boolean recursive;

        @Option(names = "--dry-run", description = "with -r: only list the files to be removed")
        private boolean dryRun;

        @Mixin
        private TreeRun tree = new TreeRun();

        public Rm(CommandContext context) {
            super(context);
        }

        @Override
        protected ExitCode exit() {
            return tree.exit();
        }

        @Override
        protected Map<String, ?> run(CloudMw client) throws Exception {
            if (!recursive) {
                if (dryRun) {
                    throw new IllegalArgumentException("--dry-run: only with --recursive");
                }
                RemotePath one = RemotePath.parse(file).requireCurrent();
                try {
                    return Map.of("removed", Json.of(Calls.await(client.files().remove(one.file()))));
                } catch (CloudMwException e) {
                    throw hinted(e, client, one, "rm");
                }
            }
            if (!file.contains(":/")) {
                throw new IllegalArgumentException(
                        "\"" + file + "\" (expected: volume:/path; all of a volume: volume:/)");
            }
            return tree.remove(this, client, RemotePath.directory(file), dryRun);
        }
    }

    @Command(
            name = "mv",
            mixinStandardHelpOptions = true,
            description = "Give a file or a directory another path in its volume; a file replaces another.")
    public static final class Mv extends ClientCommand {
        @Parameters(index = "0", paramLabel = "VOLUME:/PATH")
        private String from = "";

        @Parameters(index = "1", paramLabel = "VOLUME:/PATH")
        private String to = "";

        @Option(names = "--no-replace", description = "fail where something has the new path already")
        private boolean keep;

        public Mv(CommandContext context) {
            super(context);
        }

        @Override
        protected Map<String, ?> run(CloudMw client) throws Exception {
            FilePath source = RemotePath.parse(from).requireCurrent().file();
            FilePath target = RemotePath.parse(to).requireCurrent().file();
            FileEntry moved = Calls.await(client.files().rename(source, target, !keep));
            Map<String, Object> answer = new LinkedHashMap<>();
            answer.put("from", source.toString());
            answer.put("to", target.toString());
            answer.put("directory", moved.version().isEmpty());
            moved.version().ifPresent(version -> answer.putAll(Json.of(version)));
            return answer;
        }
    }
}
