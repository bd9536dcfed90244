package io.cloudmw.cli.support;

import io.cloudmw.core.config.Build;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.time.WallClock;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/** Sources on this machine: versions, variables, files, processes and HTTP endpoints. Each call ends within a time. */
final class LocalSources {
    private static final Duration PATIENCE = Duration.ofSeconds(15);
    private static final String JCMD = "jdk.jcmd/sun.tools.jcmd.JCmd";
    private static final List<String> VARIABLES = List.of("CLOUDMW_", "OTEL_", "AWS_", "JAVA_", "XDG_");

    private LocalSources() {}

    /** The versions and the size of this machine. */
    static String versions() {
        Map<String, Object> facts = new TreeMap<>();
        facts.put("cloudmw", Build.describe(LocalSources.class));
        for (String name : List.of(
                "java.version", "java.vm.name", "java.vm.version", "java.vendor", "os.name", "os.version", "os.arch")) {
            facts.put(name, System.getProperty(name, ""));
        }
        facts.put("processors", Runtime.getRuntime().availableProcessors());
        facts.put("time", Instant.ofEpochMilli(WallClock.system().millis()));
        facts.put("time.zone", ZoneId.systemDefault());
        return lines(facts);
    }

    /** The variables of this process that CloudMW, the JVM or the AWS SDK read. */
    static String variables(Map<String, String> environment) {
        Map<String, Object> read = new TreeMap<>();
        environment.forEach((name, value) -> {
            if (VARIABLES.stream().anyMatch(name::startsWith)) {
                read.put(name, value);
            }
        });
        return lines(read);
    }

    private static String lines(Map<String, ?> values) {
        StringBuilder text = new StringBuilder();
        values.forEach(
                (name, value) -> text.append(name).append('=').append(value).append('\n'));
        return text.toString();
    }

    /** The end of a file, from a line's begin on. */
    static String file(Path path) throws IOException {
        if (!Files.isRegularFile(path)) {
            throw new IOException(Files.exists(path) ? "not a file" : "no such file");
        }
        try (RandomAccessFile open = new RandomAccessFile(path.toFile(), "r")) {
            long from = Math.max(0, open.length() - SupportBundle.MAX_PART_BYTES);
            byte[] end = new byte[(int) (open.length() - from)];
            open.seek(from);
            open.readFully(end);
            String text = new String(end, StandardCharsets.UTF_8);
            // Of a line that is cut, nobody knows what it was.
            return from == 0
                    ? text
                    : "[the last " + end.length + " of " + open.length() + " bytes]\n"
                            + text.substring(text.indexOf('\n') + 1);
        }
    }

    /** The files that a path names: the file itself, or the files right below a directory, the newest first. */
    static List<Path> files(Path path) throws IOException {
        if (!Files.isDirectory(path)) {
            return List.of(path);
        }
        try (Stream<Path> below = Files.list(path)) {
            return below.filter(Files::isRegularFile)
                    .sorted((a, b) ->
                            Long.compare(b.toFile().lastModified(), a.toFile().lastModified()))
                    .toList();
        }
    }

    /** The answer of a process's HTTP endpoint, with its status. */
    static String page(HostPort address, String path) throws IOException, InterruptedException {
        FutureTask<String> asking = new FutureTask<>(() -> answer(address, path));
        Thread thread = new Thread(asking, "cloudmw-support-http");
        thread.setDaemon(true);
        thread.start();
        try {
            return asking.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new IOException(address + " did not answer within " + PATIENCE.toSeconds() + " s", e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException known ? known : new IOException(e.getCause());
        }
    }

    private static String answer(HostPort address, String path) throws IOException, InterruptedException {
        HttpClient client = HttpClient.newBuilder().connectTimeout(PATIENCE).build();
        HttpResponse<InputStream> answer = client.send(
                HttpRequest.newBuilder(URI.create("http://" + address + path))
                        .timeout(PATIENCE)
                        .build(),
                HttpResponse.BodyHandlers.ofInputStream());
        try (InputStream body = answer.body()) {
            return "# HTTP " + answer.statusCode() + "\n"
                    + new String(body.readNBytes(SupportBundle.MAX_PART_BYTES), StandardCharsets.UTF_8);
        }
    }

    /** The server processes of CloudMW on this machine that belong to this user; for root, those of all users. */
    static List<ProcessHandle> servers() {
        String user = ProcessHandle.current().info().user().orElse("");
        return ProcessHandle.allProcesses()
                .filter(process -> process.pid() != ProcessHandle.current().pid())
                .filter(process -> seesThreads(user, process.info().user().orElse("")))
                .filter(process -> process.info()
                        .commandLine()
                        .map(line -> line.contains("cloudmw-helper") && line.contains("java"))
                        .orElse(false))
                .toList();
    }

    /** Returns whether a JVM lets this user see its threads. */
    static boolean seesThreads(String user, String owner) {
        return user.equals(owner) || user.equals("root");
    }

    /** The command line and the stack of each thread of a process. */
    static String threads(ProcessHandle process) throws IOException, InterruptedException {
        // Runtimes of Debian have the module of jcmd, and not its program.
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String pid = Long.toString(process.pid());
        List<String> command = new ArrayList<>();
        if (hasOtherFiles(pid)) {
            // Runtimes before 24 look for the socket in their own /tmp; a unit with PrivateTmp has another one.
            command.addAll(List.of("nsenter", "--target", pid, "--mount", "--root", "--wd", "--"));
        }
        command.addAll(List.of(java, "-m", JCMD, pid, "Thread.print", "-l"));
        return process.info().commandLine().orElse("") + "\n" + output(command);
    }

    /** Returns whether a process is in another mount namespace than this one. Only Linux has those. */
    private static boolean hasOtherFiles(String pid) {
        try {
            Path mounts = Path.of("ns", "mnt");
            return !Files.readSymbolicLink(Path.of("/proc", "self").resolve(mounts))
                    .equals(Files.readSymbolicLink(Path.of("/proc", pid).resolve(mounts)));
        } catch (IOException noNamespaces) {
            return false;
        }
    }

    /** The last lines that a unit of systemd has logged. */
    static String journal(String unit) throws IOException, InterruptedException {
        return output(List.of("journalctl", "--no-pager", "--unit", unit, "--lines", "20000"));
    }

    private static String output(List<String> command) throws IOException, InterruptedException {
        Path out = Files.createTempFile("cloudmw-support-", ".out");
        try {
            Process process = new ProcessBuilder(new ArrayList<>(command))
                    .redirectErrorStream(true)
                    .redirectOutput(out.toFile())
                    .redirectInput(Path.of("/dev/null").toFile())
                    .start();
            if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IOException(command.get(0) + " did not end within " + PATIENCE.toSeconds() + " s");
            }
            String text = file(out);
            if (process.exitValue() != 0) {
                throw new IOException(command.get(0) + " ended with " + process.exitValue() + ": "
                        + text.lines().findFirst().orElse(""));
            }
            return text;
        } finally {
            Files.deleteIfExists(out);
        }
    }
}
