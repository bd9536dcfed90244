package io.cloudmw.lab.fanout;

import io.cloudmw.lab.fleet.ServerProcess;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Processor time in seconds by process id, grouped by role.
 *
 * @param store the time of this process, which runs the store
 */
record CpuTimes(Map<Long, Double> switches, Map<Long, Double> clients, Map<Long, Double> store) {
    /** Reads the times up to now. */
    static CpuTimes of(FanOutTestbed testbed) {
        return new CpuTimes(
                times(testbed.switches().stream().map(ServerProcess::pid).toList()),
                times(testbed.readers().stream().map(ServerProcess::pid).toList()),
                times(List.of(ProcessHandle.current().pid())));
    }

    private static Map<Long, Double> times(List<Long> processes) {
        Map<Long, Double> times = new HashMap<>();
        for (long pid : processes) {
            ProcessHandle.of(pid)
                    .flatMap(process -> process.info().totalCpuDuration())
                    .map(Duration::toNanos)
                    .ifPresent(nanos -> times.put(pid, nanos / 1e9));
        }
        return times;
    }

    /** Returns the time used since {@code before} by processes that still run. */
    FanOutSample.Cpu since(CpuTimes before) {
        return new FanOutSample.Cpu(
                passed(before.switches, switches), passed(before.clients, clients), passed(before.store, store));
    }

    private static double passed(Map<Long, Double> before, Map<Long, Double> now) {
        return now.entrySet().stream()
                .mapToDouble(process -> process.getValue() - before.getOrDefault(process.getKey(), process.getValue()))
                .sum();
    }
}
