package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Test of a cluster in one process, as the launcher starts it. */
final class StandaloneIT {
    private static final Pattern ADDRESS = Pattern.compile("\"address\":\"([^\"]+)\"");
    private static final int FILES = 200;
    private static final int LONGEST = 512 << 10;

    @TempDir
    private Path directory;

    private Process start(int helpers, Path log) throws IOException {
        return new ProcessBuilder(
                        CommandLine.LAUNCHER.toString(),
                        "standalone",
                        "--helpers",
                        Integer.toString(helpers),
                        "--listen",
                        "127.0.0.1:0",
                        "--dir",
                        directory.resolve("data").toString(),
                        "--until-eof",
                        "--json")
                .redirectError(log.toFile())
                .start();
    }

    private static String address(Process cluster) throws IOException {
        BufferedReader out = cluster.inputReader();
        Matcher address = ADDRESS.matcher(String.valueOf(out.readLine()));
        assertThat(address.find()).isTrue();
        return address.group(1);
    }

    private Path source() throws IOException {
        Path source = Files.createDirectory(directory.resolve("source"));
        Random random = new Random(1);
        for (int i = 0; i < FILES; i++) {
            byte[] content = new byte[random.nextInt(LONGEST)];
            random.nextBytes(content);
            Files.write(source.resolve("f" + i), content);
        }
        return source;
    }

    @Test
    void eightHelpersHaveTheMemoryForADirectoryOfFiles() throws Exception {
        Path log = directory.resolve("log");
        Process cluster = start(8, log);
        try {
            CommandLine commands = new CommandLine(address(cluster));
            commands.run("volume", "create", "v", "--replicas", "2", "--chunk-size", "1MiB")
                    .orThrow();
            commands.run("put", "-r", source().toString(), "v:/d", "-q").orThrow();
            assertThat(log).content().doesNotContain("OutOfMemoryError");
        } finally {
            cluster.getOutputStream().close();
            assertThat(cluster.waitFor(1, TimeUnit.MINUTES)).isTrue();
        }
    }
}
