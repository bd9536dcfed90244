package io.cloudmw.lab.fanout;

import java.util.List;

/**
 * A run, in which every client reads the set or fails.
 *
 * @param seconds until the last client finished
 * @param storeBytes that the store sent
 * @param failures the reason of each failed read
 * @param repeatedBytes that clients received more than once
 * @param rewrittenBytes that clients delivered to the application more than once
 */
record FanOutSample(
        double seconds, long storeBytes, List<String> failures, long repeatedBytes, long rewrittenBytes, Cpu cpu) {
    /** The processor seconds of all processes of each role. */
    record Cpu(double switches, double clients, double store) {}
}
