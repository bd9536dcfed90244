package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of the launcher as users call it: options before the command, help, completion and manual pages of both jars.
 */
final class ShellIT {
    private static final List<String> SERVERS = List.of("coordinator", "helper", "recover", "standalone");

    @TempDir
    private Path directory;

    private final CommandLine commands = new CommandLine("127.0.0.1:1");

    private String out(String... arguments) {
        return commands.run(arguments).orThrow().out();
    }

    /** Returns the name of the jar that the launcher runs, as reported by the JVM. */
    private String jar(String... arguments) {
        String said = commands.with(Map.of("CLOUDMW_JAVA_OPTS", "-XshowSettings:properties"))
                .run(arguments)
                .err();
        var main = Pattern.compile("java\\.class\\.path = (\\S+)").matcher(said);
        assertThat(main.find()).as(said).isTrue();
        return Path.of(main.group(1)).getFileName().toString();
    }

    @Test
    void commandIsTheFirstWordThatIsNeitherAnOptionNorItsValue() {
        assertThat(jar("--coordinator", "helper", "volume", "ls", "--help")).startsWith("cloudmw-cli-");
        assertThat(jar("--coordinator", "a:1", "helper", "--help")).startsWith("cloudmw-helper-");
        assertThat(jar("-D", "a=b", "--config", "put", "coordinator", "--help")).startsWith("cloudmw-helper-");
        assertThat(jar("help", "recover")).startsWith("cloudmw-helper-");
    }

    @Test
    void optionsMayStandBeforeTheCommand() {
        CommandLine.Result result = commands.run("--coordinator", "127.0.0.1:9", "--timeout", "300ms", "volume", "ls");
        assertThat(result.exitCode()).isEqualTo(5);
        assertThat(result.err()).contains("127.0.0.1:9");
    }

    @Test
    void helpDescribesServerCommandsAsTheirOwnPagesDo() {
        String all = out("--help").replaceAll("\\s+", " ");
        for (String server : SERVERS) {
            String page = out("help", server);
            assertThat(page).startsWith("Usage: cloudmw " + server);
            String name = out("man", server)
                    .lines()
                    .filter(line -> line.startsWith("cloudmw\\-" + server + " "))
                    .findFirst()
                    .orElseThrow();
            String does = name.substring(name.indexOf(" \\- ") + 4).replace("\\-", "-");
            assertThat(all).contains(server + " " + does);
        }
        assertThat(out("help", "put")).startsWith("Usage: cloudmw put");
    }

    @Test
    void completionKnowsTheCommandsOfBothJars() throws Exception {
        CommandLine.Result result = commands.run("completion", "bash").orThrow();
        assertThat(result.err()).isEmpty();
        Path script = Files.writeString(directory.resolve("complete.bash"), result.out());
        assertThat(completed(script, "cloudmw", "standa")).containsExactly("standalone");
        assertThat(completed(script, "cloudmw", "helper", "--dis")).containsExactly("--disk");
        assertThat(completed(script, "cloudmw", "recover", "--resu")).containsExactly("--resume");
        assertThat(completed(script, "cloudmw", "volume", "cr")).containsExactly("create");
        assertThat(out("completion", "fish")).contains(" -a standalone ", "\"volume create\"");
    }

    private static List<String> completed(Path script, String... words) throws IOException, InterruptedException {
        String asked = "compopt() { :; }; source " + script
                + "; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _complete_cloudmw; printf '%s\\n' \"${COMPREPLY[@]}\"";
        ProcessBuilder bash = new ProcessBuilder("bash", "--norc", "-c", asked, "bash").redirectErrorStream(true);
        bash.command().addAll(List.of(words));
        Process process = bash.start();
        process.getOutputStream().close();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        return out.lines().map(String::strip).toList();
    }

    @Test
    void pagesOfAllCommandsAreWritten() {
        Path pages = directory.resolve("man1");
        out("man", "--directory", pages.toString());
        assertThat(pages)
                .isDirectoryContaining("glob:**/cloudmw-helper.1")
                .isDirectoryContaining("glob:**/cloudmw-volume-create.1");
    }
}
