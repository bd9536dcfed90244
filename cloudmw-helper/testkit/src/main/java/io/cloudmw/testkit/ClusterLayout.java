package io.cloudmw.testkit;

import io.cloudmw.core.config.HostPort;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The settings of a cluster before it starts.
 *
 * @param helpers number of helpers, each with one disk
 * @param volumes names of the volumes that exist after the start
 * @param coordinator settings of the coordinator beyond the usual ones
 * @param everyHelper settings of all helpers beyond the usual ones
 * @param ofHelper further settings by the number of a helper
 */
record ClusterLayout(
        int helpers,
        List<String> volumes,
        Map<String, String> coordinator,
        Map<String, String> everyHelper,
        Map<Integer, Map<String, String>> ofHelper) {
    ClusterLayout {
        volumes = List.copyOf(volumes);
        coordinator = Map.copyOf(coordinator);
        everyHelper = Map.copyOf(everyHelper);
        ofHelper = Map.copyOf(ofHelper);
    }

    static String helper(int number) {
        return "helper-" + number;
    }

    static String disk(int number) {
        return "disk-" + number;
    }

    private static Path secret(Path directory) {
        return directory.resolve("cluster.secret");
    }

    Map<String, String> coordinatorSettings(Path directory) {
        Map<String, String> all = new HashMap<>(Map.of(
                "coordinator.listen", "127.0.0.1:0",
                "coordinator.data-dir", directory.resolve("coordinator").toString(),
                "cluster.secret-file", secret(directory).toString(),
                "tls.insecure", "true",
                "coordinator.heartbeat-interval", "500ms",
                "coordinator.helper-ttl", "8s"));
        all.putAll(coordinator);
        return all;
    }

    /**
     * The settings of a helper.
     *
     * @param directory of the cluster
     * @param link by which the helper reaches the coordinator
     * @param control by which others reach its control plane
     * @param bulk by which others reach its bulk plane
     */
    Map<String, String> helperSettings(int number, Path directory, HostPort link, HostPort control, HostPort bulk) {
        String id = helper(number);
        String disk = "helper.disk." + disk(number);
        Map<String, String> all = new HashMap<>(Map.of(
                "helper.id", id,
                "helper.coordinator", link.toString(),
                "helper.control.listen", "127.0.0.1:0",
                "helper.control.advertise-port", Integer.toString(control.port()),
                "helper.bulk.listen", "127.0.0.1:0",
                "helper.bulk.advertise-port", Integer.toString(bulk.port()),
                "helper.spool.dir", directory.resolve(id + "-spool").toString(),
                "cluster.secret-file", secret(directory).toString(),
                "tls.insecure", "true"));
        all.put(disk + ".path", diskDirectory(number, directory).toString());
        all.put(disk + ".domain", disk(number));
        all.put(disk + ".reserve", "0");
        all.putAll(everyHelper);
        all.putAll(ofHelper.getOrDefault(number, Map.of()));
        return all;
    }

    static Path diskDirectory(int number, Path directory) {
        return directory.resolve(disk(number));
    }
}
