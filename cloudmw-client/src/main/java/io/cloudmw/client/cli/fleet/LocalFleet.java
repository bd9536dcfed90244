package io.cloudmw.client.cli.fleet;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/**
 * A coordinator and helpers on loopback, each a process of its own with its data below one directory.
 *
 * <p>Ports are chosen by the system at the first start and kept: a restarted process listens where it did before.
 */
public final class LocalFleet implements AutoCloseable {
    private final Path directory;
    private final Path launcher;
    private final Map<String, String> environment;
    private final Map<String, Map<String, String>> settings = new LinkedHashMap<>();
    private final Map<String, ServerProcess> processes = new LinkedHashMap<>();

    /**
     * @param directory everything the fleet writes; created if missing, left behind
     * @param launcher the {@code cloudmw} script
     * @param environment added to every process, for instance {@code CLOUDMW_JAVA_OPTS} or S3 credentials
     */
    public LocalFleet(Path directory, Path launcher, Map<String, String> environment) throws IOException {
        this.directory = Files.createDirectories(directory);
        this.launcher = launcher;
        this.environment = Map.copyOf(environment);
    }

    /** Starts the coordinator; {@code extra} adds to or replaces its settings. */
    public ServerProcess startCoordinator(Map<String, String> extra) throws IOException {
        Map<String, String> own = new LinkedHashMap<>();
        own.put("coordinator.listen", "127.0.0.1:0");
        own.put("coordinator.data-dir", directory.resolve("coordinator").toString());
        own.put("cluster.secret-file", secretFile().toString());
        own.putAll(extra);
        return start("coordinator", "coordinator", own);
    }

    /** Starts a helper with one disk of the same name; {@code extra} adds to or replaces its settings. */
    public ServerProcess startHelper(String id, Map<String, String> extra) throws IOException {
        Map<String, String> own = new LinkedHashMap<>();
        own.put("helper.id", id);
        own.put("helper.coordinator", coordinatorAddress());
        own.put("helper.control.listen", "127.0.0.1:0");
        own.put("helper.bulk.listen", "127.0.0.1:0");
        own.put("helper.spool.dir", directory.resolve(id + "-spool").toString());
        own.put("cluster.secret-file", secretFile().toString());
        own.putAll(extra);
        return start(id, "helper", own);
    }

    /** The settings that give a helper one disk: {@code id} is both the store and its failure domain. */
    public Map<String, String> disk(String id) {
        return Map.of(
                "helper.disk." + id + ".path", directory.resolve(id).toString(), "helper.disk." + id + ".domain", id);
    }

    /** Where the coordinator listens: {@code host:port}. */
    public String coordinatorAddress() {
        return process("coordinator").ready().path("address").asText();
    }

    /** A process by name: {@code coordinator}, or a helper's id. */
    public ServerProcess process(String name) {
        ServerProcess process = processes.get(name);
        if (process == null) {
            throw new IllegalArgumentException(
                    "process: \"" + name + "\" (expected: one of " + processes.keySet() + ")");
        }
        return process;
    }

    /** Starts a process that was killed or closed again, with the same settings and at the same addresses. */
    public ServerProcess restart(String name) throws IOException {
        ServerProcess old = process(name);
        old.close();
        Map<String, String> own = new LinkedHashMap<>(settings(name));
        if (name.equals("coordinator")) {
            own.put("coordinator.listen", old.ready().path("address").asText());
            return start(name, "coordinator", own);
        }
        own.put("helper.control.listen", old.ready().path("control").asText());
        own.put("helper.bulk.listen", old.ready().path("bulk").asText());
        return start(name, "helper", own);
    }

    /** A process's standard error. */
    public Path log(String name) {
        return directory.resolve(name + ".log");
    }

    private Map<String, String> settings(String name) {
        Map<String, String> own = settings.get(name);
        return own == null ? Map.of() : own;
    }

    private Path secretFile() {
        return directory.resolve("cluster.secret");
    }

    private ServerProcess start(String name, String command, Map<String, String> own) throws IOException {
        settings.put(name, Map.copyOf(own));
        Path file = directory.resolve(name + ".properties");
        Properties properties = new Properties();
        properties.putAll(own);
        try (OutputStream out = Files.newOutputStream(file)) {
            properties.store(out, null);
        }
        List<String> arguments = List.of(launcher.toString(), command, "--config", file.toString(), "--json");
        ServerProcess process = new ServerProcess(name, arguments, environment, log(name));
        processes.put(name, process);
        return process;
    }

    /** Stops every process, helpers first. */
    @Override
    public void close() {
        List<ServerProcess> all = new ArrayList<>(processes.values());
        for (int i = all.size() - 1; i >= 0; i--) {
            all.get(i).close();
        }
    }
}
