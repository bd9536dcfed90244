package io.cloudmw.lab.fleet;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.client.ClientSecurity;
import io.cloudmw.client.CloudMwOptions;
import io.cloudmw.client.StartedClusters;
import io.cloudmw.core.security.SecretFiles;
import io.cloudmw.core.time.Sleeper;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/**
 * A coordinator and helpers on the loopback, each a process with its data below one directory.
 *
 * <p>The fleet has an authority of its own, and its clients the administrator's token. It speaks plain text when this
 * process has {@code CLOUDMW_TLS_INSECURE=true} in its environment, or the fleet was given it.
 *
 * <p>Closing, from any thread, ends every process, including one that is just starting, and prevents further starts.
 *
 * <p>The system chooses ports at the first start, and a restarted process keeps its port. The directory is also the
 * processes' working directory, to which {@code /proc/self/cwd} points in each.
 */
public final class LocalFleet implements AutoCloseable {
    private static final String COORDINATOR = "coordinator";
    private static final String INSECURE = "CLOUDMW_TLS_INSECURE";

    /** The reason of a process whose port is taken, in its error. */
    private static final String PORT_TAKEN = "another process listens there already";

    private static final int PORT_TRIES = 20;
    private static final long PORT_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Path directory;
    private final Path launcher;
    private final Map<String, String> environment;
    private final Map<String, Map<String, String>> environments = Collections.synchronizedMap(new LinkedHashMap<>());
    private final Map<String, Host> hosts = Collections.synchronizedMap(new LinkedHashMap<>());
    private final Map<String, Map<String, String>> settings = Collections.synchronizedMap(new LinkedHashMap<>());
    private final Map<String, ServerProcess> processes = Collections.synchronizedMap(new LinkedHashMap<>());

    private final List<StartedClusters.Registration> known = new CopyOnWriteArrayList<>();

    @GuardedBy("this")
    private final List<ServerProcess> started = new ArrayList<>();

    @GuardedBy("this")
    private boolean closed;

    /**
     * Creates a fleet without processes.
     *
     * @param directory for all files of the fleet; created if missing, not deleted
     * @param launcher the {@code cloudmw} script
     * @param environment added to every process, for instance {@code CLOUDMW_JAVA_OPTS} or S3 credentials
     */
    public LocalFleet(Path directory, Path launcher, Map<String, String> environment) throws IOException {
        this.directory = Files.createDirectories(directory).toAbsolutePath();
        this.launcher = launcher.toAbsolutePath();
        this.environment = Map.copyOf(environment);
    }

    /** Sets the host of later starts of this process; the default is this machine. */
    public void place(String name, Host host) {
        hosts.put(name, host);
    }

    /** Adds variables to the environment of later starts of this process. */
    public void environment(String name, Map<String, String> more) {
        environments.put(name, Map.copyOf(more));
    }

    private Map<String, String> environment(String name) {
        Map<String, String> all = new LinkedHashMap<>(environment);
        all.putAll(environments.getOrDefault(name, Map.of()));
        return all;
    }

    private Host host(String name) {
        return hosts.getOrDefault(name, Host.LOCAL);
    }

    /** Starts the coordinator; {@code extra} adds or replaces settings. */
    public ServerProcess startCoordinator(Map<String, String> extra) throws IOException {
        return startCoordinator(COORDINATOR, extra);
    }

    /**
     * Starts one of several coordinators with a shared catalog, as {@link #startCoordinator(Map)}. Its name must begin
     * with {@code coordinator}.
     */
    public ServerProcess startCoordinator(String name, Map<String, String> extra) throws IOException {
        Map<String, String> own = new LinkedHashMap<>();
        own.put("coordinator.listen", host(name).address() + ":0");
        own.put("coordinator.data-dir", directory.resolve(name).toString());
        own.put("cluster.secret-file", secretFile().toString());
        own.put("tls.authority", authorityFile().toString());
        own.put("tls.admin-token-file", tokenFile().toString());
        own.putAll(extra);
        ServerProcess coordinator = start(name, COORDINATOR, own, List.of());
        known.add(StartedClusters.register(coordinator.ready().path("address").asText(), security()));
        return coordinator;
    }

