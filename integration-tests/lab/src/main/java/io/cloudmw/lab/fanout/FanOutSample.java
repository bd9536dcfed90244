package io.cloudmw.lab.fanout;

import java.util.List;

/**
 * A run, in which every client reads the set or fails.
 *
 * @param seconds until the last had it
 * @param storeBytes that left the store
 * @param failures why reads failed, one for each
 * @param repeatedBytes that clients received beyond those they wanted
 * @param rewrittenBytes that clients gave to the application beyond those it wanted
 */
record FanOutSample(
        double seconds, long storeBytes, List<String> failures, long repeatedBytes, long rewrittenBytes, Cpu cpu) {
    /** Processor seconds of all processes of a kind. */
    record Cpu(double switches, double clients, double store) {}
}
