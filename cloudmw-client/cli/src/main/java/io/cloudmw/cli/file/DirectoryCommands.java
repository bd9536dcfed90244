package io.cloudmw.cli.file;

import io.cloudmw.cli.command.ClientCommand;
import io.cloudmw.cli.command.CommandContext;
import io.cloudmw.cli.output.Json;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.rpc.Calls;
import io.cloudmw.client.tree.RemotePath;
import io.cloudmw.core.model.FilePath;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands about directories that stay when they are empty, and copies within a volume. */
public final class DirectoryCommands {
    private DirectoryCommands() {}

    @Command(
            name = "mkdir",
            mixinStandardHelpOptions = true,
            description = "Create a directory that stays when it is empty.")
    public static final class Mkdir extends ClientCommand {
        @Parameters(index = "0", paramLabel = "VOLUME:/PATH")
        private String directory = "";

        @Option(
                names = {"-p", "--parents"},
                description = "create missing directories above too; a directory that exists is no error")
        private boolean parents;

        public Mkdir(CommandContext context) {
            super(context);
        }

        @Override
        protected Map<String, ?> run(CloudMw client) throws Exception {
            FilePath path = RemotePath.parse(directory).requireCurrent().file();
            Void unused = Calls.await(client.files().createDirectory(path, parents));
            return Map.of("created", path.toString());
        }
    }

    @Command(name = "rmdir", mixinStandardHelpOptions = true, description = "Remove an empty directory.")
    public static final class Rmdir extends ClientCommand {
        @Parameters(index = "0", paramLabel = "VOLUME:/PATH")
        private String directory = "";

        public Rmdir(CommandContext context) {
            super(context);
        }

        @Override
        protected Map<String, ?> run(CloudMw client) throws Exception {
            FilePath path = RemotePath.parse(directory).requireCurrent().file();
            Void unused = Calls.await(client.files().removeDirectory(path));
            return Map.of("removed", path.toString());
        }
    }

    @Command(
            name = "cp",
            mixinStandardHelpOptions = true,
            description = "Copy a file to another path of its volume, at once; it replaces another file.")
    public static final class Cp extends ClientCommand {
        @Parameters(index = "0", paramLabel = "VOLUME:/PATH")
        private String from = "";

        @Parameters(index = "1", paramLabel = "VOLUME:/PATH")
        private String to = "";

        @Option(names = "--no-replace", description = "fail where a file has the new path already")
        private boolean keep;

        public Cp(CommandContext context) {
            super(context);
        }

        @Override
        protected Map<String, ?> run(CloudMw client) throws Exception {
            FilePath source = RemotePath.parse(from).requireCurrent().file();
            FilePath target = RemotePath.parse(to).requireCurrent().file();
            Map<String, Object> answer = new LinkedHashMap<>();
            answer.put("from", source.toString());
            answer.put("to", target.toString());
            answer.putAll(Json.of(Calls.await(client.files().copy(source, target, !keep))));
            return answer;
        }
    }
}