    /** Starts a helper with one disk of the same name; {@code extra} adds or replaces settings. */
    public ServerProcess startHelper(String id, Map<String, String> extra) throws IOException {
        Map<String, String> own = new LinkedHashMap<>();
        own.put("helper.id", id);
        if (!extra.containsKey("helper.coordinator")) {
            own.put("helper.coordinator", coordinatorAddress());
        }
        own.put("helper.control.listen", host(id).address() + ":0");
        own.put("helper.bulk.listen", host(id).address() + ":0");
        own.put("helper.spool.dir", directory.resolve(id + "-spool").toString());
        own.put("cluster.secret-file", secretFile().toString());
        own.putAll(extra);
        return start(id, "helper", own, List.of());
    }

    /** Returns the settings that give a helper one disk: {@code id} is both the store and its failure domain. */
    public Map<String, String> disk(String id) {
        return Map.of(
                "helper.disk." + id + ".path", directory.resolve(id).toString(), "helper.disk." + id + ".domain", id);
    }

    /** Returns the options of a client with the rights of an administrator. */
    public CloudMwOptions clientOptions() {
        return clientOptions(coordinatorAddress());
    }

    /** Returns the options of a client that reaches the coordinators by other addresses. */
    public CloudMwOptions clientOptions(String coordinators) {
        return CloudMwOptions.of(coordinators).withSecurity(security());
    }

    private ClientSecurity security() {
        return isPlainText() ? ClientSecurity.insecure() : ClientSecurity.tokenFile(tokenFile());
    }

    /** Returns the variables by which another process finds the security of clients. */
    public Map<String, String> clientEnvironment() {
        return isPlainText()
                ? Map.of(INSECURE, "true")
                : Map.of(INSECURE, "false", "CLOUDMW_TOKEN_FILE", tokenFile().toString());
    }

    /**
     * Does a step of the replacement of the fleet's authority: {@code prepare}, {@code switch} or {@code finish}.
     *
     * @throws IOException when the command fails; the message includes its output
     */
    public void replaceAuthority(String step) throws IOException, InterruptedException {
        Path said = log("authority");
        ProcessBuilder builder = new ProcessBuilder(
                        launcher.toString(), "authority", step, authorityFile().toString())
                .redirectErrorStream(true)
                .redirectOutput(said.toFile());
        builder.environment().putAll(environment);
        int exit = builder.start().waitFor();
        if (exit != 0) {
            throw new IOException("authority " + step + ": exit " + exit + ": " + Files.readString(said));
        }
    }

    /** Returns the keys in the file of the secret. The first one signs. */
    public List<String> secretKeys() throws IOException {
        return Files.readAllLines(secretFile());
    }

    /** Replaces the file of the secret at once. Processes that start from now on have these keys. */
    public void replaceSecret(List<String> keys) throws IOException {
        byte[] lines = (String.join("\n", keys) + "\n").getBytes(StandardCharsets.US_ASCII);
        SecretFiles.replace("secret file", secretFile(), lines);
    }

    private Path authorityFile() {
        return directory.resolve("authority.pem");
    }

    /** Returns whether the fleet speaks plain text. */
    public boolean isPlainText() {
        return environment
                .getOrDefault(INSECURE, System.getenv().getOrDefault(INSECURE, ""))
                .equals("true");
    }

    /** Returns the file of the administrator's token. */
    public Path tokenFile() {
        return directory.resolve("admin.token");
    }

    /** Returns the coordinator's address as {@code host:port}. */
    public String coordinatorAddress() {
        return process(COORDINATOR).ready().path("address").asText();
    }

    /** Returns a process by name: {@code coordinator}, or a helper's id. */
    public ServerProcess process(String name) {
        ServerProcess process = processes.get(name);
        if (process == null) {
            throw new IllegalArgumentException(
                    "process: \"" + name + "\" (expected: one of " + processes.keySet() + ")");
        }
        return process;
    }

    /** Restarts a process that was killed or closed, with the same settings and addresses. */
    public ServerProcess restart(String name) throws IOException {
        return restart(name, Map.of());
    }

    /** Restarts a process; {@code changed} replaces settings, for this and all later starts. */
    public ServerProcess restart(String name, Map<String, String> changed) throws IOException {
        return restart(name, changed, List.of());
    }

