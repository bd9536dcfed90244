package io.cloudmw.cli.file;

import io.cloudmw.cli.command.CommandContext;
import io.cloudmw.cli.command.Input;
import io.cloudmw.cli.command.OptionConverters;
import io.cloudmw.cli.output.Receipts;
import io.cloudmw.cli.progress.Progress;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.PutOptions;
import io.cloudmw.client.progress.PutReceipt;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.client.tree.RemotePath;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands that change part of a file. */
public final class EditCommands {
    private EditCommands() {}

    /** The base of commands that change part of a file. */
    private abstract static class EditCommand extends FileCommands.TransferCommand {
        @Option(
                names = "--if-version",
                paramLabel = "ID",
                converter = OptionConverters.Version.class,
                description = "fail unless this is the current version, as stat says")
        private @Nullable VersionId ifVersion;

        EditCommand(CommandContext context) {
            super(context);
        }

        /** A change, ready to be made with these options. */
        interface Change {
            PutReceipt make(PutOptions how) throws CloudMwException;
        }

        Map<String, ?> edit(FilePath file, Change change) throws CloudMwException {
            PutReceipt receipt;
            try (Progress progress = Progress.of(context, options, "write " + file)) {
                PutOptions how = PutOptions.defaults().withListener(progress);
                how = ifVersion == null ? how : how.ifVersion(ifVersion);
                receipt = change.make(how);
            }
            tell(receipt);
            return Receipts.json(receipt);
        }
    }

    /** The base of commands that write the bytes of an input. */
    private abstract static class WritingCommand extends EditCommand {
        @Parameters(index = "0", paramLabel = "FILE|-", description = "the bytes to write; -: standard input")
        private String source = "";

        @Parameters(index = "1", paramLabel = "VOLUME:/PATH")
        private String target = "";

        WritingCommand(CommandContext context) {
            super(context);
        }

        abstract CompletableFuture<PutReceipt> start(CloudMw client, Path from, FilePath file, PutOptions how);

        abstract CompletableFuture<PutReceipt> start(CloudMw client, InputStream from, FilePath file, PutOptions how);

        @Override
        protected Map<String, ?> run(CloudMw client) throws Exception {
            FilePath file = RemotePath.parse(target).requireCurrent().file();
            Input from = new Input(context, source);
            return edit(
                    file,
                    how -> from.write(path -> start(client, path, file, how), in -> start(client, in, file, how)));
        }
    }

    @Command(
            name = "append",
            mixinStandardHelpOptions = true,
            description = "Write after the end of a file, which need not exist; chunks that stay are not sent.")
    public static final class Append extends WritingCommand {
        public Append(CommandContext context) {
            super(context);
        }

        @Override
        CompletableFuture<PutReceipt> start(CloudMw client, Path from, FilePath file, PutOptions how) {
            return client.files().append(from, file, how);
        }

        @Override
        CompletableFuture<PutReceipt> start(CloudMw client, InputStream from, FilePath file, PutOptions how) {
            return client.files().append(from, file, how);
        }
    }

    @Command(
            name = "write",
            mixinStandardHelpOptions = true,
            description = "Write over part of a file; chunks that stay are not sent.")
    public static final class Write extends WritingCommand {
        @Option(
                names = "--offset",
                paramLabel = "BYTES",
                converter = OptionConverters.Size.class,
                description = "where in the file (default 0)")
        private long offset;

        public Write(CommandContext context) {
            super(context);
        }

        @Override
        CompletableFuture<PutReceipt> start(CloudMw client, Path from, FilePath file, PutOptions how) {
            return client.files().write(from, file, offset, how);
        }

        @Override
        CompletableFuture<PutReceipt> start(CloudMw client, InputStream from, FilePath file, PutOptions how) {
            return client.files().write(from, file, offset, how);
        }
    }

    @Command(name = "truncate", mixinStandardHelpOptions = true, description = "Keep the first bytes of a file.")
    public static final class Truncate extends EditCommand {
        @Parameters(index = "0", paramLabel = "VOLUME:/PATH")
        private String target = "";

        @Option(
                names = "--size",
                paramLabel = "BYTES",
                required = true,
                converter = OptionConverters.Size.class,
                description = "how many stay")
        private long size;

        public Truncate(CommandContext context) {
            super(context);
        }

        @Override
        protected Map<String, ?> run(CloudMw client) throws Exception {
            FilePath file = RemotePath.parse(target).requireCurrent().file();
            return edit(file, how -> Calls.await(client.files().truncate(file, size, how)));
        }
    }
}
