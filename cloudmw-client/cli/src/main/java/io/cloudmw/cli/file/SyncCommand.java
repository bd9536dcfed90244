package io.cloudmw.cli.file;

import io.cloudmw.cli.command.ClientCommand;
import io.cloudmw.cli.command.CommandContext;
import io.cloudmw.cli.command.ExitCode;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.PutOptions;
import io.cloudmw.client.tree.RemotePath;
import io.cloudmw.client.tree.TreeOptions;
import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that makes one directory like another. */
@Command(
        name = "sync",
        mixinStandardHelpOptions = true,
        description = "Copy the files that differ from one directory to another, one of them in a volume.")
public final class SyncCommand extends ClientCommand {
    @Parameters(index = "0", paramLabel = "SOURCE", description = "a directory, or VOLUME[@SNAPSHOT]:/PATH")
    private String source = "";

    @Parameters(index = "1", paramLabel = "TARGET", description = "the other one")
    private String target = "";

    @Option(names = "--delete", description = "delete files of the target that the source has not")
    private boolean delete;

    @Option(names = "--dry-run", description = "only list the files to be copied and deleted")
    private boolean dryRun;

    @Option(names = "--checksum", description = "compare digests instead of times: reads every file of one size here")
    private boolean checksum;

    @Mixin
    private TreeRun tree = new TreeRun();

    @Mixin
    private TreeRun.Names names = new TreeRun.Names();

    public SyncCommand(CommandContext context) {
        super(context);
    }

    @Override
    protected Map<String, ?> run(CloudMw client) throws Exception {
        if (isRemote(source) == isRemote(target)) {
            throw new IllegalArgumentException("sync: " + source + " and " + target
                    + " (expected: one VOLUME:/PATH and one directory of this machine, like ./name)");
        }
        PutOptions put =
                context.stateDirectory().map(PutOptions.defaults()::resumable).orElse(PutOptions.defaults());
        TreeOptions how = tree.sync(
                        delete, dryRun, checksum, put, GetOptions.defaults().keepingWhatArrived())
                .withNames(names.style());
        return tree.run(
                this,
                "sync " + target,
                how,
                isRemote(target)
                        ? TreeRun.upload(client, Path.of(source), RemotePath.directory(target))
                        : TreeRun.download(client, RemotePath.directory(source), Path.of(target)));
    }

    /**
     * Returns whether the name is a path in a volume. A name that begins with {@code .} or {@code /} is a local path,
     * even with a colon.
     */
    private static boolean isRemote(String name) {
        return name.contains(":") && !name.startsWith(".") && !name.startsWith("/");
    }

    @Override
    protected ExitCode exit() {
        return tree.exit();
    }
}