    /**
     * Restarts a process; {@code changed} replaces settings from now on, and {@code once} are arguments of this start
     * only.
     */
    public ServerProcess restart(String name, Map<String, String> changed, List<String> once) throws IOException {
        ServerProcess old = process(name);
        old.close();
        Map<String, String> own = new LinkedHashMap<>(settings(name));
        own.putAll(changed);
        if (name.startsWith(COORDINATOR)) {
            keepPort(own, "coordinator.listen", old.ready().path("address").asText());
            return startAgain(name, COORDINATOR, own, once);
        }
        keepPort(own, "helper.control.listen", old.ready().path("control").asText());
        keepPort(own, "helper.bulk.listen", old.ready().path("bulk").asText());
        return startAgain(name, "helper", own, once);
    }

    /**
     * Starts a process on the ports that it had. While it was away, the system may have given one of them to a
     * connection of another process: the start is then tried again for a while.
     */
    private ServerProcess startAgain(String name, String command, Map<String, String> own, List<String> once)
            throws IOException {
        for (int tries = 1; ; tries++) {
            try {
                return start(name, command, own, once);
            } catch (IOException e) {
                if (tries == PORT_TRIES || !String.valueOf(e.getMessage()).contains(PORT_TAKEN)) {
                    throw e;
                }
                pause();
            }
        }
    }

    private static void pause() throws IOException {
        try {
            Sleeper.system().sleep(PORT_PAUSE_NANOS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while a port was taken");
        }
    }

    /** Keeps a process's port. The address it listens on may have another host than the one that reaches it. */
    private static void keepPort(Map<String, String> own, String key, String address) {
        String host = own.getOrDefault(key, address);
        own.put(key, host.substring(0, host.lastIndexOf(':')) + address.substring(address.lastIndexOf(':')));
    }

    /** Returns the file with a process's standard error. */
    public Path log(String name) {
        return directory.resolve(name + ".log");
    }

    private Map<String, String> settings(String name) {
        Map<String, String> own = settings.get(name);
        return own == null ? Map.of() : own;
    }

    /** Returns the file of the secret that all processes share. */
    public Path secretFile() {
        return directory.resolve("cluster.secret");
    }

    private ServerProcess start(String name, String command, Map<String, String> own, List<String> once)
            throws IOException {
        settings.put(name, Map.copyOf(own));
        Path file = directory.resolve(name + ".properties");
        Properties properties = new Properties();
        // A fleet lives for moments, and is ready soon.
        properties.put("process.warm-up-time", "0s");
        properties.putAll(own);
        try (OutputStream out = Files.newOutputStream(file)) {
            properties.store(out, null);
        }
        List<String> arguments =
                new ArrayList<>(List.of(command, "--config", file.toString(), "--json", "--until-eof"));
        arguments.addAll(once);
        ServerProcess process = begin(name, arguments, Map.of()).awaitReady();
        processes.put(name, process);
        return process;
    }

    /** Starts a command that exchanges JSON lines by {@link ServerProcess#say} and {@link ServerProcess#answer}. */
    public ServerProcess startTalking(String name, List<String> arguments) throws IOException {
        ServerProcess process = begin(name, arguments, clientEnvironment());
        processes.put(name, process);
        return process;
    }

    private synchronized ServerProcess begin(String name, List<String> arguments, Map<String, String> more)
            throws IOException {
        if (closed) {
            throw new IllegalStateException("closed");
        }
        List<String> command = new ArrayList<>(host(name).command());
        command.add(launcher.toString());
        command.addAll(arguments);
        Map<String, String> all = environment(name);
        all.putAll(more);
        ServerProcess process = new ServerProcess(name, command, directory, all, log(name));
        started.add(process);
        return process;
    }

    private synchronized List<ServerProcess> end() {
        closed = true;
        return List.copyOf(started);
    }

    /** Stops every process, helpers first, within bounded time. */
    @Override
    public void close() {
        known.forEach(StartedClusters.Registration::close);
        List<ServerProcess> all = end();
        List<ServerProcess> helpers = all.stream()
                .filter(process -> !process.name().startsWith(COORDINATOR))
                .toList();
        helpers.forEach(ServerProcess::terminate);
        helpers.forEach(ServerProcess::close);
        all.forEach(ServerProcess::close);
    }
}
