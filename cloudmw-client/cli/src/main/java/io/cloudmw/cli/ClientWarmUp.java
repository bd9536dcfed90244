package io.cloudmw.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.cloudmw.cli.command.CommandContext;
import io.cloudmw.cli.command.ExitCode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The hidden command that does what most commands do, for the archive of classes or the AOT cache that the launcher
 * makes. It starts a cluster in a process of its own, on loopback, puts and gets files there, and leaves nothing.
 */
@Command(name = "warm-up", hidden = true, description = "Train the archive that makes starts faster.")
final class ClientWarmUp implements Callable<Integer> {
    private static final int SMALL_FILES = 100;
    private static final int SMALL_BYTES = 4 << 10;
    private static final String VOLUME = "warm-up";

    private final CommandContext context;
    private final CommandContext silent;

    @Option(names = "--mib", paramLabel = "N", description = "size of the file that is put and read")
    private int mebibytes = 1;

    ClientWarmUp(CommandContext context) {
        this.context = context;
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
        this.silent = new CommandContext(InputStream.nullInputStream(), nowhere, nowhere, context.environment(), false);
    }

    @Override
    public Integer call() throws IOException {
        Main.run(silent, "--help");
        Main.run(silent, "ls", VOLUME, "--coordinator", "127.0.0.1:1", "--timeout", "1", "--json");
        if (context.environment().containsKey("CLOUDMW_LAUNCHER")) {
            Path directory = Files.createTempDirectory("cloudmw-warm-up-");
            try {
                transfer(directory);
            } finally {
                delete(directory);
            }
        }
        return ExitCode.OK.value();
    }

    /** Runs commands against a cluster of its own. Where none starts, the classes loaded so far must do. */
    private void transfer(Path directory) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                        context.launcher(VOLUME).toString(),
                        "standalone",
                        "--until-eof",
                        "--json",
                        "--helpers",
                        "1",
                        "--listen",
                        "127.0.0.1:0",
                        "--dir",
                        directory.resolve("cluster").toString(),
                        "--secret-file",
                        directory.resolve("secret").toString(),
                        "-D",
                        "tls.insecure=false",
                        "-D",
                        "tls.authority=" + directory.resolve("authority.pem"),
                        "-D",
                        "tls.admin-token-file=" + token(directory))
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        // The launcher is making an archive just now, and the options are for this process.
        builder.environment().put("CLOUDMW_NO_CDS", "1");
        builder.environment().remove("CLOUDMW_JAVA_OPTS");
        Process cluster = builder.start();
        try (BufferedReader lines = cluster.inputReader(StandardCharsets.UTF_8)) {
            String ready = lines.readLine();
            if (ready != null) {
                Object address = new ObjectMapper().readValue(ready, Map.class).get("address");
                commands(directory, String.valueOf(address));
            }
        } finally {
            cluster.outputWriter(StandardCharsets.UTF_8).close();
            var unused = cluster.onExit().join();
        }
    }

    private static Path token(Path directory) {
        return directory.resolve("admin.token");
    }

    private void commands(Path directory, String coordinator) throws IOException {
        Path tree = Files.createDirectory(directory.resolve("tree"));
        SplittableRandom random = new SplittableRandom(1);
        byte[] small = new byte[SMALL_BYTES];
        for (int i = 0; i < SMALL_FILES; i++) {
            random.nextBytes(small);
            Files.write(tree.resolve(Integer.toString(i)), small);
        }
        Path large = directory.resolve("large");
        byte[] piece = new byte[1 << 20];
        try (OutputStream out = Files.newOutputStream(large)) {
            for (int i = 0; i < mebibytes; i++) {
                random.nextBytes(piece);
                out.write(piece);
            }
        }
        String to = VOLUME + ":/";
        List<List<String>> all = List.of(
                List.of("volume", "create", VOLUME, "--replicas", "1"),
                List.of("put", large.toString(), to + "large"),
                List.of("get", to + "large", directory.resolve("copy").toString()),
                List.of("cat", to + "large"),
                List.of("put", "-r", tree.toString(), to + "tree"),
                List.of("get", "-r", to + "tree", directory.resolve("copies").toString()),
                List.of("ls", to),
                List.of("stat", to + "large", "--json"),
                List.of("status"));
        for (List<String> command : all) {
            Stream<String> words = Stream.concat(
                    command.stream(),
                    Stream.of(
                            "--coordinator",
                            coordinator,
                            "--token-file",
                            token(directory).toString()));
            Main.run(silent, words.toArray(String[]::new));
        }
    }

    private static void delete(Path directory) throws IOException {
        List<Path> deepestFirst;
        try (Stream<Path> all = Files.walk(directory)) {
            deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : deepestFirst) {
            Files.deleteIfExists(path);
        }
    }
}
